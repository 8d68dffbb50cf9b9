"""Regular expressions that recognise the common shapes of XML, so that the byte machine need not see them.

Each matches only bytes that are right in every respect that it can know: valid UTF-8, legal characters, names without a colon out of
place. What a match cannot know (limits, nesting, uniqueness, bindings, the characters that references stand for) its user checks;
whatever does not match goes to the byte machine, which decides.
"""

import re
from collections.abc import Iterable, Iterator

from sim.golden.chars import NAME_EXTRA, NAME_START, is_char

__all__ = [
    "ATTRIBUTE",
    "CDATA",
    "CDATA_RUN",
    "COMMENT",
    "DECLARATION",
    "END_TAG",
    "INSTRUCTION",
    "REFERENCE",
    "SPACE_RUN",
    "START_TAG",
    "TEXT_RUN",
    "VALUE_RUNS",
    "decoded",
]

_MULTIBYTE = (
    rb"(?=[\x80-\xff])(?:[\xc2-\xdf][\x80-\xbf]"
    rb"|\xe0[\xa0-\xbf][\x80-\xbf]"
    rb"|[\xe1-\xec\xee][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xef(?:[\x80-\xbe][\x80-\xbf]|\xbf[\x80-\xbd])"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}"
    rb"|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2})"
)
"""One look ahead spares all the alternatives on most bytes."""


def _sequences(low: bytes, high: bytes) -> Iterator[bytes]:
    """Expressions for the UTF-8 of all code points from ``low`` to ``high``, which have equally many bytes."""

    def one(first: int, last: int) -> bytes:
        return b"[\\x%02x-\\x%02x]" % (first, last)

    rest = len(low) - 1
    if not rest:
        yield one(low[0], high[0])
        return
    start, end = low[0], high[0]
    least, most = b"\x80" * rest, b"\xbf" * rest
    if start == end:
        yield from (one(start, start) + more for more in _sequences(low[1:], high[1:]))
        return
    if low[1:] != least:
        yield from (one(start, start) + more for more in _sequences(low[1:], most))
        start += 1
    if high[1:] != most:
        yield from (one(end, end) + more for more in _sequences(least, high[1:]))
        end -= 1
    if start <= end:
        yield one(start, end) + b"[\\x80-\\xbf]" * rest


def _beyond_ascii(ranges: Iterable[tuple[int, int]]) -> bytes:
    """An expression for the characters of the ranges that take several bytes."""
    found: list[bytes] = []
    for low, high in ranges:
        for least, most in ((0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF)):
            first, last = max(low, least), min(high, most)
            if first <= last:
                found += _sequences(chr(first).encode(), chr(last).encode())
    return rb"(?=[\x80-\xff])(?:" + b"|".join(found) + b")"


def _run(without: bytes, more: bytes = b"") -> bytes:
    """A possessive run of characters other than those given and #xD, and of ``more``."""
    return rb"(?:[^\x00-\x08\x0b-\x1f\x80-\xff" + re.escape(without) + rb"]++|" + _MULTIBYTE + more + rb")*+"


_SPACE = rb"[\t\n\r ]"
_START = _beyond_ascii(NAME_START)
_PART = rb"(?:[A-Za-z_]|" + _START + rb")(?:[A-Za-z0-9_.\-]++|" + _beyond_ascii(NAME_START + NAME_EXTRA) + rb")*+"
_NAME = _PART + rb"(?::" + _PART + rb")?+"
_EQUALS = _SPACE + rb"*+=" + _SPACE + rb"*+"
_REFERENCE = rb"&(?:(?:lt|gt|amp|apos|quot)|#[0-9]{1,8}|#x[0-9A-Fa-f]{1,7});"
_DOUBLE = _run(b'"<&', b"|" + _REFERENCE)
_SINGLE = _run(b"'<&", b"|" + _REFERENCE)
_VALUE = rb'(?:"' + _DOUBLE + rb"\"|'" + _SINGLE + rb"')"

REFERENCE = re.compile(_REFERENCE)
SPACE_RUN = re.compile(_SPACE + rb"++")
TEXT_RUN = re.compile(_run(b"<&]"))
CDATA_RUN = re.compile(_run(b"]"))
CDATA = re.compile(rb"<!\[CDATA\[(" + _run(b"]", rb"|\](?!\]>)") + rb")\]\]>")
COMMENT = re.compile(rb"<!--" + _run(b"-", b"|-(?!-)") + rb"-->")
INSTRUCTION = re.compile(rb"<\?((?![Xx][Mm][Ll][\s?])" + _PART + rb")(?:" + _SPACE + _run(b"?", rb"|\?(?!>)") + rb")?+\?>")
DECLARATION = re.compile(
    rb"<\?xml" + _SPACE + rb"++version" + _EQUALS + rb"(?:'1\.[0-9]++'|\"1\.[0-9]++\")"
    rb"(?:" + _SPACE + rb"++encoding" + _EQUALS + rb"(?:'(?i:utf-?8|(?:us-)?ascii)'|\"(?i:utf-?8|(?:us-)?ascii)\"))?+"
    rb"(?:" + _SPACE + rb"++standalone" + _EQUALS + rb"(?:'(?:yes|no)'|\"(?:yes|no)\"))?+" + _SPACE + rb"*+\?>"
)
VALUE_RUNS = {quote[0]: re.compile(_run(quote + b"<&\t\n")) for quote in (b'"', b"'")}
"""By the value's quote: what stands for itself."""

ATTRIBUTE = re.compile(_SPACE + rb"++(" + _NAME + rb")" + _EQUALS + rb"[\"']((?<=\")" + _DOUBLE + rb"|(?<=')" + _SINGLE + rb")[\"']")
"""One attribute of what START_TAG has matched."""
START_TAG = re.compile(rb"<(" + _NAME + rb")((?:" + _SPACE + rb"++" + _NAME + _EQUALS + _VALUE + rb")*+)" + _SPACE + rb"*+(/?+)>")
END_TAG = re.compile(rb"</(" + _NAME + rb")" + _SPACE + rb"*+>")

_PREDEFINED = {b"&lt;": b"<", b"&gt;": b">", b"&amp;": b"&", b"&apos;": b"'", b"&quot;": b'"'}


class _NoCharacter(ValueError):
    pass


def _character(found: "re.Match[bytes]") -> bytes:
    text = found[0]
    value = _PREDEFINED.get(text)
    if value is None:
        point = int(text[3:-1], 16) if text[2] == 0x78 else int(text[2:-1])
        if not is_char(point):
            raise _NoCharacter
        value = chr(point).encode()
    return value


def decoded(text: bytes) -> bytes | None:
    """The bytes with every REFERENCE replaced by what it stands for; None where one stands for no character."""
    try:
        return REFERENCE.sub(_character, text)
    except _NoCharacter:
        return None
