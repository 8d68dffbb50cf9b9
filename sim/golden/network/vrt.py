"""The vicinity routing table [T 5.4.3.6.1]: where subscriptions about something go.

An entry is X and the BID of a neighbour, written by ``top(X, BID)``. X is a name, ``@name=value``, or ``*`` for everything; no blanks
around it. The filters of a subscription are looked up in this order:

1. ``@name=value`` of each test for an equal value, the tests of the last step first;
2. the name of a final attribute step, then the names of the steps, the last one first;
3. ``*``.

A name or value is compared byte by byte with what stands in the expression; a number is looked up as it is spelled there. Of one X's
entries the one written first that may be used is taken; writing an entry again keeps its place.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sim.golden.chars import is_name_char, is_name_start
from sim.golden.network.codes import NetworkRefusal
from sim.golden.query import Operator, Query, Subject

__all__ = ["ALL", "Route", "RoutingTable", "criteria", "is_criterion"]

ALL = b"*"


@dataclass(frozen=True)
class Route:
    """An entry; with ``solicit`` what matches here is asked for there too [T 5.4.6]."""

    x: bytes
    bid: int
    solicit: bool = False


def _is_name(text: bytes) -> bool:
    try:
        points = [ord(character) for character in text.decode()]
    except UnicodeDecodeError:
        return False
    whole = bool(points) and is_name_start(points[0]) and all(is_name_char(point) for point in points)
    return whole and text.count(b":") < 2 and not text.startswith(b":") and not text.endswith(b":")


def is_criterion(x: bytes) -> bool:
    """Whether X is a name, ``@name=value`` or ``*``."""
    if x.startswith(b"@"):
        name, equals, _ = x[1:].partition(b"=")
        return bool(equals) and _is_name(name)
    return x == ALL or _is_name(x)


def criteria(query: Query) -> Iterator[bytes]:
    """What is looked up for a subscription, in order, without ``*``."""
    for step in reversed(query.steps):
        for test in step.tests:
            if test.subject is Subject.ATTRIBUTE and test.operator is Operator.EQ:
                yield b"@" + test.name + b"=" + test.literal
    if query.attribute is not None:
        yield query.attribute
    for step in reversed(query.steps):
        if step.name is not None:
            yield step.name


class RoutingTable:
    """The entries of one broker, at most ``entries`` of them."""

    def __init__(self, entries: int = 64) -> None:
        self._limit = entries
        self._routes: dict[tuple[bytes, int], Route] = {}

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes.values())

    def __len__(self) -> int:
        return len(self._routes)

    def write(self, route: Route) -> NetworkRefusal | None:
        """Add an entry or change its flag; the reason when it cannot be taken."""
        if not is_criterion(route.x):
            return NetworkRefusal.BAD_TOPOLOGY
        if (route.x, route.bid) not in self._routes and len(self._routes) >= self._limit:
            return NetworkRefusal.FULL_ROUTES
        self._routes[route.x, route.bid] = route
        return None

    def remove(self, x: bytes, bid: int) -> None:
        """Take an entry out; nothing happens when there is none."""
        self._routes.pop((x, bid), None)

    def hits(self, query: Query, usable: Callable[[Route], bool] = lambda route: True) -> Iterator[Route]:
        """The usable entries for a subscription in order of preference, those for ``*`` last."""
        for x in (*dict.fromkeys(criteria(query)), ALL):
            yield from (route for route in self._routes.values() if route.x == x and usable(route))

    def known(self, query: Query) -> frozenset[int]:
        """Every neighbour in whose direction there may be something: those named for a filter of the subscription, or for ``*`` where
        no filter has an entry."""
        asked = set(criteria(query))
        named = frozenset(route.bid for route in self if route.x in asked)
        return named or frozenset(route.bid for route in self if route.x == ALL)
