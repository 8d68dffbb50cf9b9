"""What the units count, in one memory."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.widths import ShortCount

__all__ = ["Tally"]


class Tally(wiring.Component):
    """Counters of 32 bits, made of the short ones of the units.

    The short ones are looked at in turn, each every 16 clocks, and what has come since is added: more than one a clock cannot. A count
    shows 18 clocks after the unit's own at the latest. A reset, which must be that of the units too, sets all of them to 0 at once.

    Members
    -------
    counts : In(ShortCount).array(16)
    place, count : In(4), Out(32)
        The counter of that place, in the same clock.
    """

    PLACES = 16

    def __init__(self):
        super().__init__({"counts": In(ShortCount).array(self.PLACES), "place": In(range(self.PLACES)), "count": Out(32)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.totals = totals = memory.Memory(shape=32, depth=self.PLACES, init=[])
        write, own, asked = totals.write_port(), totals.read_port(domain="comb"), totals.read_port(domain="comb")
        at, before = Signal(range(self.PLACES)), Signal(range(self.PLACES))
        short, total = Signal(ShortCount), Signal(32)
        # After a reset what the memory has does not count until it has been written.
        anew, empty = Signal(init=1), Signal(init=1)
        m.d.comb += own.addr.eq(at)
        m.d.sync += [at.eq(at + 1), before.eq(at), short.eq(Array(self.counts)[at]), total.eq(own.data), empty.eq(anew)]
        with m.If(anew):
            m.d.sync += [total.eq(0), anew.eq(at != self.PLACES - 1)]
        high = total[ShortCount.width :]
        m.d.comb += [
            write.addr.eq(before),
            write.data.eq(Cat(short, (high + (short < total[: ShortCount.width]))[: len(high)])),
            write.en.eq(1),
            asked.addr.eq(self.place),
            self.count.eq(Mux(empty, 0, asked.data)),
        ]
        return m
