"""Well-formed documents with one byte replaced, added or left out, and cut off, at every place, and in texts of every length."""

from collections.abc import Iterator

__all__ = ["documents", "unfinished"]

_ALPHABET = b"<>&;\"'/=!?-[]# \t\r\n:xA\x00\x01\x7f\x80\xc2\xef\xff"

_LANES = 4

_RICH = (
    (b"<?xml", b' version="1.0" encoding=\'Utf-8\' standalone="yes"?><a/>'),
    (b"<?xml", b" version='1.25'\tencoding = \"US-ASCII\"\n?>\n<a></a>\n"),
    (b"<?xml", b" version = '1.0' standalone='no' ?><!--c--><?p d?><a/>"),
    (b"", b'<!DOCTYPE a PUBLIC "p\'" \'s"\' [<!--c--> <?p ]?><!E x "]>"> ] ><a/>'),
    (b"", b"<a b=\"1\" cd = '2'\t><d ef=''/></a >"),
    (b"", b"<a>x]]&lt;y<![CDATA[z]]]]><!-- - --><?p q??>&#65;&#x4b;\r\n</a>\n"),
    (b"", b'<p:a xmlns:p="u" p:b=\'1\'><p:cd xmlns="v"/></p:a><?p?>'),
    (b"", b"<a b=\"&amp;&#9;x\r\ny'\" c='&quot;\"\xc3\xa9'/><!--d-->"),
    (b"\xef\xbb\xbf", b'<\xc3\xa9 a\xe2\x81\xb0="\xe2\x82\xac">\xf0\x90\x80\x80</\xc3\xa9>'),
    (b"", b"<abcdefg><hijk/><lm>nopq</lm></abcdefg>"),
)
"""The documents, each with the place where white space changes nothing but the byte lanes of what follows."""


def _lane(head: bytes, body: bytes, shift: int) -> bytes:
    return head + b" " * shift + body


def documents() -> Iterator[bytes]:
    """Every kind of fault at every place; each place meets a share of the alphabet in each byte lane."""
    for head, body in _RICH:
        for shift in range(_LANES):
            whole = _lane(head, body, shift)
            yield whole
            for at in range(shift % 2, len(whole), 2):
                yield whole[:at]
        for number, byte in enumerate(_ALPHABET):
            for at in range(len(body) + 1):
                shift = (number // 2 + at // _LANES) % _LANES
                whole, place = _lane(head, body, shift), len(head) + shift + at
                yield whole[:place] + bytes([byte]) + whole[place + (number + at) % 2 :]
        for at in range(len(body)):
            for shift in (at // _LANES % _LANES, (at // _LANES + 2) % _LANES):
                whole, place = _lane(head, body, shift), len(head) + shift + at
                yield whole[:place] + whole[place + 1 :]
                yield whole[:place] + whole[place + 1 : place + 2] + whole[place : place + 1] + whole[place + 2 :]
        for at in range(len(head)):
            for byte in _ALPHABET:
                yield head[:at] + bytes([byte]) + head[at + 1 :] + body
                yield head[:at] + bytes([byte]) + head[at:] + body


def unfinished() -> Iterator[bytes]:
    """Documents that end behind a text of every length, or in a tag that follows it at once."""
    for length in range(140):
        for head in (b"<r>", b"<r><a/>", b"<r>t<a/>", b"<r a='1'>"):
            yield from (head + b"t" * length + tail for tail in (b"", b"<", b"<b"))
