"""Regular expressions that recognise the common shapes of XML, so that the byte machine need not see them.

Each matches only bytes that are right in every respect that it can know: valid UTF-8, legal characters, ASCII names without a
colon out of place. What a match cannot know (limits, nesting, uniqueness, bindings) its user checks; whatever does not match goes to
the byte machine, which decides.
"""

import re

__all__ = [
    "ATTRIBUTE",
    "CDATA_RUN",
    "COMMENT",
    "END_TAG",
    "PREDEFINED",
    "PREDEFINED_VALUES",
    "SPACE_RUN",
    "START_TAG",
    "TEXT_RUN",
    "VALUE_RUNS",
]

_MULTIBYTE = (
    rb"[\xc2-\xdf][\x80-\xbf]"
    rb"|\xe0[\xa0-\xbf][\x80-\xbf]"
    rb"|[\xe1-\xec\xee][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xef(?:[\x80-\xbe][\x80-\xbf]|\xbf[\x80-\xbd])"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}"
    rb"|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)


def _run(without: bytes) -> bytes:
    """A possessive run of characters other than those given and #xD."""
    return rb"(?:[^\x00-\x08\x0b-\x1f\x80-\xff" + re.escape(without) + rb"]++|" + _MULTIBYTE + rb")*+"


_SPACE = rb"[\t\n\r ]"
_PART = rb"[A-Za-z_][A-Za-z0-9_.\-]*+"
_NAME = _PART + rb"(?::" + _PART + rb")?+"
_EQUALS = _SPACE + rb"*+=" + _SPACE + rb"*+"
_DOUBLE = _run(b'"<&')
_SINGLE = _run(b"'<&")
_VALUE = rb'(?:"' + _DOUBLE + rb"\"|'" + _SINGLE + rb"')"

PREDEFINED = re.compile(rb"&(lt|gt|amp|apos|quot);")
PREDEFINED_VALUES = {b"lt": b"<", b"gt": b">", b"amp": b"&", b"apos": b"'", b"quot": b'"'}
SPACE_RUN = re.compile(_SPACE + rb"++")
TEXT_RUN = re.compile(_run(b"<&]"))
CDATA_RUN = re.compile(_run(b"]"))
COMMENT = re.compile(rb"<!--(?:" + _run(b"-")[:-2] + rb"|-(?!-))*+-->")
VALUE_RUNS = {quote[0]: re.compile(_run(quote + b"<&\t\n")) for quote in (b'"', b"'")}
"""By the value's quote: what stands for itself."""

ATTRIBUTE = re.compile(_SPACE + rb"++(" + _NAME + rb")" + _EQUALS + rb"[\"']((?<=\")" + _DOUBLE + rb"|(?<=')" + _SINGLE + rb")[\"']")
"""One attribute of what START_TAG has matched."""
START_TAG = re.compile(rb"<(" + _NAME + rb")((?:" + _SPACE + rb"++" + _NAME + _EQUALS + _VALUE + rb")*+)" + _SPACE + rb"*+(/?+)>")
END_TAG = re.compile(rb"</(" + _NAME + rb")" + _SPACE + rb"*+>")
