"""Counting what is put and got."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Value

__all__ = ["counted"]


def counted(level, put, got, also=0) -> Value:
    """The count ``level`` with one more if ``put``, and one less for each of ``got`` and ``also``: one sum where three would be written."""
    put, got, also = (Value.cast(flag) for flag in (put, got, also))
    less = (got & also) | ((got | also) & ~put)
    change = Cat(reduce(xor, (put, got, also))[:1], less[:1].replicate(len(level) - 1))
    return (level + change)[: len(level)]
