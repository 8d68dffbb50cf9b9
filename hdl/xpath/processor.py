"""The XPath processor: raw XPath text to a registration program [T 5.3.3.1, T-Fig 5.10]."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.program import ProgramWord, TextByte
from hdl.stream import StreamFifo
from hdl.xpath.characters import Characters
from hdl.xpath.packer import Packer
from hdl.xpath.parser import Parser

__all__ = ["XPathProcessor"]


class XPathProcessor(wiring.Component):
    """Takes the text of subscriptions apart in hardware, to the full grammar of the subset.

    One byte a clock is taken, and one clock more passes after the last byte of a text, as long as the program is taken as fast
    as it comes; there is room for 4 words in between. A word appears 9 clocks after the byte that completes it: the first byte after
    a piece, or of its fifth, ninth, ... byte. DONE or ABORT is offered 11 clocks after the last byte.

    Each text gives exactly one program, which ends in DONE or, when the text is refused, in ABORT with the code of the first
    byte that has no way on. Pieces may have been sent before an ABORT: only DONE makes them count. After an error the rest of the
    text is taken and passed over, and the next text is unaffected. A text of any length is taken; one longer than the limit is
    refused as TEXT_LENGTH.

    Parameters
    ----------
    config : BrokerConfig
        ``name_bytes``, ``value_bytes``, ``digits``, ``subscription_steps`` and ``xpath_bytes`` are the limits.

    Members
    -------
    i : In(stream.Signature(TextByte))
    o : Out(stream.Signature(ProgramWord))
    """

    _DEPTH = 16
    _RESERVE = 12
    """Words that may still come after the input has been stopped: one a clock through the pipeline, and the end of the program."""

    def __init__(self, config):
        self._config = config
        super().__init__({"i": In(stream.Signature(TextByte)), "o": Out(stream.Signature(ProgramWord))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.characters = characters = Characters()
        m.submodules.parser = parser = Parser(self._config)
        m.submodules.packer = packer = Packer()
        m.submodules.queue = queue = StreamFifo(ProgramWord, self._DEPTH)

        room = Signal()
        after_last = Signal()
        taken = Signal()
        m.d.sync += [room.eq(queue.level <= self._DEPTH - self._RESERVE), after_last.eq(taken & self.i.payload.last)]
        m.d.comb += [
            self.i.ready.eq(room & ~after_last),
            taken.eq(self.i.valid & self.i.ready),
            characters.i_valid.eq(taken),
            characters.i_byte.eq(self.i.payload.data),
            characters.i_last.eq(self.i.payload.last),
            parser.i_valid.eq(characters.o_valid),
            parser.i.eq(characters.o),
            packer.i_valid.eq(parser.o_valid),
            packer.i.eq(parser.o),
            queue.i.valid.eq(packer.o_valid),
            queue.i.payload.eq(packer.o),
        ]
        wiring.connect(m, wiring.flipped(self.o), queue.o)
        return m
