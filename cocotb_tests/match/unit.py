"""The CRT and the matching engine together, as the broker connects them."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.crt import ContentRoutingTable
from hdl.match import MatchingEngine
from hdl.shapes.names import NameRequest, NameResponse
from hdl.shapes.notification import MatchedWord
from hdl.shapes.program import CrtCommand, ProgramWord, RegistrationResponse
from hdl.shapes.publication import MatchBeat

__all__ = ["MatchingUnit"]


class MatchingUnit(wiring.Component):
    """All streams and the status of both."""

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "command": In(stream.Signature(CrtCommand(config))),
                "program": In(stream.Signature(ProgramWord)),
                "response": Out(stream.Signature(RegistrationResponse(config))),
                "name_request": Out(stream.Signature(NameRequest(config))),
                "name_response": In(stream.Signature(NameResponse(config))),
                "i": In(stream.Signature(MatchBeat(config))),
                "o": Out(stream.Signature(MatchedWord(config))),
                "begun": In(16),
                "registered": Out(16),
                "steps_used": Out(16),
                "full": Out(1),
                "hcd": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.crt = crt = ContentRoutingTable(self.config)
        m.submodules.engine = engine = MatchingEngine(self.config)
        wiring.connect(m, crt.view, engine.view)
        for name in ("command", "program", "name_response"):
            wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(crt, name))
        for name in ("response", "name_request"):
            wiring.connect(m, getattr(crt, name), wiring.flipped(getattr(self, name)))
        wiring.connect(m, wiring.flipped(self.i), engine.i)
        wiring.connect(m, engine.o, wiring.flipped(self.o))
        # nobody here wants selected nodes
        m.d.comb += engine.selected.ready.eq(1)
        m.d.comb += crt.begun.eq(self.begun)
        for name in ("registered", "steps_used", "full", "hcd"):
            m.d.comb += getattr(self, name).eq(getattr(crt, name))
        return m
