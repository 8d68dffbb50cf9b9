"""Documents at the edges of the character classes of XML 1.0 and of UTF-8, in every place and every byte lane."""

from collections.abc import Iterable, Iterator

from sim.golden.chars import NAME_EXTRA, NAME_START, is_char, is_name_char, is_name_start

__all__ = ["block_points", "documents", "edge_points", "encoded", "every_byte", "references"]

_LANES = 4

_FAST = (
    (b"<", b"/>"),
    (b"<a", b"/>"),
    (b"<a b", b"=''/>"),
    (b"<a>", b"</a>"),
    (b'<a b="', b'"/>'),
)
"""What stands before and after a character in the places that pass four bytes a clock: names, text, values."""

_TAGS = (
    (b"<a ", b"=''/>"),
    (b"<a></", b">"),
    (b"<a></a", b">"),
)
"""The same for the other places of names, where the same gates look at the characters."""

_SERIAL = (
    (b"<?", b"?><a/>"),
    (b"<?p", b"?><a/>"),
    (b"<?p ", b"?><a/>"),
    (b"<!--", b"--><a/>"),
    (b"<!---", b"--><a/>"),
    (b"<a><![CDATA[", b"]]></a>"),
    (b"<a><![CDATA[]", b"]]></a>"),
    (b"<a>&", b";</a>"),
    (b"<a>&l", b"t;</a>"),
    (b"<a>&lt", b";</a>"),
    (b"<!DOCTYPE ", b"><a/>"),
    (b"<!DOCTYPE a", b"><a/>"),
    (b"<!DOCTYPE a '", b"'><a/>"),
    (b"<!DOCTYPE a [", b"]><a/>"),
    (b"<!DOCTYPE a [<!--", b"-->]><a/>"),
)
"""The same for the places that the byte-serial lane sees."""

_GRAMMAR = (
    (b"<a b='", b"'/>"),
    (b"<a b", b" =''/>"),
    (b"<a b ", b"=''/>"),
    (b"<a b=", b"''/>"),
    (b"<a b=''", b"/>"),
    (b"<a b='' ", b"/>"),
    (b"<a/", b">"),
    (b"<a", b"></a>"),
    (b"<a></a ", b">"),
    (b"<a>]", b"]></a>"),
    (b"<a>]]", b"></a>"),
    (b"<a>x", b"</a>"),
    (b"<a/>", b""),
    (b"", b"<a/>"),
    (b"<!", b"--><a/>"),
    (b"<!-", b"--><a/>"),
    (b"<!--a--", b"><a/>"),
    (b"<a><!", b"CDATA[]]></a>"),
    (b"<a><![", b"DATA[]]></a>"),
    (b"<a><![CDATA", b"]]></a>"),
    (b"<a><![CDATA[]]", b"></a>"),
    (b"<?p", b"d?><a/>"),
    (b"<?p?", b"><a/>"),
    (b"<?x", b"l?><a/>"),
    (b"<?xm", b"?><a/>"),
    (b"<a><?x", b"l?></a>"),
    (b"<a>&#", b";</a>"),
    (b"<a>&#x", b";</a>"),
    (b"<a>&#6", b";</a>"),
    (b"<a>&#x6", b";</a>"),
    (b"<a b='&", b"gt;'/>"),
    (b"<!DOCTYP", b" a><a/>"),
    (b"<!DOCTYPE", b"a><a/>"),
    (b"<!DOCTYPE a [<", b">]><a/>"),
    (b"<!DOCTYPE a [<!", b">]><a/>"),
    (b"<!DOCTYPE a []", b"><a/>"),
    (b"<?xml", b"version='1.0'?><a/>"),
    (b"<?xml version", b"'1.0'?><a/>"),
    (b"<?xml version=", b"1.0'?><a/>"),
    (b"<?xml version='", b".0'?><a/>"),
    (b"<?xml version='1", b"0'?><a/>"),
    (b"<?xml version='1.", b"'?><a/>"),
    (b"<?xml version='1.0'", b"?><a/>"),
    (b"<?xml version='1.0' ", b"?><a/>"),
    (b"<?xml version='1.0'?", b"><a/>"),
    (b"<?xml version='1.0' encoding='", b"'?><a/>"),
    (b"<?xml version='1.0' encoding='u", b"f-8'?><a/>"),
    (b"<?xml version='1.0' encoding='utf-8", b"'?><a/>"),
    (b"<?xml version='1.0' standalone='", b"o'?><a/>"),
    (b"<?xml version='1.0' standalone='n", b"'?><a/>"),
    (b"<?xml version='1.0' standalone='ye", b"'?><a/>"),
)
"""Places where one byte decides how the grammar goes on."""

_ILL_FORMED = tuple(
    bytes.fromhex(form)
    for forms in (
        # Continuation bytes that continue nothing.
        "80 8f 90 9f a0 bf c28080 df80bf e1808080 f180808080 f4808080bf",
        # Lead bytes that never occur.
        "c0 c1 c080 c0af c1bf f5 f5808080 f7bfbfbf f8 f888808080 fb fc fc8480808080 fe ff fffe feff",
        # Continuation bytes that are missing.
        "c2 c27f c2c0 c3 df df41 dfff e0 e0a0 e0a07f e0a0c0 e1 e180 e17f80 e1c080 e18041 e180c280 ed9f ef efbf efbb",
        "f0 f090 f09080 f0907f80 f090c080 f0908041 f09080c0 f1 f180 f18080 f3bfbf f48f f48fbf f48fbf7f",
        # Overlong forms.
        "e08080 e09fbf e08fbf f0808080 f08fbfbf f0808180",
        # Surrogates, and what lies beyond U+10FFFF.
        "eda080 edafbf edb080 edbfbf edb07f f4908080 f4a08080 f4bfbfbf f49080",
    )
    for form in forms.split()
)


def edge_points() -> list[int]:
    """First and last code point of every range, one below, one above; so too where UTF-8 grows by a byte."""
    ranges = [*NAME_START, *NAME_EXTRA, (0x9, 0xA), (0xD, 0xD), (0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF)]
    ranges += [(0x80, 0x7FF), (0x800, 0xFFFF), (0xFEFF, 0xFEFF), (0x1FFFE, 0x1FFFF), (0xD800, 0xDBFF), (0xDC00, 0xDFFF)]
    edges = {edge + step for low, high in ranges for edge, step in ((low, 0), (low, -1), (high, 0), (high, 1))}
    return sorted(point for point in edges if 0 <= point < 0x110000)


def block_points(ranges: Iterable[tuple[int, int]]) -> list[int]:
    """First and last code point above U+007F of every aligned block of a power of two of them that the ranges fall apart into."""
    found: set[int] = set()
    for low, high in ranges:
        while low <= high:
            size = low & -low or 1 << 20
            while low + size - 1 > high:
                size >>= 1
            found |= {low, low + size - 1}
            low += size
    return sorted(point for point in found if point >= 0x80)


def _flipped(points: Iterable[int]) -> list[int]:
    """The code points above U+007F that differ from one of the points in one bit."""
    return sorted({point ^ 1 << bit for point in points for bit in range(21) if 0x80 <= point ^ 1 << bit < 0x110000})


def encoded(point: int) -> bytes:
    """UTF-8 of any code point, surrogates included."""
    return chr(point).encode(errors="surrogatepass")


def _placed(before: bytes, character: bytes, after: bytes, lane: int) -> bytes:
    """A document with the character in that byte lane; the XML declaration must come first, so it is moved by spaces inside."""
    pad = b" " * ((lane - len(before)) % _LANES)
    if before.startswith(b"<?xml "):
        return b"<?xml" + pad + before.removeprefix(b"<?xml") + character + after
    return pad + before + character + after


def _packed(points: Iterable[int], *, later: bool, lane: int) -> Iterator[bytes]:
    """Documents with eight elements each, with a code point in that lane as the first or a later character of each name."""
    points = list(points)
    for at in range(0, len(points), 8):
        data = b"<r>"
        for point in points[at : at + 8]:
            opening = b"<a" if later else b"<"
            data += b" " * ((lane - len(data) - len(opening)) % _LANES) + opening + encoded(point) + b"/>"
        yield data + b"</r>"


def documents() -> Iterator[bytes]:
    """Every edge of Char, NameStartChar and NameChar, and every ill-formed UTF-8 form."""
    points = edge_points()
    for number, point in enumerate(points):
        for before, after in _FAST:
            for lane in range(_LANES):
                yield _placed(before, encoded(point), after, lane)
        for place, (before, after) in enumerate((*_TAGS, *_SERIAL)):
            yield _placed(before, encoded(point), after, (number + place) % _LANES)
        for lane in range(_LANES):
            name = b"a" + encoded(point)
            yield b"%s<%s></%s>" % (b" " * lane, name, name)
    flipped = _flipped(points)
    for lane in range(_LANES):
        for later, belongs in ((False, is_name_start), (True, is_name_char)):
            yield from _packed((point for point in flipped if belongs(point)), later=later, lane=lane)
            for point in flipped:
                if not belongs(point) and not 0x20000 < point < 0xE0000:
                    yield _placed(b"<a" if later else b"<", encoded(point), b"/>", lane)
        for point in flipped:
            if not is_char(point):
                yield _placed(b"<a>", encoded(point), b"</a>", lane)
    for number, form in enumerate(_ILL_FORMED):
        for place, (before, after) in enumerate(_FAST):
            for lane in range(_LANES):
                yield _placed(before, form, after, lane)
            for lane in range(_LANES) if before in (b"<a", b"<a>") else [(number + place) % _LANES]:
                yield _placed(before, form, b"", lane)
        for place, (before, after) in enumerate((*_TAGS, *_SERIAL)):
            yield _placed(before, form, after, (number + place) % _LANES)
            if (number + place) % 2:
                yield _placed(before, form, b"", (number // 2 + place) % _LANES)
        yield form
        yield form + b"<a/>"
        yield b"<a/>" + form
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\xef\xbb\xbe", b"\xef\xbb\xbf" * 2, b"\xef\xbf\xbe", b"\xfe\xff", b"\xff\xfe"):
        for rest in (b"", b"<a/>", b" <a/>", b"<?xml version='1.0'?><a/>", b" <?xml version='1.0'?><a/>", b"<?p?><a/>", b"<\0a/>", b"\0"):
            yield mark + rest
    for first in (b"\0", b"<\0", b"<\0a\0/\0>\0", b" <\0", b"\0<\0a", b" \0", b"<a\0", b"a\0"):
        yield first
        yield first + b"<a/>"


def every_byte() -> Iterator[bytes]:
    """Every byte in each lane of names, text and values; elsewhere every second ASCII byte, the others in the places between."""
    for byte in range(256):
        for before, after in _FAST[1:]:
            for lane in range(_LANES):
                yield _placed(before, bytes([byte]), after, lane)
        for place, (before, after) in enumerate((*_TAGS, *_SERIAL, *_GRAMMAR)):
            if byte < 0x80 and (byte + byte // 16 + place) % 2:
                yield _placed(before, bytes([byte]), after, (byte // 2 + place) % _LANES)


def references() -> Iterator[bytes]:
    """Character references at the edges of Char, too large ones, every spelling, and names near those of the five entities."""
    places = ((b"<a>", b"</a>"), (b"<a b='", b"'/>"), (b'<a b="', b'"/>'), (b"<a>x<!--c-->", b"y</a>"))

    def placed(number: int, reference: bytes) -> Iterator[bytes]:
        for place, (before, after) in enumerate(places[:3]):
            yield _placed(before, reference, after, (number + place) % _LANES)

    points = [point for point in edge_points() if is_char(point) or point < 0x20 or point > 0xD7FF]
    points += [0, 1, 0x110000, 0x110001, 0x1FFFFF, *((1 << bit) + 0x41 for bit in range(6, 41))]
    for number, point in enumerate(points):
        for spelling in (b"&#%d;", b"&#x%x;", b"&#x%X;", b"&#0000000000%d;", b"&#x00000000%x;"):
            yield from placed(number, spelling % point)
    hexadecimal = b"0123456789abcdefABCDEF"
    odd = [b"&#%s;" % (b"9" * n) for n in range(1, 24)] + [b"&#x%s;" % (b"f" * n) for n in range(1, 24)]
    odd += [b"&#x%c;" % digit for digit in hexadecimal] + [b"&#x1%c;" % digit for digit in hexadecimal]
    odd += [b"&#1%c;" % digit for digit in b"0123456789"] + [b"&#x2%c00%c;" % (digit, digit) for digit in hexadecimal]
    odd += b"&; &#; &#x; &#X41; &#xg; &#x4g; &#4a; &#-1; &#+1; &#x-1; &# 65; &#65 ; &#65 &#x41 &# & &#x &a &lt &lt&gt; &#65&#66;".split()
    odd += b"&lt; &gt; &amp; &apos; &quot; &LT; &Lt; &l; &t; &ltt; &llt; &gtt; &gl; &am; &ampp; &amq; &anp; &apo; &aposs; &apot;".split()
    odd += b"&quo; &quott; &quos; &puot; &a; &alt; &agt; &xamp; &lt&; &lt;; &a.b; &a-b; &a:b; &:a; &1a; &-a; &.a; &a1; &_;".split()
    odd += [b"&%s;" % (b"a" * n) for n in (*range(1, 20), 63, 64, 65, 80)] + [b"&%slt;" % (b"a" * n) for n in range(1, 17)]
    odd += [b"&%samp;" % (b"m" * n) for n in range(1, 17)] + ["&é;".encode(), "&aé;".encode(), "&l\u2003t;".encode(), "&a\u203f;".encode()]
    for number, reference in enumerate(odd):
        for place, (before, after) in enumerate(places):
            for lane in (number + place, number + place + 2):
                yield _placed(before, reference, after, lane % _LANES)
    for one in (b"&lt;", b"&#10;", b"&#13;", b"&#x10000;", b"&amp;"):
        for other in (b"&gt;", b"&#9;", b"&#x7ff;", b"\r", b"\n", b"]]", b"&quot;&apos;"):
            for before, after in places:
                yield before + one + other + one + after
