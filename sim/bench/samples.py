"""The documents of the parser's bench, and the same documents with names never seen before."""

import re
from pathlib import Path

__all__ = ["REAL", "names_of", "renamed", "samples"]

REAL = {
    "xkb-data": Path("/usr/share/X11/xkb/rules/base.xml"),
    "iso-codes": Path("/usr/share/xml/iso-codes/iso_639-3.xml"),
    "shared-mime-info": Path("/usr/share/mime/packages/freedesktop.org.xml"),
}
"""Documents by Debian's package."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_TAG = re.compile(rb"<[^>]+>")
_NAME = re.compile(rb"(?<=[</\s])[a-z]+(?=[\s=/>])")

_ITEM = b'<stockitem stockid="%d"><share val="763"><name>somecompany</name></share><qty>60</qty><price type="USD">115</price></stockitem>'
_PROSE = (
    b"A broker takes publications from those who publish and subscriptions from those who want to know, and brings the one to the other. "
    b"Neither side knows of the other; the content alone decides who is told what, and when. "
)


def names_of(document: bytes) -> list[bytes]:
    """The element and attribute names of a plain document, in order of appearance.

    Plain means ASCII letters only, and neither markup nor names in values.
    """
    return list(dict.fromkeys(name for tag in _TAG.findall(document) for name in _NAME.findall(tag)))


def _new_name(number: int, length: int) -> bytes:
    letters = bytearray()
    for _ in range(length):
        number, letter = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[letter])
    if number:
        raise ValueError(f"length must leave room for the number of the name, not {length!r}")
    return bytes(letters)


def renamed(document: bytes, copy: int) -> bytes:
    """The plain document with each name replaced by one of the same length that no other copy has."""
    names = names_of(document)
    new = {name: _new_name(copy * len(names) + place, len(name)) for place, name in enumerate(names)}
    return _TAG.sub(lambda tag: _NAME.sub(lambda name: new[name[0]], tag[0]), document)


def samples() -> dict[str, bytes]:
    """Documents of one kind each, about 1 KB."""
    stock = b"<stock>" + b"".join(_ITEM % number for number in range(8)) + b"</stock>"
    return {
        "compact": stock,
        "XML declaration": b'<?xml version="1.0" encoding="UTF-8"?>\n' + stock,
        "prose": b"<text>" + b"".join(b"<p>%s</p>\n" % (_PROSE * 2) for _ in range(2)) + b"</text>",
        "references": b"<text>" + b"bread &amp; butter &lt; 3 &#8364; " * 32 + b"</text>",
        "namespaces": b'<p:list xmlns:p="urn:list">' + b'<p:item p:key="17">seventeen</p:item>\n' * 26 + b"</p:list>",
        "attributes": b"<list>" + b'<item first="1" second="22" third="333" fourth="4444"/>' * 18 + b"</list>",
        "CDATA and comments": b"<text>" + b"<!-- a comment --><![CDATA[if (a < b && c > d)]]>\n" * 20 + b"</text>",
        "beyond ASCII": b"<text>" + "Überraschung für Zoë: 日本語 и русский. ".encode() * 18 + b"</text>",
        "<a/> only": b"<r>" + b"<a/>" * 254 + b"</r>",
        "<a><b/></a> only": b"<r>" + b"<a><b/></a>" * 92 + b"</r>",
    }
