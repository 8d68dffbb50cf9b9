"""The matching engine as a whole."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.match.evaluator import Evaluator
from hdl.match.front import Front
from hdl.match.ops import Item, RowRequest
from hdl.match.report import Reporter
from hdl.match.rows import RowEngine
from hdl.match.selection import SelectionLog
from hdl.shapes.notification import MatchedWord, SelectedDocument, SelectionLogPort, SelectMark
from hdl.shapes.publication import MatchBeat
from hdl.shapes.tables import CrtView
from hdl.stream import StreamFifo

__all__ = ["MatchingEngine"]

_ITEMS = 16
_REQUESTS = 16


class MatchingEngine(wiring.Component):
    """Matches each document against all registered subscriptions while it is parsed [T 5.3.3.6].

    Documents follow each other without a gap. A document is matched against the subscriptions in force when its first beat is taken; its
    matched set is handed out while it is matched.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(MatchBeat(config)))``
    o : ``Out(stream.Signature(MatchedWord(config)))``
        For each document its matched t-SIDs, then the word with ``end``.
    view : ``In(CrtView(config))``
    select, selected, log :
        The selection log, see :class:`hdl.match.selection.SelectionLog`.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(MatchBeat(config))),
                "o": Out(stream.Signature(MatchedWord(config))),
                "view": In(CrtView(config)),
                "select": In(stream.Signature(SelectMark(config), always_ready=True)),
                "selected": Out(stream.Signature(SelectedDocument(config))),
                "log": Out(SelectionLogPort(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = front = Front(self.config)
        m.submodules.items = items = StreamFifo(Item(self.config), _ITEMS)
        m.submodules.evaluator = evaluator = Evaluator(self.config)
        m.submodules.queue = queue = StreamFifo(RowRequest(self.config), _REQUESTS)
        m.submodules.rows = rows = RowEngine(self.config)
        m.submodules.report = report = Reporter(self.config)
        m.submodules.selection = selection = SelectionLog(self.config)
        wiring.connect(m, wiring.flipped(self.i), front.i)
        wiring.connect(m, front.o, items.i)
        wiring.connect(m, items.o, evaluator.i)
        wiring.connect(m, evaluator.o, queue.i)
        wiring.connect(m, queue.o, rows.i)
        wiring.connect(m, report.o, wiring.flipped(self.o))
        wiring.connect(m, selection.o, wiring.flipped(self.selected))
        wiring.connect(m, wiring.flipped(self.select), selection.mark)
        wiring.connect(m, selection.read, wiring.flipped(self.log.read))
        m.d.comb += [
            selection.hits.eq(rows.hits),
            selection.hits_valid.eq(rows.hits_valid),
            rows.room.eq(selection.room & report.room),
            selection.begin.eq(self.log.begin),
        ]
        m.d.comb += [
            *(getattr(evaluator, name).eq(getattr(rows, name)) for name in ("part", "slice", "freed")),
            rows.gathered.eq(evaluator.row),
        ]
        m.d.comb += [report.matched.eq(rows.matched), report.matched_valid.eq(rows.matched_valid)]
        view = self.view
        for part, unit in (
            ("names", front),
            ("rows", rows),
            ("masks", rows),
            ("strings", evaluator),
            ("numbers", evaluator),
            ("string_tests", evaluator),
            ("number_tests", evaluator),
            ("members", report),
        ):
            wiring.connect(m, wiring.flipped(getattr(view, part)), getattr(unit, part))
        wiring.connect(m, wiring.flipped(view.summary), *(unit.summary for unit in (front, rows, evaluator)))

        # Registration has the CRT to itself between two documents, when nothing of the earlier one is left.
        quiet, idle = Signal(), Signal()
        m.d.comb += [
            idle.eq((items.level == 0) & evaluator.idle & (queue.level == 0)),
            view.moment.quiet.eq(quiet),
            view.moment.ended.eq(front.ended),
            front.pause.eq(view.moment.wants | quiet | selection.marking),
        ]
        m.d.sync += quiet.eq(view.moment.wants & (quiet | (front.between & idle & rows.idle & report.idle & selection.idle)))
        return m
