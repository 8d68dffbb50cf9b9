"""Exact-match memories against a naive one, seen through one key that the prover chooses."""

from amaranth.hdl import Assert, Cat, Module, Mux, Signal

from formal.claims import constant, keeps_rules
from formal.prover import Checked, Property
from hdl.cam import CamOperation, HashCam, RegisterCam

__all__ = ["PROPERTIES"]


class _Naive(Checked):
    """Follows one key through all commands. A search for it may see any state between those of its own time; ``found`` and ``ok`` tell the
    state exactly; a response comes within ``bound`` clocks. Values are one bit, so a state is one of absent, 0 and 1."""

    def __init__(self, dut, *, bound: int):
        super().__init__()
        self.dut, self.bound = dut, bound
        self.key = Signal(dut.key_width, name="followed")
        self.free = [dut.search.valid, dut.search.payload, dut.command.valid, dut.command.payload, dut.response.ready, self.key]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        constant(m, self.key)
        keeps_rules(m, dut.response, "response")

        # The command in flight, from the clock in which it is taken to the one in which its response is first offered.
        takes = dut.command.valid & dut.command.ready
        command = Signal(dut.command.p.shape())
        busy = Signal()
        waits = Signal(range(self.bound + 2))
        with m.If(takes):
            m.d.sync += [busy.eq(1), command.eq(dut.command.p), waits.eq(0)]
        with m.Elif(busy):
            m.d.sync += waits.eq(waits + 1)
        ends = Signal()
        m.d.comb += ends.eq(busy & dut.response.valid)
        with m.If(ends):
            m.d.sync += busy.eq(0)
        m.d.comb += [Assert(~busy | (waits < self.bound)), Assert(~(takes & busy))]

        # The key's state, and what it becomes in the clock of the response.
        present, value, pinned = Signal(), Signal(), Signal()
        ours = Signal()
        now_present, now_value, now_pinned = Signal(), Signal(), Signal()
        m.d.comb += [ours.eq(command.key == self.key), Cat(now_present, now_value, now_pinned).eq(Cat(present, value, pinned))]
        with m.If(ends):
            with m.Switch(command.op):
                with m.Case(CamOperation.INSERT):
                    with m.If(ours):
                        m.d.comb += [Assert(dut.response.p.found == present), Assert(dut.response.p.ok | ~present)]
                        with m.If(dut.response.p.ok):
                            m.d.comb += [now_present.eq(1), now_value.eq(command.value), now_pinned.eq(command.pinned)]
                with m.Case(CamOperation.DELETE):
                    with m.If(ours):
                        m.d.comb += [Assert(dut.response.p.found == present), Assert(dut.response.p.ok == present), now_present.eq(0)]
                with m.Case(CamOperation.CLEAR):
                    m.d.comb += [Assert(dut.response.p.ok), now_present.eq(0)]
                with m.Case(CamOperation.FORGET):
                    m.d.comb += [Assert(dut.response.p.ok), now_present.eq(present & pinned)]
        m.d.sync += [present.eq(now_present), value.eq(now_value), pinned.eq(now_pinned)]

        # The states that are possible in this clock, as a set: absent, 0, 1.
        possible = Signal(3)
        coming = Signal(3)
        m.d.comb += [
            possible.eq(Mux(now_present, Mux(now_value, 0b100, 0b010), 0b001)),
            coming.eq(possible | (busy & ~ends).replicate(3) & self._after(command, ours)),
        ]
        asked = [dut.search.valid & dut.search.ready & (dut.search.payload == self.key)]
        allowed = [possible]
        for stage in range(dut.LATENCY):
            later, states = Signal(name=f"asked{stage}"), Signal(3, name=f"allowed{stage}")
            m.d.sync += [later.eq(asked[-1]), states.eq(allowed[-1] | coming)]
            asked.append(later)
            allowed.append(states)
        answer = Mux(dut.result.hit, Mux(dut.result.value, 0b100, 0b010), 0b001)
        with m.If(asked[-1]):
            m.d.comb += [Assert(dut.result.valid), Assert((answer & (allowed[-1] | coming)).any())]

        # Counts: the followed key is among those counted when no command is in flight.
        with m.If(~busy & present):
            m.d.comb += Assert(Mux(pinned, dut.status.pinned, dut.status.unpinned) != 0)

    @staticmethod
    def _after(command, ours):
        """The states that a command in flight may lead to."""
        stores = (command.op == CamOperation.INSERT) & ours
        removes = (command.op == CamOperation.CLEAR) | (command.op == CamOperation.FORGET) | ((command.op == CamOperation.DELETE) & ours)
        return Cat(removes, stores & ~command.value, stores & command.value)


def _hash(**changes):
    return HashCam(**({"key_width": 2, "value_width": 1, "rows": 2, "slots": 1, "spares": 1, "epoch_width": 2, "patience": 2} | changes))


def _register():
    return RegisterCam(key_width=2, value_width=1, entries=2)


PROPERTIES = [
    Property(name="cam-register", make=lambda: _Naive(_register(), bound=4), mode="prove"),
    Property(name="cam-hash", make=lambda: _Naive(_hash(), bound=24), depth=34),
    Property(name="cam-register-mutant", make=lambda: _Naive(_register(), bound=4), depth=18, mutation=1),
]
