"""What is done to each bit of a subscription's run."""

from amaranth.hdl import Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.crt.bits import RunPlace
from hdl.crt.entries import Entry, Kind, StagedBit, StepRecord, StoredBit, compared, pattern, rowed, visited
from hdl.crt.masks import MaskChange
from hdl.crt.rows import RowChange
from hdl.crt.tests import TestOp, TestRequest
from hdl.crt.visits import VisitOp, VisitRequest
from hdl.shapes.tables import RowMasks
from hdl.shapes.tests import SUBJECTS
from hdl.shapes.widths import row_width, step_width

__all__ = ["RunWalk", "WalkOp", "WalkRequest"]


class WalkOp(enum.Enum, shape=unsigned(3)):
    """Requests: the staged subscription is built, enforced or forgotten, a run is erased or parted with."""

    BUILD = 0
    """The bits get their records, rows and masks, but for the masks of the first; their names get their marks."""
    ENFORCE = 1
    """The comparisons become tests."""
    FORGET = 2
    """Nothing was built: visits and strings are given back."""
    ERASE = 3
    """Records, rows, masks and tests go; visits and strings are given back."""
    PART = 4
    """The run stays for others: this subscription's visits and uses of strings are given back."""


class WalkRequest(data.StructLayout):
    """A request about the run of ``length`` bits, at least 1, that begins with ``first``."""

    def __init__(self, config):
        super().__init__({"op": WalkOp, "first": step_width(config), "length": range(config.subscription_steps + 1), "contains": 1})


class RunWalk(wiring.Component):
    """Walks through the bits of a run and has the other parts do what each of them needs.

    The next bit is begun when every part that it needs is free; a test is waited for.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    request : ``In(stream.Signature(WalkRequest(config)))``
        Taken when no walk is under way; ``contains`` must stay until the answer.
    answer : ``Out(stream.Signature(len(RowMasks.names), always_ready=True))``
        Every bit has been begun; rows, masks and visits may still be under way. After BUILD: the masks that the first bit is to have.
    rewind, staged : ``Out(1)``, ``In(stream)``
        Those of :class:`hdl.crt.stage.Stage`.
    read, stored, write, step, record : ``Out(stream)``, ``In(stream)``, ``Out``
        Those of :class:`hdl.crt.bits.BitTable`.
    rows, masks, visits, tests, tested : ``Out(stream)``, the last ``In(stream)``
        Requests to :class:`hdl.crt.rows.VisitorRows`, :class:`hdl.crt.masks.MaskTable`, :class:`hdl.crt.visits.NameVisits` and
        :class:`hdl.crt.tests.ComparedTests`, and the answers of the last.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "request": In(stream.Signature(WalkRequest(config))),
                "answer": Out(stream.Signature(len(RowMasks.names), always_ready=True)),
                "rewind": Out(1),
                "staged": In(stream.Signature(StagedBit(config))),
                "read": Out(stream.Signature(RunPlace(config))),
                "stored": In(stream.Signature(StoredBit(config))),
                "write": Out(1),
                "step": Out(step_width(config)),
                "record": Out(StepRecord(config)),
                "rows": Out(stream.Signature(RowChange(config))),
                "masks": Out(stream.Signature(MaskChange(config))),
                "visits": Out(stream.Signature(VisitRequest(config))),
                "tests": Out(stream.Signature(TestRequest(config))),
                "tested": In(stream.Signature(1, always_ready=True)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        given = self.request.payload
        op, opening, contains = Signal(WalkOp), Signal(), given.contains
        builds, erases, stored = op == WalkOp.BUILD, op == WalkOp.ERASE, (op == WalkOp.ERASE) | (op == WalkOp.PART)
        m.d.comb += [
            self.read.payload.first.eq(given.first),
            self.read.payload.length.eq(given.length),
        ]

        # The bit at hand.
        entry, last, known, taken = Signal(Entry(config)), Signal(), Signal(), Signal()
        record = self.stored.payload.record
        m.d.comb += [
            entry.eq(self.staged.payload.entry),
            last.eq(Mux(stored, self.stored.payload.last, self.staged.payload.last)),
            known.eq(Mux(stored, self.stored.valid, self.staged.valid)),
            self.staged.ready.eq(taken & ~stored),
            self.stored.ready.eq(taken & stored),
        ]
        with m.If(stored):
            m.d.comb += [entry[name].eq(record[name]) for name in ("kind", "name", "anyone")]

        # What it needs, and what that is told.
        needs_test, needs_visit, needs_row, needs_mask, fits, starts = (
            Signal(name=name) for name in ("needs_test", "needs_visit", "needs_row", "needs_mask", "fits", "starts")
        )
        subjects = zip(SUBJECTS, (entry.kind == kind for kind in (Kind.ATTRIBUTE, Kind.SELF, Kind.TEXT)), strict=True)
        marks = self.visits.payload.marks
        slices = Const(1, config.slices) << self.step[ceil_log2(row_width(config)) :]
        masks = pattern(entry, first=0, last=last, contains=contains)
        m.d.comb += [
            needs_test.eq(Mux(op == WalkOp.FORGET, entry.stored, compared(entry))),
            needs_visit.eq(Mux(builds, (entry.kind != Kind.WILD) & ~entry.anyone, visited(entry) & (op != WalkOp.ENFORCE))),
            needs_row.eq(rowed(entry) & (builds | erases)),
            needs_mask.eq((builds & ~opening) | erases),
            fits.eq(
                known
                & (self.tests.ready | ~needs_test)
                & (self.visits.ready | ~needs_visit)
                & (self.rows.ready | ~needs_row)
                & (self.masks.ready | ~needs_mask)
            ),
            self.tests.valid.eq(starts & needs_test),
            self.tests.payload.step.eq(self.step),
            self.tests.payload.entry.eq(entry),
            self.visits.valid.eq(starts & needs_visit),
            self.visits.payload.op.eq(Mux(builds, VisitOp.MARK, VisitOp.LEAVE)),
            self.visits.payload.name.eq(entry.name),
            marks.slices.eq(slices & (rowed(entry) | (compared(entry) & ~entry.anyone)).replicate(config.slices)),
            *(
                one.eq(mine & flag)
                for name, mine in subjects
                for one, flag in ((marks.strings[name], ~entry.number), (marks.numbers[name], entry.number & entry.sound))
            ),
            self.rows.valid.eq(starts & needs_row),
            self.rows.payload.name.eq(entry.name),
            self.rows.payload.step.eq(self.step),
            self.rows.payload.value.eq(builds),
            self.masks.valid.eq(starts & needs_mask),
            self.masks.payload.step.eq(self.step),
            self.masks.payload.value.eq(masks & builds.replicate(len(masks))),
            self.write.eq(starts & (builds | erases)),
            self.record.used.eq(builds),
            *(self.record[name].eq(entry[name]) for name in ("kind", "far", "name", "anyone")),
            self.record.last.eq(last),
            self.record.contains.eq(contains),
        ]
        with m.Switch(op):
            with m.Case(WalkOp.BUILD):
                m.d.comb += self.tests.payload.op.eq(TestOp.PLACE)
            with m.Case(WalkOp.ENFORCE):
                m.d.comb += self.tests.payload.op.eq(TestOp.ADD)
            with m.Case(WalkOp.ERASE):
                m.d.comb += self.tests.payload.op.eq(TestOp.DROP)
            with m.Case(WalkOp.PART):
                m.d.comb += self.tests.payload.op.eq(TestOp.PART)
            with m.Default():
                m.d.comb += self.tests.payload.op.eq(TestOp.FORGET)

        m.d.sync += self.answer.valid.eq(0)
        with m.FSM():
            with m.State("IDLE"):
                # Waits for a run; its bits are read from the first on.
                m.d.comb += [self.request.ready.eq(1), self.read.valid.eq(self.request.valid), self.rewind.eq(self.request.valid)]
                m.d.sync += [op.eq(given.op), self.step.eq(given.first), opening.eq(1)]
                with m.If(self.request.valid):
                    m.next = "BIT"
            with m.State("BIT"):
                # Waits for the bit, and for the parts that it needs.
                m.d.comb += starts.eq(fits)
                with m.If(fits & needs_test):
                    m.next = "TEST"
                with m.Else():
                    m.d.comb += taken.eq(fits)
                    with m.If(fits & last):
                        m.next = "IDLE"
            with m.State("TEST"):
                # Waits for the test.
                m.d.comb += taken.eq(self.tested.valid)
                with m.If(self.tested.valid):
                    m.next = "BIT"
                    with m.If(last):
                        m.next = "IDLE"
        with m.If(taken):
            m.d.sync += [self.step.eq(self.step + 1), opening.eq(0)]
            with m.If(opening):
                m.d.sync += self.answer.payload.eq(pattern(entry, first=1, last=last, contains=contains))
            with m.If(last):
                m.d.sync += self.answer.valid.eq(1)
        return m
