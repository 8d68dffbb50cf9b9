"""Coroutines for anything that passes a stream on unchanged: the queue and the register."""

import cocotb
from amaranth.hdl import unsigned

from cocotb_tests.streams import Bench, parameters

SHAPE = unsigned(12)


async def _bench(dut, idle: float, stall: float):
    bench = Bench(dut)
    source, sink = bench.source("i", SHAPE, idle=idle), bench.sink("o", SHAPE, stall=stall)
    await bench.reset()
    return bench, source, sink


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5, 0.9], stall=[0.0, 0.5, 0.9])
async def order_is_kept(dut, idle, stall):
    """Everything sent comes out, once, in order, and nothing more, whatever the idles and stalls."""
    bench, source, sink = await _bench(dut, idle, stall)
    sent = [bench.random.getrandbits(12) for _ in range(200)]
    source.send(sent)
    await sink.receive(len(sent), within=8000)
    await bench.clocks(20)
    assert sink.items == sent


@cocotb.test()
async def full_rate(dut):
    """Without stalls payloads pass as often as documented, in every clock unless it says otherwise, after the documented latency."""
    _, source, sink = await _bench(dut, 0.0, 0.0)
    every = parameters().get("every", 1)
    source.send(range(100))
    await sink.receive(100, within=100 + 100 * every)
    start = source.clocks[0]
    assert source.clocks == list(range(start, start + 100 * every, every))
    assert sink.clocks == [clock + parameters()["latency"] for clock in source.clocks]


@cocotb.test()
async def capacity(dut):
    """With a blocked output exactly ``depth`` payloads are taken; then they leave at the documented pace."""
    depth, every = parameters()["depth"], parameters().get("every", 1)
    bench, source, sink = await _bench(dut, 0.0, 1.0)
    source.send(range(3 * depth))
    await bench.clocks(2 * depth + 10)
    assert len(source.clocks) == depth
    if hasattr(dut, "level"):
        assert int(dut.level.value) == depth
    sink.stall = 0.0
    await sink.receive(3 * depth, within=3 * depth * every + 20)
    assert sink.items == list(range(3 * depth))
    assert sink.clocks == list(range(sink.clocks[0], sink.clocks[0] + 3 * depth * every, every))
    await bench.clocks(4)
    if hasattr(dut, "level"):
        assert int(dut.level.value) == 0


@cocotb.test()
async def reset_empties(dut):
    """A reset in the middle drops what is inside; what comes after is whole."""
    bench, source, sink = await _bench(dut, 0.3, 0.6)
    for clocks in (1, 2, 5, 40):
        source.send(range(0x800, 0x900))
        await bench.clocks(clocks)
        await bench.reset()
        source.send(range(60))
        await sink.receive(60, within=1000)
        assert sink.items == list(range(60))
