"""Register and queue: the rules of a stream, order, bounds and progress."""

from amaranth.hdl import Assert, Module, Signal

from formal.claims import keeps_order, keeps_rules
from formal.prover import Checked, Property
from hdl.stream import Register, Relay, StreamFifo

__all__ = ["PROPERTIES"]


class _Passes(Checked):
    """Whatever goes in comes out."""

    def __init__(self, dut, *, depth: int):
        super().__init__()
        self.dut, self.depth = dut, depth
        self.mark = Signal()
        self.free = [dut.i.valid, dut.i.payload, dut.o.ready, self.mark]

    def check(self, m: Module) -> None:
        m.submodules.dut = self.dut
        keeps_rules(m, self.dut.o, "o")
        inside = keeps_order(m, self.dut.i, self.dut.o, depth=self.depth, latency=self.dut.latency, mark=self.mark)
        if hasattr(self.dut, "level"):
            m.d.comb += Assert(self.dut.level == inside)


class _Rules(Checked):
    """The rules of a stream alone, which hold from any state."""

    def __init__(self, dut):
        super().__init__()
        self.dut = dut
        self.free = [dut.i.valid, dut.i.payload, dut.o.ready]

    def check(self, m: Module) -> None:
        m.submodules.dut = self.dut
        keeps_rules(m, self.dut.o, "o")


class _BlockRamFifo(StreamFifo):
    """The queue in block RAM at a depth that a prover can fill."""

    LUT_DEPTH = 2


PROPERTIES = [
    Property(name="register-rules", make=lambda: _Rules(Register(2)), mode="prove"),
    Property(name="relay-rules", make=lambda: _Rules(Relay(2)), mode="prove"),
    Property(name="fifo-lut-rules", make=lambda: _Rules(StreamFifo(2, 4)), mode="prove"),
    Property(name="fifo-direct-rules", make=lambda: _Rules(StreamFifo(2, 4, direct=True)), mode="prove"),
    Property(name="fifo-block-rules", make=lambda: _Rules(_BlockRamFifo(2, 5)), mode="prove"),
    Property(name="register-order", make=lambda: _Passes(Register(2), depth=2), mode="prove"),
    Property(name="relay-order", make=lambda: _Passes(Relay(2), depth=1), mode="prove"),
    Property(name="fifo-lut-order", make=lambda: _Passes(StreamFifo(2, 3), depth=3), mode="prove"),
    Property(name="fifo-direct-order", make=lambda: _Passes(StreamFifo(2, 4, direct=True), depth=4), mode="prove"),
    Property(name="fifo-block-order", make=lambda: _Passes(_BlockRamFifo(2, 5), depth=5), mode="prove"),
    Property(name="register-order-mutant", make=lambda: _Passes(Register(2), depth=2), depth=14, mutation=2),
]
