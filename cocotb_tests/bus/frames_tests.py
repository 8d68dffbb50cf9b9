"""Coroutines for the splitter of frames: what goes where, and why a frame goes nowhere."""

import cocotb

from cocotb_tests.streams import Bench
from hdl.contract import Refusal
from hdl.shapes.edge import BusRequest, BusResponse
from hdl.shapes.publication import DocumentWord

_REST = bytes.fromhex("0701020304050607 a1b2c3d4".replace(" ", ""))


def _frame(kind: bytes, low: int = 0, body: bytes = b"") -> bytes:
    """A frame with these 24 bits behind its kind."""
    return kind + low.to_bytes(3, "big") + _REST + len(body).to_bytes(4, "big") + body


MISFITS = [
    *((_frame(bytes([kind]), 0, b"body"[: kind % 5]), Refusal.UNSUPPORTED_VERSION) for kind in b"SURPVNFQLTKA\x00\x13\x93\xd3\xff"),
    *((_frame(bytes([kind]), 0x123456, b"body"[: kind % 5]), Refusal.UNSUPPORTED_KIND) for kind in b"rvnfqlth`\x7f"),
    (_frame(b"p", 1 << 16, b"message"), Refusal.UNSUPPORTED_FORMAT),
    (_frame(b"p", 9 << 16, b"both"), Refusal.UNSUPPORTED_FORMAT),
    (_frame(b"p", 8 << 16, b"\0\0\0\1x"), Refusal.UNSUPPORTED_ATTACHMENT),
    *((_frame(b"p", 1 << bit, b"odd"), Refusal.BAD_HEADER) for bit in range(24) if bit not in (16, 19)),
    *((_frame(b"k", 1 << bit, b"odd"), Refusal.BAD_HEADER) for bit in range(24)),
    *((_frame(b"a", 1 << bit | 8), Refusal.BAD_HEADER) for bit in range(16, 24)),
    (_frame(b"a", 8, b"more"), Refusal.BAD_HEADER),
    (_frame(b"a", 1 << 15 | 8, b"les"), Refusal.BAD_HEADER),
]


class SplitterBench(Bench):
    """Bytes in; what comes out of each port is put together again."""

    def __init__(self, dut, *, idle: float, stall: float):
        super().__init__(dut)
        self.bytes = self.source("i", 8, idle=idle)
        self.answers = self.sink("answer", DocumentWord, stall=stall)
        self.bodies = {name: self.sink(name, DocumentWord, stall=stall) for name in ("subscription", "publication", "skeleton")}
        self.references = self.sink("reference", 32, stall=stall)
        self.requests = self.sink("request", BusRequest, stall=stall)
        self.responses = self.source("response", BusResponse, idle=idle)

    @staticmethod
    def packets(sink) -> list[bytes]:
        """The packets that have come whole."""
        found, packet = [], b""
        for word in sink.items:
            packet += word["data"].to_bytes(4, "little")[: word["count"]]
            if word["last"]:
                found, packet = [*found, packet], b""
        assert not packet
        return found

    async def send(self, *frames: bytes, clocks: int) -> None:
        self.bytes.send(b"".join(frames))
        await self.bytes.drained()
        await self.clocks(clocks)


@cocotb.test()
@cocotb.parametrize((("idle", "stall"), [(0.0, 0.0), (0.3, 0.4)]))
async def misfits_are_answered(dut, idle, stall):
    """Each frame that no unit takes gives a RESULT that says why, with its own identity, and nothing else; the next frame is unharmed."""
    bench = SplitterBench(dut, idle=idle, stall=stall)
    await bench.reset()
    good = _frame(b"p", 0, b"<good/>")
    for frame, _ in MISFITS:
        bench.bytes.send(frame + good)
    await bench.send(clocks=100)
    assert bench.packets(bench.answers) == [b"r\0\0" + bytes([code]) + _REST + bytes(4) for _, code in MISFITS]
    assert bench.packets(bench.bodies["publication"]) == [b"<good/>"] * len(MISFITS)
    assert bench.references.items == [0xA1B2C3D4] * len(MISFITS)
    assert not bench.bodies["subscription"].items
    assert not bench.bodies["skeleton"].items
    assert not bench.requests.items
    assert int(dut.misfits.value) == len(MISFITS)


@cocotb.test()
async def frames_go_to_their_units(dut):
    """Subscriptions whole, whatever their header says; of publications and names the body; an access and its answer."""
    bench = SplitterBench(dut, idle=0.1, stall=0.2)
    await bench.reset()
    whole = [_frame(b"s", 0xFFFFFF, b"//a"), _frame(b"u"), _frame(b"s", 0x000002, b"")]
    await bench.send(*whole, _frame(b"k", 0, b"name"), _frame(b"p", 0, b""), clocks=50)
    assert bench.packets(bench.bodies["subscription"]) == whole
    assert bench.packets(bench.bodies["skeleton"]) == [b"name"]
    assert bench.packets(bench.bodies["publication"]) == [b""]
    bench.responses.send([{"data": 0, "error": 0}, {"data": 0x01020304, "error": 1}])
    await bench.send(_frame(b"a", 0x8000 | 0x1234, b"\xde\xad\xbe\xef"), _frame(b"a", 0x0041), clocks=100)
    assert bench.requests.items == [
        {"address": 0x1234, "data": 0xDEADBEEF, "write": 1, "partial": 0},
        {"address": 0x41, "data": bench.requests.items[1]["data"], "write": 0, "partial": 0},
    ]
    head = b"a\0", bytes(8) + _REST[8:] + b"\0\0\0\4"
    due = [head[0] + b"\x92\x34" + head[1] + bytes(4), head[0] + b"\x40\x41" + head[1] + b"\1\2\3\4"]
    assert bench.packets(bench.answers) == due
    assert int(dut.misfits.value) == 0
