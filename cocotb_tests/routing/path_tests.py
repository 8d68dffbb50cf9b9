"""Coroutines for the path walker, against paths cut into fields by strings of bits."""

import cocotb
from amaranth.hdl import unsigned

from cocotb_tests.streams import Bench, parameters
from hdl.routing.path import PathFacts
from hdl.shapes.routing import PATH_BITS

PORTS = 3


def number(fields: list[int], bits: int) -> int:
    """A path as the low-first number of a header."""
    text = "".join(f"{field:0{bits}b}" for field in fields).ljust(PATH_BITS, "0")
    return int.from_bytes(int(text, 2).to_bytes(7, "big"), "little")


def expected(fields: list[int], bits: int, own: int, bids: list[int]) -> dict[str, int]:
    """The facts of a path; the fields may have gaps."""
    most = PATH_BITS // bits
    fields = (fields + [0] * most)[:most]
    brokers = [field for field in fields if field]
    free = fields.index(0) if 0 in fields else None
    pushed = list(fields)
    if free is not None:
        pushed[free] = own
    last = [0, 0, 0, *brokers]
    facts = {"count": len(brokers), "last": last[-1], "before": last[-2], "third": last[-3]}
    facts |= {"own": int(own in brokers), "gap": int(free is not None and any(fields[free:])), "full": int(len(brokers) == most)}
    facts |= {"met": sum(1 << port for port, bid in enumerate(bids) if bid in brokers), "carried": int(len(brokers) + 2 <= most)}
    if not facts["gap"]:
        facts |= {"pushed": number(pushed, bits), "dropped": number(brokers[:-1], bits)}
    return facts


async def _bench(dut, bits, own, bids, idle=0.0, stall=0.0):
    bench = Bench(dut)
    dut.identity__bid.value, dut.identity__bits.value = own, bits
    for port, bid in enumerate(bids):
        getattr(dut, f"identity__bids__{port}").value = bid
    source, sink = bench.source("i", unsigned(PATH_BITS), idle=idle), bench.sink("o", PathFacts(PORTS), stall=stall)
    await bench.reset()
    return bench, source, sink


@cocotb.test()
@cocotb.parametrize(bits=[2, 4, 7, 8], idle=[0.0, 0.7], stall=[0.0, 0.7])
async def facts_of_paths(dut, bits, idle, stall):
    """Paths of every length, with gaps and with own and neighbours' identities."""
    own, bids = 1, [2, 3, 0]
    bench, source, sink = await _bench(dut, bits, own, bids, idle, stall)
    chance, most = bench.random, PATH_BITS // bits
    paths = [[chance.randrange(1, 1 << bits) for _ in range(length)] for length in range(most + 1)]
    for _ in range(parameters()["paths"]):
        fields = [chance.choice((1, 2, 3, chance.randrange(1, 1 << bits))) for _ in range(chance.randrange(most + 1))]
        if fields and chance.random() < 0.2:
            fields[chance.randrange(len(fields))] = 0
        paths.append(fields)
    source.send(number(fields, bits) for fields in paths)
    found = await sink.receive(len(paths), within=len(paths) * 300)
    for fields, facts in zip(paths, found, strict=True):
        due = expected(fields, bits, own, bids)
        assert {name: facts[name] for name in due} == due, (fields, facts)
    if not idle and not stall:
        assert {end - start for start, end in zip(source.clocks, sink.clocks, strict=True)} == {most + 1}


@cocotb.test()
async def bytes_of_the_thesis(dut):
    """{5|1,2} with a third broker, in each width, as literals."""
    for bits, before, after in ((8, "01020000000000", "01020300000000"), (4, "12000000000000", "12300000000000"), (2, "60", "6c")):
        _, source, sink = await _bench(dut, bits, 3, [0, 0, 0])
        source.send([int.from_bytes(bytes.fromhex(before.ljust(14, "0")), "little")])
        (facts,) = await sink.receive(1, within=100)
        assert facts["pushed"].to_bytes(7, "little").hex() == after.ljust(14, "0")
        assert (facts["last"], facts["before"], facts["count"]) == (2, 1, 2)


@cocotb.test()
async def a_reset_forgets_the_path(dut):
    """A reset in the middle of a walk: the next path is whole."""
    bench, source, sink = await _bench(dut, 8, 9, [2, 3, 0])
    for clocks in (1, 3, 7, 8):
        source.send([number([4, 5, 6, 7], 8)])
        await bench.clocks(clocks)
        await bench.reset()
        source.send([number([2], 8)])
        (facts,) = await sink.receive(1, within=40)
        due = expected([2], 8, 9, [2, 3, 0])
        assert {name: facts[name] for name in due} == due
