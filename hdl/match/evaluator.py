"""What a document's items mean to the subscriptions."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.match.judge import Judge
from hdl.match.ops import Item, RowRequest, Work, join_view, part_of_view
from hdl.match.reader import ValueReader
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
    view : ``In(CrtView)``, the part about values
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        self.reader, self.judge = ValueReader(config), Judge(config)
        names = [*self.reader.view.signature.members, *self.judge.view.signature.members]
        super().__init__(
            {
                "i": In(stream.Signature(Item(config))),
                "o": Out(stream.Signature(RowRequest(config))),
                "room": In(1),
                "view": In(part_of_view(config, names)),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader = reader = self.reader
        m.submodules.judge = judge = self.judge
        m.submodules.work = work = StreamFifo(Work(self.config), _WORK)
        wiring.connect(m, wiring.flipped(self.i), reader.i)
        wiring.connect(m, reader.o, work.i)
        wiring.connect(m, work.o, judge.i)
        wiring.connect(m, reader.question, judge.question)
        wiring.connect(m, judge.o, wiring.flipped(self.o))
        comes = Signal()  # work is on its way through the queue
        m.d.sync += comes.eq(work.i.valid)
        m.d.comb += [judge.room.eq(self.room), self.idle.eq(reader.idle & judge.idle & ~comes & ~work.o.valid)]
        for unit in (reader, judge):
            join_view(m, unit.view, self.view)
        return m
