"""What the units count, in one memory."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.shapes.widths import ShortCount

__all__ = ["Tally"]


class Tally(wiring.Component):
    """Counters of 32 bits, made of the short ones of the units, 16 to a bank.

    The short ones are looked at in turn, each every 16 clocks, and what has come since is added: more than one a clock cannot. A count
    shows 18 clocks after the unit's own at the latest. A reset, which must be that of the units too, sets all of them to 0 at once.

    Parameters
    ----------
    banks : int
        A power of two.

    Members
    -------
    counts : In(ShortCount).array(16 * banks)
    place, count : In, Out(32)
        The counter of that place, in the same clock.
    """

    BANK = 16

    def __init__(self, *, banks: int = 1):
        if banks < 1 or banks & (banks - 1):
            raise ValueError(f"banks must be a power of two, not {banks!r}")
        self._banks = banks
        places = self.BANK * banks
        super().__init__({"counts": In(ShortCount).array(places), "place": In(range(places)), "count": Out(32)})

    def elaborate(self, platform):
        m = Module()
        at, before = Signal(range(self.BANK)), Signal(range(self.BANK))
        # After a reset what the memories have does not count until it has been written.
        anew, empty = Signal(init=1), Signal(init=1)
        m.d.sync += [at.eq(at + 1), before.eq(at), empty.eq(anew)]
        with m.If(anew):
            m.d.sync += anew.eq(at != self.BANK - 1)
        banks = Array(self._bank(m, number, at, before, anew) for number in range(self._banks))
        m.d.comb += self.count.eq(Mux(empty, 0, banks[self.place[exact_log2(self.BANK) :]] if self._banks > 1 else banks[0]))
        return m

    def _bank(self, m, number, at, before, anew):
        """The count in one bank at the place that is asked for."""
        suffix = str(number) if number else ""
        m.submodules[f"totals{suffix}"] = totals = memory.Memory(shape=32, depth=self.BANK, init=[])
        write, own, asked = totals.write_port(), totals.read_port(domain="comb"), totals.read_port(domain="comb")
        short, total = Signal(ShortCount, name=f"short{suffix}"), Signal(32, name=f"total{suffix}")
        counts = Array(self.counts[self.BANK * number + place] for place in range(self.BANK))
        m.d.comb += own.addr.eq(at)
        m.d.sync += [short.eq(counts[at]), total.eq(Mux(anew, 0, own.data))]
        high = total[ShortCount.width :]
        m.d.comb += [
            write.addr.eq(before),
            write.data.eq(Cat(short, (high + (short < total[: ShortCount.width]))[: len(high)])),
            write.en.eq(1),
            asked.addr.eq(self.place[: exact_log2(self.BANK)]),
        ]
        return asked.data
