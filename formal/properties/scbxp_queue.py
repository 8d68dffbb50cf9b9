"""The queue of segments: nothing lost, doubled or out of order as long as the writer counts the places that are taken."""

from amaranth.hdl import Assert, Assume, Module, Mux, Signal

from formal.prover import Checked, Property
from hdl.scbxp.segments import SegmentQueue

__all__ = ["PROPERTIES"]


class _Heeded(Checked):
    """One payload is followed from the clock in which it is written. No more are written than there are free places for."""

    def __init__(self, *, depth: int):
        super().__init__()
        self.depth = depth
        self.dut = SegmentQueue(shape=1, depth=depth)
        self.mark = Signal()
        self.second = Signal()
        self.free = [self.dut.i, self.dut.i_valid, self.dut.o.ready, self.mark, self.second]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        puts = dut.i_valid[0] + dut.i_valid[1]
        gives = dut.o.valid & dut.o.ready
        taken = Signal(range(self.depth + 2))
        m.d.sync += taken.eq(taken + dut.i_valid[0] - dut.gone)
        m.d.comb += [Assume(taken + dut.i_valid[0] <= self.depth), Assume(dut.i_valid != 0b10)]

        inside = Signal(range(2 * self.depth + 4))
        m.d.sync += inside.eq(inside + puts - gives)
        m.d.comb += [
            Assert((inside != 0) | ~dut.o.valid),
            Assert(inside <= 2 * taken + dut.o.valid),
            Assert(inside >= taken + dut.o.valid),
        ]

        # The followed payload is the first or the second of those written in one clock.
        marked, gone = Signal(), Signal()
        followed = Signal()
        before = Signal(range(2 * self.depth + 4))
        second = self.second & dut.i_valid.all()
        with m.If(~marked & self.mark & dut.i_valid.any()):
            m.d.sync += [
                marked.eq(1),
                followed.eq(Mux(second, dut.i[1], dut.i[0])),
                before.eq(inside - gives + second),
            ]
        with m.Elif(marked & gives & (before != 0)):
            m.d.sync += before.eq(before - 1)
        with m.If(marked & ~gone & (before == 0) & dut.o.valid):
            m.d.comb += Assert(dut.o.payload == followed)
            with m.If(dut.o.ready):
                m.d.sync += gone.eq(1)

        # A payload inside is offered two clocks later at most.
        waits = Signal(2)
        m.d.sync += waits.eq(Mux((inside == 0) | dut.o.valid, 0, waits + 1))
        m.d.comb += Assert(waits < 2)


PROPERTIES = [
    Property(name="scbxp-queue-order", make=lambda: _Heeded(depth=8), depth=11),
    Property(name="scbxp-queue-order-mutant", make=lambda: _Heeded(depth=8), depth=11, mutation=5),
]
