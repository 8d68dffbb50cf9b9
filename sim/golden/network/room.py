"""What fits into a broker's content routing table, counted as the contract's limits count it.

Subscriptions count singly; steps, names, strings and numbers count once for all subscriptions that share them. The hardware packs the
steps of an expression into neighbouring bits and may be full a little earlier.
"""

from collections import Counter
from collections.abc import Hashable, Iterator

from hdl.config import BrokerConfig
from hdl.contract import Refusal
from sim.golden.network.documents import Expression
from sim.golden.query import Operator, Subject

__all__ = ["HIGH_COMMONALITY", "Room"]

HIGH_COMMONALITY = 32
"""Subscriptions with one name in common from which on the commonality degree is high [T 5.3.3.4]."""


def _names(expression: Expression) -> set[bytes]:
    query, _ = expression
    names = {step.name for step in query.steps if step.name is not None}
    names |= {test.name for step in query.steps for test in step.tests if test.subject is Subject.ATTRIBUTE}
    return names if query.attribute is None else names | {query.attribute}


def _parts(expression: Expression) -> Iterator[tuple[Refusal, Hashable]]:
    """The parts that take a place of their own unless another subscription has them too."""
    query, semantics = expression
    for place in range(query.size):
        yield Refusal.FULL_STEPS, (query.canonical, semantics, place)
    for name in _names(expression):
        yield Refusal.FULL_NAMES, name
    for step in query.steps:
        for test in step.tests:
            if test.operator is not Operator.NONE:
                where = test.name if test.subject is Subject.ATTRIBUTE else (test.subject, step.name)
                yield Refusal.FULL_VALUES, (where, test.operator, test.number) if test.numeric else test.literal


class Room:
    """The places taken in one broker."""

    def __init__(self, config: BrokerConfig) -> None:
        self._limits = {
            Refusal.FULL_STEPS: config.steps,
            Refusal.FULL_NAMES: config.names,
            Refusal.FULL_VALUES: config.values,
        }
        self._subscriptions = config.subscriptions
        self._members: Counter[Expression] = Counter()
        self._parts: dict[Refusal, Counter[Hashable]] = {code: Counter() for code in self._limits}
        self._visitors: Counter[bytes] = Counter()

    @property
    def taken(self) -> int:
        """Subscriptions registered."""
        return self._members.total()

    def lacking(self, expression: Expression) -> Refusal | None:
        """Which table has no room for one more subscription with this expression; None when it fits."""
        if self.taken >= self._subscriptions:
            return Refusal.FULL_SUBSCRIPTIONS
        if expression in self._members:
            return None
        new: Counter[Refusal] = Counter()
        for code, part in set(_parts(expression)):
            new[code] += part not in self._parts[code]
        return next((code for code, limit in self._limits.items() if len(self._parts[code]) + new[code] > limit), None)

    def add(self, expression: Expression) -> None:
        if expression not in self._members:
            for code, part in set(_parts(expression)):
                self._parts[code][part] += 1
        self._members[expression] += 1
        self._visitors.update(_names(expression))

    def remove(self, expression: Expression) -> None:
        self._members[expression] -= 1
        self._visitors.subtract(_names(expression))
        if self._members[expression]:
            return
        del self._members[expression]
        for code, part in set(_parts(expression)):
            self._parts[code][part] -= 1
            if not self._parts[code][part]:
                del self._parts[code][part]

    @property
    def commonality(self) -> bool:
        """Whether the commonality degree is high [T 5.3.3.4]."""
        return any(count >= HIGH_COMMONALITY for count in self._visitors.values())
