"""Character classes of XML 1.0, fifth edition, over code points."""

from bisect import bisect_right

__all__ = [
    "DIGITS",
    "HEX_DIGITS",
    "NAME_EXTRA",
    "NAME_START",
    "QUOTES",
    "WHITE_SPACE",
    "is_char",
    "is_name_char",
    "is_name_start",
    "utf8_length",
]

WHITE_SPACE = frozenset(b"\t\n\r ")
"""S [XML 2.3]."""
QUOTES = frozenset(b"\"'")
DIGITS = frozenset(b"0123456789")
HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")

NAME_START = (
    (0x3A, 0x3A),
    (0x41, 0x5A),
    (0x5F, 0x5F),
    (0x61, 0x7A),
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x2FF),
    (0x370, 0x37D),
    (0x37F, 0x1FFF),
    (0x200C, 0x200D),
    (0x2070, 0x218F),
    (0x2C00, 0x2FEF),
    (0x3001, 0xD7FF),
    (0xF900, 0xFDCF),
    (0xFDF0, 0xFFFD),
    (0x10000, 0xEFFFF),
)
"""NameStartChar [XML 2.3, 4]."""

NAME_EXTRA = ((0x2D, 0x2E), (0x30, 0x39), (0xB7, 0xB7), (0x300, 0x36F), (0x203F, 0x2040))
"""What NameChar adds to NameStartChar [XML 2.3, 4a]."""

_START_EDGES = [edge for low, high in NAME_START for edge in (low, high + 1)]
_EXTRA_EDGES = [edge for low, high in NAME_EXTRA for edge in (low, high + 1)]


def is_name_start(point: int) -> bool:
    """Whether the code point is a NameStartChar, ':' included."""
    return bisect_right(_START_EDGES, point) % 2 == 1


def is_name_char(point: int) -> bool:
    """Whether the code point is a NameChar, ':' included."""
    return is_name_start(point) or bisect_right(_EXTRA_EDGES, point) % 2 == 1


def is_char(point: int) -> bool:
    """Whether the code point is a Char [XML 2.2]."""
    return 0x20 <= point <= 0xD7FF or point in (0x9, 0xA, 0xD) or 0xE000 <= point <= 0xFFFD or 0x10000 <= point <= 0x10FFFF


def utf8_length(point: int) -> int:
    """How many bytes of UTF-8 the code point takes."""
    return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4
