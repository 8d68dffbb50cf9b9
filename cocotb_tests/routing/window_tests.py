"""Coroutines for the window of publications seen, against a list."""

import cocotb

from cocotb_tests.streams import Bench, parameters
from hdl.routing.window import Admission, PublicationIdentity

DUPLICATE = 69


class Model:
    """The latest publications, the newest first."""

    def __init__(self, size: int):
        self.size = size
        self.seen: list[tuple[int, int]] = []

    def take(self, origin: int, number: int, hops: int) -> dict[str, int]:
        identity = origin, number
        known = identity in self.seen
        if known:
            self.seen.remove(identity)
        self.seen = [identity, *self.seen][: self.size]
        return {"refusal": DUPLICATE if known else 0, "ends": int(hops == 1), "hops": max(hops - 1, 0)}


async def _bench(dut, idle=0.0, stall=0.0):
    bench = Bench(dut)
    source, sink = bench.source("i", PublicationIdentity(), idle=idle), bench.sink("o", Admission(), stall=stall)
    await bench.reset()
    return bench, source, sink


def _identity(origin, number, hops=0):
    return {"origin": origin, "number": number, "hops": hops}


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.6])
async def a_list_of_the_latest(dut, idle, stall):
    """Identities that come again sooner or later, more of them than the window has places."""
    bench, source, sink = await _bench(dut, idle, stall)
    model, chance = Model(parameters()["size"]), bench.random
    asked = [(chance.randrange(3), chance.randrange(parameters()["size"]), chance.choice((0, 1, 2, 255))) for _ in range(400)]
    source.send(_identity(*one) for one in asked)
    found = await sink.receive(len(asked), within=len(asked) * (8 * parameters()["size"] + 40))
    assert found == [model.take(*one) for one in asked]
    assert 50 < sum(one["refusal"] == DUPLICATE for one in found) < 350


@cocotb.test()
async def the_oldest_falls_out(dut):
    """The window holds exactly as many as it has places, and one seen again is the newest."""
    size = parameters()["size"]
    _, source, sink = await _bench(dut)
    first = list(range(size))
    source.send(_identity(1, number) for number in [*first, 0, size, 1, 0, 2])
    found = await sink.receive(size + 5, within=8 * size * size + 400)
    # 0 comes again, so 1 is the oldest when another one comes; 1 is new then, and 2 has fallen out for it
    assert [one["refusal"] for one in found] == [0] * size + [DUPLICATE, 0, 0, DUPLICATE, 0]


@cocotb.test()
async def all_of_an_identity_counts(dut):
    """Origins or numbers that differ in one bit are different publications."""
    _, source, sink = await _bench(dut)
    asked = [(0, 0), (1, 0), (128, 0), (0, 1), (0, 1 << 31)][: parameters()["size"]]
    source.send(_identity(*one) for one in asked * 2)
    found = await sink.receive(2 * len(asked), within=4000)
    assert [one["refusal"] for one in found] == [0] * len(asked) + [DUPLICATE] * len(asked)


@cocotb.test()
async def latency_and_reset(dut):
    """An answer comes three clocks and one for each identity looked at later; a reset forgets."""
    bench, source, sink = await _bench(dut)
    source.send(_identity(7, number) for number in range(parameters()["size"] + 3))
    await sink.receive(parameters()["size"] + 3, within=8 * parameters()["size"] ** 2 + 400)
    looked = [min(place, parameters()["size"]) for place in range(parameters()["size"] + 3)]
    assert [end - start for start, end in zip(source.clocks, sink.clocks, strict=True)] == [place + 3 for place in looked]
    for clocks in (1, 2, 3, 5):
        source.send([_identity(7, 1)])
        await bench.clocks(clocks)
        await bench.reset()
        source.send([_identity(7, 1), _identity(7, 1)])
        assert [one["refusal"] for one in await sink.receive(2, within=60)] == [0, DUPLICATE]
        await bench.reset()
