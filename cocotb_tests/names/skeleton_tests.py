"""Coroutines for the skeleton loader: beside another user of a plain name table."""

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.match.documents import NameTable
from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.shapes.names import NameOp, NameRequest, NameResponse
from hdl.shapes.publication import DocumentWord


def words(name: bytes) -> list[dict[str, int]]:
    parts = [name[at : at + 4] for at in range(0, len(name), 4)] or [b""]
    return [
        {"data": int.from_bytes(part, "little"), "count": len(part), "last": int(place == len(parts))}
        for place, part in enumerate(parts, start=1)
    ]


class Loading(Bench):
    """The name table by the bench; names of the skeleton begin with s, those of the other user with u."""

    def __init__(self, dut, *, stress: float):
        super().__init__(dut)
        self.config = BrokerConfig(**parameters()["config"])
        self.names = NameTable(self.config)
        self.skeleton = self.source("i", DocumentWord, idle=stress)
        self.requests = self.source("i_request", NameRequest(self.config), idle=stress)
        self.responses = self.sink("o_response", NameResponse(self.config), stall=stress)
        self.asked = self.sink("o_request", NameRequest(self.config), stall=stress)
        self.answers = self.source("i_response", NameResponse(self.config), idle=stress)
        self.answered: dict[bytes, list[tuple[bytes, int]]] = {b"s": [], b"u": []}

    async def table(self) -> None:
        """Answers a few clocks after the last word of each name; one name is asked for at a time, whole, and the other user goes first."""
        name, done = b"", 0
        while True:
            await RisingEdge(self.dut.clk)
            if len(self.asked.items) == done:
                continue
            word = self.asked.items[done]
            done += 1
            if word["op"] == NameOp.UNPIN.value:
                assert name == b""
                self.names.unpin(word["name"])
                continue
            part = word["data"].to_bytes(4, "little")[: word["count"]]
            if name + part[: not name] == b"s":
                assert len(self.responses.items) == len(self.answered[b"u"]), "the other user waits for an answer"
            name += part
            assert word["op"] == (NameOp.LOAD if name[:1] == b"s" else NameOp.PIN).value
            if word["last"]:
                await self.clocks(self.random.randint(1, 8))
                number = self.names.pin(name)
                self.answered[name[:1]].append((name, number))
                self.answers.send([{"ok": int(number != 0), "name": number}])
                name = b""

    def pin(self, name: bytes) -> None:
        """The other user asks for a name."""
        self.requests.send([{"op": NameOp.PIN.value} | word for word in words(name)])


@cocotb.test()
@cocotb.parametrize(stress=[0.0, 0.4])
async def names_beside_another_user(dut, stress):
    """Each name that fits is asked for once, whole and in order; every answer reaches who asked; what was not pinned is counted."""
    bench = Loading(dut, stress=stress)
    await bench.reset()
    cocotb.start_soon(bench.table())
    chance, limit = bench.random, bench.config.name_bytes
    loaded, others, unpinned = [], [], 0
    for turn in range(parameters()["turns"]):
        size = chance.choice((0, 1, 4, 7, limit - 1, limit, limit + 1, limit + 4, limit + 20))
        loaded.append((b"s%d " % turn).ljust(size, b"s")[:size])
        bench.skeleton.send(words(loaded[-1]))
        for number in range(chance.choice((0, 1, 3))):
            others.append((b"u%d %d " % (turn, number)).ljust(chance.choice((6, 12, limit)), b"u"))
            bench.pin(others[-1])
        if chance.random() < 0.5:
            await bench.responses.receive(len(others), within=3000)
            held = {number for name, number in bench.answered[b"u"] if bench.names.pinned.get(name) == number}
            for number in sorted(held)[: chance.choice((0, 1, 4))]:
                bench.requests.send([{"op": NameOp.UNPIN.value, "last": 1, "name": number}])
                await bench.requests.drained()
                await bench.clocks(20)
    await bench.responses.receive(len(others), within=5000)
    fitting = [name for name in loaded if 0 < len(name) <= limit]
    for _ in range(5000):
        if int(dut.pinned.value) + int(dut.unpinned.value) == len(loaded):
            break
        await RisingEdge(dut.clk)
    assert [name for name, _ in bench.answered[b"s"]] == fitting
    assert [name for name, _ in bench.answered[b"u"]] == others
    assert [(item["ok"], item["name"]) for item in bench.responses.items] == [(int(n != 0), n) for _, n in bench.answered[b"u"]]
    unpinned = len(loaded) - len(fitting) + sum(number == 0 for _, number in bench.answered[b"s"])
    assert (int(dut.pinned.value), int(dut.unpinned.value)) == (len(loaded) - unpinned, unpinned)
    assert 0 < unpinned < len(loaded)
    assert any(number == 0 for _, number in bench.answered[b"u"] + bench.answered[b"s"]), "the table must be full at times"
