"""Numbers spelled with an exponent, kept as exact decimals within the limits of numbers anywhere else."""

import re
from decimal import Context, Decimal, Inexact, localcontext

from sim.golden.languages.refusal import Limits
from sim.golden.number import significant_digits

__all__ = ["TooLong", "TooManyDigits", "calculated", "checked", "plain", "read"]

_EXPONENT_DIGITS = 4
"""An exponent of more is over every limit unless the number is 0."""


class TooManyDigits(ValueError):
    """A number has more significant digits than the limit."""


class TooLong(ValueError):
    """A number is longer than the limit when it is written without an exponent."""


def plain(number: Decimal) -> str:
    """The number without exponent and without zeros that say nothing."""
    return format(number.normalize(), "f")


def checked(number: Decimal, limits: Limits) -> Decimal:
    """The number, 0 for -0; raises :class:`TooManyDigits` or :class:`TooLong`."""
    if not number:
        return Decimal(0)
    if significant_digits("".join(map(str, number.as_tuple().digits)).encode()) > limits.digits:
        raise TooManyDigits
    if abs(number.adjusted()) > limits.value_bytes or len(plain(number)) > limits.value_bytes:
        raise TooLong
    return number


def read(spelling: str, limits: Limits) -> Decimal:
    """The number of digits with at most one point, perhaps a sign in front and an exponent behind; raises what :func:`checked` does."""
    mantissa, _, exponent = re.sub("e", "E", spelling, flags=re.IGNORECASE).partition("E")
    digits = exponent.lstrip("+-0") or "0"
    if len(digits) > _EXPONENT_DIGITS:
        if mantissa.strip("+-0."):
            raise TooLong
        return Decimal(0)
    return checked(Decimal(f"{mantissa}E{'-' if exponent.startswith('-') else ''}{digits}"), limits)


_PRECISION = 300
"""Enough for every sum and product of numbers within the limits."""


def calculated(left: Decimal, sign: str, right: Decimal, *, integer: bool, limits: Limits) -> Decimal:
    """The exact result of ``+``, ``-``, ``*`` or ``/``, which is towards 0 on integers.

    Raises :class:`ZeroDivisionError` and what :func:`checked` does.
    """
    if sign == "/" and not right:
        raise ZeroDivisionError
    with localcontext(Context(prec=_PRECISION, traps=[Inexact])):
        try:
            match sign:
                case "+":
                    result = left + right
                case "-":
                    result = left - right
                case "*":
                    result = left * right
                case _:
                    result = left // right if integer else left / right
        except Inexact:
            raise TooManyDigits from None
    return checked(result, limits)
