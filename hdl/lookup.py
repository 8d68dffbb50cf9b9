"""The VRT with what it needs to be written by TOPOLOGY frames and asked by subscriptions as they stand."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.routing.criteria import CriteriaReader
from hdl.routing.path import Identity
from hdl.routing.topology import TopologyReader
from hdl.routing.vrt import VicinityRoutingTable
from hdl.shapes.program import TextByte
from hdl.shapes.routing import FrameHeader, Frames, RouteHit
from hdl.shapes.widths import ShortCount
from hdl.xpath import XPathProcessor
from hdl.xpath.characters import CharacterClass, Characters

__all__ = ["RouteLookup"]

_STARTS = (CharacterClass.START, CharacterClass.A, CharacterClass.N, CharacterClass.D, CharacterClass.COLON)
_GOES_ON = (CharacterClass.NAME, CharacterClass.DIGIT, CharacterClass.MINUS, CharacterClass.DOT)


class RouteLookup(wiring.Component):
    """Says where a subscription may go. Its text goes through an XPath processor of its own, so that registration is not held.

    Parameters
    ----------
    config : BrokerConfig
    ports : int
    routes : int
        Entries of the VRT.

    Members
    -------
    i_topology : In(Frames())
        TOPOLOGY frames.
    o_result : Out(stream.Signature(FrameHeader))
        A RESULT for each.
    i_text : In(stream.Signature(TextByte))
        Texts of subscriptions.
    o_hit : Out(stream.Signature(RouteHit))
        The entries for each, in the order of preference, then the end.
    identity : In(Identity(ports))
    entries, more, refused : Out
        Those of the VRT and of :class:`hdl.routing.topology.TopologyReader`.
    """

    def __init__(self, config, *, ports: int = 4, routes: int = 64):
        self._config = config
        self._ports = ports
        self._routes = routes
        super().__init__(
            {
                "i_topology": In(Frames()),
                "o_result": Out(stream.Signature(FrameHeader)),
                "i_text": In(stream.Signature(TextByte)),
                "o_hit": Out(stream.Signature(RouteHit)),
                "identity": In(Identity(ports)),
                "entries": Out(range(routes + 1)),
                "more": Out(1),
                "refused": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        words = 1 << (max(2, config.name_bytes // 4 + config.value_bytes // 4) - 1).bit_length()
        m.submodules.reader = reader = TopologyReader(config, ports=self._ports)
        m.submodules.characters = characters = Characters()
        m.submodules.xpath = xpath = XPathProcessor(config)
        m.submodules.criteria = criteria = CriteriaReader(config)
        m.submodules.vrt = vrt = VicinityRoutingTable(routes=self._routes, words=words)
        for source, sink in (
            (wiring.flipped(self.i_topology), reader.i),
            (wiring.flipped(self.identity), reader.identity),
            (reader.o_change, vrt.i_change),
            (vrt.o_answer, reader.i_answer),
            (reader.o_result, wiring.flipped(self.o_result)),
            (wiring.flipped(self.i_text), xpath.i),
            (xpath.o, criteria.i),
            (criteria.o, vrt.i_query),
            (vrt.o_hit, wiring.flipped(self.o_hit)),
        ):
            wiring.connect(m, source, sink)
        query, character = reader.bytes, characters.o
        m.d.comb += [
            characters.i_valid.eq(query.asks),
            characters.i_byte.eq(query.byte),
            characters.i_last.eq(query.last),
            query.answered.eq(characters.o_valid),
            query.answer.part.eq(character.kind == CharacterClass.PART),
            query.answer.start.eq(character.kind.as_value().matches(*_STARTS)),
            query.answer.name.eq(character.kind.as_value().matches(*_GOES_ON)),
            query.answer.bad.eq(character.bad),
            self.entries.eq(vrt.entries),
            self.more.eq(reader.more),
            self.refused.eq(reader.refused),
        ]
        return m
