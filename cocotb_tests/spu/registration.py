"""The SPU and the XPath processor connected as in the broker, with the CRT left outside."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.program import CrtResponse, ProgramWord, RegistrationCommand
from hdl.shapes.publication import DocumentWord
from hdl.shapes.subscription import SubscriptionResult
from hdl.spu import Spu
from hdl.xpath import XPathProcessor

__all__ = ["Registration"]


class Registration(wiring.Component):
    """Frames in; commands, programs and results out."""

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "o_command": Out(stream.Signature(RegistrationCommand(config))),
                "o_program": Out(stream.Signature(ProgramWord)),
                "i_response": In(stream.Signature(CrtResponse)),
                "o_result": Out(stream.Signature(SubscriptionResult(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.spu = spu = Spu(self._config)
        m.submodules.xpath = xpath = XPathProcessor(self._config)
        for source, sink in (
            (wiring.flipped(self.i), spu.i),
            (spu.o_text, xpath.i),
            (xpath.o, wiring.flipped(self.o_program)),
            (spu.o_command, wiring.flipped(self.o_command)),
            (wiring.flipped(self.i_response), spu.i_response),
            (spu.o_result, wiring.flipped(self.o_result)),
        ):
            wiring.connect(m, source, sink)
        return m
