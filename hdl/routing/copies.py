"""From notifications of neighbours' interests to copies of publications: one for each neighbour [steady policy]."""

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Kind
from hdl.framers import swapped
from hdl.routing.gate import PublicationRecord
from hdl.routing.path import Identity, lone
from hdl.routing.relay import port_of
from hdl.shapes.routing import PORTS, Frames
from hdl.shapes.widths import ShortCount

__all__ = ["CopySender"]


class CopySender(wiring.Component):
    """Makes the first notification of a publication for a neighbour a ROUTE, and drops the others, and those for the neighbour that it came
    from. A publication that has crossed as many brokers as it may, and one that the broker no longer has whole, is dropped and counted.

    Parameters
    ----------
    ports : int

    Members
    -------
    i : In(Frames())
        NOTIFY frames for interests {0|BID}.
    o : Out(Frames())
        ROUTE frames.
    number, record : Out(16), In(PublicationRecord)
        Of the gate.
    identity : In(Identity(ports))
    sent, limited, oversized : Out(ShortCount)
    """

    def __init__(self, *, ports: int):
        self._ports = ports
        super().__init__(
            {
                "i": In(Frames()),
                "o": Out(Frames()),
                "number": Out(16),
                "record": In(PublicationRecord),
                "identity": In(Identity(ports)),
                **dict.fromkeys(("sent", "limited", "oversized"), Out(ShortCount)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        header, body = self.i.header, self.i.body
        came, made, record = header.payload, self.o.header.payload, self.record
        ways, port = Signal(self._ports), Signal(range(PORTS))
        bid = Signal(8)
        m.d.comb += [
            bid.eq((came.path[:8] >> (8 - self.identity.bits)[:3])[:8]),
            ways.eq(port_of(self.identity, bid)),
            self.number.eq(swapped(came.as_value()[16:32])),
        ]
        for place in range(self._ports):
            with m.If(ways[place]):
                m.d.comb += port.eq(place)
        # The publication that each neighbour was sent last.
        latest = Array(Signal(17, name=f"latest{place}") for place in range(PORTS))
        again = latest[port] == self.number + (1 << 16)
        m.d.comb += [
            made.kind.eq(Kind.ROUTE),
            made.high.eq(record.origin),
            made.low.eq(record.hops),
            made.path.eq(lone(self.identity, record.origin)),
            made.reference.eq(swapped(record.reference)),
            made.length.eq(came.length),
            made.port.eq(port),
            self.o.body.payload.eq(body.payload),
        ]
        sends = Signal()
        with m.FSM():
            # Decides on a notification; what is known of its publication is there in the same clock.
            with m.State("DECIDE"):
                with m.If(header.valid):
                    m.next = "DROP"
                    with m.If(ways.any() & ~again & (record.local | (record.port != port))):
                        with m.If(record.ends):
                            m.d.sync += [self.limited.eq(self.limited + 1), latest[port].eq(self.number + (1 << 16))]
                        with m.Elif(came.options[1:3] != Content.WHOLE):
                            m.d.sync += [self.oversized.eq(self.oversized + 1), latest[port].eq(self.number + (1 << 16))]
                        with m.Else():
                            m.next = "SEND"

            with m.State("SEND"):
                m.d.comb += [self.o.header.valid.eq(1), header.ready.eq(self.o.header.ready)]
                m.d.sync += sends.eq(1)
                with m.If(self.o.header.ready):
                    m.d.sync += [latest[port].eq(self.number + (1 << 16)), self.sent.eq(self.sent + 1)]
                    m.next = "BODY"
            with m.State("DROP"):
                m.d.comb += header.ready.eq(1)
                m.d.sync += sends.eq(0)
                m.next = "BODY"
                with m.If(came.length == 0):
                    m.next = "DECIDE"

            with m.State("BODY"):
                m.d.comb += [self.o.body.valid.eq(body.valid & sends), body.ready.eq(self.o.body.ready | ~sends)]
                with m.If(body.valid & body.ready & body.payload.last):
                    m.next = "DECIDE"
        return m
