"""Conditions on properties with three values: true, false, and None for unknown [JMS 3.8.1.2, SQL-92]."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from sim.golden.languages import like
from sim.golden.languages.message import Value

__all__ = ["COMPARISONS", "And", "Comparison", "Condition", "Constant", "Flag", "In", "IsNull", "Like", "Not", "Or", "Size", "compare"]

Properties: TypeAlias = Mapping[str, Value]

Size: TypeAlias = tuple[int, int]
"""Conjunctions of a disjunctive normal form, and the tests in all of them."""

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Condition(Protocol):
    """What a condition can be asked."""

    def evaluate(self, given: Properties) -> bool | None: ...

    def size(self, *, negated: bool) -> Size:
        """That of its normal form, or of that of its negation, with every ``NOT`` brought down to the tests."""
        ...


def compare(left: Value, sign: str, right: Value) -> bool:
    """Two values that are both there; those of unlike types compare as false whatever the sign [JMS 3.8.1.1]."""
    return type(left) is type(right) and COMPARISONS[sign](left, right)


class _Test:
    """A condition that is one test of the normal form."""

    __slots__ = ()

    def size(self, *, negated: bool) -> Size:
        return 1, 1


@dataclass(frozen=True, slots=True)
class Constant:
    """A condition that no property decides."""

    value: bool

    def evaluate(self, given: Properties) -> bool | None:
        return self.value

    def size(self, *, negated: bool) -> Size:
        return int(self.value is not negated), 0


@dataclass(frozen=True, slots=True)
class Flag(_Test):
    """A property as a condition; one that is no boolean is false."""

    name: str

    def evaluate(self, given: Properties) -> bool | None:
        value = given.get(self.name)
        return None if value is None else value is True


@dataclass(frozen=True, slots=True)
class Comparison(_Test):
    """A property compared with a constant."""

    name: str
    sign: str
    constant: Value

    def evaluate(self, given: Properties) -> bool | None:
        value = given.get(self.name)
        return None if value is None else compare(value, self.sign, self.constant)


@dataclass(frozen=True, slots=True)
class Like(_Test):
    """A string against a pattern; a value that is no string is false."""

    name: str
    pattern: like.Pattern

    def evaluate(self, given: Properties) -> bool | None:
        value = given.get(self.name)
        return None if value is None else isinstance(value, str) and like.matches(self.pattern, value)


@dataclass(frozen=True, slots=True)
class In:
    """A string among several; a value that is no string is false."""

    name: str
    strings: frozenset[str]

    def evaluate(self, given: Properties) -> bool | None:
        value = given.get(self.name)
        return None if value is None else isinstance(value, str) and value in self.strings

    def size(self, *, negated: bool) -> Size:
        return (1 if negated else len(self.strings)), len(self.strings)


@dataclass(frozen=True, slots=True)
class IsNull(_Test):
    """Whether a property is missing; never unknown."""

    name: str

    def evaluate(self, given: Properties) -> bool | None:
        return self.name not in given


@dataclass(frozen=True, slots=True)
class Not:
    """Unknown stays unknown."""

    condition: Condition

    def evaluate(self, given: Properties) -> bool | None:
        value = self.condition.evaluate(given)
        return None if value is None else not value

    def size(self, *, negated: bool) -> Size:
        return self.condition.size(negated=not negated)


def _together(left: Size, right: Size) -> Size:
    """The normal form of a conjunction: every conjunction of one side with every one of the other."""
    return left[0] * right[0], left[1] * right[0] + right[1] * left[0]


def _either(left: Size, right: Size) -> Size:
    return left[0] + right[0], left[1] + right[1]


@dataclass(frozen=True, slots=True)
class And:
    """False where one side is false, else unknown where one is unknown."""

    left: Condition
    right: Condition

    def evaluate(self, given: Properties) -> bool | None:
        both = self.left.evaluate(given), self.right.evaluate(given)
        return False if False in both else None if None in both else True

    def size(self, *, negated: bool) -> Size:
        return (_either if negated else _together)(self.left.size(negated=negated), self.right.size(negated=negated))


@dataclass(frozen=True, slots=True)
class Or:
    """True where one side is true, else unknown where one is unknown."""

    left: Condition
    right: Condition

    def evaluate(self, given: Properties) -> bool | None:
        both = self.left.evaluate(given), self.right.evaluate(given)
        return True if True in both else None if None in both else False

    def size(self, *, negated: bool) -> Size:
        return (_together if negated else _either)(self.left.size(negated=negated), self.right.size(negated=negated))
