"""XAVI: the register file as an Avalon-MM slave [T 7.6.2, T-Fig 7.4, 7.5]."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.edge import BusRequest, BusResponse

__all__ = ["Xavi"]

_UNDER_WAY = 8


class Xavi(wiring.Component):
    """An Avalon-MM slave with 32-bit data and a 13-bit word address.

    A write takes one clock, also one after the other; it is held by ``avs_waitrequest`` only while a stream has no room. A read takes six
    clocks. ``avs_chipselect`` and, in its first clock, ``avs_begintransfer`` must be 1 for a transfer to count. A transfer that does not
    begin so, does not enable all bytes, or both reads and writes, fails: it changes nothing, reads as 0 and shows in the register ERROR.
    So does one to an address without a register. ``avs_readdata`` stays until the next read.

    Members
    -------
    avs_* : Avalon's names
    irq : Out(1)
    interrupt : In(1)
    o, i : Out(stream.Signature(BusRequest)), In(stream.Signature(BusResponse))
    """

    avs_address: In(BusRequest.as_shape()["address"].shape)
    avs_chipselect: In(1)
    avs_read: In(1)
    avs_write: In(1)
    avs_writedata: In(32)
    avs_byteenable: In(4)
    avs_begintransfer: In(1)
    avs_readdata: Out(32)
    avs_waitrequest: Out(1)
    irq: Out(1)
    interrupt: In(1)
    o: Out(stream.Signature(BusRequest))
    i: In(stream.Signature(BusResponse))

    def elaborate(self, platform):
        m = Module()
        begun = Signal()
        transfer = Signal()
        m.d.comb += [
            transfer.eq(self.avs_chipselect & (self.avs_read | self.avs_write)),
            self.irq.eq(self.interrupt),
            self.o.payload.address.eq(self.avs_address),
            self.o.payload.data.eq(self.avs_writedata),
            self.o.payload.write.eq(self.avs_write),
            self.o.payload.partial.eq(~self.avs_byteenable.all() | (self.avs_read & self.avs_write) | ~(self.avs_begintransfer | begun)),
            self.i.ready.eq(1),
        ]
        m.d.sync += begun.eq(transfer & self.avs_waitrequest & (self.avs_begintransfer | begun))

        # Writes are answered to nobody; the answer to a read is the last of those under way.
        under_way = Signal(range(_UNDER_WAY))
        sent, answered = self.o.valid & self.o.ready, self.i.valid
        m.d.sync += under_way.eq(under_way + sent - answered)
        with m.FSM():
            with m.State("READY"):
                m.d.comb += [
                    self.o.valid.eq(transfer),
                    self.avs_waitrequest.eq(transfer & (~self.avs_write | ~self.o.ready)),
                ]
                with m.If(transfer & ~self.avs_write & self.o.ready):
                    m.next = "READ"
            with m.State("READ"):
                m.d.comb += self.avs_waitrequest.eq(1)
                with m.If(self.i.valid & (under_way == 1)):
                    m.d.sync += self.avs_readdata.eq(self.i.payload.data)
                    m.next = "DONE"
            # The master sees the word and ends its transfer.
            with m.State("DONE"):
                m.next = "READY"
        return m
