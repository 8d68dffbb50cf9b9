"""Fourth stage of the parser: the bytes of a word, gathered by the token they belong to [T 4.4.2]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.scbxp.classify import LANES
from hdl.scbxp.onehot import any_of, chosen
from hdl.scbxp.tags import TaggedWord
from hdl.shapes.publication import WordType
from hdl.shapes.widths import ByteCount

__all__ = ["OF_WORD", "TOKEN_COUNT", "MarkSegment", "SegmentQueue", "Segmenter", "TextSegment"]

TOKEN_COUNT = unsigned(8)
"""Running number of a token, for putting text and marks back in order; more than the tokens ever in flight."""


class MarkSegment(data.Struct):
    """Bytes of one mark token that stand in one word.

    ``begins`` starts the token in ``lane`` of the word numbered ``place`` in its document, after ``texts`` text nodes; without it the
    bytes continue the latest token. ``closes`` ends its tag at the '>' in lane ``close_lane`` of the same word. ``end`` is the end of the
    document instead: ``code``, ``place`` and ``lane`` are its first error so far, ``data`` its length, ``cut`` as in TaggedWord.
    """

    begins: unsigned(1)
    type: WordType
    data: unsigned(32)
    count: ByteCount
    starts: unsigned(4)
    colons: unsigned(4)
    closes: unsigned(1)
    empty: unsigned(1)
    place: unsigned(30)
    lane: unsigned(2)
    close_lane: unsigned(2)
    texts: TOKEN_COUNT
    end: unsigned(1)
    code: unsigned(5)
    cut: unsigned(1)


OF_WORD = ("place", "texts", "end", "code", "cut")
"""What the mark segments of one word have in common."""


class TextSegment(data.Struct):
    """Bytes of one text node that stand in one word; the node ends before or after them. It stands after ``marks`` mark tokens."""

    data: unsigned(32)
    count: ByteCount
    ends_before: unsigned(1)
    ends_after: unsigned(1)
    marks: TOKEN_COUNT


def _gather(m, name, lanes, mask, fields):
    """Moves the lanes of ``mask`` to the front; returns the fields' concatenations and the count. A mask may leave out the first lanes."""
    lanes = lanes[LANES - len(mask) :]
    size = len(lanes)
    count = Signal(3, name=f"{name}_count")
    m.d.comb += count.eq(sum(mask[k] for k in range(size)))
    places = []
    for j in range(size):
        choices = []
        for k in range(j, size):
            ahead = sum((mask[i] for i in range(k)), Const(0, 3)) if k else Const(0, 3)
            choices.append(mask[k] & (ahead == j))
        places.append(choices)
    gathered = []
    for field in fields:
        out = []
        for j in range(size):
            value = Const(0, len(field(lanes[0])))
            for choice, k in zip(places[j], range(j, size), strict=True):
                value = value | Mux(choice, field(lanes[k]), 0)
            out.append(value[: len(field(lanes[0]))])
        signal = Signal(LANES * len(field(lanes[0])), name=f"{name}_{len(gathered)}")
        m.d.comb += signal.eq(Cat(*out))
        gathered.append(signal)
    return count, gathered


class _Part(data.Struct):
    """Which lanes a mark segment takes: its bytes, where it begins, where its tag closes."""

    mask: unsigned(LANES)
    begins: unsigned(LANES)
    closes: unsigned(LANES)


class Segmenter(wiring.Component):
    """Turns a word into at most two mark segments and one text segment. Latency 2 clocks, a word a clock, no back pressure. The second
    mark segment comes with the first only, and begins a token of at most three bytes there.

    ``coming`` is ``marks_valid`` a clock ahead.
    """

    latency = 2

    i: In(TaggedWord)
    i_valid: In(1)
    marks: Out(data.ArrayLayout(MarkSegment, 2))
    marks_valid: Out(2)
    coming: Out(2)
    text: Out(TextSegment)
    text_valid: Out(1)

    def elaborate(self, platform):
        m = Module()

        # Stage 1: which lanes go where. Parts of the word: what continues the latest token, then up to two tokens that begin here.
        arriving = [self.i.lanes[k] for k in range(LANES)]
        word = Signal(TaggedWord)
        valid = Signal()
        parts = [Signal(_Part, name=f"part{index}") for index in range(2)]
        m.d.sync += [word.eq(self.i), valid.eq(self.i_valid)]
        begun = Cat(*(lane.begins for lane in arriving))
        number = [Signal(2, name=f"number{k}") for k in range(LANES)]
        for k in range(LANES):
            m.d.comb += number[k].eq(sum(begun[: k + 1]))
        continues = Signal()
        m.d.comb += continues.eq(Cat(*((arriving[k].mark | arriving[k].close) & ~begun[: k + 1].any() for k in range(LANES))).any())
        for index, part in enumerate(parts):
            mine = Cat(*(Mux(continues, number[k] == index, number[k] == index + 1) for k in range(LANES)))
            for name, field in (("mask", "mark"), ("begins", "begins"), ("closes", "close")):
                m.d.sync += getattr(part, name).eq(Cat(*(getattr(lane, field) for lane in arriving)) & mine)

        # Text of the word, and on which side of the marks it stands.
        text_mask = Cat(*(lane.text for lane in arriving))
        splits = Cat(*(lane.split for lane in arriving))
        firsts = [(k, text_mask[k] & ~text_mask[:k].any()) for k in range(1, LANES)]
        begun_before_text = any_of(first & begun[:k].any() for k, first in firsts)
        split_before_text = any_of(first & splits[:k].any() for k, first in firsts)
        some_text, text_first, text_split = Signal(), Signal(), Signal()
        ends_node, begun_count = Signal(), Signal(2)
        m.d.sync += [
            some_text.eq(text_mask.any()),
            text_first.eq(text_mask.any() & ~begun_before_text),
            text_split.eq(split_before_text),
            # After the text, or without any.
            ends_node.eq((splits.any() & ~(text_mask.any() & split_before_text)) | self.i.split | self.i.end),
            begun_count.eq(number[-1] | self.i.end),
        ]

        # Stage 2: the segments.
        lanes = [word.lanes[k] for k in range(LANES)]
        node_open = Signal()
        texts = Signal(TOKEN_COUNT)
        marks = Signal(TOKEN_COUNT)
        new_node = Signal()
        m.d.comb += new_node.eq(some_text & (~node_open | text_split))
        with m.If(valid):
            m.d.sync += [
                texts.eq(texts + new_node),
                marks.eq(marks + begun_count),
                node_open.eq((some_text | node_open) & ~ends_node),
            ]

        m.d.sync += [
            self.text_valid.eq(valid & (some_text | ends_node)),
            self.text.ends_before.eq(text_split | (ends_node & ~some_text)),
            self.text.ends_after.eq(some_text & ends_node),
            self.text.marks.eq(marks + Mux(text_first, 0, begun_count)),
        ]
        count, (bytes_,) = _gather(m, "text", lanes, Cat(*(lane.text for lane in lanes)), [lambda lane: lane.byte])
        m.d.sync += [self.text.count.eq(count), self.text.data.eq(bytes_)]

        m.d.sync += self.marks_valid.eq(self.coming)
        for index, part in enumerate(parts):
            segment = self.marks[index]
            # The first lane is never the second segment's.
            count, (bytes_, starts, colons) = _gather(
                m, f"mark{index}", lanes, part.mask[index:], [lambda lane: lane.byte, lambda lane: lane.start, lambda lane: lane.colon]
            )
            m.d.sync += [
                segment.begins.eq(part.begins.any() if index == 0 else 1),
                segment.data.eq(bytes_),
                segment.count.eq(count if index == 0 else count[:2]),
                segment.starts.eq(starts),
                segment.colons.eq(colons),
                segment.closes.eq(part.closes.any()),
                segment.empty.eq((part.closes & Cat(*(lane.empty for lane in lanes))).any()),
                segment.texts.eq(texts + (new_node & text_first)),
                segment.end.eq(word.end),
                segment.code.eq(word.code),
                segment.cut.eq(word.cut),
            ]
            m.d.comb += self.coming[index].eq(valid & (part.as_value().any() | (word.end if index == 0 else 0)))
            begin_lane = chosen(*((part.begins[k], k) for k in range(LANES)), width=2)
            m.d.sync += [
                segment.type.eq(chosen(*((part.begins[k], lanes[k].type) for k in range(LANES)), width=3)),
                segment.close_lane.eq(chosen(*((part.closes[k], k) for k in range(LANES)), width=2)),
                segment.place.eq(Mux(word.end, word.position[2:], word.offset[2:])),
                segment.lane.eq(Mux(word.end, word.position[:2], begin_lane)),
            ]
            if index == 0:
                with m.If(word.end):
                    m.d.sync += segment.data.eq(word.length)
        return m


class SegmentQueue(wiring.Component):
    """A queue that takes up to two payloads a clock, together, and gives one.

    ``i_valid`` 0b01 writes the first payload, 0b11 both in order; never 0b10. Those written together take one place of ``depth``, and those
    of their members that are the same are kept once. There is no back pressure: the writer sees to it that no more than ``depth`` places
    are taken. ``gone`` says that one becomes free.

    Parameters
    ----------
    shape : ShapeLike
    depth : int
        Places, a power of two.
    same : tuple of str
        Members of ``shape`` that are the same in payloads that are written together.
    """

    def __init__(self, *, shape, depth: int, same: tuple[str, ...] = ()):
        if not isinstance(depth, int) or depth < 4 or depth & (depth - 1):
            raise ValueError(f"depth must be a power of two of at least 4, not {depth!r}")
        self._shape = shape
        self._depth = depth
        self._same = same
        super().__init__(
            {
                "i": In(data.ArrayLayout(shape, 2)),
                "i_valid": In(2),
                "o": Out(stream.Signature(shape)),
                "gone": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        place = data.StructLayout({"both": 1, "first": self._shape, "second": self._shape})
        m.submodules.places = places = Memory(shape=place, depth=self._depth, init=[])
        write, read = places.write_port(), places.read_port(domain="comb")
        head, tail = Signal(range(self._depth)), Signal(range(self._depth))
        some = Signal()
        m.d.comb += [
            write.addr.eq(tail),
            write.data.both.eq(self.i_valid[1]),
            write.data.first.eq(self.i[0]),
            write.data.second.eq(self.i[1]),
            write.en.eq(self.i_valid[0]),
            read.addr.eq(head),
        ]
        # A member that nobody reads takes no room.
        second = Signal(self._shape)
        m.d.comb += second.eq(read.data.second)
        m.d.comb += [getattr(second, name).eq(getattr(read.data.first, name)) for name in self._same]

        follows = Signal()  # the second of the place at the head is next
        free, final = Signal(), Signal()
        m.d.comb += [
            free.eq(~self.o.valid | self.o.ready),
            final.eq(follows | ~read.data.both),
            self.gone.eq(free & some & final),
        ]
        with m.If(free):
            m.d.sync += [self.o.valid.eq(some), self.o.payload.eq(Mux(follows, second, read.data.first))]
            m.d.sync += follows.eq(some & ~final)
        next_head = Signal(head.shape())
        m.d.comb += next_head.eq(head + 1)
        with m.If(self.gone):
            m.d.sync += head.eq(next_head)
        with m.If(self.i_valid[0]):
            m.d.sync += tail.eq(tail + 1)
        # A reader that decides late finds a short way here.
        alone = Signal()
        m.d.comb += alone.eq(final & (next_head == tail))
        m.d.sync += some.eq(self.i_valid[0] | (some & ~(alone & free)))
        return m
