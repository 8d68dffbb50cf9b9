"""Random draws that depend on their key alone, never on the order or the place in which they are made."""

import hashlib
from collections.abc import MutableSequence, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeVar

__all__ = ["Draw"]

T = TypeVar("T")

_MASK = (1 << 64) - 1
_SCALE = float(1 << 64)


@lru_cache(maxsize=256)
def _zipf_sums(count: int, skew: float) -> tuple[int, ...]:
    return tuple(accumulate(int(2**40 / (rank + 1) ** skew) for rank in range(count)))


class Draw:
    """A stream of draws named by a key of integers and strings, such as (seed, table, row id).

    The same key gives the same draws on every machine and Python version: the state comes from BLAKE2b over the key and
    advances by SplitMix64.
    """

    __slots__ = ("_key", "_state")

    def __init__(self, *key: int | str) -> None:
        if not key:
            raise ValueError("key must have at least one part, not none")
        for part in key:
            if not isinstance(part, int | str) or isinstance(part, bool):
                raise TypeError(f"a part of the key must be an integer or a string, not {part!r}")
        self._key = key
        text = "\x1f".join(f"{type(part).__name__[0]}{part}" for part in key)
        self._state = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

    def child(self, *key: int | str) -> "Draw":
        """A stream of its own for a part of the thing; it does not advance this one."""
        return Draw(*self._key, *key)

    def bits(self) -> int:
        """64 uniform bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        word = self._state
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        word = (word ^ word >> 27) * 0x94D049BB133111EB & _MASK
        return word ^ word >> 31

    def below(self, count: int) -> int:
        """An integer from 0 to ``count`` - 1."""
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        return self.bits() * count >> 64

    def between(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self.bits() < probability * _SCALE

    def choice(self, things: Sequence[T]) -> T:
        """One of the things, all equally likely."""
        return things[self.below(len(things))]

    def fraction(self) -> float:
        """A number from 0 up to but not including 1, in steps of 2**-53."""
        return (self.bits() >> 11) / (1 << 53)

    def some(self, things: Sequence[T], count: int) -> list[T]:
        """So many of the things, each as likely as any other every time."""
        return [self.choice(things) for _ in range(count)]

    def sample(self, things: Sequence[T], count: int) -> list[T]:
        """So many different ones of the things, in any order."""
        if not 0 <= count <= len(things):
            raise ValueError(f"count must be 0 to {len(things)}, not {count!r}")
        found = list(things)
        self.shuffle(found)
        return found[:count]

    def zipf(self, count: int, skew: float) -> int:
        """An index below ``count``; index i has a weight of 1 / (i + 1) ** skew, so that skew 0 is uniform."""
        sums = _zipf_sums(count, skew)
        point = self.below(sums[-1])
        low, high = 0, count - 1
        while low < high:
            middle = (low + high) // 2
            if sums[middle] > point:
                high = middle
            else:
                low = middle + 1
        return low

    def weighted(self, weights: Sequence[tuple[T, int]]) -> T:
        """One of the things, each as likely as its integer weight says."""
        point = self.below(sum(weight for _, weight in weights))
        for thing, weight in weights:
            point -= weight
            if point < 0:
                return thing
        raise AssertionError("the weights were summed above")

    def shuffle(self, things: MutableSequence[T]) -> None:
        """Shuffles in place."""
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]
