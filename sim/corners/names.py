"""Documents about names: prefixes and their scopes, end tags that pair or nearly do, attributes given twice or nearly so."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from sim.corners.tokens import filled

__all__ = ["TWINS", "attributes", "namespaces", "pairing"]

_LANES = 4

TWINS = (b"abcdijkl", b"hmcdyere")
"""Two names with the same hash: the name table takes one of them at a time."""


def changed(name: bytes, at: int) -> bytes:
    """The name with another letter at that place."""
    return name[:at] + (b"Z" if name[at : at + 1] != b"Z" else b"Y") + name[at + 1 :]


def _bindings(prefix: bytes, other: bytes) -> Iterator[bytes]:
    """A prefix where it is bound, and ``other`` in its place where it is not."""
    for used in (prefix, other):
        yield b"<%s:a xmlns:%s='u'/>" % (used, prefix)
        yield b"<a xmlns:%s='u' %s:b=''/>" % (prefix, used)
        yield b"<a %s:b='' xmlns:%s='u'/>" % (used, prefix)
        yield b"<a xmlns:%s='u'><%s:b/></a>" % (prefix, used)
        yield b"<a xmlns:%s='u'><b %s:c=''></b></a>" % (prefix, used)
        yield b"<a><b xmlns:%s='u'/><%s:c/></a>" % (prefix, used)
        yield b"<a><b xmlns:%s='u'></b><c %s:d=''/></a>" % (prefix, used)
        yield b"<a><b xmlns:%s='u'><%s:c/></b><%s:c/></a>" % (prefix, prefix, used)


def namespaces() -> Iterator[bytes]:
    """Prefixes bound and unbound, redeclared, out of scope, nearly alike, of every length; and what looks like a declaration."""
    for length in range(1, 22):
        prefix = filled(length)
        near = [changed(prefix, at) for at in sorted({0, length // 2, length - 1})] + [prefix + b"a", prefix[:-1] or b"Q"]
        for other in near:
            yield from _bindings(prefix, other)
    for length in range(1, 58):
        prefix = filled(length)
        for shift in range(_LANES):
            yield b"%s<a xmlns:%s='u'><%s:%s/></a>" % (b" " * shift, prefix, prefix, filled(shift + 1))
    spellings = (
        b"xmlns xmlns: xmlns:p xmln xmln:p xmlnsp xmlnsp:q xmlns:xml xmlns:xmlns xmlns:xmln xmlns:xmlnsa xmlns:xmlnt xmlns:ymlns".split()
    )
    spellings += (
        b"Xmlns:p xmlnS:p xmlnt:p ymlns:p xmlns:p:q xmlns::p xmlns:1 xmlns:-p xml:lang xm:a xmla:b xml:xmlns Xml:a xmL:a xmk:a".split()
    )
    spellings += b":xmlns :p p: :: : p:q p:q:r p::q p:1 p:-a p:.a p:_ p:a- p:a1 1:p abc:d abcd:e abcde:f abcdefg:h abcdefgh:i".split()
    spellings += [
        "\u00e9:a".encode(),
        "a:\u00e9".encode(),
        "a:\u00b7".encode(),
        "ab:\u00b7".encode(),
        "abc:\u00b7".encode(),
        "abcd:\u00b7".encode(),
    ]
    for name in spellings:
        for shift in range(_LANES):
            pad = b" " * shift
            yield pad + b"<%s/>" % name
            yield pad + b"<%s></%s>" % (name, name)
            for value in (b"", b"u"):
                yield pad + b"<a %s='%s'/>" % (name, value)
                yield pad + b"<a xmlns:p='w' xmlns:abcd='w' xmlns:abcdefgh='w' %s=\"%s\"><b/></a>" % (name, value)
    for length in range(1, 20):
        for at in range(length + 1):
            name = filled(length)[:at] + b":" + filled(length)[at:]
            yield b"<a xmlns:%s='u'><%s/></a>" % (name[:at] or b"p", name)
            yield b"<a xmlns:%s='u'><%s:x/></a>" % (name[:at] or b"p", name)
    for value in (b"''", b'""', b"' '", b"'&#32;'", b"'\t'", b"'u'", b"'&amp;'", b"'http://www.w3.org/2000/xmlns'"):
        for name in (b"xmlns", b"xmlns:p", b"xmlns:prefixed", b"b"):
            for rest in (b"/>", b"></a>", b" c=''/>", b" p:c=''/>", b"><p:b/></a>"):
                yield b"<a %s=%s%s" % (name, value, rest)
    # Scopes: a prefix is declared at one level and used at others, before, within and after; and redeclared on the way.
    for declared in range(5):
        for used in range(5):
            for again in range(declared, 5):
                parts, ends = b"", b""
                for level in range(5):
                    parts += b"<e"
                    if level in (declared, again):
                        parts += b" xmlns:p='u%d'" % level
                    parts += b" p:x=''" * (level == used) + b">"
                    ends = b"</e>" + b"<p:y/>" * (level == used) * (level > 0) + ends
                yield parts + ends
    # Prefixes of one word are remembered; leaving a scope must forget them.
    for inner in (b"<p:b/>", b"<q:b/>", b"<p:b/><q:b/>", b"<b xmlns:q='v'><q:c/></b>", b"<b xmlns:q='v'/>", b"<q:b xmlns:q='v'/>"):
        for after in (b"<p:c/>", b"<q:c/>", b"<c q:d=''/>", b"<xml:c/>", b"<xmlns:c/>"):
            yield b"<a xmlns:p='u'>" + inner + after + b"</a>"
            yield b"<a xmlns:p='u'>" + inner + b"<e>" + after + b"</e></a>"
            yield b"<a><b xmlns:p='u'>" + inner + b"</b>" + after + b"</a>"
    # Uses before their declarations wait for the end of the tag, latest first.
    for count in range(1, 9):
        prefixes = [b"p%d" % k + b"long"[: k % 5] for k in range(count)]
        uses = [prefix + b":a=''" for prefix in prefixes]
        declarations = [b"xmlns:" + prefix + b"='u%d'" % k for k, prefix in enumerate(prefixes)]
        yield b"<a " + b" ".join(uses + declarations) + b"/>"
        yield b"<a " + b" ".join(uses + declarations[::-1]) + b"/>"
        yield b"<%s:a " % prefixes[-1] + b" ".join(uses + declarations) + b"></%s:a>" % prefixes[-1]
        for missing in range(count):
            yield b"<a " + b" ".join(uses + declarations[:missing] + declarations[missing + 1 :]) + b"/>"
            yield b"<a " + b" ".join(declarations[:missing] + declarations[missing + 1 :] + uses) + b"></a>"


def pairing(config: BrokerConfig) -> Iterator[bytes]:
    """End tags with one byte changed, added or left out, at every length; at every depth; beside what earlier elements left behind."""
    for length in range(1, config.name_bytes + 1):
        name = filled(length)
        wrong = [changed(name, at) for at in sorted({0, length // 2, length - 1})] + [name[:-1], name[1:], name + b"a", b"a" + name]
        wrong += [changed(name, at) for at in range(length)] if length <= 12 else []
        for number, end in enumerate([name, *wrong]):
            for shift in range(_LANES) if length <= 12 else [(length + number) % _LANES]:
                yield b"%s<%s></%s>" % (b" " * shift, name, end)
    for length in range(1, 13):
        name = filled(length)
        for other in range(1, 13):
            shift = (length + other) % _LANES
            yield b"<r%s><%s></%s><%s></%s></r>" % (b" " * shift, name, name, filled(other), name)
            yield b"<r%s><%s/><%s></%s></r>" % (b" " * shift, name, filled(other), filled(other))
            yield b"<%s%s><%s></%s></%s>" % (name, b" " * shift, filled(other), filled(other), name)
            yield b"<%s%s><%s></%s></%s>" % (name, b" " * shift, filled(other), name, filled(other))
    levels = [filled(level % 9 + 1, first=chr(ord("a") + level % 26)) for level in range(config.depth)]
    for at in range(config.depth):
        opening = b"".join(b"<%s>" % name for name in levels[: at + 1])
        closing = b"".join(b"</%s>" % name for name in reversed(levels[:at]))
        yield opening + b"</%s>" % levels[at] + closing
        yield opening + b"</%s>" % changed(levels[at], len(levels[at]) - 1) + closing
        yield opening + b"<x/></%s>" % levels[at - 1] + closing
        yield opening + b"</%s><%s></%s>" % (levels[at], levels[at], levels[at]) + closing
        yield opening + b"</%s>" % levels[at] + closing + b"</a>"
        yield opening + b"</%s>" % levels[at] + closing[: closing.rfind(b"<")]
    for many in range(6):
        yield b"<a>" * many + b"</a>" * (many + 1)
        yield b"<a/>" * many + b"<a>"
        yield b"<r>" + b"<a/>" * many + b"</a></r>"
        yield b"<r>" + b"<a b=''/>" * many + b"</r ><a/>"


def attributes(config: BrokerConfig) -> Iterator[bytes]:
    """Attributes given twice at every two places of a tag, names that differ in one byte or in length, and more than can be learned."""
    most = config.attributes
    for second in range(1, most):
        for first in range(second):
            names = [b"a%d" % k for k in range(second + 1)]
            names[second] = names[first]
            yield b"<a " + b" ".join(name + b"=''" for name in names) + b"/>"
    for length in range(1, 20):
        name = filled(length)
        for other in (name, *(changed(name, at) for at in range(length)), name[:-1], name + b"a"):
            if other:
                for shift in range(_LANES) if length < 9 else [length % _LANES]:
                    yield b"%s<a %s='' %s=\"\"/>" % (b" " * shift, name, other)
    for length in range(24, config.name_bytes + 1, 5):
        name = filled(length)
        for other in (name, changed(name, length - 1), changed(name, 0), name[:-1]):
            yield b"<a %s='' %s=''></a>" % (name, other)
    # The same names in many tags, and as elements: only a tag's own count.
    for count in range(1, 34):
        yield b"<r>" + b"<b c='' d=''/>" * count + b"<b c='' d='' c=''/></r>"
        yield b"<c d=''>" * min(count, config.depth) + b"<" * (count == 33) + b"</c>" * min(count, config.depth)
    # Token IDs with the same low bits: many names in one tag after many in others.
    for offset in range(0, 64, 7):
        row = b" ".join(b"k%d%d=''" % (offset, k) for k in range(most))
        fill = b"".join(b"<f%d%d/>" % (offset, k) for k in range(offset))
        yield b"<r>" + fill + b"<b " + row + b"/><b " + row + b"/></r>"
        yield b"<r>" + fill + b"<b " + row[: row.rfind(b" ")] + b" k%d0=''/></r>" % offset
    # Names are forgotten together, and one that comes again is new. A place of the name table has a number of four bits for the time in
    # which it was filled: two of them mean something else, and the others come again after as many names as were learned under all.
    once = config.learned - most
    for letter, count in zip((b"q", b"s", b"t"), range(12 * once, 15 * once, once), strict=True):
        for turn in range(2):
            for first in range(0, count, 50):
                row = b"".join(b"<%s%d/>" % (letter, number) for number in range(first, min(first + 50, count)))
                yield b"<r%s>" % (b" " * turn) + row + b"</r>"
