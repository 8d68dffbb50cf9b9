"""What holds for the values of a tag, gathered slice by slice."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.bits import lone, number
from hdl.match.ops import GATHERED_TAGS, Fence, Query
from hdl.shapes.tests import NumberAnswer, StringAnswer, TestRowView
from hdl.shapes.widths import row_width
from hdl.stream import StreamFifo

__all__ = ["Gather", "SlicePass"]

_QUERIES = 16
_STAGES = 6


class SlicePass(wiring.Component):
    """Goes through the slices of each query and gathers the tests that hold, for :data:`GATHERED_TAGS` at a time.

    A slice a clock, and one for a query without any; a fence takes a clock. What is gathered is known with the fence, 7 clocks later.
    While so many tags are
    gathered that have not been freed, queries wait.

    Parameters
    ----------
    config : BrokerConfig
    answer : ShapeLike
        What a value is compared by.

    Members
    -------
    i : ``In(stream.Signature(Query(config)))``
        Queries of a tag, then its fence.
    answers : ``In(stream.Signature(answer))``
        One for each ``fresh`` query, in order; other queries are about the value of the one before.
    view : ``In(TestRowView(config, answer))``
    fences : ``Out(stream.Signature(Fence(config)))``
        One for each fence, in order.
    part, slice, row : ``In``, ``In``, ``Out``
        The tests of a slice that hold, of the fence with this number, counted from 0 at reset modulo :data:`GATHERED_TAGS`: in the same
        clock, from that fence until it is freed.
    freed : ``In(1)``
        The oldest of the fences that came out is not read any more.
    quiet : ``Out(1)``
        No answer is in use. One may be once a query or an answer comes; a query that is not ``fresh`` follows at once.
    idle : ``Out(1)``
        Nothing is under way, and nothing is gathered.
    """

    def __init__(self, config, answer):
        self.config, self._answer = config, answer
        super().__init__(
            {
                "i": In(stream.Signature(Query(config))),
                "answers": In(stream.Signature(answer)),
                "view": In(TestRowView(config, answer)),
                "fences": Out(stream.Signature(Fence(config))),
                "part": In(range(GATHERED_TAGS)),
                "slice": In(ceil_log2(config.slices)),
                "row": Out(row_width(config)),
                "freed": In(1),
                "quiet": Out(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view, query = self.config, self.view, self.i.payload
        width, slices, slice_bits = row_width(config), config.slices, ceil_log2(config.slices)

        # The query at hand, and the value that it is about.
        remaining, key, answer = Signal(slices), Signal.like(query.key), Signal(self._answer)
        fencing, part = Signal(), Signal(range(GATHERED_TAGS))
        pick, goes, free, closed = Signal(slices), Signal(), Signal(), Signal(range(GATHERED_TAGS + 1))
        taken = Signal()
        m.d.comb += [
            pick.eq(remaining & -remaining),
            goes.eq(remaining.any() & ~view.hold),
            free.eq((remaining == 0) | (goes & lone(remaining))),
            self.i.ready.eq(free & (closed != GATHERED_TAGS) & (query.fence | ~query.fresh | self.answers.valid)),
            taken.eq(self.i.valid & self.i.ready),
            self.answers.ready.eq(self.i.valid & free & (closed != GATHERED_TAGS) & ~query.fence & query.fresh),
        ]
        m.d.sync += [fencing.eq(taken & query.fence), closed.eq(closed + (taken & query.fence) - self.freed)]
        with m.If(goes):
            m.d.sync += remaining.eq(remaining & ~pick)
        with m.If(taken):
            m.d.sync += [
                remaining.eq(Mux(query.fence, 0, query.slices)),
                key.eq(query.key),
            ]
            with m.If(~query.fence & query.fresh):
                m.d.sync += answer.eq(self.answers.payload)
        with m.If(fencing):
            m.d.sync += part.eq(part + 1)

        # A slice on its way: 1 chosen, 2 to 4 the memories, 5 what holds in it, 6 whether anything does.
        travel = data.StructLayout({"valid": 1, "fence": 1, "slice": slice_bits, "part": range(GATHERED_TAGS), "excess": 1})
        stage = [Signal(travel, name=f"stage{n}") for n in range(_STAGES + 1)]
        first_key, first_answer = Signal.like(key), Signal.like(answer)
        excess = answer.excess if "excess" in dict(self._answer) else Const(0)
        m.d.comb += [
            stage[0].valid.eq(goes),
            stage[0].fence.eq(fencing),
            stage[0].slice.eq(number(pick)),
            stage[0].part.eq(part),
            stage[0].excess.eq(excess),
            view.en.eq(stage[2].valid),
            view.slice.eq(stage[2].slice),
        ]
        m.d.sync += [
            *(stage[n].eq(stage[n - 1]) for n in range(1, _STAGES + 1)),
            first_key.eq(key),
            first_answer.eq(answer),
            view.key.eq(first_key),
            view.answer.eq(first_answer),
        ]
        hits, row = Signal(width), Signal(width)
        m.d.sync += [hits.eq(view.row & view.holds), row.eq(view.row)]

        # A part for each tag, with the slices that have been written since it was freed.
        attrs = {"ram_style": "distributed"}
        m.submodules.store = store = memory.Memory(shape=width, depth=GATHERED_TAGS * slices, init=[], attrs=attrs)
        before, read, write = store.read_port(domain="comb"), store.read_port(domain="comb"), store.write_port()
        filled, oldest = [Signal(slices, name=f"filled{n}") for n in range(GATHERED_TAGS)], Signal(range(GATHERED_TAGS))
        here, coming = stage[5], stage[4]

        def known(place):
            return Array(filled)[place.part] & (Const(1, slices) << place.slice)

        # Of the slice that comes, a clock ahead, because all bits wait for it.
        counts, again = Signal(), Signal()
        m.d.comb += again.eq(here.valid & (here.part == coming.part) & (here.slice == coming.slice))
        m.d.sync += counts.eq(known(coming).any() | again)
        m.d.comb += [
            before.addr.eq(Cat(here.slice, here.part)),
            write.addr.eq(before.addr),
            write.en.eq(here.valid),
            write.data.eq(hits | (before.data & counts.replicate(width))),
            read.addr.eq(Cat(self.slice, self.part)),
            self.row.eq(read.data & known(self).any().replicate(width)),
        ]
        for place, flags in enumerate(filled):
            with m.If(here.valid & (here.part == place)):
                m.d.sync += flags.eq(flags | (Const(1, slices) << here.slice))
            with m.If(self.freed & (oldest == place)):
                m.d.sync += flags.eq(0)
        with m.If(self.freed):
            m.d.sync += oldest.eq(oldest + 1)

        # What is known of the tag with its fence.
        some, over = Signal(slices), Signal()
        any_hit, any_row = Signal(), Signal()
        last = stage[_STAGES]
        m.d.sync += [any_hit.eq(hits.any()), any_row.eq(row.any())]
        m.submodules.fences = fences = StreamFifo(Fence(config), 4, promised=True)
        m.d.comb += [fences.i.valid.eq(last.fence), fences.i.payload.slices.eq(some), fences.i.payload.over.eq(over)]
        wiring.connect(m, fences.o, wiring.flipped(self.fences))
        with m.If(last.valid):
            m.d.sync += [
                some.eq(some | ((Const(1, slices) << last.slice) & any_hit.replicate(slices))),
                over.eq(over | (last.excess & any_row)),
            ]
        with m.If(last.fence):
            m.d.sync += [some.eq(0), over.eq(0)]

        still = Signal()
        waits = self.i.valid & ~query.fence & query.fresh & ~self.answers.valid
        m.d.comb += [
            still.eq((remaining == 0) & ~Cat(one.valid for one in stage[:5]).any()),
            self.quiet.eq(still & (waits | (~self.i.valid & ~self.answers.valid))),
            self.idle.eq(
                still & ~self.i.valid & ~Cat(one.fence for one in stage).any() & ~Cat(one.valid for one in stage[5:]).any() & (closed == 0)
            ),
        ]
        return m


class Gather(wiring.Component):
    """The passes for strings and for numbers, side by side, with their queues.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    strings, numbers : ``In(stream.Signature(Query(config)))``
        Queries; each fence comes on both.
    string_answers, number_answers : ``In(stream)``
        As of :class:`SlicePass`; there is room for one for each query in the queue.
    string_tests, number_tests : ``In(TestRowView(config, ...))``
    fences : ``Out(stream.Signature(Fence(config)))``
        One for each fence, in order, with what either of them has gathered.
    more : ``In(1)``
        A query about the number of the one before is still to come.
    part, slice, row, freed, quiet, idle :
        As of :class:`SlicePass`; ``quiet`` is about numbers.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "strings": In(stream.Signature(Query(config))),
                "numbers": In(stream.Signature(Query(config))),
                "string_answers": In(stream.Signature(StringAnswer(config))),
                "number_answers": In(stream.Signature(NumberAnswer(config))),
                "string_tests": In(TestRowView(config, StringAnswer(config))),
                "number_tests": In(TestRowView(config, NumberAnswer(config))),
                "fences": Out(stream.Signature(Fence(config))),
                "more": In(1),
                "part": In(range(GATHERED_TAGS)),
                "slice": In(ceil_log2(config.slices)),
                "row": Out(row_width(config)),
                "freed": In(1),
                "quiet": Out(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        passes, levels = {}, []
        for name, answer, view in (
            ("string", StringAnswer(config), self.string_tests),
            ("number", NumberAnswer(config), self.number_tests),
        ):
            m.submodules[f"{name}_queries"] = queries = StreamFifo(Query(config), _QUERIES)
            m.submodules[f"{name}_answers"] = answers = StreamFifo(answer, _QUERIES)
            m.submodules[f"{name}_pass"] = passes[name] = one = SlicePass(config, answer)
            wiring.connect(m, wiring.flipped(getattr(self, f"{name}s")), queries.i)
            wiring.connect(m, queries.o, one.i)
            wiring.connect(m, wiring.flipped(getattr(self, f"{name}_answers")), answers.i)
            wiring.connect(m, answers.o, one.answers)
            wiring.connect(m, one.view, wiring.flipped(view))
            m.d.comb += [one.part.eq(self.part), one.slice.eq(self.slice), one.freed.eq(self.freed)]
            levels += [queries.level, answers.level]
        strings, numbers = passes["string"], passes["number"]
        m.d.comb += [
            self.fences.valid.eq(strings.fences.valid & numbers.fences.valid),
            self.fences.payload.eq(strings.fences.payload.as_value() | numbers.fences.payload.as_value()),
            *(one.fences.ready.eq(self.fences.valid & self.fences.ready) for one in passes.values()),
            self.row.eq(strings.row | numbers.row),
            self.quiet.eq(numbers.quiet & (levels[3] == 0) & (numbers.i.valid | ((levels[2] == 0) & ~self.more))),
            self.idle.eq(strings.idle & numbers.idle & ~Cat(level.any() for level in levels).any()),
        ]
        return m
