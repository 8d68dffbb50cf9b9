"""A broker with its router: a node of a network under the steady policy."""

from dataclasses import replace

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.broker import Broker
from hdl.lookup import RouteLookup
from hdl.routing.router import Router, RouterSettings
from hdl.shapes.publication import DocumentWord
from hdl.shapes.routing import FrameHeader, Frames, LinkWord

__all__ = ["RoutedBroker"]

_COUNTS = ("lost", "misrouted", "refusals", "broken")


class RoutedBroker(wiring.Component):
    """Subscriptions and publications in, notifications out, here and at any broker of the network [T 5.2].

    Parameters
    ----------
    config : BrokerConfig
        As the broker's users see it; ``links`` at most 3, because neighbours have one of their own.
    ports : int
        Neighbours at most.

    Members
    -------
    publication, subscription, skeleton, result, verdict, notification, clear, cleared
        Those of :class:`hdl.broker.Broker`.
    topology, topology_result : In(Frames()), Out(stream.Signature(FrameHeader))
        See :class:`hdl.lookup.RouteLookup`.
    i_link, o_link, carrier, settings, up, settled, joined, and counts
        Those of :class:`hdl.routing.router.Router`.
    registered, begun, finished : Out
        Subscriptions held, those of neighbours included; publications that have begun to enter the broker, and those that have been
        notified, modulo 65536.
    """

    def __init__(self, config, *, ports: int = 4, routes: int = 64):
        self._config = replace(config, links=config.links + 1)
        self._ports = ports
        self._routes = routes
        self._router = Router(self._config, ports=ports)
        self._broker = Broker(self._config, routing=True)
        router, broker = self._router.signature.members, self._broker.signature.members
        self._own = ("publication", "subscription", "result", "verdict")
        self._shown = ("carrier", "up", "settled", "joined", *_COUNTS, "duplicates", "sent", "limited", "oversized")
        word, link = stream.Signature(DocumentWord), stream.Signature(LinkWord)
        super().__init__(
            {
                **{name: router[name] for name in (*self._own, *self._shown)},
                **{name: broker[name] for name in ("skeleton", "clear", "cleared", "registered", "begun", "finished")},
                "notification": Out(word).array(config.links),
                "topology": In(Frames()),
                "topology_result": Out(stream.Signature(FrameHeader)),
                "i_link": In(link).array(ports),
                "o_link": Out(link).array(ports),
                "settings": In(RouterSettings(ports)),
                "entries": Out(range(routes + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.router = router = self._router
        m.submodules.broker = broker = self._broker
        m.submodules.lookup = lookup = RouteLookup(self._config, ports=self._ports, routes=self._routes)
        for source, sink in (
            (wiring.flipped(self.publication), router.publication),
            (wiring.flipped(self.subscription), router.subscription),
            (wiring.flipped(self.skeleton), broker.skeleton),
            (router.result, wiring.flipped(self.result)),
            (router.verdict, wiring.flipped(self.verdict)),
            (router.o_publication, broker.publication),
            (router.o_subscription, broker.subscription),
            (broker.result, router.i_result),
            (broker.verdict, router.i_verdict),
            (broker.notification[-1], router.i_notification),
            *((broker.notification[link], wiring.flipped(self.notification[link])) for link in range(len(self.notification))),
            (router.o_fetch, broker.i_fetch),
            (broker.o_fetch, router.i_fetch),
            (router.o_text, lookup.i_text),
            (lookup.o_hit, router.i_hit),
            (wiring.flipped(self.topology), lookup.i_topology),
            (lookup.o_result, wiring.flipped(self.topology_result)),
            (wiring.flipped(self.settings), router.settings),
            *((wiring.flipped(self.i_link[port]), router.i_link[port]) for port in range(self._ports)),
            *((router.o_link[port], wiring.flipped(self.o_link[port])) for port in range(self._ports)),
        ):
            wiring.connect(m, source, sink)
        m.d.comb += [
            router.step.eq(broker.step),
            router.finished.eq(broker.finished),
            router.carrier.eq(self.carrier),
            broker.clear.eq(self.clear),
            lookup.identity.bid.eq(self.settings.bid),
            lookup.identity.bits.eq(self.settings.bits),
            *(mine.eq(given) for mine, given in zip(lookup.identity.bids, self.settings.bids, strict=True)),
            self.entries.eq(lookup.entries),
            *(getattr(self, name).eq(getattr(broker, name)) for name in ("cleared", "registered", "begun", "finished")),
        ]
        for name in self._shown[1:]:
            ours, theirs = getattr(self, name), getattr(router, name)
            m.d.comb += [here.eq(there) for here, there in zip(ours, theirs, strict=True)] if name in _COUNTS else ours.eq(theirs)
        return m
