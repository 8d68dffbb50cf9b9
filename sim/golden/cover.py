"""Identity and covering between subscriptions [T 5.4.2].

In the thesis's words the filter ``a > 5`` covers the filter ``a > 2``, because what matches the first matches the second.
:func:`implies` says so of whole subscriptions under exact semantics: every document that matches the first matches the
second. It is sound: it may miss such a pair, but never names a wrong one. It looks for a mapping of the second expression
into the first: each step on a step that is at least as strict, kept in line by the axes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from itertools import pairwise
from typing import TypeAlias

from sim.golden.match import comparison
from sim.golden.number import exact
from sim.golden.query import Axis, Query, Subject, Test

__all__ = ["covers", "identical", "implies"]

_Sample: TypeAlias = tuple[bytes, Decimal | None]
_UNLIKE = b"\xff"
"""Not UTF-8, so like no literal."""
_WIDE = Context(prec=300)
"""Exact for sums and halves of numbers of 64 bytes."""


def identical(first: Query, second: Query) -> bool:
    """Whether two subscriptions are the same expression but for white space, quotes, the order of tests, the spelling of
    numbers, and a leading ``/``; such subscriptions share every filter."""
    return first.canonical == second.canonical


def covers(first: Query, second: Query) -> bool:
    """Whether ``first`` covers ``second`` as the thesis uses the word: see :func:`implies`, which this is."""
    return implies(first, second)


def implies(first: Query, second: Query) -> bool:
    """Whether every document that matches ``first`` certainly matches ``second``, where neither puts it over a limit."""
    hosts, guests = list(_nodes(first)), _asked(second)
    if any(_contradictory(host.tests) for host in hosts):
        return True
    places = {-1}
    for guest in guests:
        places = {place for place in range(len(hosts)) if _fits(guest, hosts[place]) and _reached(guest, hosts, places, place)}
        if not places:
            return False
    return True


@dataclass(frozen=True)
class _Node:
    """An element that an expression asks for: ``least`` levels below the one before (the document node for the first), or
    with ``deeper`` any number more."""

    name: bytes | None
    least: int
    deeper: bool
    tests: tuple[Test, ...]


def _nodes(query: Query) -> Iterator[_Node]:
    presence = () if query.attribute is None else (Test(Subject.ATTRIBUTE, query.attribute),)
    for number, step in enumerate(query.steps, start=1):
        own = presence if number == len(query.steps) and query.attribute_axis is Axis.CHILD else ()
        yield _Node(step.name, 1, step.axis is Axis.DESCENDANT, step.tests + own)
    if query.attribute_axis is Axis.DESCENDANT:
        yield _Node(None, 0, True, presence)


def _asked(query: Query) -> list[_Node]:
    """The nodes of an expression that must be found: a ``*`` without tests is only a level between others, and at the end it
    asks for something at least as deep."""
    asked = []
    least, deeper = 0, False
    nodes = list(_nodes(query))
    for node in nodes:
        least, deeper = least + node.least, deeper or node.deeper
        level = node.name is None and not node.tests
        if not level or node is nodes[-1]:
            asked.append(replace(node, least=least, deeper=deeper or level))
            least, deeper = 0, False
    return asked


def _reached(guest: _Node, hosts: list[_Node], places: Iterable[int], place: int) -> bool:
    """Whether the host at ``place`` is as far below one of ``places`` as the guest asks."""
    for before in places:
        way = hosts[before + 1 : place + 1]
        distance = sum(host.least for host in way)
        if guest.deeper:
            if before <= place and distance >= guest.least:
                return True
        elif before < place and distance == guest.least and not any(host.deeper for host in way):
            return True
    return False


def _fits(guest: _Node, host: _Node) -> bool:
    """Whether every element that the host stands for is one that the guest asks for."""
    return (guest.name is None or guest.name == host.name) and all(_implied(test, host.tests) for test in guest.tests)


def _implied(test: Test, given: tuple[Test, ...]) -> bool:
    """Whether a test holds on every element on which all the given ones hold.

    An attribute or a string-value is one value, so all tests of it count together; of text nodes there may be several, so
    each given test counts alone.
    """
    same = [other for other in given if (other.subject, other.name) == (test.subject, test.name)]
    if test.subject is Subject.TEXT:
        return any(_follows(test, [other]) for other in same)
    if test.subject is Subject.ATTRIBUTE and not same:
        return False
    return _follows(test, same)


def _contradictory(tests: tuple[Test, ...]) -> bool:
    """Whether no element passes the tests, seen subject by subject."""
    groups: dict[tuple[Subject, bytes, int], list[Test]] = {}
    for number, test in enumerate(tests):
        alone = number if test.subject is Subject.TEXT else -1
        groups.setdefault((test.subject, test.name, alone), []).append(test)
    return any(not any(_all_hold(group, sample) for sample in _samples(group)) for group in groups.values())


def _follows(test: Test, given: list[Test]) -> bool:
    """Whether the test holds for every single value for which all the given ones hold."""
    holds = comparison(test)
    return all(holds(*sample) for sample in _samples([*given, test]) if _all_hold(given, sample))


def _all_hold(tests: Iterable[Test], sample: _Sample) -> bool:
    return all(comparison(test)(*sample) for test in tests)


def _samples(tests: Iterable[Test]) -> Iterator[_Sample]:
    """One value, with its number, of each kind that the tests can tell apart: each literal string, and, spelled like none of
    them, a value that is no number, each literal's number, and numbers below, between and above those."""
    points = set()
    for test in tests:
        number = test.number if test.numeric else exact(test.literal)
        if not test.numeric:
            yield test.literal, number
        if number is not None:
            points.add(number)
    edges = sorted(points) or [Decimal(0)]
    between = (_WIDE.divide(_WIDE.add(low, high), Decimal(2)) for low, high in pairwise(edges))
    outside = (_WIDE.subtract(edges[0], Decimal(1)), _WIDE.add(edges[-1], Decimal(1)))
    for number in (None, *edges, *between, *outside):
        yield _UNLIKE, number
