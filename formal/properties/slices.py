"""Compared values: the order of the stored numbers, the search among them, the bounds of tests, and what is gathered for a tag."""

from types import SimpleNamespace

from amaranth.hdl import Assert, Assume, Cat, Const, Module, Mux, Signal

from formal.claims import constant, keeps_rules, obeys_rules, past
from formal.prover import Checked, Property
from hdl.crt.bounds import BoundTable
from hdl.crt.halving import Halving
from hdl.crt.ranks import RankOp, RankOrder
from hdl.match.gather import SlicePass
from hdl.shapes.tests import BoundKind, NumberAnswer

__all__ = ["PROPERTIES"]

_LIMITS = SimpleNamespace(steps=4, slices=2, names=4, values=4, numbers=3, digits=1)


class _Bounds(Checked):
    """A test and a value, each known by its place among the numbers only. Numbers come and go on either side of both, and the table
    decides as the two
    numbers themselves would be compared, which does not change."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = BoundTable(_LIMITS)
        self.step, self.kind, self.open = Signal(2, name="followed"), Signal(BoundKind), Signal()
        self.beyond = Signal(2, name="beyond")
        self.free = [dut.slice, dut.change.valid, dut.change.payload, dut.sweep.valid, dut.sweep.payload, dut.answer, self.step, self.kind]
        self.free += [self.open, self.beyond]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        for signal in (self.step, self.kind.as_value(), self.open):
            constant(m, signal)
        obeys_rules(m, dut.sweep, "sweep")
        # Rank of the test's number, point of the value, and numbers in use; a test is a whole number of halves beyond its number.
        rank, point, used = Signal(2), Signal(3), Signal(2)
        change, sweep = dut.change.payload, dut.sweep.payload
        placed = Signal()
        takes = dut.sweep.valid & dut.sweep.ready
        changes = dut.change.valid & dut.change.ready
        ours = changes & (change.step == self.step)
        m.d.comb += [
            Assume(dut.answer.point == point),
            # registration places the test once, when its number is there, and its neighbours at any time
            Assume(
                ~ours
                | (~placed & (used != 0) & (change.bound.kind == self.kind) & (change.bound.bound == Cat(~self.open, rank + self.open)))
            ),
            Assume(~(placed & takes & ~sweep.up & (sweep.rank == rank))),
            Assume(~(changes & takes)),
            Assume(~takes | Mux(sweep.up, (used != 3) & (sweep.rank <= used), sweep.rank < used)),
        ]
        kinds = self.kind
        # LE and GT begin beyond their number, the others at it.
        m.d.comb += Assume(~self.open | (kinds == BoundKind.ABOVE) | (kinds == BoundKind.BELOW))
        with m.If(ours):
            m.d.sync += placed.eq(1)
        with m.If(takes):
            m.d.sync += used.eq(Mux(sweep.up, used + 1, used - 1))
            number_point = Cat(Const(0, 1), sweep.rank)
            with m.If(sweep.up):
                m.d.sync += rank.eq(rank + (placed & (rank >= sweep.rank)))
                # the new number is below the value, the value itself, or above it
                with m.If(point > number_point):
                    m.d.sync += point.eq(point + 2)
                with m.Elif(point == number_point):
                    m.d.sync += point.eq(point + Mux(self.beyond == 3, 0, self.beyond))
            with m.Else():
                m.d.sync += rank.eq(rank - (placed & (rank > sweep.rank)))
                with m.If(point > number_point + 1):
                    m.d.sync += point.eq(point - 2)
                with m.Elif(point == number_point + 1):
                    m.d.sync += point.eq(point - 1)
        # Before the test is placed, its number is any of those in use, and the value lies anywhere among them.
        free_rank, free_point = Signal(2, name="free_rank"), Signal(3, name="free_point")
        self.free += [free_rank, free_point]
        started = Signal()
        m.d.sync += started.eq(1)
        with m.If(~placed & ~ours):
            m.d.sync += rank.eq(free_rank)
            m.d.comb += Assume(free_rank < 3)
        m.d.comb += Assume(~ours | (rank < used))
        with m.If(~placed & ~takes & started):
            m.d.sync += point.eq(free_point)
            m.d.comb += Assume(free_point <= Cat(Const(0, 1), used))

        # How the value lies to the number of the test.
        below, same = point < Cat(Const(1, 1), rank), point == Cat(Const(1, 1), rank)
        above = ~below & ~same
        holds = Signal()
        with m.Switch(kinds):
            with m.Case(BoundKind.ABOVE):
                m.d.comb += holds.eq(above | (same & ~self.open))
            with m.Case(BoundKind.BELOW):
                m.d.comb += holds.eq((below | (same & self.open)) & ~dut.answer.nan)
            with m.Case(BoundKind.EQUAL):
                m.d.comb += holds.eq(same)
            with m.Case(BoundKind.UNLIKE):
                m.d.comb += holds.eq(~same)
        # It answers two clocks after a clock without a sweep.
        asked = placed & dut.sweep.ready & ~takes & (dut.slice == self.step[1:])
        wanted, valid = past(m, holds, "holds"), past(m, asked, "asked")
        right, told = past(m, wanted, "right"), past(m, valid, "told")
        m.d.comb += Assert(~told | (dut.holds.bit_select(self.step[:1], 1) == right))


class _Ranks(Checked):
    """One identity: its rank is what a list would have, through everything that comes and goes."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = RankOrder(SimpleNamespace(numbers=3))
        self.identity = Signal(2, name="followed")
        self.free = [dut.rank, dut.request.valid, dut.request.payload, self.identity]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        constant(m, self.identity)
        age = Signal(range(4))
        with m.If(age != 3):
            m.d.sync += age.eq(age + 1)
        request, answer = dut.request.payload, dut.answer.payload
        takes = dut.request.valid & dut.request.ready
        used, inside, rank = Signal(2), Signal(), Signal(2)
        op, asked = Signal(RankOp), Signal(2)
        m.d.comb += [
            dut.clear.eq(age < 2),
            dut.clear_address.eq(age),
            Assume(~dut.request.valid | (age == 3)),
            Assume(~takes | (request.op != RankOp.INSERT) | ((used != 3) & (request.rank <= used))),
            Assume(~takes | (request.op != RankOp.REMOVE) | (request.rank < used)),
            Assume(~takes | (request.op != RankOp.FIND) | (inside & (request.identity == self.identity))),
            Assume(request.op.as_value() != 3),
        ]
        with m.If(takes):
            m.d.sync += [op.eq(request.op), asked.eq(request.rank)]
        with m.If(dut.answer.valid):
            with m.Switch(op):
                with m.Case(RankOp.FIND):
                    m.d.comb += [Assert(answer.rank == rank), Assert(answer.identity == self.identity)]
                with m.Case(RankOp.INSERT):
                    m.d.comb += [Assert(answer.rank == asked), Assert(~inside | (answer.identity != self.identity))]
                    m.d.sync += used.eq(used + 1)
                    with m.If(answer.identity == self.identity):
                        m.d.sync += [inside.eq(1), rank.eq(asked)]
                    with m.Elif(inside & (rank >= asked)):
                        m.d.sync += rank.eq(rank + 1)
                with m.Case(RankOp.REMOVE):
                    m.d.comb += [Assert(answer.rank == asked), Assert((answer.identity == self.identity) == (inside & (rank == asked)))]
                    m.d.sync += used.eq(used - 1)
                    with m.If(answer.identity == self.identity):
                        m.d.sync += inside.eq(0)
                    with m.Elif(inside & (rank > asked)):
                        m.d.sync += rank.eq(rank - 1)
        with m.Elif(dut.request.ready & (age == 3)):
            m.d.comb += [
                Assert(dut.used == used),
                Assert((dut.rank >= used) | ((dut.identity == self.identity) == (inside & (dut.rank == rank)))),
            ]


class _Search(Checked):
    """Every search finds how many of the numbers are below its value and whether the next one is equal, and they come back in order."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = Halving(_LIMITS)
        self.keys = [Signal(4, name=f"key{n}") for n in range(3)]
        self.used, self.order, self.mark = Signal(2, name="in_use"), Signal(name="turned"), Signal(name="mark")
        self.free = [dut.i.valid, dut.i.payload, *self.keys, self.used, self.order, self.mark]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        for signal in (*self.keys, self.used, self.order):
            constant(m, signal)
        started = Signal(2)
        m.d.sync += started.eq(started | 1 | started << 1)
        value = dut.i.payload.value.key
        m.d.comb += [
            *(Assume((self.keys[n] < self.keys[n + 1]) & (self.keys[n] != 0)) for n in range(2)),
            Assume(~dut.i.valid | (started == 3)),
            Assume((value.exponent == (value.digits != 0)) & ~value.negative),
            dut.used.eq(self.used),
            # identities are ranks, or turned about
            dut.identity.eq(Mux(self.order, 2 - dut.rank, dut.rank)),
        ]
        asked = Signal(2)
        m.d.sync += [asked.eq(Mux(self.order, 2 - dut.number, dut.number)), dut.key.exponent.eq(1)]
        with m.Switch(asked):
            for place, key in enumerate(self.keys):
                with m.Case(place):
                    m.d.sync += dut.key.digits.eq(key)

        takes = dut.i.valid & dut.i.ready
        inside, before = Signal(3), Signal(3)
        marked, gone = Signal(), Signal()
        digits, nan, own, excess = Signal(4), Signal(), Signal(), Signal()
        m.d.sync += inside.eq(inside + takes - dut.o.valid)
        with m.If(~marked & self.mark & takes):
            m.d.sync += [marked.eq(1), before.eq(inside - dut.o.valid), digits.eq(value.digits), nan.eq(value.nan)]
            m.d.sync += [own.eq(dut.i.payload.own), excess.eq(dut.i.payload.value.excess)]
        with m.Elif(marked & dut.o.valid & (before != 0)):
            m.d.sync += before.eq(before - 1)
        there = [place < self.used for place in range(3)]
        answer = dut.o.payload
        with m.If(marked & ~gone & (before == 0) & dut.o.valid):
            m.d.sync += gone.eq(1)
            m.d.comb += [Assert(answer.nan == nan), Assert(answer.own == own), Assert(answer.excess == excess)]
            same = Cat(there[n] & (self.keys[n] == digits) for n in range(3))
            m.d.comb += Assert(nan | (answer.below == sum(there[n] & (self.keys[n] < digits) for n in range(3))))
            m.d.comb += Assert(nan | (answer.equal == same.any()))
            m.d.comb += Assert(nan | ~answer.equal | (same.bit_select(Mux(self.order, 2 - answer.identity, answer.identity)[:2], 1)))
        m.d.comb += [Assert(inside <= 6), Assert(~dut.idle | (inside == dut.o.valid))]


class _Pass(Checked):
    """One bit of one slice: it is gathered for a tag if and only if it held in some query of that tag, and is there until it is freed."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = SlicePass(_LIMITS, NumberAnswer(_LIMITS))
        self.step = Signal(2, name="followed")
        self.free = [dut.i.valid, dut.i.payload, dut.answers.valid, dut.answers.payload, dut.view.row, dut.view.holds, dut.view.hold]
        self.which = Signal(name="followed_tag")
        self.free += [dut.fences.ready, dut.freed, self.step, self.which]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        constant(m, self.step)
        constant(m, self.which)
        obeys_rules(m, dut.i, "i")
        obeys_rules(m, dut.answers, "answers")
        keeps_rules(m, dut.fences, "fences")
        query = dut.i.payload
        place, slice_ = self.step[:1], self.step[1:]
        m.d.comb += [dut.slice.eq(slice_), dut.part.eq(self.which)]

        # The tags that have begun, that have been read, and that have been freed; the first or the second one is followed.
        takes = dut.i.valid & dut.i.ready
        begun, out, freed = Signal(3), Signal(3), Signal(3)
        leaves = dut.fences.valid & dut.fences.ready
        m.d.sync += [begun.eq(begun + (takes & query.fence)), out.eq(out + leaves), freed.eq(freed + dut.freed)]
        m.d.comb += [Assume(~dut.freed | (freed < out)), Assume(begun < 4)]
        # The tag of each read: two clocks after its address comes its row.
        wanted = Signal()
        tag = [Signal(3, name=f"tag{n}") for n in range(3)]
        asked = [Signal(name=f"asked{n}") for n in range(3)]
        # A slice is picked two clocks before it is read; a fence is only taken behind the last pick of its tag.
        picked = [Signal(3, name=f"picked{n}") for n in range(2)]
        m.d.sync += [picked[0].eq(begun), picked[1].eq(picked[0])]
        m.d.comb += [tag[0].eq(picked[1]), asked[0].eq(dut.view.en & (dut.view.slice == slice_))]
        for n in range(1, 3):
            m.d.sync += [tag[n].eq(tag[n - 1]), asked[n].eq(asked[n - 1])]
        holds = asked[2] & (dut.view.row & dut.view.holds).bit_select(place, 1)
        m.d.sync += wanted.eq(wanted | (holds & (tag[2] == self.which)))
        # It is known when the fence of the tag comes out, and stays so until that is freed.
        with m.If((out == self.which) & dut.fences.valid):
            m.d.comb += Assert(dut.fences.payload.slices.bit_select(slice_, 1) | ~wanted)
        with m.If(((out == self.which) & dut.fences.valid) | ((out > self.which) & (freed == self.which))):
            m.d.comb += Assert(dut.row.bit_select(place, 1) == wanted)
        # The gathered slices of every query are read before its fence.
        due = Signal()
        with m.If(takes & ~query.fence & (begun == self.which)):
            m.d.sync += due.eq(due | query.slices.bit_select(slice_, 1))
        seen = Signal()
        m.d.sync += seen.eq(seen | (asked[0] & (tag[0] == self.which)))
        with m.If((out == self.which) & dut.fences.valid):
            m.d.comb += Assert(~due | seen)


PROPERTIES = [
    Property(name="slices-bounds", make=_Bounds, depth=20),
    Property(name="slices-bounds-mutant", make=_Bounds, depth=20, mutation=1),
    Property(name="slices-ranks", make=_Ranks, depth=16),
    Property(name="slices-ranks-mutant", make=_Ranks, depth=16, mutation=1),
    Property(name="slices-search", make=_Search, depth=20),
    Property(name="slices-search-mutant", make=_Search, depth=20, mutation=2),
    Property(name="slices-pass", make=_Pass, depth=20),
    Property(name="slices-pass-mutant", make=_Pass, depth=20, mutation=1),
]
