"""Every token of XML at every alignment and length, and every construct beside every other."""

import itertools
from collections.abc import Callable, Iterator

__all__ = ["aligned", "neighbours"]

_LANES = 4
_LENGTHS = range(9)
_SATURATING = (*range(57, 71), *range(121, 135), 255, 256, 257)
"""Lengths round sixteen words, where the location of a word stays at its largest value, and round thirty-two."""


def filled(length: int, *, first: str = "a") -> bytes:
    """As many letters and digits, all neighbours different."""
    return bytes(b"abcdefghijklmnopqrstuvwxyz0123456789"[(ord(first) - ord("a") + at) % (26 if at == 0 else 36)] for at in range(length))


_Form = Callable[[int], bytes]

_CONTENT: tuple[_Form, ...] = (
    lambda n: filled(n),
    lambda n: b" " * n,
    lambda n: b"\t" * n,
    lambda n: b"\n" * n,
    lambda n: b"\r" * n,
    lambda n: b"\r\n" * n,
    lambda n: filled(n) + b"\r",
    lambda n: filled(n) + b"\r\nx",
    lambda n: b"\n\r" + filled(n),
    lambda n: b"]" * n,
    lambda n: b"]" * n + b"x>",
    lambda n: b"]" + filled(n) + b"]>",
    lambda n: b"]]" + b"&gt;" + b">" * n,
    lambda n: b"]]<!---->" + b">" * n,
    lambda n: b">" * n,
    lambda n: b"'\"=/!?-;#" + filled(n),
    lambda n: ("\u00e9" * n).encode(),
    lambda n: ("\u20ac" * n).encode(),
    lambda n: ("\U0001f600" * n).encode(),
    lambda n: b"x" + ("\u00e9\u20ac" * n).encode(),
    lambda n: b"<!--" + filled(n) + b"-->",
    lambda n: b"<!--" + b"- " * n + b"-->",
    lambda n: b"<!--" + filled(n) + b"- -->",
    lambda n: b"<!--" + b"<>&]?" * n + b"-->",
    lambda n: b"x<!--" + filled(n) + b"-->y",
    lambda n: b"<![CDATA[" + filled(n) + b"]]>",
    lambda n: b"<![CDATA[" + b"]" * n + b"]]>",
    lambda n: b"<![CDATA[" + b"] " * n + b"]]>",
    lambda n: b"<![CDATA[" + b"]]" + filled(n) + b"]]>",
    lambda n: b"<![CDATA[" + b"\r\n" * n + b"]]>",
    lambda n: b"<![CDATA[" + filled(n) + b"\r]]>",
    lambda n: b"<![CDATA[" + filled(n) + b"\r]]>\nx",
    lambda n: b"\r<![CDATA[\n" + filled(n) + b"]]>",
    lambda n: b"<![CDATA[" + filled(n) + b"<&>'\"]]>",
    lambda n: b"x<![CDATA[" + filled(n) + b"]]>y",
    lambda n: b"<![CDATA[" + ("\u20ac" * n).encode() + b"]]>",
    lambda n: b"<![CDATA[" + b"]" * (n % 3) + ("\u20ac" * n).encode() + b"]]>",
    lambda n: b"<?p" + filled(n) + b"?>",
    lambda n: b"<?p " + filled(n) + b"?>",
    lambda n: b"<?p " + b"?" * n + b"?>",
    lambda n: b"<?p " + b"? " * n + b"?>",
    lambda n: b"<?p" + b" " * n + b"?>",
    lambda n: b"x<?p\t" + b"<>&]-" * n + b"?>y",
    lambda n: b"<a" + filled(n) + b"></a" + filled(n) + b">",
    lambda n: b"<a" + filled(n) + b"/>",
    lambda n: b"<a" + filled(n) + b">x</a" + filled(n) + b">",
    lambda n: b"x<a" + filled(n) + b"/>y",
    lambda n: b"<a" + b" " * n + b"/>",
    lambda n: b"<a" + b"\t\n\r "[: n % 5] * (n % 3 + 1) + b"></a" + b" \r\n\t"[: n % 5] + b">",
    lambda n: b"<a></a" + b" " * n + b">",
    lambda n: b"<a></a" + b"\n" * n + b">x",
    lambda n: b"<a b" + filled(n) + b"='1'/>",
    lambda n: b'<a b="' + filled(n) + b'"/>',
    lambda n: b"<a b='" + filled(n) + b"'/>",
    lambda n: b"<a b='" + filled(n) + b"'></a>",
    lambda n: b"<a b='" + b'"' * n + b"'/>",
    lambda n: b'<a b="' + b"'" * n + b'"/>',
    lambda n: b"<a b='" + b">/=" * n + b'\' c="=>"/>',
    lambda n: b"<a b='" + b" " * n + b"'/>",
    lambda n: b"<a b='" + b"\t" * n + b"'/>",
    lambda n: b"<a b='" + b"\n" * n + b"'/>",
    lambda n: b"<a b='" + b"\r" * n + b"'/>",
    lambda n: b"<a b='" + b"\r\n" * n + b"'/>",
    lambda n: b"<a b='" + filled(n) + b"\r'\nc=''/>",
    lambda n: b"<a b='" + ("\u20ac" * n).encode() + b"'/>",
    lambda n: b"<a b='" + filled(n) + b"&lt;'/>",
    lambda n: b"<a b='&amp;" + filled(n) + b"'/>",
    lambda n: b"<a b='" + filled(n) + b"&#13;\r\n&#10;'/>",
    lambda n: b"<a b" + b" " * n + b"=''/>",
    lambda n: b"<a b=" + b" " * n + b"''/>",
    lambda n: b"<a b='1'" + b" " * n + b"/>",
    lambda n: b"<a" + b" " * n + b" b='1'></a>",
    lambda n: b"<a b='" + filled(n) + b"' c=\"" + filled(n) + b'"/>',
    lambda n: b"<a b='' " + b"\r\n" * n + b"c=''/>",
    lambda n: b"<a " + b" ".join(b"b%d=''" % k for k in range(n + 1)) + b"/>",
    lambda n: b"&lt;" + filled(n),
    lambda n: filled(n) + b"&gt;",
    lambda n: b"&amp;" * n,
    lambda n: b"&apos;" * n + b"&quot;",
    lambda n: b"&#" + b"0" * n + b"65;",
    lambda n: b"&#x" + b"0" * n + b"20ac;",
    lambda n: b"&#x1F600;" * n,
    lambda n: b"&#xe9;" * n + b"x",
    lambda n: b"<a/>" * n,
    lambda n: b"<a>" * n + b"</a>" * n,
    lambda n: b"<a>x" * n + b"</a>" * n,
    lambda n: b"x<a/>" * n + b"x",
)
"""What may stand inside an element, by a length."""

_PROLOG: tuple[_Form, ...] = (
    lambda n: b"<!DOCTYPE a" + filled(n) + b">",
    lambda n: b"<!DOCTYPE" + b" " * (n + 1) + b"a>",
    lambda n: b"<!DOCTYPE a" + b" " * n + b"[]>",
    lambda n: b"<!DOCTYPE a []" + b"\r\n" * n + b">",
    lambda n: b"<!DOCTYPE a SYSTEM '" + filled(n) + b"'>",
    lambda n: b'<!DOCTYPE a SYSTEM "' + b"'>]" * n + b'">',
    lambda n: b"<!DOCTYPE a SYSTEM '" + b'">[' * n + b"'>",
    lambda n: b"<!DOCTYPE a [" + filled(n) + b"]>",
    lambda n: b"<!DOCTYPE a [" + b"<>" * n + b"]>",
    lambda n: b"<!DOCTYPE a ['" + b"]" * n + b"']>",
    lambda n: b'<!DOCTYPE a ["' + b"]'" * n + b'"]>',
    lambda n: b"<!DOCTYPE a [<!--" + b"]'" * n + b"-->]>",
    lambda n: b"<!DOCTYPE a [<?p " + b"]'" * n + b"?>]>",
    lambda n: b"<!DOCTYPE a [<?p" + filled(n) + b"?>]>",
    lambda n: b"<!DOCTYPE a [<!E " + filled(n) + b" '>'><!-" + filled(n) + b">]>",
    lambda n: b"<!DOCTYPE a [" + b"<" * n + b"!--c-->]>",
    lambda n: b"<!DOCTYPE a [<" + b"!" * n + b"--c-->]>",
    lambda n: b"<!--" + filled(n) + b"-->",
    lambda n: b"<?p " + filled(n) + b"?>",
    lambda n: b"<?xml" + filled(n + 1) + b" d?>",
    lambda n: b"\r\n\t "[: n % 5] * n,
)
"""What may stand before the root element, by a length."""

_WRONG: tuple[_Form, ...] = (
    lambda n: filled(n) + b"]]>",
    lambda n: b"]" * n + b"]]>",
    lambda n: b"&lt;" * n + b"]]>",
    lambda n: b"<b/>" * n + b"]]>",
    lambda n: b"<![CDATA[]]>" + b"]" * n + b"]>",
    lambda n: b"<!--" + filled(n) + b"--->",
    lambda n: b"<!--" + filled(n) + b"-- -->",
    lambda n: b"<!-" + filled(n) + b"-->",
    lambda n: b"<a b='" + filled(n) + b"<'/>",
    lambda n: b'<a b="' + filled(n) + b'<"/>',
    lambda n: b"<a b='" + filled(n) + b"'c=''/>",
    lambda n: b"<a b" + filled(n) + b"/>",
    lambda n: b"<a b" + filled(n) + b" c=''/>",
    lambda n: b"<a b=" + filled(n + 1) + b"/>",
    lambda n: b"<a b='' =''" + b" " * n + b"/>",
    lambda n: b"<a" + filled(n) + b"=''/>",
    lambda n: b"<a" + filled(n) + b"'/>",
    lambda n: b"<a" + filled(n) + b"/ >",
    lambda n: b"<a" + filled(n) + b"//>",
    lambda n: b"<a b=''" + b" " * n + b"/x>",
    lambda n: b"<a></a" + b" " * (n + 1) + b"x>",
    lambda n: b"<a></a" + filled(n) + b"/>",
    lambda n: b"<a></a x='" + filled(n) + b"'>",
    lambda n: b"<a" + b" " * n + b"<b/>",
    lambda n: b"<" + b" " * n + b"></r>",
    lambda n: b"</" + b" " * n + b">",
    lambda n: b"<" + b"/" * n + b"r>",
    lambda n: b"<a/>" * n + b"</r><r>",
    lambda n: b"<a/>" * n + b"</r></r>",
    lambda n: b"</r>" + b" " * n + b"x",
    lambda n: b"</r>" + b" " * n + b"<![CDATA[]]>",
    lambda n: b"</r>" + b" " * n + b"&lt;",
    lambda n: b"</r>" + b" " * n + b"<b/>",
    lambda n: b"<p:a" + filled(n) + b"/>",
    lambda n: b"<a p:b='" + filled(n) + b"'></a>",
    lambda n: b"<a b='' " + b" " * n + b"b=''/>",
    lambda n: b"<a xmlns:p=''" + b" " * n + b"/>",
    lambda n: b"<a xmlns:xmlns" + b" " * n + b"='u'/>",
    lambda n: b"<a" + b":" * (n + 1) + b"b/>",
    lambda n: b"<?xml" + b" " * n + b"?>",
    lambda n: b"<?" + filled(n) + b":b?>",
    lambda n: b"<?" + b" " * n + b"p?>",
    lambda n: b"<?p" + filled(n) + b"? >",
    lambda n: b"<![CDATA" + b"[" * (n % 2) + filled(n) + b"]]>",
    lambda n: b"<!DOCTYPE r" + filled(n) + b">",
    lambda n: b"<!ELEMENT" + filled(n) + b">",
    lambda n: b"&" + filled(n) + b" ;",
    lambda n: b"&unknown" + filled(n) + b";",
)
"""What may not stand inside the element r, by a length."""

_DECLARATION: tuple[_Form, ...] = (
    lambda n: b"<?xml" + b" " * (n + 1) + b"version='1.0'?>",
    lambda n: b"<?xml version" + b" " * n + b"='1.0'?>",
    lambda n: b"<?xml version=" + b"\t" * n + b"'1.0'?>",
    lambda n: b"<?xml version='1.0'" + b"\n" * n + b"?>",
    lambda n: b"<?xml version='1." + b"1234567890123"[: n + 1] + b"'?>",
    lambda n: b"<?xml version='1.0'" + b"\r" * (n + 1) + b"encoding='utf-8'?>",
    lambda n: b"<?xml version='1.0' encoding" + b" " * n + b"= 'UTF8'?>",
    lambda n: b'<?xml version="1.0" encoding="ascii"' + b" " * n + b"?>",
    lambda n: b"<?xml version=\"1.0\" encoding='us-ASCII'" + b" " * (n + 1) + b"standalone='yes'?>",
    lambda n: b"<?xml version='1.0' standalone" + b" " * n + b"=" + b" " * n + b'"no"?>',
    lambda n: b"<?xml version='1.0' standalone='yes'" + b" " * n + b"?>",
    lambda n: b"<?xml version='1.0' encoding='u" + filled(n) + b"'?>",
    lambda n: b"<?xml version='1.0' encoding='" + b"utf-8utf8utf-"[:n] + b"'?>",
    lambda n: b"<?xml version='1.0' encoding='" + b"us-asciiascii"[n:] + b"'?>",
    lambda n: b"<?xml version='1.0' encoding='" + b"U._-19"[: n % 7] + b"'?>",
    lambda n: b"<?xml version='1.0' standalone='" + b"yesnoyesyesno"[n % 5 : n] + b"'?>",
)
"""XML declarations, by a length."""

_PIECES = (
    (b"x", b""),
    (b"xyz", b""),
    (b" ", b""),
    (b"\r", b""),
    (b"\n", b""),
    (b"]", b""),
    (b"]]", b""),
    (b">", b""),
    (b"\xc3\xa9", b""),
    (b"\xf0\x90\x80\x80", b""),
    (b"&lt;", b""),
    (b"&#65;", b""),
    (b"&#x20ac;", b""),
    (b"<!---->", b""),
    (b"<!--cd-->", b""),
    (b"<![CDATA[]]>", b""),
    (b"<![CDATA[d]]>", b""),
    (b"<![CDATA[]]]]>", b""),
    (b"<![CDATA[\r]]>", b""),
    (b"<?p?>", b""),
    (b"<?p de?>", b""),
    (b"<b/>", b""),
    (b"<b />", b""),
    (b"<bcd/>", b""),
    (b"<b></b>", b""),
    (b"<b>", b"</b>"),
    (b"<bcde>", b"</bcde>"),
    (b"<b c=''/>", b""),
    (b'<b c="1">', b"</b>"),
    (b"<b c='&lt;' d=\"\"/>", b""),
    (b"<b xmlns:p='u' p:c='12345'>", b"</b >"),
)
"""Constructs of content, each with what must follow at the end."""

_OPEN = (
    b"<b",
    b"<p:b",
    b"<b:",
    b"<:b",
    b"<b:1",
    b"<b c='' c",
    b"<b c='' c=''",
    b"<b p:c",
    b'<b p:c=""',
    b"<b c:",
    b"<b xmlns:p",
    b"<b xmlns:p='",
    b'<b xmlns:p="',
    b"<b xmlns:p=''",
    b'<b xmlns:p=""',
    b"<b xmlns:p='u'",
    b"<b xmlns:xmlns",
    b"</a",
    b"</b",
    b"</ab",
    b"<b/></b",
)
"""Beginnings of tags inside the element a, of which some have an error that counts only if the latest name or value is complete."""

_BREAKS = (b"", b"&", b"<", b"=", b"\x01", b"\xff", b"\xc3", b"'", b'"', b" ", b" &", b"/", b"/&", b">", b"><", b"></&")
"""What cuts a tag off: the end, a wrong byte at once, and one after the tag has gone on."""


def aligned() -> Iterator[bytes]:
    """Every token beginning in every byte lane, at every length from nothing to two words; text and values at many more. Wrong ones too."""
    for form in _CONTENT:
        for length in _LENGTHS:
            for shift in range(_LANES):
                yield b"<r" + b" " * shift + b">" + form(length) + b"</r>"
    for form in _WRONG:
        for length in range(_LANES):
            for shift in range(_LANES):
                yield b"<r" + b" " * shift + b">" + form(length) + b"</r>"
    for form in _PROLOG:
        for length in _LENGTHS:
            for shift in range(_LANES):
                yield b"\n" * shift + form(length) + b"<a/>"
            yield b"\xef\xbb\xbf" + form(length) + b"<a/>"
    for form in _DECLARATION:
        for length in _LENGTHS:
            yield form(length) + b"<a/>"
            yield b"\xef\xbb\xbf" + form(length) + b"<a/>"
            yield b"<?xml " + b" " * (length % 3 + 1) + form(length).removeprefix(b"<?xml ") + b"\n<a/>"
    # Only ``xml`` begins a declaration, in small letters; what is spelled like it is no target, what goes on is.
    for letters in itertools.product("xX", "mM", "lL"):
        target = b"<?" + "".join(letters).encode()
        for rest in (b"?>", b" ?>", b" d?>", b" version='1.0'?>", b"1 version='1.0'?>", b"-?>", b".a d?>", b":a?>"):
            for before in (b"", b"\xef\xbb\xbf", b"\n", b"<!---->"):
                yield before + target + rest + b"<a/>"
            yield b"<r>" + target + rest + b"</r>"
    for number, length in enumerate(_SATURATING):
        for shift in {0, number % _LANES}:
            root = b"<r" + b" " * shift + b">"
            yield root + filled(length) + b"</r>"
            yield root + b"<a b='" + filled(length) + b"'>x</a></r>"
            yield root + b"<![CDATA[" + filled(length) + b"]]></r>"
            yield root + b"&lt;" + filled(length // 2) + b"<!--" + filled(length) + b"-->" + filled(length // 3) + b"</r>"
            yield root + b"<?p " + filled(length) + b"?></r>"


def neighbours() -> Iterator[bytes]:
    """Every construct of content right before every other, and every beginning of a tag before what cuts it off: the seam in every lane."""
    for first, first_end in _PIECES:
        for second, second_end in _PIECES:
            for shift in range(_LANES):
                yield b"<r" + b" " * shift + b">" + first + second + second_end + first_end + b"</r>"
    outside = (
        b"",
        b" ",
        b"\r\n",
        b"<!---->",
        b"<!--c-->",
        b"<?p?>",
        b"<?p d?>",
        b"<!DOCTYPE a>",
        b"<!DOCTYPE a []>",
        b"<a/>",
        b"<a></a>",
        b"x",
    )
    for first in outside:
        for second in outside:
            for third in (b"", b"<a/>", b"<?xml version='1.0'?><a/>"):
                for shift in range(2):
                    yield b"\n" * shift + first + second + third
    for begun in _OPEN:
        for after in _BREAKS:
            for shift in range(_LANES):
                yield b"<a" + b" " * shift + b">" + begun + after
