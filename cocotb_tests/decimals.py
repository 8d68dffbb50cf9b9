"""Numbers as the readers of values give them."""

from decimal import Decimal

__all__ = ["key"]

_BIAS = 66


def key(number: Decimal | None) -> dict[str, int]:
    """A number as the readers give it."""
    if number is None:
        return {"nan": 1}
    if number == 0:
        return {"digits": 0, "exponent": 0}
    sign, digits, exponent = number.normalize().as_tuple()
    packed = 0
    for place, digit in enumerate(digits):
        packed |= digit << 4 * (14 - place)
    return {"digits": packed, "exponent": _BIAS + len(digits) + int(exponent), "negative": sign}
