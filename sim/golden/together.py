"""All subscriptions of a set on a document at once: what several of them share is looked at once, and what cannot occur not at all.

The results are those of :func:`sim.golden.match.matches` and :func:`sim.golden.match.select` for each subscription by itself.
"""

from collections.abc import Iterable, Mapping, Set
from decimal import Decimal
from typing import NamedTuple

from hdl.config import BrokerConfig
from hdl.contract import Semantics
from sim.golden.events import Event
from sim.golden.match import Condition, Indexed, below, condition
from sim.golden.notify import attribute_span
from sim.golden.query import Axis, Operator, Query, Step, Subject

__all__ = ["Found", "Together"]

_NUMBERS = 1 << 16
"""Values of which the numbers are remembered from one document to the next."""


class Found(NamedTuple):
    """A subscription that matches: the elements that it selects, or that bear the ``attribute`` that it selects, in document order."""

    sid: int
    elements: list[int]
    attribute: bytes | None
    semantics: Semantics

    def content(self, index: Indexed) -> bytes:
        """What a notification carries of the selected nodes [T 5.3.4]."""
        if self.semantics is Semantics.CONTAINMENT:
            return b""
        source, bounds = index.source, [index.bounds[element] for element in self.elements]
        if self.attribute is not None:
            names = (index.labels[element] for element in self.elements)
            bounds = [attribute_span(start + 1 + len(name), self.attribute, source) for (start, _), name in zip(bounds, names, strict=True)]
        return b"".join([source[start:end] for start, end in bounds])


class _Filters:
    """The filters of a subscription with containment semantics, without its path [T 5.3.1]."""

    def __init__(self, query: Query) -> None:
        tests = [(step, test) for step in query.steps for test in step.tests]
        names = {step.name for step in query.steps} | {query.attribute} | {test.name for _, test in tests if test.operator is Operator.NONE}
        self.names = frozenset(name for name in names if name is not None)
        self._tests = [
            (None if test.subject is Subject.ATTRIBUTE else step.name, condition(test, query.config))
            for step, test in tests
            if test.operator is not Operator.NONE
        ]

    def occur(self, index: Indexed, occurring: Set[bytes]) -> bool:
        return self.names <= occurring and all(holds(index, index.named(owner)) for owner, holds in self._tests)


class _Place:
    """What has been walked of some paths: the ways on by name and axis, each with its tests, and the paths that end here."""

    def __init__(self) -> None:
        self.ways: dict[bytes | None, dict[Axis, dict[str, tuple[tuple[Condition, ...], _Place]]]] = {}
        self.ends: list[int] = []
        self.attributes: dict[tuple[Axis, bytes], list[int]] = {}

    def enter(self, step: Step, config: BrokerConfig) -> "_Place":
        """The place behind the step."""
        variants = self.ways.setdefault(step.name, {}).setdefault(step.axis, {})
        if step.canonical not in variants:
            variants[step.canonical] = (tuple(condition(test, config) for test in step.tests), _Place())
        return variants[step.canonical][1]


class Together:
    """A set of compiled subscriptions, by SID, for any number of documents."""

    def __init__(self, subscriptions: Mapping[int, tuple[Query, Semantics]]) -> None:
        self._subscriptions = dict(subscriptions)
        self._top = _Place()
        self._filters = {sid: _Filters(query) for sid, (query, semantics) in subscriptions.items() if semantics is Semantics.CONTAINMENT}
        self._numbers: dict[bytes, Decimal | None] = {}
        self._compared: dict[bytes | None, dict[Subject, BrokerConfig]] = {}
        for sid, (query, _) in subscriptions.items():
            place = self._top
            for step in query.steps:
                place = place.enter(step, query.config)
            if query.attribute is None:
                place.ends.append(sid)
            else:
                place.attributes.setdefault((query.attribute_axis, query.attribute), []).append(sid)
            for subject, name in query.compared:
                self._compared.setdefault(name, {})[subject] = query.config

    def index(self, events: Iterable[Event], source: bytes) -> Indexed:
        """A well-formed document laid out for the set, of which all subscriptions must have the same limits."""
        if len(self._numbers) > _NUMBERS:
            self._numbers.clear()
        return Indexed.of_events(events, source, self._numbers)

    def found(self, index: Indexed) -> list[Found]:
        """The subscriptions that match, by SID; raises :class:`sim.golden.match.NumberDigits`."""
        self._check_numbers(index)
        selected: dict[int, list[int]] = {}
        self._visit(self._top, index, [-1], selected)
        hits = {sid for sid in selected if sid not in self._filters}
        if self._filters:
            occurring = index.names.keys() | index.values.keys()
            hits.update(sid for sid, filters in self._filters.items() if filters.occur(index, occurring))
        results = []
        for sid in sorted(hits):
            query, semantics = self._subscriptions[sid]
            results.append(Found(sid, selected.get(sid, []), query.attribute, semantics))
        return results

    def _check_numbers(self, index: Indexed) -> None:
        occurring: Iterable[bytes | None] = (index.names.keys() | index.values.keys()) & self._compared.keys()
        for name in (*occurring, None) if None in self._compared else occurring:
            for subject, config in self._compared[name].items():
                index.check_place((subject, name), config)

    def _visit(self, place: _Place, index: Indexed, context: list[int], selected: dict[int, list[int]]) -> None:
        """Walks on from the elements of the context (-1 is the document node), all that are at the place."""
        if place.attributes:
            self._bear(place, index, context, selected)
        ways, names = place.ways, index.names
        known: Iterable[bytes | None] = ways.keys() & names.keys() if len(ways) > 8 else [name for name in ways if name in names]
        for name in (*known, None) if None in ways else known:
            for axis, variants in ways[name].items():
                reached = _reached(axis, name, index, context)
                if not reached:
                    continue
                for conditions, beyond in variants.values():
                    passing = reached
                    for holds in conditions:
                        passing = holds(index, passing)
                        if not passing:
                            break
                    else:
                        for sid in beyond.ends:
                            selected[sid] = passing
                        if beyond.ways or beyond.attributes:
                            self._visit(beyond, index, passing, selected)

    @staticmethod
    def _bear(place: _Place, index: Indexed, context: list[int], selected: dict[int, list[int]]) -> None:
        """The elements that bear the attributes with which paths end at the place."""
        for (axis, attribute), sids in place.attributes.items():
            if attribute in index.values:
                bearers = below(index, context, index.named(None), itself=True) if axis is Axis.DESCENDANT else context
                if bearers := [element for element in bearers if attribute in index.attributes[element]]:
                    selected.update(dict.fromkeys(sids, bearers))


def _reached(axis: Axis, name: bytes | None, index: Indexed, context: list[int]) -> list[int]:
    """The elements of that name that are children or descendants of the context's, in document order."""
    named = index.named(name)
    if axis is Axis.CHILD:
        parents = index.parents
        if len(context) == 1:
            (only,) = context
            return [element for element in named if parents[element] == only]
        above = set(context)
        return [element for element in named if parents[element] in above]
    if context[0] == -1:
        return list(named)
    return below(index, context, named, itself=False)
