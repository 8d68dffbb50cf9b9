"""What a document's items mean to the subscriptions."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.feeders import NumberFeeder, StringFeeder
from hdl.match.gather import Gather
from hdl.match.ops import GATHERED_TAGS, Item, RowRequest, Work
from hdl.match.reader import ValueReader
from hdl.shapes.tables import StringPort, TableSummary
from hdl.shapes.tests import NumberAnswer, NumberPort, StringAnswer, TestRowView
from hdl.shapes.widths import row_width
from hdl.stream import StreamFifo

__all__ = ["Evaluator"]

_WORK = 16


class Evaluator(wiring.Component):
    """Asks the rows for what a document's items mean to the subscriptions: its tags, with the tests on values that hold for them.

    Values are read, searched for and compared beside each other and beside the items behind them; see
    :class:`hdl.match.reader.ValueReader`,
    :class:`hdl.match.feeders.StringFeeder`, :class:`hdl.match.feeders.NumberFeeder` and :class:`hdl.match.gather.SlicePass` for the
    clocks of each. A tag waits
    for what is gathered for it.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(Item(config)))``
    o : ``Out(stream.Signature(RowRequest(config)))``
    strings, numbers, string_tests, number_tests, summary : ``In(...)``
        Those of the parts.
    part, slice, row, freed :
        What was gathered for a request that is ``fenced``, see :class:`hdl.match.gather.SlicePass`.
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(Item(config))),
                "o": Out(stream.Signature(RowRequest(config))),
                "strings": In(StringPort(config)),
                "numbers": In(NumberPort(config)),
                "string_tests": In(TestRowView(config, StringAnswer(config))),
                "number_tests": In(TestRowView(config, NumberAnswer(config))),
                "summary": In(TableSummary(config)),
                "part": In(range(GATHERED_TAGS)),
                "slice": In(ceil_log2(config.slices)),
                "row": Out(row_width(config)),
                "freed": In(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.reader = reader = ValueReader(config)
        m.submodules.strings = strings = StringFeeder(config)
        m.submodules.numbers = numbers = NumberFeeder(config)
        m.submodules.gather = gather = Gather(config)
        m.submodules.work = queue = StreamFifo(Work(config), _WORK)
        for one, other in (
            (wiring.flipped(self.i), reader.i),
            (wiring.flipped(self.summary), reader.summary),
            (reader.strings, strings.i),
            (reader.numbers, numbers.i),
            (reader.string_queries, gather.strings),
            (reader.number_queries, gather.numbers),
            (reader.o, queue.i),
            (strings.o, gather.string_answers),
            (numbers.o, wiring.flipped(self.numbers).search),
            (strings.port, wiring.flipped(self.strings)),
            (gather.string_tests, wiring.flipped(self.string_tests)),
            (gather.number_tests, wiring.flipped(self.number_tests)),
        ):
            wiring.connect(m, one, other)
        m.d.comb += [
            gather.number_answers.valid.eq(self.numbers.point.valid),
            gather.number_answers.payload.eq(self.numbers.point.payload),
            self.numbers.quiet.eq(gather.quiet),
            gather.more.eq(reader.more),
            gather.part.eq(self.part),
            gather.slice.eq(self.slice),
            self.row.eq(gather.row),
            gather.freed.eq(self.freed),
        ]

        # A fenced request waits for what was gathered for it.
        work, request, fence = queue.o.payload, self.o.payload, gather.fences.payload
        part, over = Signal(range(GATHERED_TAGS)), Signal()
        ready, excess = Signal(), Signal()
        m.d.comb += [
            ready.eq(~work.fenced | gather.fences.valid),
            excess.eq(over | (work.fenced & fence.over)),
            self.o.valid.eq(queue.o.valid & ready),
            queue.o.ready.eq(self.o.ready & ready),
            gather.fences.ready.eq(self.o.valid & self.o.ready & work.fenced),
            *(request[name].eq(work[name]) for name in ("op", "operand", "slices", "above", "root", "node", "fenced")),
            request.part.eq(part),
            request.gathered.eq(Mux(work.fenced, fence.slices, 0)),
        ]
        with m.If(work.op.done):
            m.d.comb += request.operand[:2].eq(Cat(work.operand[0] & ~excess, work.operand[0] & excess))
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [part.eq(part + work.fenced), over.eq(excess & ~work.op.done)]
        comes = Signal()  # work is on its way through the queue
        m.d.sync += comes.eq(queue.i.valid)
        m.d.comb += self.idle.eq(reader.idle & strings.idle & numbers.idle & gather.idle & ~comes & (queue.level == 0))
        return m
