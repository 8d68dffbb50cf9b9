"""Fourth stage of the parser: the bytes of a word, gathered by the token they belong to [T 4.4.2]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.layouts import ByteCount, WordType
from hdl.scbxp.classify import LANES
from hdl.scbxp.onehot import chosen
from hdl.scbxp.tags import TaggedWord

__all__ = ["TOKEN_COUNT", "MarkSegment", "SegmentQueue", "Segmenter", "TextSegment"]

TOKEN_COUNT = unsigned(8)
"""Running number of a token, for putting text and marks back in order; more than the tokens ever in flight."""


class MarkSegment(data.Struct):
    """Bytes of one mark token that stand in one word.

    ``begins`` starts the token at offset ``position``, after ``texts`` text nodes; without it the bytes continue the latest token.
    ``closes`` ends its tag at the '>' in lane ``close_lane`` of the same word. ``end`` is the end of the document instead: ``code`` and
    ``position`` are its first error so far, ``data`` its length, ``cut`` as in TaggedWord.
    """

    begins: unsigned(1)
    type: WordType
    data: unsigned(32)
    count: ByteCount
    starts: unsigned(4)
    colons: unsigned(4)
    closes: unsigned(1)
    empty: unsigned(1)
    position: unsigned(32)
    close_lane: unsigned(2)
    texts: TOKEN_COUNT
    end: unsigned(1)
    code: unsigned(5)
    cut: unsigned(1)


class TextSegment(data.Struct):
    """Bytes of one text node that stand in one word; the node ends before or after them. It stands after ``marks`` mark tokens."""

    data: unsigned(32)
    count: ByteCount
    ends_before: unsigned(1)
    ends_after: unsigned(1)
    marks: TOKEN_COUNT


def _gather(m, name, lanes, mask, fields):
    """Moves the lanes of ``mask`` to the front; returns the fields' concatenations and the count."""
    count = Signal(3, name=f"{name}_count")
    m.d.comb += count.eq(sum(mask[k] for k in range(LANES)))
    places = []
    for j in range(LANES):
        choices = []
        for k in range(j, LANES):
            ahead = sum((mask[i] for i in range(k)), Const(0, 3)) if k else Const(0, 3)
            choices.append(mask[k] & (ahead == j))
        places.append(choices)
    gathered = []
    for field in fields:
        out = []
        for j in range(LANES):
            value = Const(0, len(field(lanes[0])))
            for choice, k in zip(places[j], range(j, LANES), strict=True):
                value = value | Mux(choice, field(lanes[k]), 0)
            out.append(value[: len(field(lanes[0]))])
        signal = Signal(LANES * len(field(lanes[0])), name=f"{name}_{len(gathered)}")
        m.d.comb += signal.eq(Cat(*out))
        gathered.append(signal)
    return count, gathered


class Segmenter(wiring.Component):
    """Turns a word into at most two mark segments and one text segment. Latency 1 clock, a word a clock, no back pressure."""

    latency = 1

    i: In(TaggedWord)
    i_valid: In(1)
    marks: Out(data.ArrayLayout(MarkSegment, 2))
    marks_valid: Out(2)
    text: Out(TextSegment)
    text_valid: Out(1)

    def elaborate(self, platform):
        m = Module()
        lanes = [self.i.lanes[k] for k in range(LANES)]

        # Parts of the word: what continues the latest token, then up to two tokens that begin here.
        part = [Signal(2, name=f"part{k}") for k in range(LANES)]
        running = Const(0, 2)
        for k in range(LANES):
            m.d.comb += part[k].eq(running + lanes[k].begins)
            running = part[k]
        continues = Signal()
        m.d.comb += continues.eq(Cat(*((part[k] == 0) & (lanes[k].mark | lanes[k].close) for k in range(LANES))).any())

        # Text of the word, and on which side of the marks it stands.
        text_mask = Cat(*(lane.text for lane in lanes))
        some_text = text_mask.any()
        text_first = Signal()
        begun = Cat(*(lane.begins for lane in lanes))
        begun_before_text = Signal()
        for k in reversed(range(LANES)):
            with m.If(lanes[k].text):
                m.d.comb += begun_before_text.eq(begun[:k].any() if k else 0)
        m.d.comb += text_first.eq(some_text & ~begun_before_text)
        split = Signal()
        split_before_text = Signal()
        m.d.comb += split.eq(Cat(*(lane.split for lane in lanes)).any())
        for k in reversed(range(LANES)):
            with m.If(lanes[k].text):
                m.d.comb += split_before_text.eq(Cat(*(lane.split for lane in lanes[:k])).any() if k else 0)
        node_open = Signal()
        texts = Signal(TOKEN_COUNT)
        marks = Signal(TOKEN_COUNT)
        new_node = Signal()
        m.d.comb += new_node.eq(some_text & (~node_open | split_before_text))
        begun_count = running
        with m.If(self.i_valid):
            m.d.sync += [
                texts.eq(texts + new_node),
                marks.eq(marks + begun_count),
                node_open.eq(
                    Mux(
                        some_text,
                        ~((split & ~split_before_text) | self.i.split | self.i.end),
                        node_open & ~(split | self.i.split | self.i.end),
                    )
                ),
            ]
            with m.If(self.i.end):
                m.d.sync += marks.eq(marks + 1)

        m.d.sync += [
            self.text_valid.eq(self.i_valid & (some_text | split | self.i.split | self.i.end)),
            self.text.ends_before.eq((split & (split_before_text | ~some_text)) | ((self.i.split | self.i.end) & ~some_text)),
            self.text.ends_after.eq(some_text & ((split & ~split_before_text) | self.i.split | self.i.end)),
            self.text.marks.eq(marks + Mux(text_first, 0, begun_count)),
        ]
        count, (bytes_,) = _gather(m, "text", lanes, text_mask, [lambda lane: lane.byte])
        m.d.sync += [self.text.count.eq(count), self.text.data.eq(bytes_)]

        for index in range(2):
            segment = self.marks[index]
            wanted = Signal(2, name=f"wanted{index}")
            m.d.comb += wanted.eq(Mux(continues, index, index + 1))
            mine = Cat(*(part[k] == wanted for k in range(LANES)))
            mask = Signal(LANES, name=f"mask{index}")
            m.d.comb += mask.eq(Cat(*(lane.mark for lane in lanes)) & mine)
            count, (bytes_, starts, colons) = _gather(
                m, f"mark{index}", lanes, mask, [lambda lane: lane.byte, lambda lane: lane.start, lambda lane: lane.colon]
            )
            begins = Cat(*(lane.begins for lane in lanes)) & mine
            closes = Cat(*(lane.close for lane in lanes)) & mine
            valid = mask.any() | begins.any() | closes.any()
            m.d.sync += [
                self.marks_valid[index].eq(self.i_valid & (valid | (self.i.end if index == 0 else 0))),
                segment.begins.eq(begins.any()),
                segment.data.eq(bytes_),
                segment.count.eq(count),
                segment.starts.eq(starts),
                segment.colons.eq(colons),
                segment.closes.eq(closes.any()),
                segment.empty.eq((closes & Cat(*(lane.empty for lane in lanes))).any()),
                segment.texts.eq(texts + (new_node & text_first)),
                segment.end.eq(self.i.end),
                segment.code.eq(self.i.code),
                segment.cut.eq(self.i.cut),
            ]
            begin_lane = chosen(*((begins[k], k) for k in range(LANES)), width=2)
            m.d.sync += [
                segment.type.eq(chosen(*((begins[k], lanes[k].type) for k in range(LANES)), width=3)),
                segment.close_lane.eq(chosen(*((closes[k], k) for k in range(LANES)), width=2)),
                segment.position.eq(Mux(self.i.end, self.i.position, Cat(begin_lane, self.i.offset[2:]))),
            ]
            with m.If(self.i.end):
                m.d.sync += segment.data.eq(self.i.length)
        return m


class SegmentQueue(wiring.Component):
    """A queue that takes up to two payloads a clock and gives one.

    ``i_valid`` 0b01 writes the first payload, 0b11 both in order, 0b10 the second alone. There is no back pressure: the writer sees
    to it that ``level``, the payloads held besides the one on offer, stays within ``depth``.
    """

    def __init__(self, *, shape, depth: int):
        if not isinstance(depth, int) or depth < 4 or depth & (depth - 1):
            raise ValueError(f"depth must be a power of two of at least 4, not {depth!r}")
        self._shape = shape
        self._depth = depth
        super().__init__(
            {
                "i": In(data.ArrayLayout(shape, 2)),
                "i_valid": In(2),
                "o": Out(stream.Signature(shape)),
                "level": Out(range(depth + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        half = self._depth // 2
        banks = [Memory(shape=self._shape, depth=half, init=[]) for _ in range(2)]
        m.submodules.even, m.submodules.odd = banks
        writes = [bank.write_port() for bank in banks]
        reads = [bank.read_port(domain="comb") for bank in banks]
        head = Signal(range(self._depth))
        tail = Signal(range(self._depth))
        level = self.level

        both = self.i_valid.all()
        only = Mux(self.i_valid[0], self.i[0], self.i[1])
        tail_next = tail + 1
        # The payload that comes first goes to the bank of the tail, the second to the other.
        for bank in range(2):
            is_first = tail[0] == bank
            m.d.comb += [
                writes[bank].addr.eq(Mux(is_first, tail >> 1, tail_next >> 1)),
                writes[bank].data.eq(Mux(is_first, only, self.i[1])),
                writes[bank].en.eq(Mux(is_first, self.i_valid.any(), both)),
                reads[bank].addr.eq(head >> 1),
            ]
        put = self.i_valid[0] + self.i_valid[1]
        free = ~self.o.valid | self.o.ready
        take = Signal()
        m.d.comb += take.eq(free & (level != 0))
        with m.If(free):
            m.d.sync += [self.o.valid.eq(level != 0), self.o.payload.eq(Mux(head[0], reads[1].data, reads[0].data))]
        m.d.sync += [
            head.eq(head + take),
            tail.eq(tail + put),
            level.eq(level + put - take),
        ]
        return m
