"""Coroutines for the UART, against the field's model."""

import warnings

import cocotb
from cocotb.triggers import Timer

from cocotb_tests.streams import Bench, parameters

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cocotbext.uart import UartSink, UartSource

PERIOD = 2


async def echoed(dut, baud, data):
    bench = Bench(dut)
    dut.rx.value = 1
    await bench.reset()
    source, sink = UartSource(dut.rx, baud=baud, bits=8), UartSink(dut.tx, baud=baud, bits=8)
    await bench.clocks(5)
    source.write_nowait(data)
    await source.wait()
    await bench.clocks(25 * parameters()["divisor"])
    return bytes(sink.read_nowait())


def rate(change=1.0):
    return int(1e9 / (parameters()["divisor"] * PERIOD) * change)


@cocotb.test()
async def bytes_come_back(dut):
    """Every byte, back to back."""
    data = bytes(range(256))
    assert await echoed(dut, rate(), data) == data


@cocotb.test()
async def a_rate_that_is_a_little_off_does_not_matter(dut):
    """Two per cent to either side."""
    for change in (0.98, 1.02):
        data = bytes(range(0, 256, 5))
        assert await echoed(dut, rate(change), data) == data


@cocotb.test()
async def a_spike_and_a_break_are_no_bytes(dut):
    """A line that falls for less than half a bit, and one that stays low."""
    bench = Bench(dut)
    dut.rx.value = 1
    await bench.reset()
    sink = UartSink(dut.tx, baud=rate(), bits=8)
    divisor = parameters()["divisor"]
    for length in (divisor // 4, 30 * divisor):
        dut.rx.value = 0
        await bench.clocks(length)
        dut.rx.value = 1
        await bench.clocks(12 * divisor)
        assert sink.read_nowait() == b""
    source = UartSource(dut.rx, baud=rate(), bits=8)
    await Timer(20, "ns")
    source.write_nowait(b"ok")
    await bench.clocks(45 * divisor)
    assert bytes(sink.read_nowait()) == b"ok"
