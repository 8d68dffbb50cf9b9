"""Fifth stage of the parser: token-aligned words [T 4.4.2, rules A to E].

Marks (names, values, ends) and text are packed side by side, because both can fill a word in the same clock; running numbers
of tokens let the last stage put them back in order.
"""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import INDEX_MAX
from hdl.scbxp.onehot import any_of
from hdl.scbxp.segments import TOKEN_COUNT, MarkSegment, TextSegment
from hdl.shapes.publication import WordType
from hdl.shapes.widths import ByteCount
from hdl.stream.fifo import StreamFifo
from hdl.stream.level import counted

__all__ = ["MarkPacker", "PackedMark", "PackedText", "TextPacker", "TextQueue"]


class PackedMark(data.Struct):
    """A word of a mark token.

    ``index`` counts words and stays at its largest value. On every word: ``texts``. On the last word: ``close`` and ``empty`` of the tag's
    '>', which with ``near`` stands in the word of the document in which the token begins, and ``cut`` if the token was cut off by an error
    or the end. With ``end`` it is the end of the document: ``data`` as in MarkSegment, and the code in ``count`` and ``index``. Where a
    token lies is kept apart, see :class:`hdl.scbxp.places.TokenPlaces`.
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
    near: unsigned(1)
    texts: TOKEN_COUNT
    end: unsigned(1)


class PackedText(data.Struct):
    """A word of a text node, which stands after ``marks`` mark tokens; all words but the last are full."""

    data: unsigned(32)
    count: ByteCount
    index: unsigned(4)
    last: unsigned(1)
    marks: TOKEN_COUNT


class _Joined:
    """A segment behind the bytes that are held, or in their place if it ``begins``: whether more than a word comes of it (``over``), and
    ``count`` and ``filled`` of what is held then; ``filled`` has a bit for each byte."""

    def __init__(self, m, held_count, held_filled, count, begins):
        more, self.over, self.count = Signal(name="more"), Signal(name="over"), Signal(3, name="joined_count")
        self.filled = Signal(4, name="joined_filled")
        new_filled = Cat(*(count > k for k in range(4)))
        self._held_filled = held_filled
        self._shift = Signal(2, name="shift")
        # By lane: what is held stays, and what the segment brings, moved behind it, comes there.
        self._stays, self._comes = Signal(4, name="stays"), Signal(4, name="comes")
        m.d.comb += [
            more.eq(any_of(held_filled[3 - k] & new_filled[k] for k in range(4))),
            self.over.eq(more & ~begins),
            self._shift.eq(held_count[:2] & ~begins.replicate(2)),
            self._stays.eq(held_filled & ~(more | begins).replicate(4)),
            self._comes.eq((held_filled ^ ~more.replicate(4)) | begins.replicate(4)),
            self.filled.eq(self.fields(held_filled, new_filled)[1]),
            self.count.eq(Cat((self._shift + count)[:2], self.filled[3])),
        ]

    def fields(self, held, new):
        """Of what is held and what the segment brings, a part for each byte: the word that is full if there is more than one, and what is
        held then. In the first of them ``begins`` does not count."""
        size = len(held) // 4
        once = Mux(self._shift[0], new.rotate_left(size), new)
        rotated = Mux(self._shift[1], once.rotate_left(2 * size), once)
        first, rest = [], []
        for k in range(4):
            part = slice(k * size, (k + 1) * size)
            first.append(Mux(self._held_filled[k], held[part], rotated[part]))
            rest.append((held[part] & self._stays[k].replicate(size)) | (rotated[part] & self._comes[k].replicate(size)))
        return Cat(*first), Cat(*rest)


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
        held, filled = Signal(PackedMark), Signal(4)
        pending = Signal()
        closed = Signal()

        free, vacant = Signal(), Signal(init=1)  # the output; the second for its many flip-flops
        gives = Signal()
        m.d.comb += free.eq(~self.o.valid | self.o.ready)

        def close():
            m.d.sync += [
                closed.eq(segment.closes),
                held.close.eq(segment.closes),
                held.empty.eq(segment.empty),
                held.near.eq(segment.begins),
            ]

        more = Signal()  # the segment continues the token
        m.d.comb += more.eq(self.i.valid & ~segment.begins & ~segment.end)
        joined = _Joined(m, held.count, filled, segment.count, segment.begins)
        fields = ("data", "starts", "colons")
        words = {name: joined.fields(getattr(held, name), getattr(segment, name)) for name in fields}

        # What is given does not matter unless it is valid.
        given = self.o.payload
        with m.If(vacant | self.o.ready):
            m.d.sync += [
                given.eq(held),
                given.last.eq(~more),
                given.cut.eq(segment.end & segment.cut & ~closed),
                given.end.eq(0),
            ]
            with m.If(more):
                m.d.sync += [given.count.eq(4), given.close.eq(0), given.empty.eq(0)]
                m.d.sync += [getattr(given, name).eq(first) for name, (first, _) in words.items()]
            with m.If(segment.end & ~pending):
                m.d.sync += [
                    given.end.eq(1), given.cut.eq(0), given.close.eq(0), given.empty.eq(0),
                    given.count.eq(segment.code[:3]), given.index.eq(segment.code[3:]),
                    given.data.eq(segment.data), given.texts.eq(segment.texts),
                ]  # fmt: skip

        with m.If(free):
            m.d.sync += [self.o.valid.eq(gives), vacant.eq(~gives)]
            with m.If(self.i.valid & segment.end):
                m.d.comb += [self.i.ready.eq(~pending), gives.eq(1)]
                m.d.sync += [pending.eq(0), closed.eq(0)]
            with m.Elif(self.i.valid):
                m.d.comb += [self.i.ready.eq(1), gives.eq(Mux(segment.begins, pending, joined.over))]
                m.d.sync += pending.eq(1)
                m.d.sync += [getattr(held, name).eq(rest) for name, (_, rest) in words.items()]
                m.d.sync += [held.count.eq(joined.count), filled.eq(joined.filled)]
                close()
                with m.If(segment.begins):
                    m.d.sync += [
                        held.type.eq(segment.type),
                        held.index.eq(0),
                        held.texts.eq(segment.texts),
                    ]
                with m.Elif(joined.over):
                    m.d.sync += held.index.eq(Mux(held.index.all(), held.index, held.index + 1))
            with m.Elif(pending & closed):
                m.d.comb += gives.eq(1)
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
        held, filled = Signal(PackedText), Signal(4)
        pending = Signal()
        closed = Signal()
        some = self.i_valid & (segment.count != 0)
        anew = Signal()  # the segment is no part of what is held; of no meaning without one
        m.d.comb += anew.eq(~pending | closed | segment.ends_before)
        joined = _Joined(m, held.count, filled, segment.count, anew)
        word, rest = joined.fields(held.data, segment.data)

        ends = closed | (self.i_valid & segment.ends_before)
        m.d.sync += [
            self.o_valid.eq(pending & (ends | (some & joined.over))),
            self.o.eq(held),
            self.o.last.eq(anew),
        ]
        with m.If(~anew):
            m.d.sync += [self.o.data.eq(word), self.o.count.eq(4)]
        with m.If(ends):
            m.d.sync += [pending.eq(0), closed.eq(0)]
        with m.If(some):
            m.d.sync += [pending.eq(1), closed.eq(segment.ends_after)]
            m.d.sync += [held.data.eq(rest), held.count.eq(joined.count), filled.eq(joined.filled)]
            with m.If(anew):
                m.d.sync += [held.index.eq(0), held.marks.eq(segment.marks)]
            with m.Elif(joined.over):
                m.d.sync += held.index.eq(Mux(held.index == INDEX_MAX, INDEX_MAX, held.index + 1))
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
        m.submodules.nodes = nodes = StreamFifo(TOKEN_COUNT, self._NODES, lut_depth=self._NODES, promised=True)
        m.d.comb += [
            words.i.valid.eq(self.i_valid),
            words.i.payload.data.eq(self.i.data),
            words.i.payload.less.eq(4 - self.i.count),
            words.i.payload.last.eq(self.i.last),
        ]
        # Counted a clock later: what is taken need not hurry. A node is put down then, too: its queue is a clock faster than that of words.
        word_put, word_got, node_put, node_got = Signal(), Signal(), Signal(), Signal()
        m.d.comb += nodes.i.valid.eq(node_put)
        word_level, node_level = Signal(range(self._WORDS + 1)), Signal(range(self._NODES + 1))
        m.d.sync += [
            word_put.eq(self.i_valid),
            word_got.eq(words.o.valid & words.o.ready),
            node_put.eq(self.i_valid & (self.i.index == 0)),
            nodes.i.payload.eq(self.i.marks),
            node_got.eq(nodes.o.ready),
            word_level.eq(counted(word_level, word_put, word_got)),
            node_level.eq(counted(node_level, node_put, node_got)),
            self.room.eq((word_level <= self._WORDS - self.slack) & (node_level <= self._NODES - self.slack)),
        ]

        index = Signal(range(INDEX_MAX + 1))
        out = self.o.payload
        taken = self.o.valid & self.o.ready
        m.d.comb += [
            # A node is through its queue with its first word.
            self.o.valid.eq(words.o.valid),
            words.o.ready.eq(self.o.ready),
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
