"""Notification and publication re-routing [T-Fig 5.23]: in any mode, and without a look at SMT or CRT."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Kind
from hdl.routing.path import Identity, PathWalker
from hdl.shapes.routing import PORTS, Frames
from hdl.shapes.widths import ShortCount

__all__ = ["Relay", "port_of"]


def port_of(identity, bid):
    """Whether a neighbour has that identity, by port."""
    return Cat((bid != 0) & (bid == one) for one in identity.bids)


class _Target(enum.Enum, shape=2):
    """Where a frame goes."""

    ON = 0
    ENDED = 1
    NOWHERE = 2


class Relay(wiring.Component):
    """Sends FORWARD and ROUTE on their way back, one broker shorter; those that end here come out without a path.

    A path {.., Bd, own, Bu} of a frame from Bu becomes {.., Bd, own} on the port of Bd. A frame is dropped and counted when its path has
    fewer than two brokers or a gap, when the last but one is not this broker or the last not its sender, when Bd is not a neighbour, and
    when a FORWARD is for SID 0 or a ROUTE for another one.

    A frame without a body takes as many clocks as an o-SID has fields, and three more. The words of a body pass in the clock in which they
    come; a mark passes with them.

    Parameters
    ----------
    ports : int

    Members
    -------
    i : In(Frames())
        FORWARD and ROUTE, with the port that they come from.
    o : Out(Frames())
        Those on their way, with the port that they go to.
    o_ended : Out(Frames())
        Those for this broker: FORWARD for its subscriber, ROUTE for its samples.
    identity : In(Identity(ports))
    misrouted : Out(ShortCount)
    """

    def __init__(self, *, ports: int):
        self._ports = ports
        super().__init__(
            {
                "i": In(Frames()),
                "o": Out(Frames()),
                "o_ended": Out(Frames()),
                "identity": In(Identity(ports)),
                "misrouted": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.walker = walker = PathWalker(ports=self._ports)
        wiring.connect(m, wiring.flipped(self.identity), walker.identity)
        header, facts = self.i.header.payload, walker.o.payload
        target, onward = Signal(_Target), Signal(range(PORTS))
        sender, ways = Signal(8), Signal(self._ports)
        with m.Switch(header.port):
            for port, bid in enumerate(self.identity.bids):
                with m.Case(port):
                    m.d.comb += sender.eq(bid)
        wrong, ends = Signal(), Signal()
        m.d.comb += [
            ways.eq(port_of(self.identity, facts.third)),
            ends.eq(facts.count == 2),
            wrong.eq(
                (facts.count < 2)
                | facts.gap
                | (facts.before != self.identity.bid)
                | (facts.last != sender)
                | (~ends & ~ways.any())
                | ((header.kind == Kind.ROUTE) != (header.sid == 0))
            ),
            walker.i.payload.eq(header.path),
            self.o.header.payload.eq(header),
            self.o.header.payload.path.eq(facts.dropped),
            self.o.header.payload.port.eq(onward),
            self.o_ended.header.payload.eq(header),
            self.o_ended.header.payload.path.eq(0),
            self.o.body.payload.eq(self.i.body.payload),
            self.o_ended.body.payload.eq(self.i.body.payload),
        ]
        taken, passed = Signal(), Signal()
        m.d.comb += [self.i.header.ready.eq(taken), walker.o.ready.eq(taken)]

        with m.FSM():
            # Waits for a header.
            with m.State("HEADER"):
                m.d.comb += walker.i.valid.eq(self.i.header.valid)
                with m.If(self.i.header.valid & walker.i.ready):
                    m.next = "WALK"

            # Waits until the path has been taken apart.
            with m.State("WALK"):
                for port in range(self._ports):
                    with m.If(ways[port]):
                        m.d.sync += onward.eq(port)
                m.d.sync += target.eq(_Target.ON)
                with m.If(ends):
                    m.d.sync += target.eq(_Target.ENDED)
                with m.If(wrong):
                    m.d.sync += target.eq(_Target.NOWHERE)
                with m.If(walker.o.valid):
                    m.next = "SEND"

            # Hands the header on, or drops it.
            with m.State("SEND"):
                with m.Switch(target):
                    with m.Case(_Target.ON):
                        m.d.comb += [self.o.header.valid.eq(1), taken.eq(self.o.header.ready)]
                    with m.Case(_Target.ENDED):
                        m.d.comb += [self.o_ended.header.valid.eq(1), taken.eq(self.o_ended.header.ready)]
                    with m.Default():
                        m.d.comb += taken.eq(1)
                        m.d.sync += self.misrouted.eq(self.misrouted + 1)
                with m.If(taken):
                    m.next = "BODY"
                    with m.If(header.length == 0):
                        m.next = "HEADER"

            # The body follows its header.
            with m.State("BODY"):
                with m.Switch(target):
                    with m.Case(_Target.ON):
                        m.d.comb += [self.o.body.valid.eq(self.i.body.valid), passed.eq(self.o.body.ready)]
                    with m.Case(_Target.ENDED):
                        m.d.comb += [self.o_ended.body.valid.eq(self.i.body.valid), passed.eq(self.o_ended.body.ready)]
                    with m.Default():
                        m.d.comb += passed.eq(1)
                m.d.comb += self.i.body.ready.eq(passed)
                with m.If(self.i.body.valid & passed & self.i.body.payload.last):
                    m.next = "HEADER"
        return m
