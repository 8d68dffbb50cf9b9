"""The frames of a neighbour, by what is to be done with them."""

from amaranth.hdl import Module, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Kind
from hdl.routing.path import Identity, lone
from hdl.shapes.routing import Frames
from hdl.shapes.widths import ShortCount

__all__ = ["FrameSorter"]


class _Target(enum.Enum, shape=2):
    NOWHERE = 0
    RELAY = 1
    PUBLICATION = 2
    SUBSCRIPTION = 3


class FrameSorter(wiring.Component):
    """Gives each frame of a neighbour to the unit that it is for; a header and the words of a body pass in the clock in which they come,
    after one clock for the decision.

    ===============================  ==============================================
    frame                            goes to
    ===============================  ==============================================
    FORWARD, ROUTE, if ``cyclic``    relay
    ROUTE                            publications
    SUBSCRIBE, UNSUBSCRIBE           subscriptions, unless they are held
    HELLO                            nowhere: ``settled`` is what it said last
    RESULT                           nowhere: a refusal, which is counted
    any other                        nowhere: counted as ``misrouted``
    ===============================  ==============================================

    Under the steady policy a subscription is an interest: one whose path has another broker than the neighbour, or a SID, is misrouted.

    Parameters
    ----------
    ports, port : int
        The neighbours, and which one this is.

    Members
    -------
    i : In(Frames())
    o_relay, o_publication, o_subscription : Out(Frames())
    cyclic : In(1)
        The policy.
    hold : In(1)
        Subscriptions that have not begun to be handed over wait.
    up : In(1)
        While it is 0 nothing is settled.
    identity : In(Identity(ports))
    settled : Out(1)
    busy : Out(1)
        A subscription is being handed over.
    refusals, misrouted : Out(ShortCount)
    """

    def __init__(self, *, ports: int, port: int):
        self._ports = ports
        self._port = port
        super().__init__(
            {
                "i": In(Frames()),
                **dict.fromkeys(("o_relay", "o_publication", "o_subscription"), Out(Frames())),
                **dict.fromkeys(("cyclic", "hold", "up"), In(1)),
                "identity": In(Identity(ports)),
                "settled": Out(1),
                "busy": Out(1),
                "refusals": Out(ShortCount),
                "misrouted": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        header, body = self.i.header, self.i.body
        kind = header.payload.kind
        neighbour = self.identity.bids[self._port]
        target = Signal(_Target)
        alone, taken, passed = Signal(), Signal(), Signal()
        m.d.comb += alone.eq((header.payload.path == lone(self.identity, neighbour)) & (header.payload.sid == 0))
        ways = {_Target.RELAY: self.o_relay, _Target.PUBLICATION: self.o_publication, _Target.SUBSCRIPTION: self.o_subscription}
        for way in ways.values():
            m.d.comb += [way.header.payload.eq(header.payload), way.body.payload.eq(body.payload)]

        subscribes = (kind == Kind.SUBSCRIBE) | (kind == Kind.UNSUBSCRIBE)
        with m.FSM() as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("DECIDE") & (target == _Target.SUBSCRIPTION))

            # Decides on a header.
            with m.State("DECIDE"):
                m.d.sync += target.eq(_Target.NOWHERE)
                with m.If(header.valid & ~(self.hold & subscribes)):
                    m.next = "HEADER"
                    with m.Switch(kind):
                        with m.Case(Kind.FORWARD):
                            with m.If(self.cyclic):
                                m.d.sync += target.eq(_Target.RELAY)
                            with m.Else():
                                m.d.sync += self.misrouted.eq(self.misrouted + 1)
                        with m.Case(Kind.ROUTE):
                            m.d.sync += target.eq(_Target.PUBLICATION)
                            with m.If(self.cyclic):
                                m.d.sync += target.eq(_Target.RELAY)
                        with m.Case(Kind.SUBSCRIBE, Kind.UNSUBSCRIBE):
                            with m.If(self.cyclic | alone):
                                m.d.sync += target.eq(_Target.SUBSCRIPTION)
                            with m.Else():
                                m.d.sync += self.misrouted.eq(self.misrouted + 1)
                        with m.Case(Kind.HELLO):
                            m.d.sync += self.settled.eq(header.payload.options[0])
                        with m.Case(Kind.RESULT):
                            m.d.sync += self.refusals.eq(self.refusals + 1)
                        with m.Default():
                            m.d.sync += self.misrouted.eq(self.misrouted + 1)

            # Hands it over.
            with m.State("HEADER"):
                with m.Switch(target):
                    for this, way in ways.items():
                        with m.Case(this):
                            m.d.comb += [way.header.valid.eq(1), taken.eq(way.header.ready)]
                    with m.Default():
                        m.d.comb += taken.eq(1)
                m.d.comb += header.ready.eq(taken)
                with m.If(taken):
                    m.next = "BODY"
                    with m.If(header.payload.length == 0):
                        m.next = "DECIDE"

            with m.State("BODY"):
                with m.Switch(target):
                    for this, way in ways.items():
                        with m.Case(this):
                            m.d.comb += [way.body.valid.eq(body.valid), passed.eq(way.body.ready)]
                    with m.Default():
                        m.d.comb += passed.eq(1)
                m.d.comb += body.ready.eq(passed)
                with m.If(body.valid & passed & body.payload.last):
                    m.next = "DECIDE"
        with m.If(~self.up):
            m.d.sync += self.settled.eq(0)
        return m
