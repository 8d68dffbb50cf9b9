"""Filters on properties by Parallel Content Matching [P 3]: filters are selected by their names, constraints by name, and what holds is
counted. Here the loops run one after the other that run side by side in the paper."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sim.golden.languages.filter import Constraint, Filter, Operator, Predicate
from sim.golden.languages.message import Message, Value

__all__ = ["PcmTable", "bloom", "name_vector"]

_VECTOR_BITS = 16
_BLOOM_BITS = 64


def name_vector(names: Iterable[str]) -> int:
    """The small bit vector of some names: one bit a name [P 3]."""
    vector = 0
    for name in names:
        vector |= 1 << zlib.crc32(name.encode()) % _VECTOR_BITS
    return vector


def bloom(names: Iterable[str]) -> int:
    """The Bloom filter of some names in 64 bits [P 3.1]."""
    bits = 0
    for name in names:
        code = zlib.crc32(name.encode())
        bits |= 1 << code % _BLOOM_BITS | 1 << code // _BLOOM_BITS % _BLOOM_BITS
    return bits


class _Row(NamedTuple):
    """One entry of the Constraints tables [P Fig 2a]."""

    constraint: Constraint
    bloom: int
    filter_id: int


def _satisfies(value: Value, constraint: Constraint) -> bool:
    """The function sat of [P Algorithm 1]: the types are compared before the values."""
    literal, asked = constraint.literal, constraint.operator
    if literal is None:
        return True
    if isinstance(value, bool) or isinstance(literal, bool):
        return isinstance(value, bool) and isinstance(literal, bool) and (value is literal) is (asked is Operator.EQ)
    if isinstance(value, str) and isinstance(literal, str):
        start = len(value) - len(literal) if asked is Operator.SUFFIX else 0
        if asked is Operator.SUBSTRING:
            return value.find(literal) >= 0
        if asked in (Operator.PREFIX, Operator.SUFFIX):
            return start >= 0 and value[start : start + len(literal)] == literal
        return (value == literal) is (asked is Operator.EQ)
    if isinstance(value, str) or isinstance(literal, str):
        return False
    sign = value.compare(literal)
    order = {Operator.LT: (-1,), Operator.LE: (-1, 0), Operator.EQ: (0,), Operator.GE: (0, 1), Operator.GT: (1,), Operator.NE: (-1, 1)}
    return sign in order[asked]


class PcmTable:
    """A set of predicates by SID, which are the interfaces of the paper."""

    def __init__(self, predicates: Mapping[int, Predicate]) -> None:
        self._partitions: defaultdict[int, defaultdict[str, list[_Row]]] = defaultdict(lambda: defaultdict(list))
        """The Constraints tables: by NameVector of the filter, then by name of the constraint."""
        self._sizes: list[int] = []
        self._interfaces: list[int] = []
        for sid, predicate in predicates.items():
            for each in predicate.filters:
                self._add(sid, each)

    def _add(self, sid: int, each: Filter) -> None:
        names = {constraint.name for constraint in each}
        partition, bits = self._partitions[name_vector(names)], bloom(names)
        for constraint in each:
            partition[constraint.name].append(_Row(constraint, bits, len(self._sizes)))
        self._sizes.append(len(each))
        self._interfaces.append(sid)

    def find(self, message: Message) -> set[int]:
        """The SIDs of the predicates that match."""
        vector, bits = name_vector(message.properties), bloom(message.properties)
        selected = [partition for key, partition in self._partitions.items() if key & ~vector == 0]
        counts = [0] * len(self._sizes)
        interfaces: set[int] = set()
        for partition in selected:
            for name, value in message.properties.items():
                for row in partition.get(name, ()):
                    if row.bloom & ~bits == 0 and _satisfies(value, row.constraint):
                        counts[row.filter_id] += 1
                        if counts[row.filter_id] == self._sizes[row.filter_id]:
                            interfaces.add(self._interfaces[row.filter_id])
        return interfaces
