"""The top of every board: clock, reset, UART, LEDs, and the broker behind the host link."""

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Module, Signal
from amaranth.lib.cdc import ResetSynchronizer

from fpga.boards import Board
from fpga.io.pll import pll_instance, pll_settings
from hdl.bus.uart import divisor_of
from hdl.config import BrokerConfig
from hdl.system import UartBroker

__all__ = ["BoardTop"]

_SHOWN = 1 << 22
"""Clocks that an LED stays on after something that takes one clock."""


class BoardTop(Elaboratable):
    """The broker on a board, at ``mhz`` with limits ``config``; what the host sees is the UART alone."""

    def __init__(self, board: Board, *, config: BrokerConfig | None = None, mhz: float | None = None):
        self.board = board
        self.config = config or board.config
        self.mhz = mhz or board.mhz

    def elaborate(self, platform):
        m = Module()
        board = self.board
        oscillator = platform.request(platform.default_clk).i
        settings = pll_settings(platform.default_clk_frequency / 1e6, self.mhz)
        locked = Signal()
        m.domains.sync = ClockDomain()
        m.submodules.pll = pll_instance(settings, i=oscillator, o=ClockSignal(), locked=locked)
        pressed = Signal()
        if board.button:
            m.d.comb += pressed.eq(platform.request(*board.button).i)
        m.submodules.reset = ResetSynchronizer(~locked | pressed, domain="sync")

        m.submodules.core = core = UartBroker(self.config, divisor=divisor_of(settings.mhz * 1e6, board.baud))
        uart = platform.request("uart", 0)
        m.d.comb += [core.rx.eq(uart.rx.i), uart.tx.o.eq(core.tx)]

        lights = {}
        shows = (core.open, self._stretched(m, core.receives), self._stretched(m, core.sends), core.fault)
        for (name, number, part), shown in zip(board.leds, shows, strict=False):
            key = (name, number)
            if key not in lights:
                lights[key] = platform.request(name, number)
            pin = getattr(lights[key], part) if part else lights[key]
            m.d.comb += pin.o.eq(shown)
        return m

    @staticmethod
    def _stretched(m, event):
        left = Signal(range(_SHOWN))
        with m.If(event):
            m.d.sync += left.eq(_SHOWN - 1)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        return left != 0
