"""The skeleton-CAM-based XML parser, stage after stage [T ch. 4]."""

from itertools import product

from amaranth.hdl import Array, Cat, Const, Module, Signal, signed
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.config import BrokerConfig
from hdl.contract import Verdict
from hdl.scbxp.classify import LANES, Classifier
from hdl.scbxp.lexer import Lexer, Mode
from hdl.scbxp.merge import Merge
from hdl.scbxp.names import Names
from hdl.scbxp.nesting import Nesting
from hdl.scbxp.packers import MarkPacker, TextPacker, TextQueue
from hdl.scbxp.places import TokenPlaces
from hdl.scbxp.positions import NodeMap
from hdl.scbxp.pram import Pram
from hdl.scbxp.segments import OF_WORD, MarkSegment, Segmenter, SegmentQueue
from hdl.scbxp.serial import Event
from hdl.scbxp.tags import TagChecker
from hdl.shapes.names import NameLookup
from hdl.shapes.publication import DocumentWord, HeldPosition, NodeSpan, ParsedBeat, VerdictWord
from hdl.shapes.widths import ShortCount, node_width

__all__ = ["Scbxp"]

_PRAM_PORTS = ("documents", "read_position", "read_beat", "read_valid", "first", "oldest", "newest", "lost")
_SEGMENTS = 16
"""Words of the document whose mark segments wait."""
_UNDER_WAY = TagChecker.latency + Segmenter.latency - 1
"""Clocks from the lexer's output until it is known whether a word has segments."""
_UNSEEN = 4
"""Words that may leave the lexer before the count of those under way stops them."""


class Scbxp(wiring.Component):
    """Parses XML documents, four bytes a clock, from the X-RAM into the P-RAM.

    Every document gets exactly one verdict, in order; after an error the rest of the document is drained and the next one is
    unaffected. Loading, parsing and reading run at the same time. About 55 clocks from a word to the beat it completes.

    Members
    -------
    i : documents as words, back to back, from the X-RAM.
    o : their words in document order, ending in a beat with ``done``; the parser waits while it is not taken.
    verdict : one word per document, offered with its ``done`` beat.
    lookup : the name table, which has the names that subscriptions or the skeleton hold.
    nodes, held : where the elements and attributes of the held documents lie, and from where on they are held, see
        :class:`hdl.scbxp.positions.NodeMap`; nothing without a selection log.
    pram_* : the latest beats, see :class:`hdl.scbxp.pram.Pram`.
    verdicts : short counts of documents ended, by verdict.
    forgotten : short count of how often the learned part of the skeleton was forgotten.
    """

    def __init__(self, config: BrokerConfig):
        self._config = config
        self._pram = Pram(config)
        pram = self._pram.signature.members
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "o": Out(stream.Signature(ParsedBeat(config))),
                "verdict": Out(stream.Signature(VerdictWord)),
                "lookup": Out(NameLookup(config)),
                "verdicts": Out(data.ArrayLayout(ShortCount, len(Verdict))),
                "forgotten": Out(ShortCount),
                "nodes": Out(memory.ReadPort.Signature(addr_width=node_width(config), shape=NodeSpan(config))),
                "held": In(HeldPosition()),
            }
            | {f"pram_{name}": pram[name] for name in _PRAM_PORTS}
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.pram = pram = self._pram
        m.submodules.classifier = classifier = Classifier()
        m.submodules.lexer = lexer = Lexer()
        m.submodules.tags = tags = TagChecker(depth=config.depth)
        m.submodules.segmenter = segmenter = Segmenter()
        m.submodules.segments = segments = SegmentQueue(shape=MarkSegment, depth=_SEGMENTS, same=OF_WORD)
        m.submodules.marks = marks = MarkPacker()
        m.submodules.names = names = Names(config)
        m.submodules.nesting = nesting = Nesting(config)
        m.submodules.places = places = TokenPlaces()
        m.submodules.text = text = TextPacker()
        m.submodules.texts = texts = TextQueue()
        m.submodules.merge = merge = Merge(config)

        wiring.connect(m, wiring.flipped(self.i), classifier.i)
        m.d.comb += [
            lexer.i.eq(classifier.o),
            lexer.i_valid.eq(classifier.o_valid),
            classifier.room.eq(lexer.i_room),
            tags.i.eq(lexer.o),
            tags.i_valid.eq(lexer.o_valid),
            segmenter.i.eq(tags.o),
            segmenter.i_valid.eq(tags.o_valid),
            segments.i.eq(segmenter.marks),
            segments.i_valid.eq(segmenter.marks_valid),
            text.i.eq(segmenter.text),
            text.i_valid.eq(segmenter.text_valid),
            texts.i.eq(text.o),
            texts.i_valid.eq(text.o_valid),
            places.i.eq(segments.o.payload),
            places.i_valid.eq(segments.o.valid & segments.o.ready),
            places.token.eq(nesting.token),
            places.close.eq(nesting.close),
            places.near.eq(nesting.near),
            nesting.position.eq(places.position),
        ]
        # A word with markup, or the end, may bring segments: the queue keeps a place for it, until it is known whether it does. A place
        # that has become free counts a clock later.
        passing = Signal(_UNDER_WAY)
        promised = Signal(range(_SEGMENTS + 1))
        marked, left = Signal(), Signal()
        marked_up = Cat(lexer.o.lanes[k].mode != Mode.TEXT for k in range(LANES)).any() | (lexer.o.event == Event.END)
        m.d.comb += marked.eq(lexer.o_valid & marked_up)
        changes = [comes - (known & ~some) - gone for gone, some, known, comes in product(range(2), repeat=4)]
        change = Array(Const(value, signed(3)) for value in changes)[Cat(marked, passing[-1], segmenter.coming[0], left)]
        nodes_room = Signal(init=1)
        m.d.sync += [
            passing.eq(Cat(marked, passing)),
            left.eq(segments.gone),
            promised.eq(promised + change),
            lexer.room.eq((promised <= _SEGMENTS - _UNSEEN) & texts.room & nodes_room),
        ]
        # Beside the stages: positions for the notifications of selected nodes.
        if config.selected:
            m.submodules.nodes = nodes = NodeMap(config)
            wiring.connect(m, nodes.read, wiring.flipped(self.nodes))
            m.d.comb += [
                nodes.i.eq(tags.o),
                nodes.i_valid.eq(tags.o_valid),
                nodes.hold_valid.eq(self.held.valid),
                nodes.hold.eq(self.held.position),
                nodes_room.eq(nodes.room),
            ]
        wiring.connect(m, segments.o, marks.i)
        wiring.connect(m, marks.o, names.i)
        wiring.connect(m, names.o, nesting.i)
        wiring.connect(m, nesting.o, merge.mark)
        wiring.connect(m, texts.o, merge.text)
        wiring.connect(m, merge.o, pram.i)
        wiring.connect(m, pram.o, wiring.flipped(self.o))
        wiring.connect(m, merge.verdict, wiring.flipped(self.verdict))
        wiring.connect(m, names.lookup, wiring.flipped(self.lookup))
        for name in _PRAM_PORTS:
            inner, outer = getattr(pram, name), getattr(wiring.flipped(self), f"pram_{name}")
            if pram.signature.members[name].is_signature:
                wiring.connect(m, inner, outer)
            elif pram.signature.members[name].flow == In:
                m.d.comb += inner.eq(outer)
            else:
                m.d.comb += outer.eq(inner)

        m.d.comb += self.forgotten.eq(names.forgotten)
        with m.If(self.verdict.valid & self.verdict.ready):
            for kind in Verdict:
                with m.If(self.verdict.payload.verdict == kind):
                    m.d.sync += self.verdicts[kind].eq(self.verdicts[kind] + 1)
        return m
