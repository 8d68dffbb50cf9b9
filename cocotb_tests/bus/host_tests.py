"""Coroutines for the host port: frames from the host's link to the broker's streams and registers, and frames back."""

from itertools import pairwise

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.bus.line import LineTransport
from cocotb_tests.bus.link_tests import call
from cocotb_tests.streams import Bench, parameters
from fpga.host.link import HostLink, LinkClosed
from hdl.config import BrokerConfig
from hdl.contract import Frame, Header, Kind, OSid, Refusal
from hdl.shapes.edge import BusRequest, BusResponse
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.subscription import SubscriptionResult
from tests.noise import Noise

INWARD = ("subscription", "publication", "skeleton")
WRITE, FAILED = 1 << 15, 1 << 14


def words(packet: bytes) -> list[dict[str, int]]:
    parts = [packet[at : at + 4] for at in range(0, len(packet), 4)] or [b""]
    return [
        {"data": int.from_bytes(part, "little"), "count": len(part), "last": int(place == len(parts))}
        for place, part in enumerate(parts, start=1)
    ]


def packets(items: list[dict[str, int]]) -> list[bytes]:
    ends = [0, *(place for place, item in enumerate(items, start=1) if item["last"])]
    data = [item["data"].to_bytes(4, "little")[: item["count"]] for item in items]
    return [b"".join(data[first:end]) for first, end in pairwise(ends)]


class Port(Bench):
    """The broker's streams and registers by the bench, and the host's end of the link; ``stress`` as in the agents."""

    def __init__(self, dut):
        super().__init__(dut)
        self.config = BrokerConfig(**parameters()["config"])
        stress = parameters()["stress"]
        self.inward = {name: self.sink(f"streams__{name}", DocumentWord, stall=stress) for name in INWARD}
        self.requests = self.sink("request", BusRequest, stall=stress)
        self.responses = self.source("response", BusResponse, idle=stress)
        self.results = self.source("streams__result", SubscriptionResult(self.config), idle=stress)
        self.verdicts = self.source("streams__verdict", Outcome(self.config), idle=stress)
        links = range(self.config.links)
        self.notifications = [self.source(f"streams__notification_{link}", DocumentWord, idle=stress) for link in links]
        dut.close.value = 0
        self.line = LineTransport(dut, Noise(self.random, 0.0))

    async def start(self) -> HostLink:
        await self.reset()
        link = HostLink(self.line)
        await call(link.open)
        cocotb.start_soon(self._registers())
        return link

    async def _registers(self):
        """Every register holds the complement of its address; every fifth cannot be reached."""
        answered = 0
        while True:
            await RisingEdge(self.dut.clk)
            for request in self.requests.items[answered:]:
                answered += 1
                self.responses.send([{"data": request["address"] ^ 0xFFFFFFFF, "error": int(request["address"] % 5 == 0)}])


async def gather(link: HostLink, count: int) -> list[bytes]:
    """So many frames that come to the host."""
    raw, frames = b"", []
    for _ in range(500):
        await call(link.pump)
        raw += link.received()
        while len(raw) >= Header.BYTES and len(raw) >= (size := Header.BYTES + int.from_bytes(raw[16:20], "big")):
            frames.append(raw[:size])
            raw = raw[size:]
        if len(frames) == count and not raw:
            return frames
    raise AssertionError(f"only {len(frames)} of {count} frames came, and {raw!r}")


def unlucky(frame: bytes, refusal: Refusal) -> bytes:
    """The answer to a frame that the port does not take."""
    return b"r\0\0" + bytes([refusal]) + frame[4:16] + bytes(4)


def told(address: int, reference: bytes, *, write: int) -> bytes:
    """The answer to an access."""
    aux = address | write | (FAILED if address % 5 == 0 else 0)
    return b"a\0" + aux.to_bytes(2, "big") + bytes(8) + reference + b"\0\0\0\4" + (address ^ 0xFFFFFFFF).to_bytes(4, "big")


@cocotb.test()
async def frames_reach_their_units_and_answers_the_host(dut):
    """Frames of every kind in random order: each goes whole to the unit that it is for, and what the units say comes back as frames."""
    bench = Port(dut)
    link = await bench.start()
    chance = bench.random
    sent, answers, misfits, outcomes = [], [], 0, []
    packets_due: dict[str, list[bytes]] = {name: [] for name in INWARD}
    requests_due = []
    kinds = [
        Kind.SUBSCRIBE,
        Kind.UNSUBSCRIBE,
        Kind.PUBLISH,
        Kind.SKELETON,
        Kind.ACCESS,
        Kind.ACCESS,
        Kind.TOPOLOGY,
        "attached",
        "long access",
    ]
    for place in range(parameters()["frames"]):
        kind = kinds[place % len(kinds)]
        reference = chance.getrandbits(32)
        body = chance.randbytes(chance.choice((0, 1, 3, 4, 5, 8, 23)))
        header = {"osid": OSid(chance.randint(1, 255)), "reference": reference}
        if kind is Kind.ACCESS:
            address, write = chance.randrange(1 << 13), chance.choice((0, WRITE))
            body = chance.randbytes(4) if write else b""
            frame = Frame(Header(kind, aux=address | write, **header), body).pack()
            answers.append(told(address, frame[12:16], write=write))
            requests_due.append((address, int.from_bytes(body, "big") if write else None, int(write != 0)))
        elif kind == "attached":
            frame = Frame(Header(Kind.PUBLISH, attached=True, **header), body).pack()
            answers.append(unlucky(frame, Refusal.UNSUPPORTED_ATTACHMENT))
            misfits += 1
        elif kind == "long access":
            frame = Frame(Header(Kind.ACCESS, aux=WRITE, **header), chance.randbytes(5)).pack()
            answers.append(unlucky(frame, Refusal.BAD_HEADER))
            misfits += 1
        elif kind is Kind.TOPOLOGY:
            frame = Frame(Header(kind, aux=3, **header), b"*").pack()
            answers.append(unlucky(frame, Refusal.UNSUPPORTED_KIND))
            misfits += 1
        else:
            way = {"link": chance.randrange(2)} if kind in (Kind.SUBSCRIBE, Kind.UNSUBSCRIBE) else {}
            frame = Frame(Header(kind, **way, **header), body).pack()
            name = {Kind.PUBLISH: "publication", Kind.SKELETON: "skeleton"}.get(kind, "subscription")
            packets_due[name].append(frame if name == "subscription" else body)
        if kind is Kind.PUBLISH:
            outcome = {"offset": chance.getrandbits(32), "bytes": chance.getrandbits(32), "verdict": chance.randrange(4)}
            outcome |= {"code": chance.randrange(256)}
            matches = chance.randrange(bench.config.subscriptions + 1)
            bench.verdicts.send([{"verdict": outcome, "matches": matches}])
            numbers = b"".join(number.to_bytes(4, "big") for number in (12, outcome["offset"], outcome["bytes"], matches))
            outcomes.append(b"v\0" + bytes([outcome["verdict"], outcome["code"]]) + bytes(8) + frame[12:16] + numbers)
        sent.append(frame)
    results = []
    for place in range(6):
        osid, reference, way, refusal = chance.randbytes(8), chance.randbytes(4), place % 4, chance.randrange(256)
        key = {"osid": int.from_bytes(osid, "little"), "reference": int.from_bytes(reference, "little")}
        bench.results.send([{"refusal": refusal, "key": key, "link": way}])
        results.append(b"r" + bytes([way << 4, 0, refusal]) + osid + reference + bytes(4))
    notes: list[list[bytes]] = [[] for _ in bench.notifications]
    for place in range(8):
        way = place % len(notes)
        notes[way].append(Frame(Header(Kind.NOTIFY, reference=way), chance.randbytes(chance.choice((0, 1, 4, 30)))).pack())
        bench.notifications[way].send(words(notes[way][-1]))
    link.send(b"".join(sent))
    found = await gather(link, len(answers) + len(outcomes) + len(results) + sum(map(len, notes)))

    assert {name: packets(sink.items) for name, sink in bench.inward.items()} == packets_due
    asked = [(item["address"], item["data"] if item["write"] else None, item["write"]) for item in bench.requests.items]
    assert asked == requests_due
    assert [frame for frame in found if frame in answers] == answers
    assert [frame for frame in found if frame in results] == results
    assert [frame for frame in found if frame[0] == Kind.VERDICT] == outcomes
    for way, due in enumerate(notes):
        assert [frame for frame in found if frame[0] == Kind.NOTIFY and frame[15] == way] == due
    assert int(dut.counters__3.value) == misfits > 5


@cocotb.test()
async def nothing_of_a_session_reaches_the_next(dut):
    """A session that is closed within a frame leaves no byte of it."""
    bench = Port(dut)
    link = await bench.start()
    frame = Frame(Header(Kind.SKELETON, reference=1), b"a name of many bytes").pack()
    link.send(frame[:30])
    await call(link.pump)
    await bench.clocks(200)
    dut.close.value = 1
    await RisingEdge(dut.clk)
    dut.close.value = 0
    try:
        for _ in range(5):
            await call(link.pump)
    except LinkClosed:
        pass
    else:
        raise AssertionError("the host did not hear that the session had ended")
    for sink in bench.inward.values():
        sink.forget()
    await call(link.open)
    link.send(frame)
    for _ in range(5):
        await call(link.pump)
    await bench.inward["skeleton"].receive(5, within=500)
    assert packets(bench.inward["skeleton"].items) == [b"a name of many bytes"]
