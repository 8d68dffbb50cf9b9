"""The register file as a Wishbone slave [Wishbone B4, pipelined mode]."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.edge import BusRequest, BusResponse

__all__ = ["WishboneFront"]

_UNDER_WAY = 8


class WishboneFront(wiring.Component):
    """A pipelined Wishbone slave with 32-bit data and a 13-bit word address.

    It takes an access a clock and answers each four clocks later with ``wb_ack_o``, or with ``wb_err_o`` if it failed: a bad address,
    not all of
    ``wb_sel_i``, the wrong direction, a stream without room or word. It stalls only while a stream has no room. When ``wb_cyc_i`` falls,
    accesses under way are carried out and not answered.

    Members
    -------
    wb_* : the standard's names
    irq : Out(1)
    interrupt : In(1)
    o, i : Out(stream.Signature(BusRequest)), In(stream.Signature(BusResponse))
    """

    wb_cyc_i: In(1)
    wb_stb_i: In(1)
    wb_we_i: In(1)
    wb_adr_i: In(BusRequest.as_shape()["address"].shape)
    wb_sel_i: In(4)
    wb_dat_i: In(32)
    wb_dat_o: Out(32)
    wb_ack_o: Out(1)
    wb_err_o: Out(1)
    wb_stall_o: Out(1)
    irq: Out(1)
    interrupt: In(1)
    o: Out(stream.Signature(BusRequest))
    i: In(stream.Signature(BusResponse))

    def elaborate(self, platform):
        m = Module()
        under_way = Signal(range(_UNDER_WAY))
        orphans = Signal(range(_UNDER_WAY))
        after = Signal(range(_UNDER_WAY))
        answers = Signal()
        m.d.comb += [
            self.irq.eq(self.interrupt),
            self.o.valid.eq(self.wb_cyc_i & self.wb_stb_i),
            self.o.payload.address.eq(self.wb_adr_i),
            self.o.payload.data.eq(self.wb_dat_i),
            self.o.payload.write.eq(self.wb_we_i),
            self.o.payload.partial.eq(~self.wb_sel_i.all()),
            self.wb_stall_o.eq(~self.o.ready),
            self.i.ready.eq(1),
            answers.eq(self.i.valid & self.wb_cyc_i & (orphans == 0)),
            self.wb_ack_o.eq(answers & ~self.i.payload.error),
            self.wb_err_o.eq(answers & self.i.payload.error),
            self.wb_dat_o.eq(self.i.payload.data),
            after.eq(under_way + (self.o.valid & self.o.ready) - self.i.valid),
        ]
        m.d.sync += under_way.eq(after)
        with m.If(~self.wb_cyc_i):
            m.d.sync += orphans.eq(after)
        with m.Else():
            m.d.sync += orphans.eq(Mux(orphans == 0, 0, orphans - self.i.valid))
        return m
