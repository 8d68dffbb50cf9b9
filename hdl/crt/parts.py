"""The parts of the CRT, connected to each other."""

from amaranth.hdl import Mux, Signal
from amaranth.lib import wiring

from hdl.crt.bits import BitTable
from hdl.crt.commit import CommitClock
from hdl.crt.finder import RunFinder
from hdl.crt.masks import MaskTable
from hdl.crt.members import RunMembers
from hdl.crt.namer import Namer
from hdl.crt.rows import VisitorRows
from hdl.crt.runs import RunTable
from hdl.crt.stage import Stage
from hdl.crt.tests import ComparedTests
from hdl.crt.visits import NameVisits
from hdl.crt.walk import RunWalk

__all__ = ["Parts"]


class Parts:
    """Makes the parts submodules of ``m`` and connects them to each other and to the ports of the CRT.

    What is left to the sequence: the commands of stage, finder, walk and commit, requests to members and to runs, and to bits, masks and
    visits where nobody else makes one.

    Attributes
    ----------
    namer, stage, visits, runs, bits, finder, members, tests, rows, masks, walk, commit :
        The parts.
    finding : Signal
        To be 1 while the finder is at work: it has bits and tests, else the walk.
    free : Signal
        Nothing is under way in the parts that walks use.
    """

    def __init__(self, m, table):
        config = table.config
        m.submodules.namer = self.namer = namer = Namer(config)
        m.submodules.stage = self.stage = stage = Stage(config)
        m.submodules.visits = self.visits = visits = NameVisits(config)
        m.submodules.runs = self.runs = runs = RunTable(config)
        m.submodules.bits = self.bits = bits = BitTable(config)
        m.submodules.finder = self.finder = finder = RunFinder(config)
        m.submodules.members = self.members = members = RunMembers(config)
        m.submodules.tests = self.tests = tests = ComparedTests(config)
        m.submodules.rows = self.rows = rows = VisitorRows(config)
        m.submodules.masks = self.masks = masks = MaskTable(config)
        m.submodules.walk = self.walk = walk = RunWalk(config)
        m.submodules.commit = self.commit = commit = CommitClock()
        self.free, self.finding = Signal(name="free"), Signal(name="finding")
        for one, other in (
            (wiring.flipped(table.program), namer.i),
            (namer.o_request, wiring.flipped(table.name_request)),
            (wiring.flipped(table.name_response), namer.i_response),
            (namer.o, stage.program),
            (visits.released, namer.release),
            (stage.strings, tests.literal),
            (stage.numbers, tests.number),
            (tests.number_reply, stage.number_reply),
            (walk.rows, rows.change),
            *(
                (part.view, wiring.flipped(getattr(table.view, name)))
                for name, part in (("names", visits), ("rows", rows), ("masks", masks))
            ),
            *(
                (getattr(tests, name), wiring.flipped(getattr(table.view, name)))
                for name in ("strings", "numbers", "string_tests", "number_tests")
            ),
            (members.view, wiring.flipped(table.view.members)),
            (commit.view, wiring.flipped(table.view.moment)),
        ):
            wiring.connect(m, one, other)
        # Parts that two of the others use, one after the other.
        for users, part in (
            ((finder.read, walk.read), bits.read),
            ((stage.visits, walk.visits), visits.request),
        ):
            _share(m, users, part)
        m.d.comb += [
            tests.request.valid.eq(finder.tests.valid | walk.tests.valid),
            tests.request.payload.eq(Mux(self.finding, finder.tests.payload, walk.tests.payload)),
            *(one.ready.eq(tests.request.ready) for one in (finder.tests, walk.tests)),
        ]
        for source, finders, walkers in ((stage.bit, finder.staged, walk.staged), (bits.bit, finder.bit, walk.stored)):
            m.d.comb += [one.payload.eq(source.payload) for one in (finders, walkers)]
            m.d.comb += [finders.valid.eq(source.valid), walkers.valid.eq(source.valid)]
            m.d.comb += source.ready.eq(Mux(self.finding, finders.ready, walkers.ready))

        m.d.comb += [
            *(one.eq(two) for one, two in ((finder.run.valid, runs.answer.valid), (finder.run.payload, runs.answer.payload))),
            *(one.valid.eq(tests.answer.valid) for one in (finder.alike, walk.tested)),
            *(one.payload.eq(tests.answer.payload) for one in (finder.alike, walk.tested)),
            runs.request.valid.eq(finder.runs.valid),
            runs.request.payload.op.eq(finder.runs.payload.op),
            runs.request.payload.run.eq(finder.runs.payload.run),
            finder.runs.ready.eq(runs.request.ready),
            masks.change.valid.eq(walk.masks.valid),
            masks.change.payload.eq(walk.masks.payload),
            walk.masks.ready.eq(masks.change.ready),
            bits.write.eq(walk.write),
            bits.step.eq(walk.step),
            bits.record.eq(walk.record),
            stage.rewind.eq(finder.rewind | walk.rewind),
            table.view.summary.marks.eq(tests.marks),
            table.view.summary.texts.eq(tests.texts),
            self.free.eq(
                rows.change.ready
                & tests.request.ready
                & masks.change.ready
                & visits.request.ready
                & runs.request.ready
                & members.request.ready
            ),
        ]


def _share(m, users, part):
    """Two users of a part, of which one makes a request at a time."""
    one, other = users
    m.d.comb += [
        part.valid.eq(one.valid | other.valid),
        part.payload.eq(Mux(other.valid, other.payload, one.payload)),
        one.ready.eq(part.ready),
        other.ready.eq(part.ready),
    ]
