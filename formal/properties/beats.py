"""The guard behind the front ends: whatever comes in, the matching engine gets publications that it can follow."""

from types import SimpleNamespace

from amaranth.hdl import Assert, Assume, Module, Mux, Signal

from formal.claims import keeps_rules, obeys_rules
from formal.prover import Checked, Property
from hdl.publication.guard import BeatGuard
from hdl.shapes.publication import WordType

__all__ = ["PROPERTIES"]

_CONFIG = SimpleNamespace(depth=2, names=1)


class _Balance(Checked):
    """Any beats in. Elements open out: never fewer than none or more than the limit, none at a good end; start tags hold attributes and
    their values alone; and as many publications end as come in, or one fewer."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = BeatGuard(_CONFIG)
        self.free = [dut.i.valid, dut.i.payload, dut.o.ready]

    def check(self, m: Module) -> None:
        m.submodules.dut = dut = self.dut
        obeys_rules(m, dut.i, "i")
        keeps_rules(m, dut.o, "o")
        beat, mark, text = dut.o.payload, dut.o.payload.mark, dut.o.payload.text
        m.d.comb += Assume(dut.i.payload.mark.type.as_value() <= WordType.END.value)
        passes, ends, starts = Signal(), Signal(), Signal()
        level, tag, name = Signal(range(_CONFIG.depth + 2)), Signal(), Signal()
        m.d.comb += [
            passes.eq(dut.o.valid & dut.o.ready),
            ends.eq(mark.valid & mark.last & (mark.type == WordType.END)),
            starts.eq(mark.valid & mark.last & mark.close & ((mark.type == WordType.ELEMENT) | (mark.type == WordType.VALUE))),
        ]
        with m.If(passes):
            m.d.sync += level.eq(Mux(beat.done, 0, level + starts - ends))
            with m.If(beat.done):
                m.d.sync += [tag.eq(0), name.eq(0)]
            with m.Elif(mark.valid):
                m.d.sync += tag.eq(((mark.type == WordType.ELEMENT) | tag) & ~starts)
                m.d.sync += name.eq((mark.type == WordType.ELEMENT) & ~mark.last)
        with m.If(dut.o.valid):
            m.d.comb += [
                Assert(~ends | ((level != 0) & ~tag)),
                Assert(~starts | (level != _CONFIG.depth)),
                Assert(~(beat.done & beat.good) | ((level == 0) & ~tag)),
                Assert(~text.valid | ((level != 0) & ~tag)),
                Assert(~(mark.valid & (mark.type == WordType.ELEMENT)) | ~tag | name),
                Assert(~(mark.valid & ((mark.type == WordType.ATTRIBUTE) | (mark.type == WordType.VALUE))) | tag),
            ]
        # Each publication that comes in ends once: here, or before, when its own end is dropped.
        early = Signal()
        with m.If(passes & beat.done & ~dut.i.payload.done):
            m.d.sync += early.eq(1)
        with m.If(dut.i.valid & dut.i.ready & dut.i.payload.done):
            m.d.sync += early.eq(0)
            m.d.comb += Assert(early ^ (passes & beat.done))
        m.d.comb += Assert(level <= _CONFIG.depth)


PROPERTIES = [
    Property(name="beats-balance", make=_Balance, depth=12),
    Property(name="beats-balance-mutant", make=_Balance, depth=12, mutation=3),
]
