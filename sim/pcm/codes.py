"""Values and constraints as integers: a constraint becomes an interval, and a value that lies in it satisfies it.

The literals that constraints compare a name with are sorted. A value's code tells where it stands among them: ``2 * i + 1`` when it is
literal ``i``, ``2 * i`` when it lies below literal ``i`` and above the one before. Numbers, strings and booleans have ranges of their
own: types never meet. Prefixes are intervals of sorted strings, suffixes are those of reversed strings. Each substring has a slot
of its own that says whether the value contains it.

A number has up to 15 significant digits and an exponent within that of a double, so doubles order numbers as decimals do.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sim.golden.languages import Value
from sim.golden.languages.filter import Constraint, Operator

__all__ = ["ABSENT", "Codes"]

ABSENT = -1
"""The code of a property that a message does not have."""

_STRINGS, _BOOLEANS, _TOP = 1 << 29, 1 << 30, (1 << 31) - 1
"""Codes of numbers are below those of strings, and these below those of booleans."""
_NOWHERE = -2
"""Neither a code nor an end of an interval."""
_CACHED = 1 << 16

_Slot: TypeAlias = tuple[str, str, str]
"""What a slot is about: ``value``, ``reversed`` or ``contains``, the name, and the substring of ``contains``."""


def _successor(prefix: str) -> str | None:
    """The least string that is above all strings with that prefix; None where there is none."""
    for length in range(len(prefix), 0, -1):
        point = ord(prefix[length - 1])
        if point < 0x10FFFF:
            return prefix[: length - 1] + chr(0xE000 if point == 0xD7FF else point + 1)
    return None


class Codes:
    """The codes of some distinct constraints, and of the values that are compared with them."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self._slots: dict[_Slot, int] = {}
        self._numbers: dict[str, list[float]] = {}
        self._strings: dict[int, list[str]] = {}
        self._patterns: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """By name: the substrings that are looked for, and their slots."""
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._known: dict[tuple[str, type[Value], Value], tuple[tuple[int, int], ...]] = {}
        self._sort(constraints)
        self._lengths = {name: tuple(sorted({len(one) for one in found})) for name, found in self._patterns.items()}
        columns = np.array([self._interval(one) for one in constraints] + [(0, _NOWHERE, _TOP, _NOWHERE)], dtype=np.int32).T
        self.slot: npt.NDArray[np.int32] = np.ascontiguousarray(columns[0])
        self.low: npt.NDArray[np.int32] = np.ascontiguousarray(columns[1])
        self.high: npt.NDArray[np.int32] = np.ascontiguousarray(columns[2])
        self.hole: npt.NDArray[np.int32] = np.ascontiguousarray(columns[3])
        """By constraint: it holds when ``low <= code <= high`` and the code is not ``hole``. One more at the end holds always."""

    @property
    def slots(self) -> int:
        """Codes of one message; at least one."""
        return max(len(self._slots), 1)

    def _slot(self, kind: str, name: str, pattern: str = "") -> int:
        return self._slots.setdefault((kind, name, pattern), len(self._slots))

    def _sort(self, constraints: Iterable[Constraint]) -> None:
        """Gives slots to all that is asked for, and sorts the literals."""
        numbers: defaultdict[str, set[float]] = defaultdict(set)
        strings: defaultdict[int, set[str]] = defaultdict(set)
        for one in constraints:
            plain = self._slot("value", one.name)
            if isinstance(one.literal, Decimal):
                numbers[one.name].add(float(one.literal))
            elif isinstance(one.literal, str):
                if one.operator is Operator.SUBSTRING:
                    self._patterns[one.name][one.literal] = self._slot("contains", one.name, one.literal)
                elif one.operator in (Operator.PREFIX, Operator.SUFFIX):
                    prefix, slot = self._prefix(one)
                    strings[slot].update(filter(None, (prefix, _successor(prefix))))
                else:
                    strings[plain].add(one.literal)
        self._numbers = {name: sorted(found) for name, found in numbers.items()}
        self._strings = {slot: sorted(found) for slot, found in strings.items()}

    def _prefix(self, one: Constraint) -> tuple[str, int]:
        """What the string of a slot begins with, and the slot."""
        assert isinstance(one.literal, str)
        if one.operator is Operator.SUFFIX:
            return one.literal[::-1], self._slot("reversed", one.name)
        return one.literal, self._slot("value", one.name)

    def _interval(self, one: Constraint) -> tuple[int, int, int, int]:
        """Slot, low, high and hole."""
        slot, literal = self._slot("value", one.name), one.literal
        if literal is None:
            return slot, 0, _TOP, _NOWHERE
        if isinstance(literal, bool):
            wanted = literal is (one.operator is Operator.EQ)
            return slot, _BOOLEANS + wanted, _BOOLEANS + wanted, _NOWHERE
        if isinstance(literal, str):
            return self._string_interval(one, slot, literal)
        code = self._number(one.name, float(literal))
        low, high = {
            Operator.EQ: (code, code),
            Operator.NE: (0, _STRINGS - 1),
            Operator.LT: (0, code - 1),
            Operator.LE: (0, code),
            Operator.GT: (code + 1, _STRINGS - 1),
            Operator.GE: (code, _STRINGS - 1),
        }[one.operator]
        return slot, low, high, code if one.operator is Operator.NE else _NOWHERE

    def _string_interval(self, one: Constraint, slot: int, literal: str) -> tuple[int, int, int, int]:
        if one.operator is Operator.SUBSTRING:
            return self._slot("contains", one.name, literal), 1, 1, _NOWHERE
        if one.operator in (Operator.PREFIX, Operator.SUFFIX):
            prefix, slot = self._prefix(one)
            above = _successor(prefix)
            low = self._string(slot, prefix) if prefix else _STRINGS
            return slot, low, _BOOLEANS - 1 if above is None else self._string(slot, above) - 1, _NOWHERE
        code = self._string(slot, literal)
        return (slot, code, code, _NOWHERE) if one.operator is Operator.EQ else (slot, _STRINGS, _BOOLEANS - 1, code)

    def _number(self, name: str, value: float) -> int:
        literals = self._numbers.get(name, [])
        place = bisect_left(literals, value)
        return 2 * place + (place < len(literals) and literals[place] == value)

    def _string(self, slot: int, value: str) -> int:
        literals = self._strings.get(slot, [])
        place = bisect_left(literals, value)
        return _STRINGS + 2 * place + (place < len(literals) and literals[place] == value)

    def of(self, name: str, value: Value) -> tuple[tuple[int, int], ...]:
        """The slots that a property fills, each with its code; none when no constraint is on that name."""
        key = name, type(value), value
        found = self._known.get(key)
        if found is None:
            if len(self._known) == _CACHED:
                self._known.clear()
            found = self._known[key] = tuple(self._coded(name, value))
        return found

    def _coded(self, name: str, value: Value) -> Iterator[tuple[int, int]]:
        slot = self._slots.get(("value", name, ""))
        if slot is None:
            return
        if isinstance(value, bool):
            yield slot, _BOOLEANS + value
        elif isinstance(value, Decimal):
            yield slot, self._number(name, float(value))
        else:
            yield slot, self._string(slot, value)
            if (backwards := self._slots.get(("reversed", name, ""))) is not None:
                yield backwards, self._string(backwards, value[::-1])
            for pattern in self._contained(name, value):
                yield self._patterns[name][pattern], 1

    def _contained(self, name: str, value: str) -> set[str]:
        """The substrings that are looked for and are in the value."""
        wanted = self._patterns.get(name, {})
        pieces = (value[start : start + length] for length in self._lengths.get(name, ()) for start in range(len(value) - length + 1))
        return {piece for piece in pieces if piece in wanted}
