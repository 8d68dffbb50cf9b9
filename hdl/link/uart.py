"""A UART: eight bits, no parity, one stop bit."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

__all__ = ["UartReceiver", "UartTransmitter", "divisor_of"]

_TOLERANCE = 0.02


def divisor_of(clock_hz: float, baud: int) -> int:
    """Clocks of a bit; the baud rate that results differs by less than 2 %."""
    divisor = round(clock_hz / baud)
    if divisor < 8 or abs(clock_hz / divisor / baud - 1) > _TOLERANCE:
        raise ValueError(f"baud must be a rate that {clock_hz:.0f} Hz divides into at least 8 clocks within 2 %, not {baud!r}")
    return divisor


class UartReceiver(wiring.Component):
    """Bytes from a line. A byte whose stop bit is not 1 is dropped, and so is one that starts with a spike shorter than half a bit.

    Parameters
    ----------
    divisor : int
        Clocks of a bit, at least 8.

    Members
    -------
    pin : In(1)
    o : Out(stream.Signature(8))
        Offered for one clock.
    """

    def __init__(self, *, divisor: int):
        if divisor < 8:
            raise ValueError(f"divisor must be at least 8, not {divisor!r}")
        self._divisor = divisor
        super().__init__({"pin": In(1, init=1), "o": Out(stream.Signature(8))})

    def elaborate(self, platform):
        m = Module()
        line = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.pin, line, init=1)
        timer = Signal(range(self._divisor))
        left = Signal(range(10))
        bits = Signal(9)
        m.d.comb += self.o.payload.eq(bits[:8])
        m.d.sync += self.o.valid.eq(0)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [timer.eq(self._divisor // 2 - 1), left.eq(9)]
                with m.If(~line):
                    m.next = "START"
            with m.State("START"):
                m.d.sync += timer.eq(timer - 1)
                with m.If(timer == 0):
                    m.d.sync += timer.eq(self._divisor - 1)
                    m.next = "BITS"
                with m.If(line):
                    m.next = "IDLE"
            with m.State("BITS"):
                m.d.sync += timer.eq(timer - 1)
                with m.If(timer == 0):
                    m.d.sync += [timer.eq(self._divisor - 1), bits.eq(Cat(bits[1:], line)), left.eq(left - 1)]
                    with m.If(left == 1):
                        m.d.sync += self.o.valid.eq(line)
                        m.next = "STOP"
            # A line that stays 0 is no new byte.
            with m.State("STOP"):
                with m.If(line):
                    m.next = "IDLE"
        return m


class UartTransmitter(wiring.Component):
    """Bytes to a line, one after the other without a pause while they are offered.

    Parameters
    ----------
    divisor : int
        Clocks of a bit, at least 8.

    Members
    -------
    i : In(stream.Signature(8))
    pin : Out(1)
    """

    def __init__(self, *, divisor: int):
        if divisor < 8:
            raise ValueError(f"divisor must be at least 8, not {divisor!r}")
        self._divisor = divisor
        super().__init__({"i": In(stream.Signature(8)), "pin": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        timer = Signal(range(self._divisor))
        left = Signal(range(11))
        bits = Signal(10, init=1)
        m.d.comb += self.i.ready.eq((left == 0) | ((left == 1) & (timer == 0)))
        m.d.sync += self.pin.eq(bits[0] | (left == 0))
        with m.If(self.i.ready):
            m.d.sync += [timer.eq(self._divisor - 1), left.eq(0)]
            with m.If(self.i.valid):
                m.d.sync += [bits.eq(Cat(Const(0, 1), self.i.payload, Const(1, 1))), left.eq(10)]
        with m.Elif(timer == 0):
            m.d.sync += [timer.eq(self._divisor - 1), bits.eq(Cat(bits[1:], Const(1, 1))), left.eq(left - 1)]
        with m.Else():
            m.d.sync += timer.eq(timer - 1)
        return m
