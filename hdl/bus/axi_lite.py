"""The register file as an AXI4-Lite slave [AMBA AXI, part B]."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.edge import BusRequest, BusResponse
from hdl.stream import Register, StreamFifo

__all__ = ["AxiLiteFront"]

_WORD_BITS = BusRequest.as_shape()["address"].width
_DEPTH = 4
_SLVERR = 2


class _Write(data.Struct):
    data: unsigned(32)
    strb: unsigned(4)


class AxiLiteFront(wiring.Component):
    """An AXI4-Lite slave with 32-bit data and 15-bit byte addresses.

    Reads and writes take turns when both are asked for; each goes on a word a clock, with up to four under way. One that failed is
    answered with SLVERR: a bad or unaligned address, not all of ``wstrb``, the wrong direction, a stream without room or word. Neither kind
    of answer waits for the other to be taken.

    Members
    -------
    s_axi_* : the standard's names
    irq : Out(1)
    interrupt : In(1)
    o, i : Out(stream.Signature(BusRequest)), In(stream.Signature(BusResponse))
    """

    s_axi_awaddr: In(_WORD_BITS + 2)
    s_axi_awprot: In(3)
    s_axi_awvalid: In(1)
    s_axi_awready: Out(1)
    s_axi_wdata: In(32)
    s_axi_wstrb: In(4)
    s_axi_wvalid: In(1)
    s_axi_wready: Out(1)
    s_axi_bresp: Out(2)
    s_axi_bvalid: Out(1)
    s_axi_bready: In(1)
    s_axi_araddr: In(_WORD_BITS + 2)
    s_axi_arprot: In(3)
    s_axi_arvalid: In(1)
    s_axi_arready: Out(1)
    s_axi_rdata: Out(32)
    s_axi_rresp: Out(2)
    s_axi_rvalid: Out(1)
    s_axi_rready: In(1)
    irq: Out(1)
    interrupt: In(1)
    o: Out(stream.Signature(BusRequest))
    i: In(stream.Signature(BusResponse))

    def elaborate(self, platform):
        m = Module()
        m.submodules.aw = aw = Register(_WORD_BITS + 2)
        m.submodules.w = w = Register(_Write)
        m.submodules.ar = ar = Register(_WORD_BITS + 2)
        m.submodules.b = b = StreamFifo(1, _DEPTH)
        m.submodules.r = r = StreamFifo(BusResponse, _DEPTH)
        m.submodules.order = order = StreamFifo(1, 2 * _DEPTH)
        m.d.comb += [
            self.irq.eq(self.interrupt),
            aw.i.valid.eq(self.s_axi_awvalid),
            aw.i.payload.eq(self.s_axi_awaddr),
            self.s_axi_awready.eq(aw.i.ready),
            w.i.valid.eq(self.s_axi_wvalid),
            w.i.payload.data.eq(self.s_axi_wdata),
            w.i.payload.strb.eq(self.s_axi_wstrb),
            self.s_axi_wready.eq(w.i.ready),
            ar.i.valid.eq(self.s_axi_arvalid),
            ar.i.payload.eq(self.s_axi_araddr),
            self.s_axi_arready.eq(ar.i.ready),
            self.s_axi_bvalid.eq(b.o.valid),
            self.s_axi_bresp.eq(Mux(b.o.payload, _SLVERR, 0)),
            b.o.ready.eq(self.s_axi_bready),
            self.s_axi_rvalid.eq(r.o.valid),
            self.s_axi_rdata.eq(r.o.payload.data),
            self.s_axi_rresp.eq(Mux(r.o.payload.error, _SLVERR, 0)),
            r.o.ready.eq(self.s_axi_rready),
        ]

        # A request goes out only when there is a place for its answer.
        writes, reads, turn = Signal(), Signal(), Signal()
        write_room, read_room = Signal(range(_DEPTH + 1), init=_DEPTH), Signal(range(_DEPTH + 1), init=_DEPTH)
        write = Signal()
        address = Mux(write, aw.o.payload, ar.o.payload)
        sent = Signal()
        m.d.comb += [
            writes.eq(aw.o.valid & w.o.valid & (write_room != 0)),
            reads.eq(ar.o.valid & (read_room != 0)),
            write.eq(writes & (turn | ~reads)),
            self.o.valid.eq((writes | reads) & order.i.ready),
            self.o.payload.address.eq(address[2:]),
            self.o.payload.data.eq(w.o.payload.data),
            self.o.payload.write.eq(write),
            self.o.payload.partial.eq((address[:2] != 0) | (write & ~w.o.payload.strb.all())),
            sent.eq(self.o.valid & self.o.ready),
            order.i.valid.eq(sent),
            order.i.payload.eq(write),
            aw.o.ready.eq(sent & write),
            w.o.ready.eq(sent & write),
            ar.o.ready.eq(sent & ~write),
        ]
        held = Signal()
        held_write = Signal()
        m.d.sync += [held.eq(self.o.valid & ~self.o.ready), held_write.eq(write)]
        with m.If(held):
            m.d.comb += write.eq(held_write)
        with m.If(sent):
            m.d.sync += turn.eq(~write)
        m.d.sync += [
            write_room.eq(write_room - (sent & write) + (b.o.valid & b.o.ready)),
            read_room.eq(read_room - (sent & ~write) + (r.o.valid & r.o.ready)),
        ]
        m.d.comb += [
            self.i.ready.eq(order.o.valid),
            order.o.ready.eq(self.i.valid),
            b.i.valid.eq(self.i.valid & order.o.valid & order.o.payload),
            b.i.payload.eq(self.i.payload.error),
            r.i.valid.eq(self.i.valid & order.o.valid & ~order.o.payload),
            r.i.payload.eq(self.i.payload),
        ]
        return m
