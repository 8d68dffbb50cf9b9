"""The hash that stands for a name in the skeleton CAM until its bytes have been compared."""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const

__all__ = ["KEY_WIDTH", "hash_step"]

_POLYNOMIALS = ((32, 0x04C11DB7),)
KEY_WIDTH = sum(width for width, _ in _POLYNOMIALS)


def _advance(width: int, polynomial: int) -> list[set[int]]:
    """For each bit of a CRC register the bits of (register, 32 bits of data) that it is the sum of after those 32 bits."""
    state = [{k} for k in range(width)]
    for bit in range(32):
        top = state[-1] ^ {width + bit}
        state = [top if k == 0 else state[k - 1] ^ (top if polynomial >> k & 1 else set()) for k in range(width)]
    return state


def hash_step(key, word):
    """The key of a name one word longer: two cyclic redundancy checks side by side, 32 bits of name a step."""
    result = []
    low = 0
    for width, polynomial in _POLYNOMIALS:
        inputs = Cat(key[low : low + width], word)
        for terms in _advance(width, polynomial):
            result.append(reduce(xor, (inputs[k] for k in sorted(terms)), Const(0, 1)))
        low += width
    return Cat(*result)
