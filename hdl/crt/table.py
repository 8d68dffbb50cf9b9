"""The content routing table [T 5.3.3]: registration and removal, step by step."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import Refusal
from hdl.crt.entries import BUCKET_BITS, RunRecord
from hdl.crt.members import MemberOp
from hdl.crt.parts import Parts
from hdl.crt.runs import RunOp
from hdl.crt.visits import VisitOp
from hdl.crt.walk import WalkOp
from hdl.shapes.names import NameRequest, NameResponse
from hdl.shapes.program import CrtCommand, CrtOp, ProgramWord, RegistrationResponse
from hdl.shapes.tables import CrtView, RowMasks
from hdl.shapes.widths import RefusalCode, row_width, step_width

__all__ = ["ContentRoutingTable"]


class ContentRoutingTable(wiring.Component):
    """Registers subscriptions and removes them while documents are matched.

    A subscription takes a run of neighbouring bits, one per step and test, in rows that every name has. What the engine reads of it
    changes only between documents. **Commit**: there is one clock, after the command and its program were taken and before the
    response is offered, in which a change is decided; documents whose first word was taken before that clock are matched without it,
    all others with it. ``begun`` tells the two apart: the change is made when the last of the former has been matched,
    and until then the first of the latter waits. REGISTER is answered right after its commit, UNREGISTER and CLEAR when no match of the
    removed subscriptions can be reported any more. A refused REGISTER leaves nothing behind. After a reset the table
    empties itself before it takes the first command.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    command : ``In(stream.Signature(CrtCommand(config)))``
    program : ``In(stream.Signature(ProgramWord))``
        One program per REGISTER or CHECK.
    response : ``Out(stream.Signature(RegistrationResponse(config)))``
        One per command, in order.
    name_request : ``Out(stream.Signature(NameRequest(config)))``
    name_response : ``In(stream.Signature(NameResponse(config)))``
    view : ``Out(CrtView(config))``
    begun : ``In(16)``
        Documents whose first word has been taken, modulo 65536 and from 0 at reset.
    registered : ``Out``
        Subscriptions held.
    steps_used : ``Out``
        Bits held; subscriptions with the same bits count once.
    full : ``Out(1)``
        The latest REGISTER was refused for want of room, its grammar having been looked at first: the broker has reached its S_max
        [T-Fig 5.17].
    hcd : ``Out(1)``
        Some name has been visited by more than 31 subscriptions [T 5.3.3.4].
    """

    def __init__(self, config):
        width = row_width(config)
        if width < 16 or width & (width - 1) or config.slices & (config.slices - 1):
            raise ValueError(f"steps must be slices, a power of two, times a power of two of at least 16, not {config.steps!r}")
        self.config = config
        super().__init__(
            {
                "command": In(stream.Signature(CrtCommand(config))),
                "program": In(stream.Signature(ProgramWord)),
                "response": Out(stream.Signature(RegistrationResponse(config))),
                "name_request": Out(stream.Signature(NameRequest(config))),
                "name_response": In(stream.Signature(NameResponse(config))),
                "view": Out(CrtView(config)),
                "begun": In(16),
                "registered": Out(range(config.subscriptions + 1)),
                "steps_used": Out(range(config.steps + 1)),
                "full": Out(1),
                "hcd": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        parts = Parts(m, self)
        sequence = _Sequence(m, self, parts)
        with m.FSM(init="WIPE"):
            sequence.wipe()
            sequence.take()
            sequence.register()
            sequence.remove()
            sequence.answer()
        return m


class _Sequence:
    """The states of the CRT, in groups that are called in ``m.FSM``."""

    def __init__(self, m, table, parts):
        self.m, self.table, self.parts = m, table, parts
        config, summary = table.config, table.view.summary
        self.command = command = Signal(CrtCommand(config))
        self.run = run = Signal(RunRecord(config))
        self.shared, self.failed = Signal(name="shared"), Signal(RefusalCode, name="failed")
        self.first_masks = Signal(len(RowMasks.names))
        tail = Signal(step_width(config))  # the last bit of the run, a clock behind it
        m.d.sync += tail.eq(run.first + (run.length - 1))
        m.d.comb += [
            parts.runs.request.payload.tsid.eq(command.tsid),
            parts.finder.request.payload.eq(run),
            parts.walk.request.payload.first.eq(run.first),
            parts.walk.request.payload.length.eq(run.length),
            parts.walk.request.payload.contains.eq(run.contains),
            parts.bits.length.payload.eq(run.length),
            parts.stage.contains.eq(command.semantics),
            parts.members.request.payload.tsid.eq(command.tsid),
            parts.members.request.payload.last.eq(tail),
            parts.commit.begun.eq(table.begun),
            table.hcd.eq(parts.visits.high),
            table.response.payload.last_step.eq(tail),
            table.response.payload.shared.eq(self.shared),
            table.response.payload.final.eq(parts.stage.run.final),
        ]

        self.empties = empties = Signal()  # an empty table forgets how far it was filled
        m.d.comb += [parts.bits.empty.eq(empties), parts.tests.empty.eq(empties)]
        with m.If(empties):
            m.d.sync += [summary.wild.eq(0), summary.containment.eq(0)]
        self.sweep = Signal(
            range(max(parts.rows.clear_depth, 1 << len(parts.masks.clear_address), config.names, parts.tests.clear_depth, 1 << BUCKET_BITS))
        )

        # The last of a change is still under way in the parts when the next command is taken.
        self.settling = Signal()
        with m.If(self.settling & parts.free):
            m.d.comb += parts.commit.finish.eq(1)
            m.d.sync += self.settling.eq(0)

    def _walk_through(self, op, then):
        """Has something done to each bit of the run."""
        m, request = self.m, self.parts.walk.request
        m.d.comb += [request.valid.eq(1), request.payload.op.eq(op)]
        m.next = then

    def _give_back(self):
        """The staged subscription is not registered."""
        m = self.m
        m.next = "ANSWER"
        with m.If(self.parts.stage.run.length != 0):
            self._walk_through(WalkOp.FORGET, "GIVEN-BACK")

    def _ask_run(self, op):
        """A request about the run and the t-SID."""
        request = self.parts.runs.request
        self.m.d.comb += [request.valid.eq(1), request.payload.op.eq(op), request.payload.run.eq(self.run)]

    def wipe(self):
        """Emptying the table."""
        m, table, parts = self.m, self.table, self.parts
        with m.State("WIPE"):
            # Empties every table, after a reset or for CLEAR; the names that are given back may take longer.
            m.d.sync += [self.sweep.eq(self.sweep + 1), table.registered.eq(0), table.steps_used.eq(0)]
            m.d.comb += self.empties.eq(1)
            for part in (parts.rows, parts.masks, parts.runs, parts.tests):
                m.d.comb += [part.clear.eq(1), part.clear_address.eq(self.sweep)]
            with m.If(self.sweep.all()):
                m.d.comb += parts.commit.finish.eq(1)
                m.d.sync += table.full.eq(0)
                m.next = "WIPED"
        with m.State("WIPED"):
            # Waits until names have been given back; after a reset nobody awaits an answer.
            with m.If(parts.visits.request.ready):
                m.next = "IDLE"
                with m.If(self.command.op == CrtOp.CLEAR):
                    m.next = "ANSWER"

    def take(self):
        """Between commands."""
        m, table, parts = self.m, self.table, self.parts
        with m.State("IDLE"):
            # Waits for a command.
            m.d.comb += table.command.ready.eq(1)
            m.d.sync += [self.command.eq(table.command.payload), self.failed.eq(0), self.shared.eq(0)]
            with m.If(table.command.valid):
                with m.Switch(table.command.payload.op):
                    with m.Case(CrtOp.UNREGISTER):
                        m.next = "LOOK"
                    with m.Case(CrtOp.CLEAR):
                        m.next = "COMMIT-REMOVAL"
                    with m.Default():
                        m.d.comb += parts.stage.start.eq(1)
                        m.next = "STAGE"

    def register(self):
        """REGISTER, and CHECK as far as it goes."""
        m, table, parts = self.m, self.table, self.parts
        with m.State("STAGE"):
            # Waits for the end of the program.
            m.d.sync += [
                self.run.length.eq(parts.stage.run.length),
                self.run.bucket.eq(parts.stage.run.bucket),
                self.run.contains.eq(self.command.semantics),
                self.failed.eq(parts.stage.run.refused),
            ]
            with m.If(parts.stage.done):
                m.next = "STAGED"
        with m.State("STAGED"):
            # A refused subscription gives back what it has, and one that was only to be checked; for another one an equal one is
            # looked for.
            with m.If((self.failed != 0) | (self.command.op == CrtOp.CHECK)):
                self._give_back()
            with m.Else():
                m.d.comb += parts.finder.request.valid.eq(1)
                m.next = "FIND"
        with m.State("FIND"):
            # Waits for the run of an equal subscription; without one there must be room for a run of its own.
            m.d.comb += parts.finding.eq(1)
            m.d.sync += [self.run.first.eq(parts.finder.answer.payload.step), self.shared.eq(parts.finder.answer.payload.valid)]
            with m.If(parts.finder.answer.valid):
                m.d.comb += parts.bits.length.valid.eq(~parts.finder.answer.payload.valid)
                m.next = "ROOM"
                with m.If(parts.finder.answer.payload.valid):
                    m.d.comb += parts.commit.start.eq(1)
                    m.next = "ACCEPT"
        with m.State("ROOM"):
            # Waits for room.
            m.d.sync += self.run.first.eq(parts.bits.room.payload.first)
            with m.If(parts.bits.room.valid):
                m.d.comb += parts.bits.take.eq(parts.bits.room.payload.found)
                m.next = "BUILD"
                with m.If(~parts.bits.room.payload.found):
                    m.d.sync += self.failed.eq(Refusal.FULL_STEPS.value)
                    m.next = "STAGED"
        with m.State("BUILD"):
            # The bits are built while documents are matched: without the masks of the first nothing comes of them.
            self._walk_through(WalkOp.BUILD, "BUILT")
        with m.State("BUILT"):
            # Waits until each bit has been begun; then the subscription counts.
            m.d.sync += self.first_masks.eq(parts.walk.answer.payload)
            with m.If(parts.walk.answer.valid):
                m.d.comb += parts.commit.start.eq(1)
                m.next = "ACCEPT"
        with m.State("ACCEPT"):
            # Until the response is taken.
            m.d.comb += table.response.valid.eq(1)
            m.d.sync += table.full.eq(0)
            with m.If(table.response.ready):
                m.next = "ENFORCE"
        with m.State("ENFORCE"):
            # Waits for a moment between documents, and for the last bit's row and masks.
            with m.If(parts.commit.open & parts.free):
                m.next = "PUBLISH"
                with m.If(parts.stage.run.compares & ~self.shared):
                    m.next = "ENFORCE-TESTS"
        with m.State("ENFORCE-TESTS"):
            # The comparisons become tests.
            self._walk_through(WalkOp.ENFORCE, "ENFORCED")
        with m.State("ENFORCED"):
            # Waits until each comparison is a test.
            with m.If(parts.walk.answer.valid):
                m.next = "PUBLISH"
        with m.State("PUBLISH"):
            # The t-SID gets the run, and a new run the masks of its first bit.
            m.d.comb += [
                parts.members.request.valid.eq(1),
                parts.members.request.payload.op.eq(Mux(self.shared, MemberOp.JOIN, MemberOp.FOUND)),
            ]
            self._ask_run(Mux(self.shared, RunOp.JOIN, RunOp.FOUND))
            m.d.sync += [self.settling.eq(1), table.registered.eq(table.registered + 1)]
            m.next = "IDLE"
            with m.If(~self.shared):
                slices = Const(1, table.config.slices) << self.run.first[ceil_log2(row_width(table.config)) :]
                wild = ~self.first_masks[:2].any()
                m.d.comb += [
                    parts.masks.change.valid.eq(1),
                    parts.masks.change.payload.step.eq(self.run.first),
                    parts.masks.change.payload.value.eq(self.first_masks),
                ]
                m.d.sync += [
                    table.steps_used.eq(table.steps_used + self.run.length),
                    table.view.summary.wild.eq(table.view.summary.wild | (slices & wild.replicate(table.config.slices))),
                    table.view.summary.containment.eq(table.view.summary.containment | self.run.contains),
                ]

    def remove(self):
        """UNREGISTER and CLEAR."""
        m, table, parts = self.m, self.table, self.parts
        with m.State("LOOK"):
            # The run of the subscription that is to go is asked for.
            self._ask_run(RunOp.LOOK)
            with m.If(parts.runs.request.ready):
                m.next = "LOOKED"
        with m.State("LOOKED"):
            # Waits for it.
            m.d.sync += self.run.eq(parts.runs.answer.payload.run)
            with m.If(parts.runs.answer.valid):
                m.next = "COMMIT-REMOVAL"
        with m.State("COMMIT-REMOVAL"):
            # Names must not wait for documents once these wait for the change.
            with m.If(~parts.commit.under_way & parts.namer.settled):
                m.d.comb += parts.commit.start.eq(1)
                m.next = "REMOVE"
        with m.State("REMOVE"):
            # Waits for a moment between documents.
            m.d.comb += parts.members.request.payload.op.eq(MemberOp.LEAVE)
            with m.If(parts.commit.open):
                with m.If(self.command.op == CrtOp.CLEAR):
                    m.d.comb += [parts.visits.request.valid.eq(1), parts.visits.request.payload.op.eq(VisitOp.CLEAR)]
                    m.next = "WIPE"
                with m.Else():
                    m.d.comb += parts.members.request.valid.eq(1)
                    m.d.sync += table.registered.eq(table.registered - 1)
                    m.next = "LEFT"
        with m.State("LEFT"):
            # The last member takes the run with it.
            with m.If(parts.members.answer.valid):
                self._walk_through(WalkOp.PART, "REMOVED")
                with m.If(parts.members.answer.payload):
                    self._ask_run(RunOp.FORGET)
                    m.d.sync += table.steps_used.eq(table.steps_used - self.run.length)
                    self._walk_through(WalkOp.ERASE, "REMOVED")
        with m.State("REMOVED"):
            # Waits until each bit has been dealt with; it may have been the last one of all.
            with m.If(parts.walk.answer.valid):
                m.d.comb += self.empties.eq(table.registered == 0)
                m.next = "SETTLED"
        with m.State("SETTLED"):
            # Waits for the parts; then documents go on.
            with m.If(parts.free):
                m.d.comb += parts.commit.finish.eq(1)
                m.next = "ANSWER"

    def answer(self):
        """What a refused subscription has taken is given back; the answers but for that of a subscription that is accepted."""
        m, table, parts = self.m, self.table, self.parts
        with m.State("GIVEN-BACK"):
            # Waits until the visits and strings of a refused subscription have been given back.
            with m.If(parts.walk.answer.valid):
                m.next = "REFUSED"
        with m.State("REFUSED"):
            # Waits for the last of them.
            with m.If(parts.free):
                m.next = "ANSWER"
        with m.State("ANSWER"):
            # Until the response is taken.
            m.d.comb += [table.response.valid.eq(1), table.response.payload.refusal.eq(self.failed)]
            with m.If(self.command.op == CrtOp.REGISTER):
                full = (Refusal.FULL_STEPS, Refusal.FULL_NAMES, Refusal.FULL_VALUES)
                m.d.sync += table.full.eq(Mux(table.response.ready, Cat(self.failed == code.value for code in full).any(), table.full))
            with m.If(table.response.ready):
                m.next = "IDLE"
