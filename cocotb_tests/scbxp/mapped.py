"""The node map behind the first stages of the parser, as the parser connects them."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.scbxp.classify import Classifier
from hdl.scbxp.lexer import Lexer
from hdl.scbxp.positions import NodeMap
from hdl.scbxp.tags import TagChecker
from hdl.shapes.publication import DocumentWord, NodeSpan
from hdl.shapes.widths import node_width

__all__ = ["MappedUnit"]


class MappedUnit(wiring.Component):
    """Documents in; ``go`` lets the lexer go on, ``ended`` counts documents, and ``span`` is that of the node at ``address``."""

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "go": In(1),
                "hold_valid": In(1),
                "hold": In(32),
                "ended": Out(16),
                "room": Out(1),
                "address": In(node_width(config)),
                "span": Out(NodeSpan(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.classifier = classifier = Classifier()
        m.submodules.lexer = lexer = Lexer()
        m.submodules.tags = tags = TagChecker(depth=self.config.depth)
        m.submodules.nodes = nodes = NodeMap(self.config)
        wiring.connect(m, wiring.flipped(self.i), classifier.i)
        m.d.comb += [lexer.i.eq(classifier.o), lexer.i_valid.eq(classifier.o_valid), classifier.room.eq(lexer.i_room)]
        m.d.sync += lexer.room.eq(nodes.room & self.go)
        m.d.comb += [
            tags.i.eq(lexer.o),
            tags.i_valid.eq(lexer.o_valid),
            nodes.i.eq(tags.o),
            nodes.i_valid.eq(tags.o_valid),
            nodes.hold_valid.eq(self.hold_valid),
            nodes.hold.eq(self.hold),
            nodes.read.addr.eq(self.address),
            self.span.eq(nodes.read.data),
            self.room.eq(nodes.room),
        ]
        with m.If(tags.o_valid & tags.o.end):
            m.d.sync += self.ended.eq(self.ended + 1)
        return m
