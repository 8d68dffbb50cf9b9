"""Two independent linear hashes of a key, the same in software and in hardware.

Each hash is a matrix over GF(2): every key bit has a column, and the row number is the sum of the columns of the bits that are set. The
columns of one hash are different from each other and from zero as far as they last, so that two keys that differ in one or two bits
never share a row in either hash. The first key bits, as many as a row number has, stand for themselves: a row and the other bits of
a key give the key back, so that a row need not store its first bits.
"""

import hashlib
from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Value

__all__ = ["HASHES", "columns", "row_of", "row_value"]

HASHES = 2
"""Number of independent hashes."""


def columns(key_width: int, row_width: int, which: int) -> tuple[int, ...]:
    """The columns of hash ``which``, one for each key bit, least significant first."""
    chosen = [1 << bit for bit in range(min(key_width, row_width))]
    seen = set(chosen)
    draw = 0
    while len(chosen) < key_width:
        digest = hashlib.sha256(f"{which}:{row_width}:{draw}".encode()).digest()
        column = int.from_bytes(digest[:4], "big") % (1 << row_width)
        draw += 1
        if column and column not in seen:
            chosen.append(column)
            seen.add(column)
        if len(seen) == (1 << row_width) - 1:
            seen.clear()
    return tuple(chosen)


def row_of(key: int, *, key_width: int, row_width: int, which: int) -> int:
    """The row in which ``key`` belongs by hash ``which``."""
    taps = columns(key_width, row_width, which)
    return reduce(xor, (column for bit, column in enumerate(taps) if key >> bit & 1), 0)


def _parity(bits: list[Value]) -> Value:
    """XOR as a tree of four-input steps."""
    while len(bits) > 1:
        bits = [reduce(xor, bits[start : start + 4]) for start in range(0, len(bits), 4)]
    return bits[0] if bits else Const(0, 1)


def row_value(key: Value, *, row_width: int, which: int) -> Value:
    """:func:`row_of` as logic."""
    taps = columns(len(key), row_width, which)
    return Cat(_parity([key[bit] for bit, column in enumerate(taps) if column >> index & 1]) for index in range(row_width))
