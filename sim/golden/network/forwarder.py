"""The subscription forwarder: SRoA [T-Fig 5.24], samples of crowds, and solicitations [T 5.4.6].

Whatever it sends has this broker pushed onto the o-SID; body, flags and reference stay as they came, but a sample or a solicitation
made here is {0|own} with a reference of its own. A neighbour may be chosen when its link is up and it is not on the path; where BIDs
are not unique, when it is not the last one there.
"""

from collections.abc import Callable
from dataclasses import replace

from hdl.contract import Kind
from sim.golden.network.codes import Counter
from sim.golden.network.frames import Message
from sim.golden.network.osid import Layout, OSid
from sim.golden.network.outlet import Outlet
from sim.golden.network.registry import Entry
from sim.golden.network.vrt import Route, RoutingTable
from sim.golden.query import Query

__all__ = ["Forwarder"]


class Forwarder:
    """The forwarder of one broker."""

    def __init__(self, bid: int, outlet: Outlet, routes: RoutingTable, *, layout: Layout, unique: bool, neighbours: frozenset[int]) -> None:
        self._bid = bid
        self._outlet = outlet
        self._routes = routes
        self._layout = layout
        self._unique = unique
        self._neighbours = neighbours
        self._references = 0

    def _usable(self, osid: OSid) -> Callable[[int], bool]:
        barred = {*osid.path, self._bid} if self._unique else {osid.last}
        return lambda bid: bid not in barred and self._outlet.linked(bid)

    def _choice(self, entry: Entry) -> int:
        """The neighbour to which a mismatched subscription goes, 0 when there is none."""
        usable = self._usable(entry.message.osid)
        hits = self._routes.hits(entry.expression[0], lambda route: usable(route.bid) and route.bid not in entry.tried)
        return next((route.bid for route in hits), 0)

    def route(self, entry: Entry) -> None:
        """Send a mismatched subscription on."""
        osid = entry.message.osid.push(self._bid)
        if len(osid.path) > self._layout.carried:
            self._outlet.count(Counter.PATH_FULL)
        else:
            self._send(entry, replace(entry.message, kind=Kind.SUBSCRIBE, osid=osid))

    def sample(self, entry: Entry) -> int:
        """Send a sample of the crowd that the entry stands for; its reference."""
        sample = replace(entry.message, kind=Kind.SUBSCRIBE, osid=self._own(), reference=self._reference())
        self._send(entry, sample)
        return sample.reference

    def _send(self, entry: Entry, message: Message) -> None:
        neighbour = self._choice(entry)
        if not entry.raw:
            self._outlet.count(Counter.RAW_DROPPED)
        elif not neighbour:
            self._outlet.count(Counter.NO_ROUTE)
        else:
            self._outlet.send(neighbour, message)

    def solicit(self, entry: Entry) -> int:
        """Ask for more of what the entry matches, where the VRT says so; the reference of the solicitation, 0 when it does not."""
        usable = self._usable(entry.message.osid)
        ordered: Callable[[Route], bool] = lambda route: route.solicit and usable(route.bid)  # noqa: E731
        hit = next(self._routes.hits(entry.expression[0], ordered), None)
        if hit is None or not entry.raw:
            return 0
        message = replace(entry.message, kind=Kind.SOLICIT, osid=self._own(), reference=self._reference())
        self._outlet.send(hit.bid, message)
        return message.reference

    def pass_on(self, message: Message, query: Query) -> None:
        """Send a solicitation on: where the VRT says, or else to every neighbour that it has not met."""
        osid = message.osid.push(self._bid)
        if len(osid.path) > self._layout.carried:
            self._outlet.count(Counter.PATH_FULL)
            return
        usable = self._usable(message.osid)
        hit = next(self._routes.hits(query, lambda route: usable(route.bid)), None)
        for neighbour in sorted(filter(usable, self._neighbours)) if hit is None else [hit.bid]:
            self._outlet.send(neighbour, replace(message, osid=osid))

    def _own(self) -> OSid:
        return OSid(0, (self._bid,))

    def _reference(self) -> int:
        self._references += 1
        return self._references
