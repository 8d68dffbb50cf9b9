"""The router of the steady policy: what stands between a broker, its users and its neighbours."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Kind
from hdl.routing.copies import CopySender
from hdl.routing.forwarder import Forwarder, ForwardOp, Outcome
from hdl.routing.frames import FrameReader, FramesMux, FrameWriter
from hdl.routing.gate import PublicationGate
from hdl.routing.interests import Interests
from hdl.routing.link import FrameMux, LinkReceiver, LinkSender
from hdl.routing.members import MemberTable
from hdl.routing.path import Identity
from hdl.routing.sorter import FrameSorter
from hdl.shapes.program import TextByte
from hdl.shapes.publication import DocumentWord
from hdl.shapes.publication import Outcome as PublicationOutcome
from hdl.shapes.routing import LinkWord, RouteHit
from hdl.shapes.subscription import SubscriptionResult
from hdl.shapes.widths import ShortCount, step_width, tsid_width
from hdl.stream import StreamFifo

__all__ = ["OwnSubscriptions", "Router", "RouterSettings"]


class RouterSettings(wiring.Signature):
    """What the registers say: who this broker and its neighbours are, and how long things take in clocks.

    ===============  ==========================================================================
    member           meaning
    ===============  ==========================================================================
    bid, bits        this broker's identity, and the bits of one
    bids             the neighbours' by port, 0 for none
    tree             by port: the link belongs to the tree
    hop_limit        brokers that a publication may cross, 0 for any number
    epoch            another one after each reset, so that publications are not taken for old ones
    hello_period     between two HELLO; 0 for none
    hello_patience   without a word from a neighbour until its link is down; 0 for any time
    link_patience    that a word may wait for a neighbour; 0 for any time
    ===============  ==========================================================================
    """

    def __init__(self, ports: int):
        super().__init__(
            {
                "bid": Out(8),
                "bits": Out(4),
                "bids": Out(8).array(ports),
                "tree": Out(ports),
                "hop_limit": Out(8),
                "epoch": Out(8),
                **dict.fromkeys(("hello_period", "hello_patience", "link_patience"), Out(32)),
            }
        )


class OwnSubscriptions(wiring.Component):
    """The frames of this broker's own subscribers, who cannot have crossed a broker: a frame with a path goes on without it, and with a
    length that makes it malformed.

    Members
    -------
    i, o : In(stream.Signature(DocumentWord)), Out(stream)
        A word a clock, in the clock in which it comes.
    """

    i: In(stream.Signature(DocumentWord))
    o: Out(stream.Signature(DocumentWord))

    def elaborate(self, platform):
        m = Module()
        word, given = self.i.payload, self.o.payload
        index, crossed = Signal(range(6)), Signal()
        m.d.comb += [self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready), given.eq(word)]
        with m.Switch(index):
            with m.Case(1):
                m.d.comb += given.data.eq(word.data[:8])
            with m.Case(2):
                m.d.comb += given.data.eq(0)
            with m.Case(4):
                with m.If(crossed):
                    m.d.comb += given.data.eq(0xFFFFFFFF)
        with m.If(self.i.valid & self.o.ready):
            m.d.sync += index.eq(Mux(index == 5, index, index + 1))
            m.d.sync += crossed.eq(crossed | ((index == 1) & word.data[8:].any()) | ((index == 2) & word.data.any()))
            with m.If(word.last):
                m.d.sync += [index.eq(0), crossed.eq(0)]
        return m


class Router(wiring.Component):
    """Joins a broker to its neighbours by the steady policy. The broker has one link more than its subscribers see: the last one is that of
    its neighbours' interests.

    Parameters
    ----------
    config : BrokerConfig
        Of the broker.
    ports : int
    window : int
        Publications that are remembered.

    Members
    -------
    publication, subscription : In(stream.Signature(DocumentWord))
    result, verdict : Out(stream)
        This broker's own users.
    o_publication, o_subscription, i_result, i_verdict, i_notification : streams
        The broker's own; the notifications are those of the last link.
    o_fetch, i_fetch, step, finished
        Raw frames; the last bit of the run of the subscription accepted last; publications notified: the broker's.
    o_text, i_hit : Out(stream.Signature(TextByte)), In(stream.Signature(RouteHit))
        See :class:`hdl.lookup.RouteLookup`.
    i_link, o_link, carrier : In(stream.Signature(LinkWord)).array(ports), Out(stream).array(ports), In(ports)
        The links to the neighbours.
    settings : In(RouterSettings(ports))
    up, settled, joined : Out(ports)
        Links that are up; neighbours whose interests are complete; neighbours that are told of interests.
    lost, misrouted, refusals, broken : Out(ShortCount).array(ports)
    duplicates, sent, limited, oversized : Out(ShortCount)
        See the units that count them.
    """

    def __init__(self, config, *, ports: int, window: int = 64):
        Identity(ports)
        self._config = config
        self._ports = ports
        self._window = window
        word, link = stream.Signature(DocumentWord), stream.Signature(LinkWord)
        result, verdict = stream.Signature(SubscriptionResult(config)), stream.Signature(PublicationOutcome(config))
        super().__init__(
            {
                "publication": In(word),
                "subscription": In(word),
                "result": Out(result),
                "verdict": Out(verdict),
                "o_publication": Out(word),
                "o_subscription": Out(word),
                "i_result": In(result),
                "i_verdict": In(verdict),
                "i_notification": In(word),
                "o_fetch": Out(stream.Signature(tsid_width(config))),
                "i_fetch": In(word),
                "step": In(step_width(config)),
                "finished": In(16),
                "o_text": Out(stream.Signature(TextByte)),
                "i_hit": In(stream.Signature(RouteHit)),
                "i_link": In(link).array(ports),
                "o_link": Out(link).array(ports),
                "carrier": In(ports),
                "settings": In(RouterSettings(ports)),
                **dict.fromkeys(("up", "settled", "joined"), Out(ports)),
                **dict.fromkeys(("lost", "misrouted", "refusals", "broken"), Out(ShortCount).array(ports)),
                **dict.fromkeys(("duplicates", "sent", "limited", "oversized"), Out(ShortCount)),
            }
        )

    @property
    def _copy_words(self) -> int:
        """Words of the longest copy of a publication."""
        return self._config.xram_bytes // 4 + 5

    def elaborate(self, platform):
        m = Module()
        config, ports, settings = self._config, self._ports, self.settings
        identity = Identity(ports).create()
        m.d.comb += [
            identity.bid.eq(settings.bid),
            identity.bits.eq(settings.bits),
            identity.unique.eq(1),
            identity.up.eq(self.up),
            *(mine.eq(given) for mine, given in zip(identity.bids, settings.bids, strict=True)),
        ]

        def join(*pairs):
            for source, sink in pairs:
                wiring.connect(m, source, sink)

        def knows(unit):
            """The unit's identity is the router's."""
            m.d.comb += [getattr(unit.identity, name).eq(getattr(identity, name)) for name in ("bid", "bits", "unique", "up")]
            m.d.comb += [there.eq(here) for there, here in zip(unit.identity.bids, identity.bids, strict=True)]
            return unit

        m.submodules.members = members = knows(MemberTable(config, ports=ports))
        m.submodules.interests = interests = Interests(config, ports=ports)
        m.submodules.forwarder = forwarder = knows(Forwarder(config, ports=ports))
        m.submodules.gate = gate = knows(PublicationGate(config, ports=ports, window=self._window))
        m.submodules.copies = copies = knows(CopySender(ports=ports))
        m.submodules.own = own = OwnSubscriptions()
        m.submodules.routes = routes = FramesMux(streams=ports)
        m.submodules.subscriptions = subscriptions = FramesMux(streams=ports + 1)
        m.submodules.subscribed = subscribed = FrameWriter()
        m.submodules.registered = registered = FrameMux(streams=2)
        m.submodules.notified = notified = FrameReader()
        writers = {}
        for name in ("copied", "forwarded", "refused"):
            m.submodules[name] = writers[name] = FrameWriter()

        # The ports, each with a queue for copies of publications.
        queues = []
        for port in range(ports):
            m.submodules[f"receiver{port}"] = receiver = LinkReceiver()
            m.submodules[f"reader{port}"] = reader = FrameReader(port=port)
            m.submodules[f"sorter{port}"] = sorter = knows(FrameSorter(ports=ports, port=port))
            m.submodules[f"sender{port}"] = sender = LinkSender()
            m.submodules[f"mux{port}"] = mux = FrameMux(streams=len(writers))
            # Room for a copy beside one that waits, and for what of that is still on its way when its publication has been notified.
            m.submodules[f"queue{port}"] = queue = StreamFifo(LinkWord, 2 * self._copy_words + 32)
            queues.append(queue)
            join(
                (wiring.flipped(self.i_link[port]), receiver.i),
                (receiver.o, reader.i),
                (reader.o, sorter.i),
                (sorter.o_publication, routes.i[port]),
                (sorter.o_subscription, subscriptions.i[port]),
                (queue.o, mux.i[0]),
                (mux.o, sender.i),
                (sender.o, wiring.flipped(self.o_link[port])),
            )
            m.d.comb += [
                receiver.carrier.eq(self.carrier[port]),
                receiver.patience.eq(settings.hello_patience),
                self.up[port].eq(receiver.up & (settings.bids[port] != 0)),
                sorter.up.eq(receiver.up),
                sorter.hold.eq(members.holds[port]),
                members.busy[port].eq(sorter.busy),
                self.settled[port].eq(sorter.settled),
                sender.carrier.eq(self.carrier[port]),
                sender.up.eq(self.up[port]),
                sender.bid.eq(settings.bid),
                sender.neighbour.eq(settings.bids[port]),
                sender.period.eq(settings.hello_period),
                sender.patience.eq(settings.link_patience),
                self.lost[port].eq(sender.lost),
                self.misrouted[port].eq(sorter.misrouted),
                self.refusals[port].eq(sorter.refusals),
                self.broken[port].eq(reader.broken),
            ]

        # What units send goes to the port that its header names.
        for place, (name, writer) in enumerate(writers.items()):
            for port in range(ports):
                way = queues[port].i if name == "copied" else getattr(m.submodules, f"mux{port}").i[place]
                m.d.comb += [way.valid.eq(writer.o.valid & (writer.port == port)), way.payload.eq(writer.o.payload)]
                with m.If(writer.port == port):
                    m.d.comb += writer.o.ready.eq(way.ready)
        refused = writers["refused"].i.header
        join((copies.o, writers["copied"].i), (forwarder.o, writers["forwarded"].i), (members.o_refusal, refused))

        # Subscriptions: those of neighbours ask for whole publications on the last link.
        came, given = subscriptions.o.header.payload, subscribed.i.header.payload
        lane = Const(config.links - 1, 4)
        subscribes = came.kind == Kind.SUBSCRIBE
        m.d.comb += [
            subscribed.i.header.valid.eq(subscriptions.o.header.valid),
            subscriptions.o.header.ready.eq(subscribed.i.header.ready),
            given.eq(came),
            given.high.eq(0),
            given.options.eq(Cat(came.options[0], Mux(subscribes, Content.WHOLE, 0)[:2], came.options[3], lane)),
        ]
        join(
            (subscriptions.o.body, subscribed.i.body),
            (members.o_cancel, subscriptions.i[ports]),
            (wiring.flipped(self.subscription), own.i),
            (subscribed.o, registered.i[1]),
            (wiring.flipped(self.i_result), members.i),
            (members.o, wiring.flipped(self.result)),
            (members.o_change, interests.i),
        )
        m.d.comb += [
            *_worded(own.o, registered.i[0]),
            *_worded(registered.o, self.o_subscription),
            members.step.eq(self.step),
            members.tree.eq(settings.tree),
            self.joined.eq(interests.joined),
        ]

        # Interests on their way out: one at a time, and the mark behind them.
        task, job = interests.o.payload, forwarder.i.payload
        m.d.comb += [
            forwarder.i.valid.eq(interests.o.valid & ~task.settled),
            interests.o.ready.eq(forwarder.i.ready | task.settled),
            job.op.eq(Mux(task.withdraw, ForwardOp.WITHDRAW, ForwardOp.INTEREST)),
            job.tsid.eq(task.tsid),
            job.port.eq(task.port),
            job.reference.eq(task.number),
            interests.i_sent.valid.eq(forwarder.o_result.valid),
            interests.i_sent.payload.eq(forwarder.o_result.payload.outcome == Outcome.SENT),
            forwarder.o_result.ready.eq(interests.i_sent.ready),
        ]
        told = Signal(ports)
        for port in range(ports):
            with m.If(interests.o.valid & task.settled & (task.port == port)):
                m.d.sync += told[port].eq(1)
            with m.If(~self.joined[port]):
                m.d.sync += told[port].eq(0)
            m.d.comb += getattr(m.submodules, f"sender{port}").settled.eq(told[port])
        join(
            (forwarder.o_fetch, wiring.flipped(self.o_fetch)),
            (wiring.flipped(self.i_fetch), forwarder.i_fetch),
            (forwarder.o_text, wiring.flipped(self.o_text)),
            (wiring.flipped(self.i_hit), forwarder.i_hit),
        )

        # Publications, and their copies.
        join(
            (wiring.flipped(self.publication), gate.i_local),
            (routes.o, gate.i_routed),
            (gate.o, wiring.flipped(self.o_publication)),
            (wiring.flipped(self.i_verdict), gate.i_verdict),
            (gate.o_verdict, wiring.flipped(self.verdict)),
            (notified.o, copies.i),
        )
        room = Signal(ports)
        m.d.sync += room.eq(Cat(queue.level <= self._copy_words for queue in queues))
        m.d.comb += [
            *_worded(self.i_notification, notified.i),
            gate.hop_limit.eq(settings.hop_limit),
            gate.epoch.eq(settings.epoch),
            gate.shares.eq(settings.tree.any()),
            gate.room.eq(room),
            routes.begins.eq(gate.begins),
            gate.finished.eq(self.finished),
            gate.number.eq(copies.number),
            copies.record.eq(gate.record),
            self.duplicates.eq(gate.duplicates),
            *(getattr(self, name).eq(getattr(copies, name)) for name in ("sent", "limited", "oversized")),
        ]
        return m


def _worded(source, sink):
    """Connects a stream of words of documents with one of words of frames, either way."""
    return [
        *(getattr(sink.payload, name).eq(getattr(source.payload, name)) for name in ("data", "count", "last")),
        sink.valid.eq(source.valid),
        source.ready.eq(sink.ready),
    ]
