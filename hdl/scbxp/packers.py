"""Fifth stage of the parser: token-aligned words [T 4.4.2, rules A to E].

Marks (names, values, ends) and text are packed side by side, because both can fill a word in the same clock; running numbers
of tokens let the last stage put them back in order.
"""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import INDEX_MAX
from hdl.layouts import ByteCount, WordType
from hdl.scbxp.segments import TOKEN_COUNT, MarkSegment, TextSegment
from hdl.stream.fifo import StreamFifo

__all__ = ["MarkPacker", "PackedMark", "PackedText", "TextPacker", "TextQueue"]


class PackedMark(data.Struct):
    """A word of a mark token.

    ``index`` counts words and stays at its largest value. On every word: ``position`` of the token's first byte (of the quote for
    a value) and ``texts``. On the last word: ``close``, ``empty`` and ``close_position`` of the tag's '>', and ``cut`` if the token was
    cut off by an error or the end. With ``end`` it is the end of the document: ``position`` and ``close_position`` as in MarkSegment, and
    the code in ``count`` and ``index``.
    """

    type: WordType
    data: unsigned(32)
    count: ByteCount
    starts: unsigned(4)
    colons: unsigned(4)
    index: unsigned(5)
    last: unsigned(1)
    close: unsigned(1)
    empty: unsigned(1)
    cut: unsigned(1)
    position: unsigned(32)
    close_position: unsigned(32)
    texts: TOKEN_COUNT
    end: unsigned(1)


class PackedText(data.Struct):
    """A word of a text node, which stands after ``marks`` mark tokens; all words but the last are full."""

    data: unsigned(32)
    count: ByteCount
    index: unsigned(4)
    last: unsigned(1)
    marks: TOKEN_COUNT


class MarkPacker(wiring.Component):
    """Packs mark segments into words: a segment and at most one word a clock.

    A word is held until its successor or the end of its token is known. Latency 1 clock after that. Holds its input while the
    output is not taken.
    """

    i: In(stream.Signature(MarkSegment))
    o: Out(stream.Signature(PackedMark))

    def elaborate(self, platform):
        m = Module()
        segment = self.i.payload
        held = Signal(PackedMark)
        pending = Signal()
        closed = Signal()

        free = Signal()
        m.d.comb += free.eq(~self.o.valid | self.o.ready)
        with m.If(free):
            m.d.sync += self.o.valid.eq(0)

        def emit(**changes):
            m.d.sync += [self.o.valid.eq(1), self.o.payload.eq(held)]
            m.d.sync += [getattr(self.o.payload, name).eq(value) for name, value in changes.items()]

        def begin():
            m.d.sync += [
                held.type.eq(segment.type),
                held.data.eq(segment.data),
                held.count.eq(segment.count),
                held.starts.eq(segment.starts),
                held.colons.eq(segment.colons),
                held.index.eq(0),
                held.position.eq(segment.position),
                held.texts.eq(segment.texts),
            ]

        def close():
            m.d.sync += [
                closed.eq(segment.closes),
                held.close.eq(segment.closes),
                held.empty.eq(segment.empty),
                held.close_position.eq(Cat(segment.close_lane, segment.position[2:])),
            ]

        shift = held.count[:2]
        all_data = Signal(64)
        all_starts = Signal(8)
        all_colons = Signal(8)
        full = held.count[2]
        m.d.comb += [
            all_data.eq(Mux(full, Cat(held.data, segment.data), held.data | (segment.data << (shift << 3)))),
            all_starts.eq(Mux(full, Cat(held.starts, segment.starts), held.starts | (segment.starts << shift))),
            all_colons.eq(Mux(full, Cat(held.colons, segment.colons), held.colons | (segment.colons << shift))),
        ]
        total = Signal(4)
        m.d.comb += total.eq(held.count + segment.count)

        with m.If(free):
            with m.If(self.i.valid & segment.end):
                with m.If(pending):
                    emit(last=1, cut=segment.cut & ~closed)
                    m.d.sync += [pending.eq(0), closed.eq(0)]
                with m.Else():
                    m.d.comb += self.i.ready.eq(1)
                    emit(
                        end=1, last=1, cut=0, close=0, empty=0, count=segment.code[:3], index=segment.code[3:],
                        position=segment.position, close_position=segment.data, texts=segment.texts,
                    )  # fmt: skip
            with m.Elif(self.i.valid & segment.begins):
                m.d.comb += self.i.ready.eq(1)
                with m.If(pending):
                    emit(last=1)
                begin()
                close()
                m.d.sync += pending.eq(1)
            with m.Elif(self.i.valid):
                m.d.comb += self.i.ready.eq(1)
                close()
                with m.If(total > 4):
                    emit(last=0, data=all_data[:32], count=4, starts=all_starts[:4], colons=all_colons[:4], close=0, empty=0)
                    m.d.sync += [
                        held.data.eq(all_data[32:]),
                        held.starts.eq(all_starts[4:]),
                        held.colons.eq(all_colons[4:]),
                        held.count.eq(total - 4),
                        held.index.eq(Mux(held.index.all(), held.index, held.index + 1)),
                    ]
                with m.Else():
                    m.d.sync += [
                        held.data.eq(all_data[:32]),
                        held.starts.eq(all_starts[:4]),
                        held.colons.eq(all_colons[:4]),
                        held.count.eq(total),
                    ]
            with m.Elif(pending & closed):
                emit(last=1)
                m.d.sync += [pending.eq(0), closed.eq(0)]
        return m


class TextPacker(wiring.Component):
    """Packs text segments into words: a segment and at most one word a clock, no back pressure.

    A node that ends is out one clock later at the latest, since the next text comes after at least three bytes of a tag.
    """

    i: In(TextSegment)
    i_valid: In(1)
    o: Out(PackedText)
    o_valid: Out(1)

    def elaborate(self, platform):
        m = Module()
        segment = self.i
        held = Signal(PackedText)
        pending = Signal()
        closed = Signal()
        ends = closed | (self.i_valid & segment.ends_before)
        some = self.i_valid & (segment.count != 0)

        all_data = Signal(64)
        total = Signal(4)
        m.d.comb += [
            all_data.eq(Mux(held.count[2], Cat(held.data, segment.data), held.data | (segment.data << (held.count[:2] << 3)))),
            total.eq(held.count + segment.count),
        ]
        m.d.sync += [self.o_valid.eq(0), self.o.eq(held)]
        with m.If(~pending | ends):
            with m.If(pending):
                m.d.sync += [self.o_valid.eq(1), self.o.last.eq(1)]
            m.d.sync += [pending.eq(some), closed.eq(0)]
            with m.If(some):
                m.d.sync += [
                    held.data.eq(segment.data),
                    held.count.eq(segment.count),
                    held.index.eq(0),
                    held.marks.eq(segment.marks),
                    closed.eq(segment.ends_after),
                ]
        with m.Elif(some):
            m.d.sync += closed.eq(segment.ends_after)
            with m.If(total > 4):
                m.d.sync += [self.o_valid.eq(1), self.o.last.eq(0), self.o.data.eq(all_data[:32]), self.o.count.eq(4)]
                m.d.sync += [
                    held.data.eq(all_data[32:]),
                    held.count.eq(total - 4),
                    held.index.eq(Mux(held.index == INDEX_MAX, INDEX_MAX, held.index + 1)),
                ]
            with m.Else():
                m.d.sync += [held.data.eq(all_data[:32]), held.count.eq(total)]
        return m


class TextQueue(wiring.Component):
    """A queue of text words. What is the same for a whole node is kept once for each node, so that a word fits 36 bits of block RAM.

    There is no back pressure: ``room`` falls while :attr:`slack` words, of as many nodes, can still be taken.
    """

    slack = 24
    _WORDS, _NODES = 192, 64

    i: In(PackedText)
    i_valid: In(1)
    room: Out(1)
    o: Out(stream.Signature(PackedText))

    def elaborate(self, platform):
        m = Module()
        word = data.StructLayout({"data": 32, "less": 2, "last": 1})
        m.submodules.words = words = StreamFifo(word, self._WORDS)
        m.submodules.nodes = nodes = StreamFifo(TOKEN_COUNT, self._NODES, lut_depth=self._NODES)
        m.d.comb += [
            words.i.valid.eq(self.i_valid),
            words.i.payload.data.eq(self.i.data),
            words.i.payload.less.eq(4 - self.i.count),
            words.i.payload.last.eq(self.i.last),
            nodes.i.valid.eq(self.i_valid & (self.i.index == 0)),
            nodes.i.payload.eq(self.i.marks),
        ]
        m.d.sync += self.room.eq((words.level <= self._WORDS - self.slack) & (nodes.level <= self._NODES - self.slack))

        index = Signal(range(INDEX_MAX + 1))
        out = self.o.payload
        taken = self.o.valid & self.o.ready
        m.d.comb += [
            self.o.valid.eq(words.o.valid & nodes.o.valid),
            words.o.ready.eq(self.o.ready & nodes.o.valid),
            nodes.o.ready.eq(self.o.ready & words.o.valid & words.o.payload.last),
            out.data.eq(words.o.payload.data),
            out.count.eq(4 - words.o.payload.less),
            out.index.eq(index),
            out.last.eq(words.o.payload.last),
            out.marks.eq(nodes.o.payload),
        ]
        with m.If(taken):
            m.d.sync += index.eq(Mux(out.last, 0, Mux(index == INDEX_MAX, INDEX_MAX, index + 1)))
        return m
