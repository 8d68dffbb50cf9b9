"""Finds a run of bits that asks the same as the staged subscription."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.crt.bits import RunPlace
from hdl.crt.entries import RunRecord, StagedBit, StoredBit, compared
from hdl.crt.runs import RunAnswer, RunOp
from hdl.crt.tests import TestOp, TestRequest
from hdl.shapes.tables import TestLink
from hdl.shapes.widths import step_width

__all__ = ["RunFinder"]


class RunFinder(wiring.Component):
    """Compares the staged subscription with each run that has the same hash, bit by bit, until one is the same.

    A bit costs 3 clocks, and one that compares with a literal what the tests need to look at it; a run costs 5 more.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    request : ``In(stream.Signature(RunRecord(config)))``
        The staged subscription: ``first`` does not count. It must stay until the answer.
    answer : ``Out(stream.Signature(TestLink(config), always_ready=True))``
        The first bit of the run that asks the same, if there is one.
    runs, run : ``Out(stream)``, ``In(stream)``
        Requests to :class:`hdl.crt.runs.RunTable`, which need no t-SID, and its answers.
    read, bit : ``Out(stream)``, ``In(stream)``
        Those of :class:`hdl.crt.bits.BitTable`.
    rewind, staged : ``Out(1)``, ``In(stream.Signature(StagedBit(config)))``
        Those of :class:`hdl.crt.stage.Stage`.
    tests, alike : ``Out(stream)``, ``In(stream)``
        Requests to :class:`hdl.crt.tests.ComparedTests` and its answers.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "request": In(stream.Signature(RunRecord(config))),
                "answer": Out(stream.Signature(TestLink(config), always_ready=True)),
                "runs": Out(stream.Signature(data.StructLayout({"op": RunOp, "run": RunRecord(config)}))),
                "run": In(stream.Signature(RunAnswer(config), always_ready=True)),
                "read": Out(stream.Signature(RunPlace(config))),
                "bit": In(stream.Signature(StoredBit(config))),
                "rewind": Out(1),
                "staged": In(stream.Signature(StagedBit(config))),
                "tests": Out(stream.Signature(TestRequest(config))),
                "alike": In(stream.Signature(1, always_ready=True)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        wanted = Signal(RunRecord(config))
        entry, record = self.staged.payload.entry, self.bit.payload.record
        half = len(entry.name) // 2
        # What is compared in parts, which are joined a clock later.
        parts = Cat(
            (record.kind == entry.kind)
            & (record.far == entry.far)
            & (record.anyone == entry.anyone)
            & (record.last == self.staged.payload.last)
            & (record.contains == wanted.contains),
            record.name[:half] == entry.name[:half],
            record.name[half:] == entry.name[half:],
        )
        alike, first = Signal(len(parts)), Signal(step_width(config))
        fits = Signal()
        m.d.sync += alike.eq(parts)
        m.d.comb += [
            self.runs.payload.run.eq(wanted),
            self.runs.payload.run.first.eq(first),
            self.read.payload.first.eq(self.run.payload.first.step),
            self.read.payload.length.eq(wanted.length),
            self.tests.payload.op.eq(TestOp.COMPARE),
            self.tests.payload.step.eq(self.bit.payload.step),
            self.tests.payload.entry.eq(entry),
            self.bit.ready.eq(fits),
            self.staged.ready.eq(fits),
            self.answer.payload.step.eq(first),
        ]

        def judge(same):
            """Goes on with the next bit, the next run or the answer."""
            m.next = "CHAIN"
            with m.If(same):
                m.d.comb += fits.eq(1)
                m.next = "BIT"
                with m.If(self.staged.payload.last):
                    m.d.comb += [self.answer.valid.eq(1), self.answer.payload.valid.eq(1)]
                    m.next = "IDLE"

        begun = Signal()
        with m.FSM():
            with m.State("IDLE"):
                # Waits for a subscription.
                m.d.comb += self.request.ready.eq(1)
                m.d.sync += [wanted.eq(self.request.payload), begun.eq(0)]
                with m.If(self.request.valid):
                    m.next = "CHAIN"
            with m.State("CHAIN"):
                # Asks for the first run with this hash, or the next one.
                m.d.comb += [self.runs.valid.eq(1), self.runs.payload.op.eq(Mux(begun, RunOp.NEXT, RunOp.CHAIN))]
                with m.If(self.runs.ready):
                    m.d.sync += begun.eq(1)
                    m.next = "RUN"
            with m.State("RUN"):
                # Has the run and the subscription read; without a run that is left, none asks the same.
                m.d.comb += [self.read.valid.eq(self.run.valid), self.rewind.eq(self.run.valid)]
                m.d.sync += first.eq(self.run.payload.first.step)
                with m.If(self.run.valid):
                    m.next = "BIT"
                    with m.If(~self.run.payload.first.valid):
                        m.d.comb += self.answer.valid.eq(1)
                        m.next = "IDLE"
            with m.State("BIT"):
                # Compares a bit with the staged one when both are there.
                with m.If(self.bit.valid & self.staged.valid):
                    m.next = "JUDGE"
            with m.State("JUDGE"):
                # What is compared with a literal must compare with the same one.
                with m.If(alike.all() & compared(entry)):
                    m.next = "ASK"
                with m.Else():
                    judge(alike.all())
            with m.State("ASK"):
                # Asks the tests.
                m.d.comb += self.tests.valid.eq(1)
                with m.If(self.tests.ready):
                    m.next = "TEST"
            with m.State("TEST"):
                # Waits for their answer.
                with m.If(self.alike.valid):
                    judge(self.alike.payload)
        return m
