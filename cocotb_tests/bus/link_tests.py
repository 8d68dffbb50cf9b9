"""Coroutines for the board's end of the host link, against the host's."""

import cocotb
from cocotb.task import bridge
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bus.line import LineTransport
from cocotb_tests.streams import Bench, parameters
from fpga.host.link import HostLink, LinkClosed, LinkError
from tests.noise import Noise


class Echo(Bench):
    """Sends back what the link hands on, as fast as chance has it."""

    def __init__(self, dut, *, stall: float = 0.3, rate: float = 0.0):
        super().__init__(dut)
        self.stall = stall
        self.seen = bytearray()
        dut.close.value = 0
        dut.i__valid.value = dut.o__ready.value = 0
        self.noise = Noise(self.random, rate)
        self.line = LineTransport(dut, self.noise)

    async def start(self):
        await self.reset()
        cocotb.start_soon(self._echo())
        return HostLink(self.line)

    async def _echo(self):
        dut, waiting = self.dut, bytearray()
        while True:
            takes = self.random.random() >= self.stall
            dut.o__ready.value = int(takes)
            offers = bool(waiting)
            dut.i__valid.value = int(offers)
            if offers:
                dut.i__payload.value = waiting[0]
            await FallingEdge(dut.clk)
            came = int(dut.o__payload.value) if takes and dut.o__valid.value == 1 else None
            went = offers and dut.i__ready.value == 1
            if dut.reset.value == 1:
                waiting.clear()
                self.seen.clear()
            await RisingEdge(dut.clk)
            if went and waiting:
                waiting.pop(0)
            if came is not None:
                waiting.append(came)
                self.seen.append(came)


@bridge
def exchange(link, data, piece):
    """Send the data in pieces and gather as much as comes back."""
    back = bytearray()
    for at in range(0, len(data), piece):
        link.send(data[at : at + piece])
        link.pump(0.0)
        back += link.received()
    silences = 0
    while len(back) < len(data) and silences < 200:
        silences = 0 if link.pump() else silences + 1
        back += link.received()
    return bytes(back)


@bridge
def call(function, *given):
    return function(*given)


@cocotb.test()
async def bytes_come_back_whole(dut):
    """A clean line, both ends slow at times: every byte once and in order."""
    bench = Echo(dut)
    link = await bench.start()
    await call(link.open)
    data = bench.random.randbytes(parameters()["bytes"])
    assert await exchange(link, data, 300) == data
    assert (link.statistics.damaged, link.statistics.repeated) == (0, 0)
    assert int(dut.damaged.value) == 0


@cocotb.test()
async def noise_changes_nothing(dut):
    """Bytes lost, damaged and invented in both directions: every byte still comes once and in order."""
    bench = Echo(dut, rate=0.004)
    link = await bench.start()
    await call(link.open)
    data = bench.random.randbytes(parameters()["bytes"])
    assert await exchange(link, data, 200) == data
    assert bench.noise.events > 3
    assert link.statistics.damaged + int(dut.damaged.value) > 0
    assert link.statistics.repeated + int(dut.repeated.value) > 0


@cocotb.test()
async def a_reset_ends_the_session(dut):
    """After a reset of the board the host is told, hands nothing wrong on, and a new session works."""
    bench = Echo(dut)
    link = await bench.start()
    await call(link.open)
    data = bench.random.randbytes(600)
    link.send(data)
    await call(link.pump, 0.0)
    dut.rst.value = 1
    await bench.clocks(3)
    dut.rst.value = 0
    try:
        back = await exchange(link, data, 300)
    except LinkClosed:
        back = link.received()
    else:
        raise AssertionError("the host did not hear that the session had ended")
    assert data.startswith(back)
    try:
        await call(link.pump)
    except LinkError:
        pass
    else:
        raise AssertionError("there is no session")
    await call(link.open)
    assert await exchange(link, data, 300) == data


@cocotb.test()
async def closing_ends_the_session(dut):
    """So does ``close``, and what is behind is reset."""
    bench = Echo(dut)
    link = await bench.start()
    await call(link.open)
    assert await exchange(link, b"before", 6) == b"before"
    await RisingEdge(dut.clk)
    dut.close.value = 1
    await RisingEdge(dut.clk)
    dut.close.value = 0
    await bench.clocks(20)
    assert dut.open.value == 0
    try:
        await exchange(link, b"after", 6)
    except LinkClosed:
        pass
    else:
        raise AssertionError("the host did not hear that the session had ended")
    await call(link.open)
    assert await exchange(link, b"again", 6) == b"again"


@cocotb.test()
async def a_slow_board_holds_the_host_back(dut):
    """While nothing is taken, no more than the places there are is sent, and nothing is lost."""
    bench = Echo(dut, stall=1.0)
    link = await bench.start()
    await call(link.open)
    data = bench.random.randbytes(4000)
    link.send(data)
    for _ in range(3):
        await call(link.pump)
    assert int(dut.segments.value) <= 8
    bench.stall = 0.0
    assert await exchange(link, b"", 1) == b""
    back = bytearray()
    for _ in range(400):
        await call(link.pump)
        back += link.received()
        if len(back) == len(data):
            break
    assert bytes(back) == data
