"""What the matching engine needs of the parser's words."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.publication import MatchBeat, ParsedBeat

__all__ = ["ParsedToMatch"]


class ParsedToMatch(wiring.Component):
    """Hands on the parser's beats without what only the P-RAM has, in the same clock: names that no subscription holds have token ID 0.

    Members
    -------
    i : ``In(stream.Signature(ParsedBeat(config)))``
    o : ``Out(stream.Signature(MatchBeat(config)))``
    """

    def __init__(self, config):
        self._config = config
        super().__init__({"i": In(stream.Signature(ParsedBeat(config))), "o": Out(stream.Signature(MatchBeat(config)))})

    def elaborate(self, platform):
        m = Module()
        given, beat = self.i.payload, self.o.payload
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            *(getattr(beat.text, name).eq(getattr(given.text, name)) for name in ("valid", "data", "count", "last")),
            *(getattr(beat.mark, name).eq(getattr(given.mark, name)) for name in ("valid", "type", "data", "count", "last", "close")),
            beat.done.eq(given.done),
            beat.good.eq(given.good),
        ]
        with m.If(given.mark.name <= self._config.names):
            m.d.comb += beat.mark.name.eq(given.mark.name)
        return m
