"""Filters on properties by counting, as SFF does: what a value satisfies is looked up in an index, and a filter matches when all of its
constraints were counted [Carzaniga and Wolf, Forwarding in a Content-Based Network; P 5]."""

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal

from sim.golden.languages.filter import Constraint, Operator, Predicate
from sim.golden.languages.message import Message, Value

__all__ = ["CountingTable"]


class _Index:
    """The constraints on one name, by operator, each with its number."""

    def __init__(self) -> None:
        self.present: list[int] = []
        self.equal: defaultdict[tuple[type[Value], Value], list[int]] = defaultdict(list)
        self.unequal: defaultdict[type[Value], list[tuple[Value, int]]] = defaultdict(list)
        self.thresholds: defaultdict[Operator, list[tuple[Decimal, int]]] = defaultdict(list)
        """In rising order, so that those that a number satisfies are the first ones or the last ones."""
        self.patterns: defaultdict[Operator, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.lengths: defaultdict[Operator, set[int]] = defaultdict(set)

    def add(self, constraint: Constraint, number: int) -> None:
        asked, literal = constraint.operator, constraint.literal
        if literal is None:
            self.present.append(number)
        elif asked is Operator.EQ:
            self.equal[type(literal), literal].append(number)
        elif asked is Operator.NE:
            self.unequal[type(literal)].append((literal, number))
        elif isinstance(literal, str):
            self.patterns[asked][literal].append(number)
            self.lengths[asked].add(len(literal))
        else:
            insort(self.thresholds[asked], (Decimal(literal), number))

    def satisfied(self, value: Value) -> Iterator[int]:
        """The numbers of the constraints that a property with that value satisfies."""
        yield from self.present
        yield from self.equal.get((type(value), value), ())
        yield from (number for literal, number in self.unequal.get(type(value), ()) if literal != value)
        if isinstance(value, Decimal):
            yield from self._ordered(value)
        elif isinstance(value, str):
            for asked, pieces in self._pieces(value):
                yield from self.patterns[asked].get(pieces, ())

    def _ordered(self, value: Decimal) -> Iterator[int]:
        for asked, thresholds in self.thresholds.items():
            if asked is Operator.GT:
                found = thresholds[: bisect_left(thresholds, (value,))]
            elif asked is Operator.GE:
                found = thresholds[: bisect_right(thresholds, value, key=lambda pair: pair[0])]
            elif asked is Operator.LT:
                found = thresholds[bisect_right(thresholds, value, key=lambda pair: pair[0]) :]
            else:
                found = thresholds[bisect_left(thresholds, (value,)) :]
            yield from (number for _, number in found)

    def _pieces(self, value: str) -> Iterator[tuple[Operator, str]]:
        """Every distinct piece of the value that some pattern may be."""
        for length in self.lengths[Operator.PREFIX]:
            if length <= len(value):
                yield Operator.PREFIX, value[:length]
        for length in self.lengths[Operator.SUFFIX]:
            if length <= len(value):
                yield Operator.SUFFIX, value[len(value) - length :]
        for length in self.lengths[Operator.SUBSTRING]:
            for piece in {value[start : start + length] for start in range(len(value) - length + 1)}:
                yield Operator.SUBSTRING, piece


class CountingTable:
    """A set of predicates by SID. A constraint that several filters share is evaluated once."""

    def __init__(self, predicates: Mapping[int, Predicate]) -> None:
        self._indices: defaultdict[str, _Index] = defaultdict(_Index)
        self._users: list[list[int]] = []
        """By constraint: the filters that it is part of."""
        self._sizes: list[int] = []
        """By filter: its distinct constraints."""
        self._owners: list[int] = []
        """By filter: the SID of its predicate."""
        numbers: dict[tuple[type, Constraint], int] = {}
        for sid, predicate in predicates.items():
            for each in predicate.filters:
                distinct = {(type(one.literal), one): one for one in each}
                for key, constraint in distinct.items():
                    if key not in numbers:
                        numbers[key] = len(self._users)
                        self._users.append([])
                        self._indices[constraint.name].add(constraint, numbers[key])
                    self._users[numbers[key]].append(len(self._sizes))
                self._sizes.append(len(distinct))
                self._owners.append(sid)

    def find(self, message: Message) -> set[int]:
        """The SIDs of the predicates that match."""
        counts: Counter[int] = Counter()
        found: set[int] = set()
        for name, value in message.properties.items():
            index = self._indices.get(name)
            for constraint in index.satisfied(value) if index else ():
                for each in self._users[constraint]:
                    if self._owners[each] in found:
                        continue
                    counts[each] += 1
                    if counts[each] == self._sizes[each]:
                        found.add(self._owners[each])
        return found
