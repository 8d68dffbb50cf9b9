"""Cut a stream's timing paths in both directions."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Register", "Relay"]


class _Passed(wiring.Component):
    """A stream that leaves as it came, from ``i`` to ``o``."""

    latency = 1
    """Clocks from a payload taken to the payload offered."""

    def __init__(self, shape):
        self.shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})


class Register(_Passed):
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

    def elaborate(self, platform):
        m = Module()
        # Two flip-flops for one fact: the neighbour's logic is not loaded with the enables of the payload here.
        ready, full, fills = Signal(init=1), Signal(), Signal()
        valid = Signal()
        payload = Signal(self.shape)
        skid = Signal(self.shape)
        m.d.comb += [self.i.ready.eq(ready), self.o.valid.eq(valid), self.o.payload.eq(payload)]
        m.d.comb += fills.eq(valid & ~self.o.ready & (full | self.i.valid))
        m.d.sync += [full.eq(fills), ready.eq(~fills)]
        with m.If(~full):
            m.d.sync += skid.eq(self.i.payload)
        with m.If(self.o.ready | ~valid):
            m.d.sync += [valid.eq(full | self.i.valid), payload.eq(Mux(full, skid, self.i.payload))]
        return m


class Relay(_Passed):
    """A stream through one place: a payload every other clock, one clock later, with no logic from either side to the other.

    What :class:`Register` does, with the same members, for streams that are never in a hurry, without logic for the payload.
    ``o.payload`` stays for a clock more after it was taken.
    """

    def elaborate(self, platform):
        m = Module()
        valid = Signal()
        payload = Signal(self.shape)
        m.d.comb += [self.i.ready.eq(~valid), self.o.valid.eq(valid), self.o.payload.eq(payload)]
        m.d.sync += valid.eq(Mux(valid, ~self.o.ready, self.i.valid))
        with m.If(~valid):
            m.d.sync += payload.eq(self.i.payload)
        return m
