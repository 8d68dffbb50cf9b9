"""Compares values with what subscriptions ask of them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.ops import Question, RowRequest, Work
from hdl.shapes.program import ProgramOperator
from hdl.shapes.tables import TestLink, TestSubject, TestView
from hdl.shapes.widths import row_width, step_width
from hdl.values import Comparison, compare, compares

__all__ = ["Judge"]


class Judge(wiring.Component):
    """Hands on what tags ask of the rows, and in the place of a question the tests that hold.

    A tag takes a clock; a question one, and two for each test in its lists. Tags wait three clocks behind a test.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(Work(config)))``
    question : ``In(stream.Signature(Question(config)))``
        One for each work that is a ``question``, in the same order.
    o : ``Out(stream.Signature(RowRequest(config)))``
    room : ``In(1)``
        ``o`` takes four more requests at least.
    tests : ``In(TestView(config))``
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(Work(config))),
                "question": In(stream.Signature(Question(config))),
                "o": Out(stream.Signature(RowRequest(config))),
                "room": In(1),
                "tests": In(TestView(config)),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, tests = self.config, self.tests
        work, node, term = self.i.payload, tests.node, tests.term
        place = data.StructLayout({"about": TestSubject, "above": len(work.above), "root": 1})

        # The question, which loses the lists that were walked: the next test to ask for, if not the follower of another one, is ``ahead``.
        # Two flip-flops for one fact: what decides is not loaded with the enables.
        holding, ready = Signal(), Signal(init=1)
        asked, ahead = Signal(Question(config)), Signal(TestLink(config))
        given = self.question.payload
        m.d.comb += self.question.ready.eq(ready)
        with m.If(ready):
            m.d.sync += [holding.eq(self.question.valid), ready.eq(~self.question.valid), asked.eq(given)]
            m.d.sync += [
                ahead.eq(Mux(given.mine.valid, given.mine, Mux(given.anyone.valid, given.anyone, given.equal))),
                asked.anyone.valid.eq(given.anyone.valid & given.mine.valid),
                asked.equal.valid.eq(given.equal.valid & (given.anyone.valid | given.mine.valid)),
            ]

        # A test is looked at in the clock in which its node comes; then it is weighed, when the rest of it comes, judged, and told.
        walk, pick = Signal(TestLink(config)), Signal(TestLink(config))
        looks, leaves = Signal(), Signal()
        looked = data.StructLayout({"step": step_width(config), "operator": ProgramOperator, "number": 1, "contains": 1, "fits": 1})
        weighing, weighed, judging, judge = Signal(), Signal(looked), Signal(), Signal(looked)
        judged_place, same, named, excess = Signal(place), Signal(), Signal(), Signal()
        parts = Signal(Comparison)
        telling, told, told_contains, told_place = Signal(), Signal(step_width(config)), Signal(), Signal(place)
        over = Signal()
        holds = Signal()
        differs = judge.operator == ProgramOperator.NE
        m.d.comb += holds.eq(Mux(judge.number, compares(judge.operator, parts), Mux(differs, ~same, judge.fits & named)))
        m.d.sync += [
            weighing.eq(looks),
            weighed.step.eq(walk.step),
            weighed.operator.eq(node.operator),
            weighed.number.eq(node.number),
            weighed.contains.eq(node.contains),
            weighed.fits.eq(node.subject == asked.about),
            judging.eq(weighing),
            judge.eq(weighed),
            judged_place.about.eq(asked.about),
            judged_place.above.eq(work.above),
            judged_place.root.eq(work.root),
            same.eq(asked.found & (asked.value == term.value)),
            named.eq(term.anyone | (asked.string & (term.name == asked.name))),
            excess.eq(asked.excess & ~tests.number.nan),
            parts.eq(compare(asked.number, tests.number)),
            telling.eq(judging & holds),
            told.eq(judge.step),
            told_contains.eq(judge.contains),
            told_place.eq(judged_place),
        ]
        with m.If(judging & judge.number & excess):
            m.d.sync += over.eq(1)

        # Tags wait for what is judged or told before them.
        engaged = Signal()
        passes, goes, left = Signal(), Signal(), Signal()
        request = self.o.payload
        m.d.sync += engaged.eq(looks | weighing | (judging & holds))
        m.d.comb += [
            passes.eq(self.i.valid & ~work.question & ~engaged),
            self.o.valid.eq(telling | passes),
            self.i.ready.eq(Mux(work.question, goes | left, self.o.ready & ~engaged)),
            *(request[name].eq(work[name]) for name in ("operand", "slices", "above", "root", "node")),
            *(request.op[name].eq(work[name]) for name in Work.operations),
        ]
        with m.If(work.done):
            m.d.comb += request.operand[:2].eq(Cat(work.operand[0] & ~over, work.operand[0] & over))
            with m.If(passes & self.o.ready):
                m.d.sync += over.eq(0)
        with m.If(telling):
            m.d.comb += [
                request.op.eq(0),
                request.op.satisfy.eq(told_place.about == TestSubject.ATTRIBUTE),
                request.op.seen.eq((told_place.about != TestSubject.ATTRIBUTE) & told_contains),
                request.op.text.eq((told_place.about != TestSubject.ATTRIBUTE) & ~told_contains),
                request.operand.eq(told),
                request.slices.eq(Const(1, config.slices) << told[ceil_log2(row_width(config)) :]),
                request.above.eq(told_place.above),
                request.root.eq(told_place.root),
            ]

        turn, comes = Signal(), Signal()  # comes: the node that was asked for in the clock before
        following = Mux(asked.anyone.valid, asked.anyone, asked.equal)
        m.d.sync += [left.eq(0), comes.eq(0)]
        m.d.comb += [turn.eq(self.i.valid & work.question & holding & self.room), pick.eq(ahead), tests.step.eq(ahead.step)]

        with m.FSM():
            with m.State("PICK"):
                # the next list, if any; its first test is asked for before it is known whether it is this question's turn, so that
                # a question that waits finds its node there
                m.d.comb += [tests.en.eq(holding & self.room), goes.eq(holding & self.room & ~ahead.valid)]
                m.d.sync += [walk.eq(pick), comes.eq(tests.en)]
                with m.If(turn):
                    m.d.sync += ahead.eq(following)
                    m.next = "WAIT"
                    with m.If(comes):
                        m.next = "TEST"
                    with m.If(~ahead.valid):
                        m.d.comb += leaves.eq(1)
                        m.next = "PICK"
            with m.State("WAIT"):
                # for the test's node; if it is the last of its list, the next list follows
                m.d.sync += ahead.eq(following)
                m.next = "TEST"
            with m.State("TEST"):
                # a test; the next one of its list, or the first of the next list, is asked for at once
                m.d.comb += [looks.eq(1), tests.en.eq(1), tests.follow.eq(1)]
                m.d.sync += [walk.eq(pick), ahead.eq(pick)]
                with m.If(node.next.valid):
                    m.d.comb += pick.eq(node.next)
                with m.Else():
                    m.d.sync += asked.anyone.valid.eq(0)
                    with m.If(~asked.anyone.valid):
                        m.d.sync += asked.equal.valid.eq(0)
                m.next = "WAIT"
                with m.If(~pick.valid):
                    # its place among the tags is given up a clock later: these wait for the test meanwhile
                    m.d.comb += leaves.eq(1)
                    m.d.sync += left.eq(1)
                    m.next = "PICK"
                with m.Elif(~self.room):
                    m.next = "PICK"
        with m.If(leaves):
            m.d.sync += [holding.eq(0), ready.eq(1)]
        m.d.comb += self.idle.eq(~holding & ~weighing & ~judging & ~telling & ~engaged)
        return m
