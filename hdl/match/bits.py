"""What a few flags say together, in few levels of logic."""

from itertools import combinations

from amaranth.hdl import Cat, Const
from amaranth.utils import ceil_log2

__all__ = ["few", "lone", "number"]

_GROUP = 4


def lone(flags):
    """At most one of the flags is 1."""
    groups = [flags[at : at + _GROUP] for at in range(0, len(flags), _GROUP)]
    some = Cat(group.any() for group in groups)

    def several(group):
        return Cat(bit & group[:place].any() for place, bit in enumerate(group) if place).any() if len(group) > 1 else Const(0)

    return ~(Cat(several(group) for group in groups).any() | (several(some) if len(some) <= _GROUP else ~lone(some)))


def few(flags):
    """At most two of the flags are 1."""
    if len(flags) <= _GROUP:
        return ~Cat(Cat(three).all() for three in combinations(flags, 3)).any() if len(flags) > 2 else Const(1)
    groups = [flags[at : at + _GROUP] for at in range(0, len(flags), _GROUP)]
    some = Cat(group.any() for group in groups)
    return ~(Cat(~few(group) for group in groups).any() | (Cat(~lone(group) for group in groups).any() & ~lone(some)) | ~few(some))


def number(flags):
    """The number of the only 1 among flags."""
    return Cat(Cat(bit for place, bit in enumerate(flags) if place >> level & 1).any() for level in range(ceil_log2(len(flags))))
