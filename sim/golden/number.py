"""Numbers as XPath 1.0 reads them from strings [XPath 4.4], kept as exact decimals.

A double with up to 15 significant decimal digits orders like the decimal itself, so decimals are compared here and nothing is
ever rounded; a value that would need more digits is over the limit instead of being approximated.
"""

import re
from decimal import Decimal

from hdl.config import BrokerConfig
from hdl.contract import Code

__all__ = ["WHITE_SPACE", "NumberDigits", "exact", "from_string", "significant_digits"]

WHITE_SPACE = b" \t\r\n"

_NUMERIC = re.compile(rb"[0-9.\-]*")
_NUMBER = re.compile(rb"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


class NumberDigits(ValueError):
    """A value compared as a number has too many digits: the document's verdict is over limit."""

    code = Code.NUMBER_DIGITS

    def __init__(self, value: bytes, config: BrokerConfig) -> None:
        shown = value if len(value) <= 80 else value[:77] + b"..."
        limits = f"{config.digits} significant digits and {config.value_bytes} bytes"
        super().__init__(f"a value compared as a number must have at most {limits}, not {shown!r}")
        self.value = value


def significant_digits(spelling: bytes) -> int:
    """Digits from the first non-zero one to the last non-zero one; the sign and the point do not count."""
    return len(spelling.replace(b"-", b"").replace(b".", b"").strip(b"0"))


def exact(value: bytes) -> Decimal | None:
    """The number that a string stands for whatever its digits, or None where XPath has NaN."""
    trimmed = value.strip(WHITE_SPACE)
    if not _NUMBER.fullmatch(trimmed):
        return None
    number = Decimal(trimmed.decode("ascii"))
    return number if number else Decimal(0)


def from_string(value: bytes, *, config: BrokerConfig) -> Decimal | None:
    """The number that a string stands for, or None where XPath has NaN.

    White space may surround a number; there is no ``+`` and no exponent. The limits apply in this order, at any length:
    a byte other than digits, ``.``, ``-`` and white space, or white space inside, makes NaN; what remains raises
    :class:`NumberDigits` when it has more than ``value_bytes`` bytes without the white space around it, or when it is a
    number of more than ``digits`` significant digits.
    """
    trimmed = value.strip(WHITE_SPACE)
    if not _NUMERIC.fullmatch(trimmed):
        return None
    if len(trimmed) > config.value_bytes:
        raise NumberDigits(trimmed, config)
    number = exact(trimmed)
    if number is not None and significant_digits(trimmed) > config.digits:
        raise NumberDigits(trimmed, config)
    return number
