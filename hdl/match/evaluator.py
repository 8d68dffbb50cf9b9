"""What a document's items mean to the subscriptions."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.match.judge import Judge
from hdl.match.ops import Item, RowRequest, Work
from hdl.match.reader import ValueReader
from hdl.shapes.tables import ListView, StringPort, TableSummary, TestView
from hdl.stream import StreamFifo

__all__ = ["Evaluator"]

_WORK = 16


class Evaluator(wiring.Component):
    """Asks the rows for what a document's items mean to the subscriptions: its tags, and before them the tests that hold.

    While the tests of a value are judged, the string of the next one is searched for and the items behind it are read; see
    :class:`hdl.match.reader.ValueReader` and :class:`hdl.match.judge.Judge` for the clocks that each takes.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(Item(config)))``
    o : ``Out(stream.Signature(RowRequest(config)))``
    room : ``In(1)``
        ``o`` takes four more requests at least.
    lists, strings, summary, tests : ``In(...)``
        Those of the reader and of the judge.
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(Item(config))),
                "o": Out(stream.Signature(RowRequest(config))),
                "room": In(1),
                "lists": In(ListView(config)),
                "strings": In(StringPort(config)),
                "summary": In(TableSummary(config)),
                "tests": In(TestView(config)),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader = reader = ValueReader(self.config)
        m.submodules.judge = judge = Judge(self.config)
        m.submodules.work = work = StreamFifo(Work(self.config), _WORK)
        wiring.connect(m, wiring.flipped(self.i), reader.i)
        wiring.connect(m, reader.o, work.i)
        wiring.connect(m, work.o, judge.i)
        wiring.connect(m, reader.question, judge.question)
        wiring.connect(m, judge.o, wiring.flipped(self.o))
        comes = Signal()  # work is on its way through the queue
        m.d.sync += comes.eq(work.i.valid)
        m.d.comb += [judge.room.eq(self.room), self.idle.eq(reader.idle & judge.idle & ~comes & ~work.o.valid)]
        for name in ("lists", "strings", "summary"):
            wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(reader, name))
        wiring.connect(m, wiring.flipped(self.tests), judge.tests)
        return m
