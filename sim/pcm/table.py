"""The tables of PCM [P Fig 2] as arrays, and the search in them for many messages at once.

Filters with the same NameVector lie together [P 3.1]. A message selects the partitions whose NameVector is a part of its own. The Bloom
filters of names leave few of their filters. These are tested constraint by constraint, those first that hold most seldom. The paper counts
what holds instead, because its threads evaluate the constraints of a filter in any order.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sim.golden.languages import Value
from sim.golden.languages.filter import Constraint, Operator, Predicate
from sim.pcm.codes import ABSENT, Codes

__all__ = ["PcmTable", "Piece", "Properties", "Selection"]

Properties: TypeAlias = Mapping[str, Value]
_Integers: TypeAlias = npt.NDArray[np.int64]
_Key: TypeAlias = tuple[type[object], Constraint]
"""A constraint with its literal's type, because 1 and true are equal to Python and nowhere here."""

_VECTOR_BITS = 32
_BLOOM_BITS = 64
_BATCH = 64
"""Messages that are searched for together."""
_ROOM = 1 << 22
"""Codes of a batch; a single message may have more."""
_SHARE = 1 << 16
"""Selected filters that are tested together, about as many as the caches hold; a single partition may have more."""

_SID_BITS = 32

_SELDOM = (
    *(Operator.EQ, Operator.PREFIX, Operator.SUFFIX, Operator.SUBSTRING, Operator.LT, Operator.LE, Operator.GT, Operator.GE),
    *(Operator.NE, Operator.EXISTS),
)
"""Operators, those first that hold for the fewest values."""
_RANK = {operator: place for place, operator in enumerate(_SELDOM)}


@lru_cache(maxsize=1 << 16)
def _marks(name: str) -> tuple[int, int]:
    """The NameVector and the Bloom filter of one name."""
    code = zlib.crc32(name.encode())
    return 1 << code % _VECTOR_BITS, 1 << code // _VECTOR_BITS % _BLOOM_BITS | 1 << code // (_VECTOR_BITS * _BLOOM_BITS) % _BLOOM_BITS


@dataclass(frozen=True)
class Piece:
    """Some filters taken apart: distinct constraints, and for each filter its SID, its size and the places of its constraints."""

    constraints: list[Constraint]
    sids: _Integers
    sizes: _Integers
    places: _Integers
    """Of all filters, one behind the other; those of a filter are distinct, the most seldom first."""

    @classmethod
    def of(cls, predicates: Iterable[tuple[int, Predicate]]) -> "Piece":
        """Predicates by SID; SIDs are below 2**32."""
        known: dict[_Key, int] = {}
        sids: list[int] = []
        sizes: list[int] = []
        places: list[int] = []
        for sid, predicate in predicates:
            for each in predicate.filters:
                distinct = {(type(one.literal), one): None for one in sorted(each, key=lambda one: _RANK[one.operator])}
                sids.append(sid)
                sizes.append(len(distinct))
                places.extend(known.setdefault(key, len(known)) for key in distinct)
        return cls([one for _, one in known], np.array(sids, np.int64), np.array(sizes, np.int64), np.array(places, np.int64))


@dataclass(frozen=True)
class Selection:
    """How many filters and constraints were left after each phase of all searches."""

    filters: int = 0
    covered: int = 0
    """Filters that the Bloom filters left."""
    tested: int = 0
    """Constraints that were evaluated."""
    matched: int = 0


class PcmTable:
    """Filters by SID; several filters of a SID are alternatives."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        constraints, places = _joined(pieces)
        sids = np.concatenate([piece.sids for piece in pieces] or [np.empty(0, np.int64)])
        sizes = np.concatenate([piece.sizes for piece in pieces] or [np.empty(0, np.int64)])
        self._codes = Codes(constraints)
        self.filters = len(sids)
        self.constraints = int(sizes.sum())
        marks = np.array([_marks(one.name) for one in constraints], np.uint64).reshape(-1, 2)
        begins = np.cumsum(sizes) - sizes
        vectors, blooms = (np.bitwise_or.reduceat(marks[places, k], begins) if len(sids) else marks[:0, k] for k in (0, 1))
        order = np.argsort(vectors, kind="stable")
        keys, starts = np.unique(vectors[order], return_index=True)
        self._vectors = keys
        self._partitions = {int(key): place for place, key in enumerate(keys)}
        self._starts = np.append(starts, len(sids)).astype(np.int64)
        self._blooms = blooms[order]
        self._sids = sids[order]
        self._tests = _columns(places, begins[order], sizes[order], always=len(constraints))
        """By place in the filter, then by filter: a constraint, or the one that always holds."""
        self._names = {one.name: _marks(one.name) for one in constraints}
        self.selection = Selection()

    @property
    def partitions(self) -> int:
        return len(self._vectors)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        codes = self._codes
        arrays = (self._vectors, self._starts, self._blooms, self._sids, self._tests, codes.slot, codes.low, codes.high, codes.hole)
        return sum(one.nbytes for one in arrays)

    def find(self, messages: Sequence[Properties]) -> list[list[int]]:
        """The SIDs that each message matches, in rising order."""
        found: list[list[int]] = []
        step = max(1, min(_BATCH, _ROOM // self._codes.slots))
        for begin in range(0, len(messages), step):
            found += self._batch(messages[begin : begin + step])
        return found

    def _batch(self, messages: Sequence[Properties]) -> list[list[int]]:
        places: list[int] = []
        values: list[int] = []
        owners: list[int] = []
        chosen: list[int] = []
        blooms = np.zeros(len(messages), np.uint64)
        for number, properties in enumerate(messages):
            vector = bits = 0
            for name, value in properties.items():
                marks = self._names.get(name)
                if marks is None:
                    continue
                vector |= marks[0]
                bits |= marks[1]
                for slot, code in self._codes.of(name, value):
                    places.append(number * self._codes.slots + slot)
                    values.append(code)
            blooms[number] = bits
            selected = self._selected(vector)
            owners += [number] * len(selected)
            chosen += selected
        codes = np.full(len(messages) * self._codes.slots, ABSENT, np.int32)
        codes[places] = values
        owner, partition = np.array(owners, np.int64), np.array(chosen, np.int64)
        pairs = []
        for begin, end in self._shares(partition):
            pairs.append(self._search(owner[begin:end], partition[begin:end], blooms, codes))
        matched = np.unique(np.concatenate(pairs) if pairs else np.empty(0, np.int64))
        borders = np.searchsorted(matched, np.arange(1, len(messages)) << _SID_BITS)
        return [found.tolist() for found in np.split(matched & ((1 << _SID_BITS) - 1), borders)]

    def _selected(self, vector: int) -> list[int]:
        """The partitions whose NameVector is a part of the message's."""
        if 1 << vector.bit_count() > self.partitions:
            return [int(one) for one in np.flatnonzero((self._vectors & ~np.uint64(vector)) == 0)]
        found, part = [], vector
        while part:
            if (place := self._partitions.get(part)) is not None:
                found.append(place)
            part = (part - 1) & vector
        return found

    def _shares(self, partition: _Integers) -> Iterable[tuple[int, int]]:
        """The pairs of message and partition cut into shares of bounded numbers of filters."""
        totals = np.cumsum(self._starts[partition + 1] - self._starts[partition])
        begin = 0
        while begin < len(partition):
            done = int(totals[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(totals, done + _SHARE, side="right")))
            yield begin, end
            begin = end

    def _search(self, owner: _Integers, partition: _Integers, blooms: npt.NDArray[np.uint64], codes: npt.NDArray[np.int32]) -> _Integers:
        """Matches: the number of the message, and the SID behind it."""
        begins = self._starts[partition]
        counts = self._starts[partition + 1] - begins
        ends = np.cumsum(counts)
        message = np.repeat(owner, counts)
        each = np.arange(len(message)) + np.repeat(begins - (ends - counts), counts)
        selected, tested = len(each), 0
        kept = np.flatnonzero((self._blooms[each] & ~blooms[message]) == 0)
        message, each = message[kept], each[kept]
        covered, base = len(each), message * self._codes.slots
        for column in self._tests:
            constraint = column[each]
            value = codes[base + self._codes.slot[constraint]]
            holds = (value >= self._codes.low[constraint]) & (value <= self._codes.high[constraint])
            holds &= value != self._codes.hole[constraint]
            tested += len(each)
            kept = np.flatnonzero(holds)
            message, each, base = message[kept], each[kept], base[kept]
        one = self.selection
        self.selection = Selection(one.filters + selected, one.covered + covered, one.tested + tested, one.matched + len(each))
        matches: _Integers = message << _SID_BITS | self._sids[each]
        return matches


def _joined(pieces: Sequence[Piece]) -> tuple[list[Constraint], _Integers]:
    """The distinct constraints of all pieces, and the places of the filters' constraints among them."""
    known: dict[_Key, int] = {}
    places = [np.empty(0, np.int64)]
    for piece in pieces:
        moved = [known.setdefault((type(one.literal), one), len(known)) for one in piece.constraints]
        places.append(np.array(moved, np.int64)[piece.places])
    return [one for _, one in known], np.concatenate(places)


def _columns(places: _Integers, begins: _Integers, sizes: _Integers, *, always: int) -> npt.NDArray[np.int32]:
    """The constraints of the filters side by side, filled up with the one that always holds."""
    depth = int(sizes.max(initial=0))
    columns = np.full((depth, len(sizes)), always, np.int32)
    for place in range(depth):
        longer = np.flatnonzero(sizes > place)
        columns[place, longer] = places[begins[longer] + place]
    return columns
