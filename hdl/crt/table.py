"""The content routing table [T 5.3.3]: registration and removal, step by step."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import Refusal
from hdl.crt.bits import BitTable
from hdl.crt.commit import CommitClock
from hdl.crt.entries import BUCKET_BITS, RunRecord
from hdl.crt.finder import RunFinder
from hdl.crt.masks import MaskTable
from hdl.crt.members import MemberOp, RunMembers
from hdl.crt.namer import Namer
from hdl.crt.rows import VisitorRows
from hdl.crt.runs import RunOp, RunTable
from hdl.crt.stage import Stage
from hdl.crt.tests import ComparedTests
from hdl.crt.visits import NameVisits, VisitOp
from hdl.crt.walk import RunWalk, WalkOp
from hdl.shapes.names import NameRequest, NameResponse
from hdl.shapes.program import CrtCommand, CrtOp, CrtResponse, ProgramWord
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
    response : ``Out(stream.Signature(CrtResponse))``
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
    last_step, shared, final : ``Out``, ``Out(1)``, ``Out(1)``
        With the response to a REGISTER that is accepted: the last bit of the subscription's run, whether others have the same run, and
        whether the subscription ends in an attribute step.
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
                "response": Out(stream.Signature(CrtResponse)),
                "name_request": Out(stream.Signature(NameRequest(config))),
                "name_response": In(stream.Signature(NameResponse(config))),
                "view": Out(CrtView(config)),
                "begun": In(16),
                "registered": Out(range(config.subscriptions + 1)),
                "steps_used": Out(range(config.steps + 1)),
                "full": Out(1),
                "hcd": Out(1),
                "last_step": Out(step_width(config)),
                "shared": Out(1),
                "final": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, summary = self.config, self.view.summary
        m.submodules.namer = namer = Namer(config)
        m.submodules.stage = stage = Stage(config)
        m.submodules.visits = visits = NameVisits(config)
        m.submodules.runs = runs = RunTable(config)
        m.submodules.bits = bits = BitTable(config)
        m.submodules.finder = finder = RunFinder(config)
        m.submodules.members = members = RunMembers(config)
        m.submodules.tests = tests = ComparedTests(config)
        m.submodules.rows = rows = VisitorRows(config)
        m.submodules.masks = masks = MaskTable(config)
        m.submodules.walk = walk = RunWalk(config)
        m.submodules.commit = commit = CommitClock()
        for one, other in (
            (wiring.flipped(self.program), namer.i),
            (namer.o_request, wiring.flipped(self.name_request)),
            (wiring.flipped(self.name_response), namer.i_response),
            (namer.o, stage.program),
            (visits.released, namer.release),
            (stage.strings, tests.literal),
            (walk.rows, rows.change),
            *(
                (part.view, wiring.flipped(getattr(self.view, name)))
                for name, part in (("names", visits), ("rows", rows), ("masks", masks))
            ),
            *((getattr(tests, name), wiring.flipped(getattr(self.view, name))) for name in ("lists", "tests", "strings")),
            (members.view, wiring.flipped(self.view.members)),
            (commit.view, wiring.flipped(self.view.moment)),
        ):
            wiring.connect(m, one, other)
        # Parts that two of the others use, one after the other.
        for users, part in (
            ((finder.read, walk.read), bits.read),
            ((stage.visits, walk.visits), visits.request),
        ):
            share(m, users, part)
        finding = Signal()  # the finder has bits and tests, else the walk
        m.d.comb += [
            tests.request.valid.eq(finder.tests.valid | walk.tests.valid),
            tests.request.payload.eq(Mux(finding, finder.tests.payload, walk.tests.payload)),
            *(one.ready.eq(tests.request.ready) for one in (finder.tests, walk.tests)),
        ]
        for source, finders, walkers in ((stage.bit, finder.staged, walk.staged), (bits.bit, finder.bit, walk.stored)):
            m.d.comb += [one.payload.eq(source.payload) for one in (finders, walkers)]
            m.d.comb += [finders.valid.eq(source.valid), walkers.valid.eq(source.valid)]
            m.d.comb += source.ready.eq(Mux(finding, finders.ready, walkers.ready))

        command = Signal(CrtCommand(config))
        run = Signal(RunRecord(config))
        tail = Signal(step_width(config))  # the last bit of the run, a clock behind it
        shared, settling = Signal(), Signal()
        failed = Signal(RefusalCode)
        first_masks = Signal(len(RowMasks.names))
        free = Signal()  # nothing is under way in the parts that walks use
        m.d.sync += tail.eq(run.first + (run.length - 1))
        m.d.comb += [
            *(one.eq(two) for one, two in ((finder.run.valid, runs.answer.valid), (finder.run.payload, runs.answer.payload))),
            *(one.valid.eq(tests.answer.valid) for one in (finder.alike, walk.tested)),
            *(one.payload.eq(tests.answer.payload) for one in (finder.alike, walk.tested)),
            runs.request.valid.eq(finder.runs.valid),
            runs.request.payload.op.eq(finder.runs.payload.op),
            runs.request.payload.run.eq(finder.runs.payload.run),
            runs.request.payload.tsid.eq(command.tsid),
            finder.runs.ready.eq(runs.request.ready),
            finder.request.payload.eq(run),
            masks.change.valid.eq(walk.masks.valid),
            masks.change.payload.eq(walk.masks.payload),
            walk.masks.ready.eq(masks.change.ready),
            walk.request.payload.first.eq(run.first),
            walk.request.payload.length.eq(run.length),
            walk.request.payload.contains.eq(run.contains),
            bits.write.eq(walk.write),
            bits.step.eq(walk.step),
            bits.record.eq(walk.record),
            bits.length.payload.eq(run.length),
            stage.contains.eq(command.semantics),
            stage.rewind.eq(finder.rewind | walk.rewind),
            members.request.payload.tsid.eq(command.tsid),
            members.request.payload.last.eq(tail),
            commit.begun.eq(self.begun),
            free.eq(rows.change.ready & masks.change.ready & visits.request.ready & runs.request.ready & members.request.ready),
            summary.marks.eq(tests.marks),
            summary.texts.eq(tests.texts),
            self.hcd.eq(visits.high),
            self.last_step.eq(tail),
            self.shared.eq(shared),
            self.final.eq(stage.run.final),
        ]

        empties = Signal()  # an empty table forgets how far it was filled
        m.d.comb += [bits.empty.eq(empties), tests.empty.eq(empties)]
        with m.If(empties):
            m.d.sync += [summary.wild.eq(0), summary.containment.eq(0)]
        sweep = Signal(range(max(rows.clear_depth, 1 << len(masks.clear_address), config.names, config.values, 1 << BUCKET_BITS)))

        def walk_through(op, then):
            """Has something done to each bit of the run."""
            m.d.comb += [walk.request.valid.eq(1), walk.request.payload.op.eq(op)]
            m.next = then

        def give_back():
            """The staged subscription is not registered."""
            m.next = "ANSWER"
            with m.If(stage.run.length != 0):
                walk_through(WalkOp.FORGET, "GIVEN-BACK")

        def ask_run(op):
            """A request about the run and the t-SID."""
            m.d.comb += [
                runs.request.valid.eq(1),
                runs.request.payload.op.eq(op),
                runs.request.payload.run.eq(run),
            ]

        # The last of a change is still under way in the parts when the next command is taken.
        with m.If(settling & free):
            m.d.comb += commit.finish.eq(1)
            m.d.sync += settling.eq(0)

        with m.FSM(init="WIPE"):
            with m.State("WIPE"):
                # Empties every table, after a reset or for CLEAR; the names that are given back may take longer.
                m.d.sync += [sweep.eq(sweep + 1), self.registered.eq(0), self.steps_used.eq(0)]
                m.d.comb += empties.eq(1)
                for part in (rows, masks, runs, tests):
                    m.d.comb += [part.clear.eq(1), part.clear_address.eq(sweep)]
                with m.If(sweep.all()):
                    m.d.comb += commit.finish.eq(1)
                    m.d.sync += self.full.eq(0)
                    m.next = "WIPED"
            with m.State("WIPED"):
                # Waits until names have been given back; after a reset nobody awaits an answer.
                with m.If(visits.request.ready):
                    m.next = "IDLE"
                    with m.If(command.op == CrtOp.CLEAR):
                        m.next = "ANSWER"

            with m.State("IDLE"):
                # Waits for a command.
                m.d.comb += self.command.ready.eq(1)
                m.d.sync += [command.eq(self.command.payload), failed.eq(0), shared.eq(0)]
                with m.If(self.command.valid):
                    with m.Switch(self.command.payload.op):
                        with m.Case(CrtOp.UNREGISTER):
                            m.next = "LOOK"
                        with m.Case(CrtOp.CLEAR):
                            m.next = "COMMIT-REMOVAL"
                        with m.Default():
                            m.d.comb += stage.start.eq(1)
                            m.next = "STAGE"

            with m.State("STAGE"):
                # Waits for the end of the program.
                m.d.sync += [
                    run.length.eq(stage.run.length),
                    run.bucket.eq(stage.run.bucket),
                    run.contains.eq(command.semantics),
                    failed.eq(stage.run.refused),
                ]
                with m.If(stage.done):
                    m.next = "STAGED"
            with m.State("STAGED"):
                # A refused subscription gives back what it has, and one that was only to be checked; for another one an equal one is
                # looked for.
                with m.If((failed != 0) | (command.op == CrtOp.CHECK)):
                    give_back()
                with m.Else():
                    m.d.comb += finder.request.valid.eq(1)
                    m.next = "FIND"
            with m.State("FIND"):
                # Waits for the run of an equal subscription; without one there must be room for a run of its own.
                m.d.comb += finding.eq(1)
                m.d.sync += [run.first.eq(finder.answer.payload.step), shared.eq(finder.answer.payload.valid)]
                with m.If(finder.answer.valid):
                    m.d.comb += bits.length.valid.eq(~finder.answer.payload.valid)
                    m.next = "ROOM"
                    with m.If(finder.answer.payload.valid):
                        m.d.comb += commit.start.eq(1)
                        m.next = "ACCEPT"
            with m.State("ROOM"):
                # Waits for room.
                m.d.sync += run.first.eq(bits.room.payload.first)
                with m.If(bits.room.valid):
                    m.d.comb += bits.take.eq(bits.room.payload.found)
                    m.next = "BUILD"
                    with m.If(~bits.room.payload.found):
                        m.d.sync += failed.eq(Refusal.FULL_STEPS.value)
                        m.next = "STAGED"
            with m.State("BUILD"):
                # The bits are built while documents are matched: without the masks of the first nothing comes of them.
                walk_through(WalkOp.BUILD, "BUILT")
            with m.State("BUILT"):
                # Waits until each bit has been begun; then the subscription counts.
                m.d.sync += first_masks.eq(walk.answer.payload)
                with m.If(walk.answer.valid):
                    m.d.comb += commit.start.eq(1)
                    m.next = "ACCEPT"
            with m.State("ACCEPT"):
                # Until the response is taken.
                m.d.comb += self.response.valid.eq(1)
                m.d.sync += self.full.eq(0)
                with m.If(self.response.ready):
                    m.next = "ENFORCE"
            with m.State("ENFORCE"):
                # Waits for a moment between documents, and for the last bit's row and masks.
                with m.If(commit.open & free):
                    m.next = "PUBLISH"
                    with m.If(stage.run.compares & ~shared):
                        walk_through(WalkOp.ENFORCE, "ENFORCED")
            with m.State("ENFORCED"):
                # Waits until each comparison is a test.
                with m.If(walk.answer.valid):
                    m.next = "PUBLISH"
            with m.State("PUBLISH"):
                # The t-SID gets the run, and a new run the masks of its first bit.
                m.d.comb += [members.request.valid.eq(1), members.request.payload.op.eq(Mux(shared, MemberOp.JOIN, MemberOp.FOUND))]
                ask_run(Mux(shared, RunOp.JOIN, RunOp.FOUND))
                m.d.sync += [settling.eq(1), self.registered.eq(self.registered + 1)]
                m.next = "IDLE"
                with m.If(~shared):
                    slices = Const(1, config.slices) << run.first[ceil_log2(row_width(config)) :]
                    wild = ~first_masks[:2].any()
                    m.d.comb += [
                        masks.change.valid.eq(1),
                        masks.change.payload.step.eq(run.first),
                        masks.change.payload.value.eq(first_masks),
                    ]
                    m.d.sync += [
                        self.steps_used.eq(self.steps_used + run.length),
                        summary.wild.eq(summary.wild | (slices & wild.replicate(config.slices))),
                        summary.containment.eq(summary.containment | run.contains),
                    ]

            with m.State("LOOK"):
                # The run of the subscription that is to go is asked for.
                ask_run(RunOp.LOOK)
                with m.If(runs.request.ready):
                    m.next = "LOOKED"
            with m.State("LOOKED"):
                # Waits for it.
                m.d.sync += run.eq(runs.answer.payload.run)
                with m.If(runs.answer.valid):
                    m.next = "COMMIT-REMOVAL"
            with m.State("COMMIT-REMOVAL"):
                # Names must not wait for documents once these wait for the change.
                with m.If(~commit.under_way & namer.settled):
                    m.d.comb += commit.start.eq(1)
                    m.next = "REMOVE"
            with m.State("REMOVE"):
                # Waits for a moment between documents.
                m.d.comb += members.request.payload.op.eq(MemberOp.LEAVE)
                with m.If(commit.open):
                    with m.If(command.op == CrtOp.CLEAR):
                        m.d.comb += [visits.request.valid.eq(1), visits.request.payload.op.eq(VisitOp.CLEAR)]
                        m.next = "WIPE"
                    with m.Else():
                        m.d.comb += members.request.valid.eq(1)
                        m.d.sync += self.registered.eq(self.registered - 1)
                        m.next = "LEFT"
            with m.State("LEFT"):
                # The last member takes the run with it.
                with m.If(members.answer.valid):
                    walk_through(WalkOp.PART, "REMOVED")
                    with m.If(members.answer.payload):
                        ask_run(RunOp.FORGET)
                        m.d.sync += self.steps_used.eq(self.steps_used - run.length)
                        walk_through(WalkOp.ERASE, "REMOVED")
            with m.State("REMOVED"):
                # Waits until each bit has been dealt with.
                with m.If(walk.answer.valid):
                    m.next = "SETTLED"
            with m.State("SETTLED"):
                # Waits for the parts; then documents go on.
                with m.If(free):
                    m.d.comb += [commit.finish.eq(1), empties.eq(self.registered == 0)]
                    m.next = "ANSWER"

            with m.State("GIVEN-BACK"):
                # Waits until the visits and strings of a refused subscription have been given back.
                with m.If(walk.answer.valid):
                    m.next = "REFUSED"
            with m.State("REFUSED"):
                # Waits for the last of them.
                with m.If(free):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                # Until the response is taken.
                m.d.comb += [self.response.valid.eq(1), self.response.payload.refusal.eq(failed)]
                with m.If(command.op == CrtOp.REGISTER):
                    full = (Refusal.FULL_STEPS, Refusal.FULL_NAMES, Refusal.FULL_VALUES)
                    m.d.sync += self.full.eq(Mux(self.response.ready, Cat(failed == code.value for code in full).any(), self.full))
                with m.If(self.response.ready):
                    m.next = "IDLE"
        return m


def share(m, users, part):
    """Two users of a part, of which one makes a request at a time."""
    one, other = users
    m.d.comb += [
        part.valid.eq(one.valid | other.valid),
        part.payload.eq(Mux(other.valid, other.payload, one.payload)),
        one.ready.eq(part.ready),
        other.ready.eq(part.ready),
    ]
