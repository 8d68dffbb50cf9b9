"""Cut a stream's timing paths in both directions."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Register"]


class Register(wiring.Component):
    """A stream through a skid buffer: one payload a clock, one clock later, with no logic from either side to the other.

    ``o.valid``, ``o.payload`` and ``i.ready`` all come straight from flip-flops. It holds up to two payloads; ``i.ready``
    falls only when both places are taken, so that back pressure costs no payload and no bubble.

    Parameters
    ----------
    shape : ShapeLike
        Shape of the payload.

    Members
    -------
    i : ``In(stream.Signature(shape))``
    o : ``Out(stream.Signature(shape))``
    """

    latency = 1
    """Clocks from a payload taken to the payload offered."""

    def __init__(self, shape):
        self.shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform):
        m = Module()
        ready = Signal(init=1)
        valid = Signal()
        payload = Signal(self.shape, reset_less=True)
        skid = Signal(self.shape, reset_less=True)
        m.d.comb += [self.i.ready.eq(ready), self.o.valid.eq(valid), self.o.payload.eq(payload)]
        with m.If(ready):
            m.d.sync += skid.eq(self.i.payload)
        with m.If(self.o.ready | ~valid):
            with m.If(ready):
                m.d.sync += [valid.eq(self.i.valid), payload.eq(self.i.payload)]
            with m.Else():
                m.d.sync += [valid.eq(1), payload.eq(skid)]
            m.d.sync += ready.eq(1)
        with m.Elif(ready):
            m.d.sync += ready.eq(~self.i.valid)
        return m
