"""A broker under the cyclic policy: the modes of the thesis, with the holes closed as ``docs/network.md`` says.

In each step it does one thing of its mode: it registers a subscription (nPnS), matches a publication (nPoS), forwards a
subscription (oPoS), or clears its tables (oPnS); then its mode takes one edge at most. What comes from elsewhere is buffered, and
what is on its way back is sent on, at once and in any mode.

Publications that wait for the first time and those retained from earlier cycles are one list. Each cycle matches it from its beginning;
at the end of the cycle all but the latest ``retained`` processed ones leave it.
"""

from collections import deque
from dataclasses import dataclass, replace

from hdl.config import BrokerConfig
from hdl.contract import Code, Kind, Refusal
from sim.golden import xpath
from sim.golden.network.codes import BID_MASK, SOLICIT_FLAG, AnyRefusal, Counter, NetworkRefusal
from sim.golden.network.documents import Documents, Expression
from sim.golden.network.forwarder import Forwarder
from sim.golden.network.frames import Message
from sim.golden.network.modes import Mode, Modes
from sim.golden.network.osid import Layout
from sim.golden.network.outlet import Outlet
from sim.golden.network.registry import Entry, Registry
from sim.golden.network.relay import Relay
from sim.golden.network.seen import Seen
from sim.golden.network.settings import Cyclic
from sim.golden.network.vrt import Route, RoutingTable

__all__ = ["CyclicBroker"]

_SOLICITATIONS = 64
"""Solicitations that a broker remembers to notice one that comes again."""


@dataclass(frozen=True)
class _Publication:
    message: Message
    identity: int
    """As in the aux of its ROUTE: the broker that answered << 8 | its number there modulo 256."""


class CyclicBroker:
    """One broker."""

    def __init__(
        self, bid: int, outlet: Outlet, documents: Documents, *, settings: Cyclic, config: BrokerConfig, neighbours: frozenset[int]
    ) -> None:
        self.bid = bid
        self.routes = RoutingTable(settings.routes)
        self.modes = Modes(config.subscriptions, gather=settings.gather, timeout=settings.timeout)
        self.registry = Registry(config, settings.raw_bytes)
        self.waiting: deque[Message] = deque()
        """Sa."""
        self.publications: list[_Publication] = []
        self._outlet = outlet
        self._documents = documents
        self._settings = settings
        self._config = config
        self._neighbours = neighbours
        self._layout = Layout(settings.bid_bits)
        self._forwarder = Forwarder(bid, outlet, self.routes, layout=self._layout, unique=settings.unique, neighbours=neighbours)
        self._relay = Relay(bid, outlet, neighbours)
        self._seen = Seen(_SOLICITATIONS)
        self._now = self._published = 0
        self._crowded = False
        self._routing = False
        """SRoA runs: sub_route_end is 0."""
        self._samples: dict[int, frozenset[int]] = {}
        """The t-SIDs that each sample of this cycle stands for, by its reference."""
        self._solicited: set[Expression] = set()

    # what comes

    def accept(self, message: Message, *, lease: int = 0) -> None:
        """A frame from this broker's own users; subscriptions end with their cycle, so there are no leases."""
        sid = message.osid.sid
        match message.kind:
            case Kind.SUBSCRIBE if sid == 0 or not message.osid.local:
                self._outlet.refuse(sid, Refusal.BAD_HEADER)
            case Kind.SUBSCRIBE:
                self._buffer(message)
            case Kind.UNSUBSCRIBE:
                self._unsubscribe(message)
            case Kind.PUBLISH:
                self._published += 1
                self._hold(_Publication(message, self.bid << 8 | self._published & 0xFF))
            case Kind.TOPOLOGY:
                self._topology(message)
            case _:
                self._outlet.count(Counter.UNEXPECTED, message.publication)

    def receive(self, message: Message, sender: int) -> None:
        """A frame from a neighbour."""
        match message.kind:
            case Kind.SUBSCRIBE:
                if self._admit(message, sender):
                    self._buffer(message)
            case Kind.SOLICIT:
                if self._admit(message, sender):
                    self._solicitation(message)
            case Kind.FORWARD | Kind.ROUTE if (message.kind is Kind.ROUTE) is message.osid.sample:
                ended = self._relay.take(message, sender)
                if ended is not None and ended.kind is Kind.FORWARD:
                    self._outlet.notify(ended.osid.sid, replace(ended, kind=Kind.NOTIFY))
                elif ended is not None:
                    self._return(ended)
            case Kind.RESULT:
                self._answered(message, sender)
            case _:
                self._outlet.count(Counter.UNEXPECTED, message.publication)

    def _admit(self, message: Message, sender: int) -> bool:
        """Whether a neighbour's subscription may be registered here."""
        path = message.osid.path
        if not path or path[-1] != sender:
            self._outlet.count(Counter.NOT_SENDER)
            return False
        if len(path) >= self._layout.brokers:
            self._answer(message, NetworkRefusal.PATH_FULL)
            return False
        if self._settings.unique and self.bid in path:
            self._answer(message, NetworkRefusal.LOOP)
            return False
        return True

    def _answer(self, message: Message, code: AnyRefusal) -> None:
        if message.osid.local:
            self._outlet.refuse(message.osid.sid, code)
        else:
            self._outlet.send(message.osid.last, Message(Kind.RESULT, message.osid, message.reference, code.value))

    def _buffer(self, message: Message) -> None:
        self.waiting.append(message)
        self.modes.buffered()

    def _unsubscribe(self, message: Message) -> None:
        for entry in self.registry:
            if (entry.message.osid, entry.message.reference) == (message.osid, message.reference):
                self.registry.remove(entry)
                return self.modes.cancelled()
        for one in self.waiting:
            if (one.osid, one.reference) == (message.osid, message.reference):
                self.waiting.remove(one)
                return self.modes.refused()
        return self._outlet.refuse(message.osid.sid, Refusal.UNKNOWN_SID)

    def _topology(self, message: Message) -> None:
        bid = message.aux & BID_MASK
        if bid not in self._neighbours:
            return self._outlet.refuse(0, NetworkRefusal.NOT_A_NEIGHBOUR)
        if message.remove:
            return self.routes.remove(message.body, bid)
        refused = self.routes.write(Route(message.body, bid, bool(message.aux & SOLICIT_FLAG)))
        return None if refused is None else self._outlet.refuse(0, refused)

    def _solicitation(self, message: Message) -> None:
        """Send a solicitation on at once, and register it."""
        if self._seen.again((message.osid.origin, message.reference)):
            return self._outlet.count(Counter.SAMPLES_REPEATED)
        try:
            query = xpath.compile(message.body, self._config)
        except xpath.Refused as refused:
            return self._answer(message, refused.code)
        self._forwarder.pass_on(message, query)
        return self._buffer(message)

    def _hold(self, publication: _Publication) -> None:
        self.publications.append(publication)
        self._count_publications()

    def _count_publications(self) -> None:
        self.modes.available(min(len(self.publications), self._settings.publications or len(self.publications)))

    def _return(self, message: Message) -> None:
        """A publication for a sample of this broker's has come; it is new unless it is still here."""
        if any(publication.identity == message.aux for publication in self.publications):
            self._outlet.count(Counter.DUPLICATES, message.publication)
        else:
            self._hold(_Publication(message, message.aux))

    def _answered(self, message: Message, sender: int) -> None:
        """A neighbour has refused a subscription that was sent to it: the next one named by the VRT is tried."""
        self._outlet.count(Counter.NEIGHBOUR_REFUSED)
        own_sample = message.osid.sample and message.osid.path == (self.bid,)
        for entry in self._crowd_of(message.reference) if own_sample else self.registry:
            if own_sample or (entry.message.osid.push(self.bid), entry.message.reference) == (message.osid, message.reference):
                entry.tried.add(sender)
                entry.routed = False

    def _crowd_of(self, reference: int) -> list[Entry]:
        """The mismatched subscriptions that a sample of this cycle stands for."""
        tsids = self._samples.get(reference, frozenset())
        return [entry for entry in self.registry.mismatched if entry.tsid in tsids]

    # what a step does

    @property
    def busy(self) -> bool:
        """Whether a step would change something; that the lifetime of samples runs out is not waited for."""
        modes = self.modes
        match modes.mode:
            case Mode.NOP:
                return bool(modes.sa)
            case Mode.NPNS:
                return bool(modes.sa or modes.s)
            case Mode.OPOS:
                return bool(modes.sa) or modes.p < modes.pmax or self._has_to_route()
            case _:
                return True

    def work(self) -> None:
        """One step."""
        self.pass_time(1)
        match self.modes.mode:
            case Mode.NPNS:
                self._register()
            case Mode.NPOS if self.modes.p < self.modes.pmax:
                self._match(self.publications[self.modes.p].message)
                self.modes.matching_end()
            case Mode.OPOS:
                self._route()
            case Mode.OPNS if self._routing and self._has_to_route():
                self._route()
            case Mode.OPNS:
                self._clear()
            case _:
                pass
        if self.modes.advance() and self.modes.mode is Mode.OPOS:
            self._crowded = len(self.registry.mismatched) >= self._settings.threshold and self.registry.commonality
            self._routing = True
        elif self.modes.mode in (Mode.NPOS, Mode.NPNS):
            self._routing = False

    def pass_time(self, units: int) -> None:
        """Let time pass for gathering, the timeout and the lifetimes of samples."""
        self._now += units
        self.modes.pass_time(units)
        if self._settings.lifetime:
            for entry in self.registry:
                if entry.foreign_sample and self._now - entry.born >= self._settings.lifetime:
                    self.registry.remove(entry)
                    self.modes.cancelled()
                    self._outlet.count(Counter.SAMPLES_EXPIRED)

    def _register(self) -> None:
        if not self.waiting:
            return
        message = self.waiting[0]
        try:
            expression = xpath.compile(message.body, self._config), message.semantics
            code = self._lacking(message, expression)
        except xpath.Refused as refused:
            code = refused.code
        if code is Refusal.NONE:
            self.registry.add(message, expression, self._now, relayed=message.kind is Kind.SOLICIT)
            self.modes.registered()
        elif self.modes.full:
            return
        else:
            self._answer(message, code)
            self.modes.refused()
        self.waiting.popleft()

    def _lacking(self, message: Message, expression: Expression) -> Refusal:
        """Why a subscription is not registered now; one that an empty broker could hold waits for the next cycle."""
        key = (message.osid, message.reference)
        if any((entry.message.osid, entry.message.reference) == key for entry in self.registry):
            return Refusal.DUPLICATE_SID
        lacking = self.registry.lacking(expression)
        self.modes.full = lacking is not None and len(self.registry) > 0
        return lacking or Refusal.NONE

    def _match(self, message: Message) -> None:
        """Match a publication: subscribers are notified, then other brokers' subscriptions answered, and samples last [T-Fig 5.22]."""
        code, found = self._documents.matched(message.body, self.registry.expressions)
        if code is not Code.OK:
            self._outlet.count(Counter.REJECTED, message.publication)
            return self._outlet.reject(message.publication, code)
        matched = set(found)
        hits = [entry for entry in self.registry if entry.expression in matched]
        for entry in hits:
            entry.matched = True
        for entry in sorted(hits, key=lambda entry: 0 if entry.message.osid.local else 1):
            if not entry.message.osid.sample:
                self._notify(entry, message)
        identity = self.publications[self.modes.p].identity
        origins: set[int] = set()
        for entry in hits:
            if entry.message.osid.sample and entry.message.osid.origin not in origins:
                origins.add(entry.message.osid.origin)
                self._return_to(entry, message, identity)
        return None

    def _notify(self, entry: Entry, message: Message) -> None:
        asked = entry.message
        body = self._documents.content(message.body, entry.expression, asked.content)
        note = replace(asked, kind=Kind.NOTIFY, body=body, aux=0, publication=message.publication)
        if asked.osid.local:
            self._outlet.notify(asked.osid.sid, note)
        else:
            self._outlet.send(asked.osid.last, replace(note, kind=Kind.FORWARD, osid=asked.osid.push(self.bid)))

    def _return_to(self, entry: Entry, message: Message, identity: int) -> None:
        """Answer a sample with the publication itself [T 5.4.3.5.2.1]."""
        if len(message.body) > self._config.xram_bytes:
            return self._outlet.count(Counter.TOO_LONG, message.publication)
        asked = entry.message
        whole = replace(
            asked, kind=Kind.ROUTE, osid=asked.osid.push(self.bid), aux=identity, body=message.body, publication=message.publication
        )
        return self._outlet.send(asked.osid.last, whole)

    # SRoA

    def _has_to_route(self) -> bool:
        return any(not entry.routed for entry in self.registry.mismatched) or self._to_solicit() is not None

    def _to_solicit(self) -> Entry | None:
        """A matched subscription that is to be asked for elsewhere too, and was not yet in this cycle."""
        if not any(route.solicit for route in self.routes):
            return None
        found = (entry for entry in self.registry if entry.matched and not entry.message.osid.sample)
        return next((entry for entry in found if entry.expression not in self._solicited), None)

    def _route(self) -> None:
        """Forward one mismatched subscription, or the sample of several; when none is left, one solicitation."""
        left = [entry for entry in self.registry.mismatched if not entry.routed]
        if not left:
            matched = self._to_solicit()
            if matched is not None:
                self._solicited.add(matched.expression)
                self._seen.again((self.bid, self._forwarder.solicit(matched)))
            return
        first = left[0]
        crowd = [entry for entry in left if self._settings.sampling == "literal" or entry.expression == first.expression]
        if self._crowded and (self._settings.sampling == "literal" or len(crowd) > 1):
            self._samples[self._forwarder.sample(first)] = frozenset(entry.tsid for entry in crowd)
        else:
            crowd = [first]
            self._forwarder.route(first)
        for entry in crowd:
            entry.routed = True

    def _clear(self) -> None:
        """Self-removal: the subscriptions go, and the publications that are not retained [T 5.4.3.4.1]."""
        for entry in self.registry.mismatched:
            if not entry.routed:
                self._outlet.count(Counter.EXPIRED_UNROUTED)
        for entry in self.registry:
            if entry.foreign_sample and not entry.matched:
                self._outlet.count(Counter.SAMPLES_EXPIRED)
        self.registry.clear()
        processed, fresh = self.publications[: self.modes.p], self.publications[self.modes.p :]
        self.publications = processed[max(0, len(processed) - self._settings.retained) :] + fresh
        self._samples.clear()
        self._solicited.clear()
        self.modes.cleared()
        self._count_publications()

    def link_down(self, neighbour: int) -> None:
        """Nothing is kept for a neighbour: the VRT's other entries serve, and what must go to it is counted as lost."""

    def held(self) -> list[int | None]:
        """The publications that have not been matched yet."""
        return [publication.message.publication for publication in self.publications[self.modes.p :]]
