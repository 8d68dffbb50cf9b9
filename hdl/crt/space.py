"""Room for runs of bits."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.widths import row_width, step_width

__all__ = ["RunSpace"]


class RunSpace(wiring.Component):
    """Finds neighbouring free bits within a slice: the first that fit after those taken last, or none.

    It reads the record of each bit in turn, one a clock, so that a table filled for the first time costs as many clocks as bits. Bits that
    it has not reached since the table was empty are free whatever their records say; these are put right as it reaches them, so that
    emptying the table costs nothing.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    start : ``In(1)``, ``length`` : ``In``
        Look for ``length`` bits, at least 1; ``length`` must stay.
    take : ``In(1)``
        The bits found last are taken: look behind them next time; not while looking.
    restart : ``In(1)``
        The table is empty: look from the first bit next time; not while looking.
    step : ``Out``
        The bit whose record is wanted; ``used`` answers two clocks later.
    used : ``In(1)``
    frees : ``Out(1)``
        The record of ``step`` is to say that it is free; what is read of it in this clock does not count.
    busy : ``Out(1)``, ``found`` : ``Out(1)``, ``first`` : ``Out``
        Looking; then whether there is room, and its first bit.
    """

    def __init__(self, config):
        self.config = config
        width = step_width(config)
        super().__init__(
            {
                "start": In(1),
                "take": In(1),
                "restart": In(1),
                "length": In(range(config.subscription_steps + 1)),
                "step": Out(width),
                "used": In(1),
                "frees": Out(1),
                "busy": Out(1),
                "found": Out(1),
                "first": Out(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        steps = 1 << step_width(config)
        bit_bits = ceil_log2(row_width(config))

        address = Signal(step_width(config))
        behind = [Signal(step_width(config), name=f"behind{n}") for n in range(3)]
        arriving = Signal(3)
        running = Signal()
        free = Signal(range(config.subscription_steps + 1))
        left = Signal(range(steps + config.subscription_steps + 1))
        # How far the table has been looked through since it was empty, and whether a bit two clocks ago was the first beyond.
        reached = Signal(range(steps + 1))
        fresh = Signal(2)
        m.d.comb += [self.step.eq(address), self.frees.eq((running | self.start) & (reached == address))]
        m.d.sync += [behind[0].eq(address), behind[1].eq(behind[0]), behind[2].eq(behind[1]), arriving.eq(Cat(arriving[0], arriving))]
        m.d.sync += [fresh.eq(Cat(self.frees, fresh)), reached.eq(reached + self.frees)]
        hit, pointer = Signal(), Signal(step_width(config))
        m.d.comb += [hit.eq(arriving[2] & (free == self.length)), self.busy.eq(running)]
        with m.If(running):
            m.d.sync += [address.eq(address + 1), arriving[0].eq(1)]
            with m.If(arriving[1]):
                used = self.used & ~fresh[1]
                m.d.sync += [free.eq(Mux(used, 0, Mux(behind[1][:bit_bits] == 0, 1, free + 1))), left.eq(left - 1)]
            with m.If(hit | (left == 0)):
                m.d.sync += [running.eq(0), arriving.eq(0), self.found.eq(hit), self.first.eq(behind[2] - self.length + 1)]
                m.d.sync += address.eq(pointer)
        with m.Elif(self.start):
            m.d.sync += [running.eq(1), free.eq(0), left.eq(steps + config.subscription_steps)]
            m.d.sync += [arriving.eq(1), address.eq(address + 1)]
        with m.Elif(self.restart):
            m.d.sync += [address.eq(0), pointer.eq(0), reached.eq(0)]
        with m.Elif(self.take):
            m.d.sync += [address.eq(self.first + self.length), pointer.eq(self.first + self.length)]
        return m
