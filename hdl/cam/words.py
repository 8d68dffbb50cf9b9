"""The key of a name for an exact-match memory, until its bytes have been compared.

The key of a name one word longer is a fixed matrix over GF(2) times its key, plus the word. The matrix has five bits in each row and
column, which is two look-up tables for each bit of the key, and an inverse. So names that differ in one word have different keys; when
they differ in two words that follow each other, and in the first by one byte, then at least three bytes of the second would have to
differ in just the right bits for the same key.
"""

import hashlib
from functools import cache, reduce
from operator import xor

from amaranth.hdl import Cat

__all__ = ["KEY_WIDTH", "columns", "hash_step", "key_of"]

KEY_WIDTH = 32
_TAPS = 5
_DRAW = 1114
"""The drawing of permutations with the most distance between names among the first few thousand."""


@cache
def columns() -> tuple[int, ...]:
    """The columns of the matrix, one for each bit of a key: the sum of five permutations that have no place in common."""
    chosen = [0] * KEY_WIDTH
    taken = number = 0
    while taken < _TAPS:
        order = sorted(range(KEY_WIDTH), key=lambda bit, n=number: hashlib.sha256(f"{_DRAW}:{n}:{bit}".encode()).digest())
        number += 1
        if not any(column >> place & 1 for column, place in zip(chosen, order, strict=True)):
            chosen = [column | 1 << place for column, place in zip(chosen, order, strict=True)]
            taken += 1
    return tuple(chosen)


def key_of(words) -> int:
    """The key of a name's words, in software."""
    key = 0
    for word in words:
        key = reduce(xor, (column for bit, column in enumerate(columns()) if key >> bit & 1), word)
    return key


def hash_step(key, word, first):
    """The key of a name one word longer; the key before the ``first`` word does not count."""
    rows = ([bit for bit, column in enumerate(columns()) if column >> place & 1] for place in range(KEY_WIDTH))
    return Cat(*((reduce(xor, (key[bit] for bit in row)) & ~first) ^ word[place] for place, row in enumerate(rows)))
