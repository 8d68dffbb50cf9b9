"""A broker under the steady policy.

- A subscription lives until it is cancelled, its lease ends, or the broker is reset. Interests are forwarded at registration, once
  for each neighbour and expression, as SUBSCRIBE {0|own}; the last member to go withdraws them with UNSUBSCRIBE, which names the
  reference of the SUBSCRIBE. New interests go out before old ones are withdrawn.
- The neighbours are those for which the VRT has ``*``: the loop-free tree that the topology entity writes. An entry for something
  else narrows the way of what asks for it, and never adds a neighbour.
- ``top(*, BID)`` for a neighbour begins the exchange: the full set of interests, then MARKER, which waits until the markers of all other
  neighbours with which an exchange is under way have come, so that it speaks for what is behind them too. A TOPOLOGY frame that says
  that more follow begins nothing yet.
- When a link goes down, the neighbour's interests become stale: they go at the neighbour's next MARKER, or when its ``*`` is taken out.
  Until then they say what is missed, so that each publication for them is counted as lost. The neighbour is used again from its next
  ``top(*, BID)`` on.
- A publication is matched in every broker that it reaches: each matching subscriber is notified and each neighbour with a match, but
  for the one it came from, gets it once, as ROUTE {0|origin} with ``reference`` = epoch << 24 | number and ``aux`` = links left.
  ``epoch`` counts the starts of the origin, so that a number is not taken for one from before its reset.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hdl.config import BrokerConfig
from hdl.contract import Code, Kind, Refusal
from sim.golden import xpath
from sim.golden.network.codes import BID_MASK, MORE_FLAG, SOLICIT_FLAG, Counter, NetworkKind, NetworkRefusal
from sim.golden.network.documents import Documents, Expression
from sim.golden.network.frames import Message
from sim.golden.network.interests import Interests
from sim.golden.network.osid import OSid
from sim.golden.network.outlet import Outlet
from sim.golden.network.room import Room
from sim.golden.network.seen import Seen
from sim.golden.network.settings import Steady
from sim.golden.network.vrt import ALL, Route, RoutingTable

__all__ = ["SteadyBroker"]

_NUMBERS = 1 << 24


@dataclass
class _Local:
    expression: Expression
    message: Message
    lease: int


class SteadyBroker:
    """One broker; ``epoch`` is how often it was started before."""

    busy = False
    """Every frame is dealt with as it comes."""

    def __init__(
        self,
        bid: int,
        outlet: Outlet,
        documents: Documents,
        *,
        settings: Steady,
        config: BrokerConfig,
        neighbours: frozenset[int],
        epoch: int,
    ) -> None:
        self.bid = bid
        self.routes = RoutingTable(settings.routes)
        self.interests = Interests(covering=settings.covering)
        self.joined: set[int] = set()
        """Neighbours that the VRT has ``*`` for and whose link has been up since."""
        self.pending: set[int] = set()
        """Those of them whose MARKER has not come yet."""
        self.ready = not neighbours
        """Whether every neighbour's interests have been known at some time since the start."""
        self._more = False
        """The topology entity has not told the whole of a change."""
        self._owed: set[int] = set()
        """Neighbours that wait for this broker's MARKER."""
        self._marked: set[int] = set()
        """Neighbours whose MARKER has come since their link is up."""
        self._outlet = outlet
        self._documents = documents
        self._settings = settings
        self._config = config
        self._neighbours = neighbours
        self._epoch = epoch
        self._locals: dict[tuple[int, int], _Local] = {}
        self._sent: dict[int, dict[Expression, int]] = {}
        self._room = Room(config)
        self._seen = Seen(settings.window)
        self._published = 0

    # what subscribers, publishers and the topology entity send

    def accept(self, message: Message, *, lease: int = 0) -> None:
        """A frame from this broker's own users; ``lease`` is how long a subscription lives, 0 for ever."""
        match message.kind:
            case Kind.SUBSCRIBE:
                self._subscribe(message, lease)
            case Kind.UNSUBSCRIBE:
                self._unsubscribe((message.osid.sid, message.reference), message.osid.sid)
            case Kind.PUBLISH:
                self._publish(message)
            case Kind.TOPOLOGY:
                self._topology(message)
            case _:
                self._outlet.count(Counter.UNEXPECTED, message.publication)

    def _subscribe(self, message: Message, lease: int) -> None:
        key, sid = (message.osid.sid, message.reference), message.osid.sid
        if sid == 0 or not message.osid.local:
            return self._outlet.refuse(sid, Refusal.BAD_HEADER)
        try:
            expression = xpath.compile(message.body, self._config), message.semantics
        except xpath.Refused as refused:
            return self._outlet.refuse(sid, refused.code)
        known = self._locals.get(key)
        if known is not None:
            if known.expression != expression or not lease:
                return self._outlet.refuse(sid, Refusal.DUPLICATE_SID)
            known.lease = lease
            return None
        lacking = self._room.lacking(expression)
        if lacking is not None:
            return self._outlet.refuse(sid, lacking)
        self._room.add(expression)
        self._locals[key] = _Local(expression, message, lease)
        self.interests.hold(expression).locals.add(key)
        return self._update()

    def _unsubscribe(self, key: tuple[int, int], sid: int) -> None:
        local = self._locals.pop(key, None)
        if local is None:
            return self._outlet.refuse(sid, Refusal.UNKNOWN_SID)
        self._room.remove(local.expression)
        self.interests.hold(local.expression).locals.discard(key)
        return self._update()

    def pass_time(self, units: int) -> None:
        """Let the leases of subscriptions run."""
        for key, local in list(self._locals.items()):
            if local.lease:
                local.lease -= min(units, local.lease)
                if not local.lease:
                    self._outlet.count(Counter.LEASES_ENDED)
                    self._unsubscribe(key, key[0])

    def _topology(self, message: Message) -> None:
        bid = message.aux & BID_MASK
        if bid not in self._neighbours:
            return self._outlet.refuse(0, NetworkRefusal.NOT_A_NEIGHBOUR)
        self._more = bool(message.aux & MORE_FLAG)
        if message.remove:
            self.routes.remove(message.body, bid)
            if message.body == ALL:
                self._leave(bid)
            return self._update()
        refused = self.routes.write(Route(message.body, bid, bool(message.aux & SOLICIT_FLAG)))
        if refused is not None:
            return self._outlet.refuse(0, refused)
        if message.body == ALL and bid not in self.joined and self._outlet.linked(bid):
            self.joined.add(bid)
            self._owed.add(bid)
            if bid not in self._marked:
                self.pending.add(bid)
        self._update()
        return self._mark()

    # the tree

    def _mark(self) -> None:
        """Send the markers that are due."""
        if self._more:
            return
        for neighbour in sorted(self._owed):
            if self.pending <= {neighbour}:
                self._owed.discard(neighbour)
                self._outlet.send(neighbour, Message(NetworkKind.MARKER, OSid(0, (self.bid,))))
        self.ready = self.ready or bool(self.joined and not self.pending)

    def _part(self, neighbour: int) -> None:
        """The neighbour is no longer one of the tree's."""
        for those in (self.joined, self.pending, self._owed, self._marked):
            those.discard(neighbour)
        self._sent.pop(neighbour, None)

    def _leave(self, neighbour: int) -> None:
        if neighbour in self.joined:
            for reference in self._sent.get(neighbour, {}).values():
                self._outlet.send(neighbour, Message(Kind.UNSUBSCRIBE, OSid(0, (self.bid,)), reference))
        self._part(neighbour)
        self._drop_stale(neighbour)
        self._mark()

    def link_down(self, neighbour: int) -> None:
        """The link to a neighbour is gone."""
        self._part(neighbour)
        for one in self.interests.classes.values():
            if neighbour in one.neighbours:
                one.stale.add(neighbour)
        self._mark()

    def _drop_stale(self, neighbour: int) -> None:
        for expression, one in list(self.interests.classes.items()):
            if neighbour in one.stale:
                self._drop(expression, neighbour)

    def _drop(self, expression: Expression, neighbour: int) -> None:
        one = self.interests.classes[expression]
        one.stale.discard(neighbour)
        del one.neighbours[neighbour]
        self._room.remove(expression)

    # what neighbours send

    def receive(self, message: Message, sender: int) -> None:
        """A frame from a neighbour."""
        match message.kind:
            case Kind.SUBSCRIBE:
                self._interest(message, sender)
            case Kind.UNSUBSCRIBE:
                self._withdrawal(message, sender)
            case NetworkKind.MARKER:
                self.pending.discard(sender)
                self._marked.add(sender)
                self._drop_stale(sender)
                self._update()
                self._mark()
            case Kind.ROUTE:
                self._routed(message, sender)
            case Kind.RESULT:
                self._outlet.count(Counter.NEIGHBOUR_REFUSED)
            case _:
                self._outlet.count(Counter.UNEXPECTED, message.publication)

    def _interest(self, message: Message, sender: int) -> None:
        try:
            expression = xpath.compile(message.body, self._config), message.semantics
        except xpath.Refused as refused:
            return self._answer(message, sender, refused.code)
        held = self.interests.classes.get(expression)
        if held is None or sender not in held.neighbours:
            lacking = self._room.lacking(expression)
            if lacking is not None:
                return self._answer(message, sender, lacking)
            self._room.add(expression)
        one = self.interests.hold(expression)
        one.neighbours[sender] = message.reference
        one.stale.discard(sender)
        return self._update()

    def _answer(self, message: Message, sender: int, code: Refusal) -> None:
        self._outlet.send(sender, Message(Kind.RESULT, message.osid, message.reference, aux=code))

    def _withdrawal(self, message: Message, sender: int) -> None:
        expression = self.interests.of(sender, message.reference)
        if expression is None:
            return self._outlet.count(Counter.UNKNOWN_INTEREST)
        self._drop(expression, sender)
        return self._update()

    def _update(self) -> None:
        """Tell each neighbour of the tree what it must know by now and does not, then what it need not know any more."""
        self.interests.prune()
        for neighbour in sorted(self.joined):
            sent = self._sent.setdefault(neighbour, {})
            wanted = self.interests.wanted(neighbour, lambda expression, to=neighbour: to in self._towards(expression))  # type: ignore[misc]
            for expression in wanted:
                if expression not in sent:
                    sent[expression] = _free(sent.values())
                    query, semantics = expression
                    interest = Message(Kind.SUBSCRIBE, OSid(0, (self.bid,)), sent[expression], 0, query.text, semantics)
                    self._outlet.send(neighbour, interest)
            for expression in [known for known in sent if known not in set(wanted)]:
                self._outlet.send(neighbour, Message(Kind.UNSUBSCRIBE, OSid(0, (self.bid,)), sent.pop(expression)))

    def _towards(self, expression: Expression) -> frozenset[int]:
        known = self.routes.known(expression[0])
        return known & self.joined or frozenset(self.joined)

    # publications

    def _publish(self, message: Message) -> None:
        reference = (self._epoch % 256) << 24 | self._published % _NUMBERS
        self._published += 1
        routed = replace(message, kind=Kind.ROUTE, osid=OSid(0, (self.bid,)), reference=reference, aux=self._settings.hop_limit)
        self._seen.again((self.bid, reference))
        self._distribute(routed, sender=0)

    def _routed(self, message: Message, sender: int) -> None:
        if self._seen.again((message.osid.origin, message.reference)):
            return self._outlet.count(Counter.DUPLICATES, message.publication)
        return self._distribute(message, sender)

    def _distribute(self, message: Message, sender: int) -> None:
        if not self.ready and any(map(self._outlet.linked, self._neighbours)):
            self._outlet.count(Counter.LOST_UNREADY, message.publication)
        code, found = self._documents.matched(message.body, self.interests.classes)
        if code is not Code.OK:
            self._outlet.count(Counter.REJECTED, message.publication)
            return self._outlet.reject(message.publication, code)
        classes = [self.interests.classes[expression] for expression in found]
        for key in sorted(key for one in classes for key in one.locals):
            self._notify(key, message)
        onward = replace(message, aux=message.aux - 1)
        for neighbour in sorted({neighbour for one in classes for neighbour in one.neighbours} - {sender}):
            if not any(neighbour in one.neighbours.keys() - one.stale for one in classes):
                self._outlet.count(Counter.LOST_NO_LINK, message.publication)
            elif message.aux == 0:
                self._outlet.count(Counter.LOST_HOPS, message.publication)
            else:
                self._outlet.send(neighbour, onward)
        return None

    def _notify(self, key: tuple[int, int], message: Message) -> None:
        local = self._locals[key]
        asked = local.message
        body = self._documents.content(message.body, local.expression, asked.content)
        note = Message(
            Kind.NOTIFY, asked.osid, asked.reference, 0, body, content=asked.content, link=asked.link, publication=message.publication
        )
        self._outlet.notify(asked.osid.sid, note)

    def work(self) -> None:
        """Nothing waits in this policy."""

    def held(self) -> list[int | None]:
        """No publication waits either."""
        return []


def _free(taken: Iterable[int]) -> int:
    """The lowest number that is not taken."""
    used = set(taken)
    return next(number for number in range(1, len(used) + 2) if number not in used)
