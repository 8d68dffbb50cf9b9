"""The broker's streams as AXI4-Stream, a packet for each document or frame."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.publication import DocumentWord
from hdl.stream import Register

__all__ = ["AxisInput", "AxisOutput", "AxisSignature"]


class AxisSignature(wiring.Signature):
    """AXI4-Stream of 32 bits with byte qualifiers, as its source sees it."""

    def __init__(self):
        super().__init__({"tdata": Out(32), "tkeep": Out(4), "tlast": Out(1), "tvalid": Out(1), "tready": In(1)})


class AxisInput(wiring.Component):
    """Takes packets from AXI4-Stream, a word a clock, one clock later.

    ``tkeep`` must be all ones but in the last word of a packet, where the bytes kept come first; a packet without bytes is one word that
    keeps
    none. At a word that breaks this the packet ends with a byte 0, which no document and no subscription can have, so that it is judged
    bad and matches nothing; its rest is taken and dropped, and ``error`` is 1 for a clock.

    Members
    -------
    axis : In(AxisSignature())
    o : Out(stream.Signature(DocumentWord))
    error : Out(1)
    """

    axis: In(AxisSignature())
    o: Out(stream.Signature(DocumentWord))
    error: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.register = register = Register(DocumentWord)
        wiring.connect(m, register.o, wiring.flipped(self.o))
        word, axis = register.i.payload, self.axis
        good, dropping, taken = Signal(), Signal(), Signal()
        with m.Switch(axis.tkeep):
            for count in range(5):
                with m.Case((1 << count) - 1):
                    m.d.comb += [word.data.eq(axis.tdata[: 8 * count]), word.count.eq(count), good.eq(axis.tlast | (count == 4))]
        m.d.comb += [
            word.last.eq(axis.tlast),
            axis.tready.eq(register.i.ready | dropping),
            register.i.valid.eq(axis.tvalid & ~dropping),
            taken.eq(axis.tvalid & axis.tready),
            self.error.eq(taken & ~dropping & ~good),
        ]
        with m.If(~good):
            m.d.comb += [word.data.eq(0), word.count.eq(1), word.last.eq(1)]
        with m.If(taken):
            m.d.sync += dropping.eq((dropping | ~good) & ~axis.tlast)
        return m


class AxisOutput(wiring.Component):
    """Gives packets to AXI4-Stream, a word a clock, one clock later.

    Members
    -------
    i : In(stream.Signature(DocumentWord))
    axis : Out(AxisSignature())
    """

    i: In(stream.Signature(DocumentWord))
    axis: Out(AxisSignature())

    def elaborate(self, platform):
        m = Module()
        m.submodules.register = register = Register(DocumentWord)
        wiring.connect(m, wiring.flipped(self.i), register.i)
        word = register.o.payload
        m.d.comb += [
            self.axis.tvalid.eq(register.o.valid),
            register.o.ready.eq(self.axis.tready),
            self.axis.tdata.eq(word.data),
            self.axis.tlast.eq(word.last),
        ]
        with m.Switch(word.count):
            for count in range(5):
                with m.Case(count):
                    m.d.comb += self.axis.tkeep.eq((1 << count) - 1)
        return m
