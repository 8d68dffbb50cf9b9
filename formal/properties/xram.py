"""X-RAM: the rules of its stream, order, the hold, and the second port, on a ring of four words."""

from types import SimpleNamespace

from amaranth.hdl import Assert, Assume, Module, Signal, Value

from formal.claims import constant, keeps_order, keeps_rules, past
from formal.prover import Checked, Property
from hdl.publication.ring import Xram

__all__ = ["PROPERTIES"]


class _Ring(Checked):
    """Words pass in order; a held or waiting word is never overwritten; a word read back is the word that passed."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = Xram(SimpleNamespace(xram_bytes=16))
        self.mark = Signal()
        self.position = Signal(32, name="followed")
        self.free = [dut.i.valid, dut.i.payload, dut.o.ready, dut.read.addr, dut.hold_valid, dut.hold, self.mark, self.position]

    def check(self, m: Module) -> None:
        dut, size = self.dut, self.dut.words
        m.submodules.dut = dut
        keeps_rules(m, dut.o, "o")
        inside = keeps_order(m, dut.i, dut.o, depth=size, latency=3, mark=self.mark)
        m.d.comb += [Assert(inside == dut.newest - dut.taken), Assert(dut.newest - dut.oldest <= size), Assert(dut.oldest <= dut.taken)]

        # The holder keeps to its contract: within the ring, and forward only.
        held = past(m, dut.hold_valid, "hold_valid")
        before = past(m, dut.hold, "hold")
        m.d.comb += Assume(~dut.hold_valid | ((dut.hold >= dut.oldest) & (dut.hold <= dut.newest) & (~held | (dut.hold >= before))))
        m.d.comb += Assert(~held | (dut.oldest <= before))

        # The word at one position, and what the second port gives for it.
        constant(m, self.position)
        word = Signal(len(Value.cast(dut.i.payload)))
        with m.If(dut.i.valid & dut.i.ready & (dut.newest == self.position)):
            m.d.sync += word.eq(dut.i.payload)
        asked = (dut.read.addr == self.position[: len(dut.read.addr)]) & (self.position < dut.newest)
        kept = past(m, asked, "asked") & (self.position >= dut.oldest)
        with m.If(past(m, kept, "kept")):
            m.d.comb += Assert(Value.cast(dut.read.data) == word)


class _Rules(Checked):
    """The rules of the stream, which hold from any state."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = Xram(SimpleNamespace(xram_bytes=16))
        self.free = [dut.i.valid, dut.i.payload, dut.o.ready, dut.read.addr, dut.hold_valid, dut.hold]

    def check(self, m: Module) -> None:
        m.submodules.dut = self.dut
        keeps_rules(m, self.dut.o, "o")


PROPERTIES = [
    Property(name="xram-rules", make=_Rules, mode="prove"),
    Property(name="xram-ring", make=_Ring, depth=13),
]
