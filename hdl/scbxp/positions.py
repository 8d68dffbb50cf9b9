"""Where each element and attribute of the latest documents lies in the X-RAM, so that a notification can be cut from there [T 5.3.4]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import WORD_BYTES
from hdl.scbxp.classify import LANES
from hdl.scbxp.tags import TaggedWord
from hdl.shapes.publication import NodeSpan, WordType
from hdl.shapes.widths import node_width
from hdl.stream import BlockRam

__all__ = ["NodeMap"]

_MARGIN = 24
"""Nodes that may still come when the lexer is told to stop."""


class NodeMap(wiring.Component):
    """Numbers the elements and attributes of each document in the order of their names and keeps the bytes that they take.

    It looks on beside the parser, a word a clock, without delaying it. A node's span is stored when the node ends: under the word
    position of its document in the X-RAM plus its number, modulo the words of the ring. A node takes four bytes at least, so that the
    nodes of a document that fits the ring lie in the places of its own words, and those of all documents in the ring apart. While
    start tags follow each other closely a document is ahead of its words; ``room`` falls before it would touch what is held.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i, i_valid : In(TaggedWord), In(1)
        What the tag checker says.
    hold_valid, hold : In(1), In(32)
        The X-RAM's: the word position from which on publications are still needed.
    room : Out(1)
        The lexer may go on. It falls only while an earlier document is held.
    read : Out(memory.ReadPort.Signature(...))
        A node's span, two clocks after its address. It is that of a node of a well-formed document that has ended and of which every
        word is in the ring and held since it began.
    """

    def __init__(self, config):
        self._depth = config.depth
        self._width = node_width(config)
        self._shape = NodeSpan(config)
        if config.xram_bytes // WORD_BYTES <= 2 * _MARGIN:
            raise ValueError(f"xram_bytes must be more than {2 * _MARGIN * WORD_BYTES}, not {config.xram_bytes!r}")
        super().__init__(
            {
                "i": In(TaggedWord),
                "i_valid": In(1),
                "hold_valid": In(1),
                "hold": In(32),
                "room": Out(1),
                "read": Out(memory.ReadPort.Signature(addr_width=self._width, shape=self._shape)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = self._width
        m.submodules.spans = spans = BlockRam(shape=self._shape, depth=1 << width, output_register=True)
        m.d.comb += [spans.read[0].addr.eq(self.read.addr), spans.read[0].en.eq(1), self.read.data.eq(spans.read[0].data)]

        # First the flags, away from the parser.
        element, attribute, ends, shuts = (Signal(LANES, name=name) for name in ("element", "attribute", "ends", "shuts"))
        word = Signal(width)
        ended = Signal()
        part = Signal()  # of a word ends the document, or it has no byte: either is a word of the ring
        words = Signal(30)
        lanes = [self.i.lanes[k] for k in range(LANES)]

        def each(condition):
            return Mux(self.i_valid, Cat(*(condition(lane) for lane in lanes)), 0)

        m.d.sync += [
            element.eq(each(lambda lane: lane.begins & (lane.type == WordType.ELEMENT))),
            attribute.eq(each(lambda lane: lane.begins & (lane.type == WordType.ATTRIBUTE))),
            ends.eq(each(lambda lane: lane.close & (lane.empty | lane.ending))),
            shuts.eq(each(lambda lane: lane.shuts)),
            word.eq(self.i.offset[2:]),
            ended.eq(self.i_valid & self.i.end),
            words.eq(self.i.length[2:]),
            part.eq(self.i.length[:2].any() | (self.i.length == 0)),
        ]
        base = Signal(32)
        with m.If(ended):
            m.d.sync += base.eq((Cat(part, base) + Cat(part, words))[1:33])

        # Then what a word has: at most two elements begin, of which the second in the last lane, and one attribute; at most one of
        # each ends, after the one that begins here or before it.
        def lane_of(flags):
            return Cat(flags[1] | flags[3], flags[2] | flags[3])

        first, second, named, closes, quotes = Signal(), Signal(), Signal(), Signal(), Signal()
        inside, pops, pushes = Signal(), Signal(), Signal()  # ends in the word in which it begins; of the stack
        own_value = Signal()
        first_lane, named_lane, closes_lane, quotes_lane = (
            Signal(2, name=name) for name in ("first_at", "named_at", "closes_at", "quotes_at")
        )
        place = Signal(width)
        finishes = Signal()
        first_flags = Signal(LANES)
        begins_and_ends = element.any() & ends.any() & (lane_of(first_flags) < lane_of(ends))
        m.d.comb += first_flags.eq(Cat(element[:3], element[3] & ~element[:3].any()))
        m.d.sync += [
            first.eq(element.any()),
            second.eq(element[3] & element[:3].any()),
            named.eq(attribute.any()),
            closes.eq(ends.any()),
            quotes.eq(shuts.any()),
            inside.eq(begins_and_ends),
            pops.eq(ends.any() & ~begins_and_ends),
            pushes.eq(element.any() & ~begins_and_ends),
            own_value.eq(lane_of(attribute) < lane_of(shuts)),
            first_lane.eq(lane_of(first_flags)),
            named_lane.eq(lane_of(attribute)),
            closes_lane.eq(lane_of(ends)),
            quotes_lane.eq(lane_of(shuts)),
            place.eq(base + word),
            finishes.eq(ended),
        ]

        # Addresses, and the stack of open elements: levels by turns in two memories, because two may begin at once.
        entry = data.StructLayout({"start": width + 2, "address": width})
        address = Signal(width + 1)
        # The number of open elements, and one less and one more.
        level_bits = ceil_log2(self._depth + 2)
        depth, below, above = Signal(level_bits), Signal(level_bits, init=(1 << level_bits) - 1), Signal(level_bits, init=1)
        bottom, over_bottom = Signal.like(depth), Signal.like(depth)
        change = Signal(signed(3))
        m.d.comb += [
            bottom.eq(Mux(pops, below, depth)),
            over_bottom.eq(Mux(pops, depth, above)),
            change.eq(pushes + second - pops),
        ]
        nodes = Signal(2)  # that begin here
        m.d.comb += nodes.eq(first + second + named)
        m.d.sync += [
            address.eq(address + nodes),
            *(level.eq(level + change) for level in (depth, below, above)),
        ]
        with m.If(finishes):
            m.d.sync += [address.eq(base), depth.eq(0), below.eq(-1), above.eq(1)]
        first_entry, second_entry, name_entry, top = (
            Signal(entry, name=name) for name in ("first_entry", "second_entry", "name_entry", "top")
        )
        m.d.comb += [
            # an element begins with the '<' before its name
            first_entry.start.eq(Cat(first_lane, place) - 1),
            first_entry.address.eq(address),
            second_entry.start.eq(Cat(Const(2, 2), place)),
            second_entry.address.eq(address + 1),
            name_entry.start.eq(Cat(named_lane, place)),
            name_entry.address.eq(address + first),
        ]
        for parity in range(2):
            m.submodules[f"stack{parity}"] = stack = memory.Memory(shape=entry, depth=max(2, (self._depth + 1) // 2), init=[])
            read, write = stack.read_port(domain="comb"), stack.write_port()
            mine = Signal(name=f"mine{parity}")
            m.d.comb += [
                mine.eq(bottom[0] == parity),
                read.addr.eq(below >> 1),
                write.addr.eq(Mux(mine, bottom >> 1, over_bottom >> 1)),
                write.data.eq(Mux(mine, first_entry, second_entry)),
                write.en.eq(Mux(mine, pushes, second)),
            ]
            with m.If(below[0] == parity):
                m.d.comb += top.eq(read.data)

        # The spans of the element and of the attribute that end here. The attribute's may wait for the element's: before another
        # attribute ends there is a word in which no element does.
        latest = Signal(entry)
        with m.If(named):
            m.d.sync += latest.eq(name_entry)
        record = data.StructLayout({"valid": 1, "address": width, "span": self._shape})
        closed, quoted = Signal(record), Signal(record)
        node, value = Signal(entry), Signal(entry)
        m.d.comb += [node.eq(Mux(inside, first_entry, top)), value.eq(Mux(named & own_value, name_entry, latest))]
        m.d.sync += [
            closed.valid.eq(closes),
            closed.address.eq(node.address),
            closed.span.start.eq(node.start),
            closed.span.end.eq(Cat(closes_lane, place)),
        ]
        with m.If(quotes):
            m.d.sync += [
                quoted.valid.eq(1),
                quoted.address.eq(value.address),
                quoted.span.start.eq(value.start),
                quoted.span.end.eq(Cat(quotes_lane, place)),
            ]
        with m.Elif(~closed.valid):
            m.d.sync += quoted.valid.eq(0)
        m.d.comb += [
            spans.write.en.eq(closed.valid | quoted.valid),
            spans.write.addr.eq(Mux(closed.valid, closed.address, quoted.address)),
            spans.write.data.eq(Mux(closed.valid, closed.span, quoted.span)),
        ]

        # A document behind the held one must not run into it from the other side; one before it is too long to be held.
        ahead, reached = Signal(32), Signal(width + 1)
        m.d.comb += reached.eq(address - self.hold)
        m.d.sync += [
            ahead.eq(base - self.hold),
            self.room.eq(~(self.hold_valid & (ahead != 0) & ~ahead[-1] & (reached >= (1 << width) - _MARGIN))),
        ]
        return m
