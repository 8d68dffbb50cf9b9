"""The top of every board: clock, reset, UART, LEDs, and the broker behind the host link."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Elaboratable, Module, ResetSignal, Signal
from amaranth.lib import io
from amaranth.lib.cdc import ResetSynchronizer

from fpga.boards import Board
from fpga.io.pll import pll_instance, pll_settings
from hdl.config import BrokerConfig
from hdl.link.uart import divisor_of
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
        ports = {}

        def pin(name, number, part, direction):
            """The inner side of a pin; a resource is asked for once, and any of its parts used."""
            if (name, number) not in ports:
                parts = [subsignal.name for subsignal in platform.lookup(name, number).ios if hasattr(subsignal, "name")]
                ports[name, number] = platform.request(name, number, dir=dict.fromkeys(parts, "-") if parts else "-")
            port = ports[name, number]
            buffer = io.Buffer(direction, getattr(port, part) if part else port)
            m.submodules[f"{name}_{number}_{part or 'pin'}"] = buffer
            return buffer.i if direction == "i" else buffer.o

        oscillator = pin(platform.default_clk, 0, "", "i")
        settings = pll_settings(platform.default_clk_frequency / 1e6, self.mhz)
        locked = Signal()
        m.domains.sync, m.domains.start = ClockDomain("sync"), ClockDomain("start")
        m.submodules.pll = pll_instance(settings, i=oscillator, o=ClockSignal(), locked=locked)
        pressed = Signal()
        if board.button:
            m.d.comb += pressed.eq(pin(*board.button, "", "i"))
        # The reset crosses the device in registers of its own, which the netlist has in many copies; those of the synchroniser stay alone.
        m.submodules.reset = ResetSynchronizer(~locked | pressed, domain="start")
        resets = Signal(3, init=-1, reset_less=True)
        m.d.comb += [ClockSignal("start").eq(ClockSignal()), ResetSignal().eq(resets[-1])]
        m.d.start += resets.eq(Cat(ResetSignal("start"), resets))

        m.submodules.core = core = UartBroker(self.config, divisor=divisor_of(settings.mhz * 1e6, board.baud))
        m.d.comb += [core.rx.eq(pin("uart", 0, "rx", "i")), pin("uart", 0, "tx", "o").eq(core.tx)]

        shows = (core.open, self._stretched(m, core.receives), self._stretched(m, core.sends), core.fault)
        for (name, number, part), shown in zip(board.leds, shows, strict=False):
            m.d.comb += pin(name, number, part, "o").eq(shown)
        return m

    @staticmethod
    def _stretched(m, event):
        left = Signal(range(_SHOWN))
        with m.If(event):
            m.d.sync += left.eq(_SHOWN - 1)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        return left != 0
