"""Documents at every limit of the configuration that the parser enforces, one below and one above, and at the sizes of its queues."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from sim.corners.tokens import filled

__all__ = ["documents"]

_LANES = 4


def _name_lengths(config: BrokerConfig) -> Iterator[bytes]:
    most = config.name_bytes
    for length in (most - 4, most - 3, most - 2, most - 1, most, most + 1, most + 2, most + 3, most + 4, most + 5, 2 * most, 3 * most + 1):
        name = filled(length)
        wide = ["\u00e9", "\u20ac", "\U00010000"]
        for shift in range(_LANES):
            pad = b" " * shift
            yield pad + b"<%s/>" % name
            yield pad + b"<%s></%s>" % (name, name)
            yield pad + b"<a></%s>" % name
            yield pad + b"<%s></%s>" % (filled(most), name)
            yield pad + b"<a %s=''/>" % name
            yield pad + b"<a %s=''/>" % (name + b" ")
            yield pad + b"<a xmlns:%s='u'/>" % name[:-6]
            yield pad + b"<a xmlns:p='u'><p:%s/></a>" % name[:-2]
            yield pad + b"<?%s?><a/>" % name
            yield pad + b"<!DOCTYPE %s><a/>" % name
            yield pad + b"<a>&%s;</a>" % name
            yield pad + b"<%s" % name
            yield pad + b"<%s&" % name
            yield pad + b"<%s:a/>" % name
            yield pad + b"<a b='' %s='" % name
            for character in wide:
                tail = character.encode()
                yield pad + b"<%s/>" % (name[: length - len(tail)] + tail)
                yield pad + b"<a %s=''/>" % (name[: length - len(tail)] + tail + b"\xff")
                yield pad + b"<%s/>" % (tail * (length // len(tail) + 1))[:length]
        yield b"<%s/>" % (b":" + name[1:])
        yield b"<%s/>" % (name[:-1] + b":")
        yield b"<a %s='' %s=''/>" % (name, name)
        yield b"<a><%s><b/></%s></a>" % (name, name)


def _depths(config: BrokerConfig) -> Iterator[bytes]:
    most = config.depth
    for depth in (most - 2, most - 1, most, most + 1, most + 2):
        for shift in range(_LANES):
            pad = b" " * shift
            for name in (b"a", b"bc", b"def", b"ghij"):
                yield pad + b"<%s>" % name * depth + b"</%s>" % name * depth
                yield pad + b"<%s>" % name * (depth - 1) + b"<b/>" + b"</%s>" % name * (depth - 1)
            yield pad + b"<a>" * (depth - 1) + b"<b/><c/><d></d>" + b"</a>" * (depth - 1)
            yield pad + b"<a>" * (depth - 1) + b"<\xc3\xa9/>" + b"</a>" * (depth - 1)
            yield pad + b"<a>" * (depth - 1) + b"<1/>" + b"</a>" * (depth - 1)
            yield pad + b"<a>" * (depth - 1) + b"<!--c--><?p?></a>" + b"</a>" * (depth - 2)
            yield pad + b"<a>" * depth + b"x" + b"</a>" * depth + b"<b/>"
            yield pad + b"<a xmlns:p='u'>" + b"<p:a>" * (depth - 1) + b"</p:a>" * (depth - 1) + b"</a>"
            yield pad + (b"<a>" * (depth - 1) + b"</a>" * (depth - 2)) * 2 + b"</a>"
    for width in range(1, most + 2, 5):
        yield b"<r>" + (b"<a>" * width + b"</a>" * width) * 3 + b"</r>"


def _attributes(config: BrokerConfig) -> Iterator[bytes]:
    most = config.attributes
    for count in (most - 2, most - 1, most, most + 1, most + 2, most + 3, 2 * most + 1):
        row = [b"a%d='%d'" % (k, k) for k in range(count)]
        for shift in range(_LANES):
            pad = b" " * (shift + 1)
            yield b"<a" + pad + b" ".join(row) + b"/>"
            yield b"<a" + pad + b" ".join(row) + b" >x</a>"
        yield b"<a " + b" ".join([*row, row[0]]) + b"/>"
        yield b"<a " + b" ".join([*row[:-1], row[0]]) + b"/>"
        yield b"<a " + b" ".join([*row[:-1], b"b:"]) + b"=''/>"
        yield b"<a " + b" ".join([*row[:-1], b"xmlns=''"]) + b"/>"
        yield b"<a " + b" ".join([*row[:-1], b"xmlns:p='u'"]) + b"/>"
        yield b"<a><b " + b" ".join(row) + b"/><b " + b" ".join(row[: most // 2]) + b"/></a>"
        yield b"<a xmlns:p='u'><b " + b" ".join(b"p:" + one for one in row) + b"/></a>"
        yield b"<a " + b" ".join(b"p%d:" % k + one for k, one in enumerate(row)) + b"/>"


def _prefixes(config: BrokerConfig) -> Iterator[bytes]:
    most = config.prefixes

    def declared(first: int, count: int) -> bytes:
        return b"".join(b" xmlns:p%d='u%d'" % (k, k) for k in range(first, first + count))

    half = most // 2
    for count in (most - 1, most, most + 1, most + 2):
        shallow = min(count, config.attributes)
        yield b"<a" + declared(0, shallow) + b"/>"
        yield b"<a" + declared(0, shallow) + b"><p0:b/><p%d:c/></a>" % (shallow - 1)
        yield b"<a" + declared(0, half) + b"><b" + declared(half, count - half) + b"/></a>"
        yield b"<a" + declared(0, half) + b"><b" + declared(half, count - half) + b"><p%d:c/><p0:d/></b></a>" % (count - 1)
        yield b"<a" + declared(0, half) + (b"<b" + declared(half, count - half) + b"/>").join([b">", b"", b"</a>"])
        yield b"<a" + declared(0, half) + b"><b" + declared(half, 3) + b"></b><b" + declared(half, count - half) + b"></b></a>"
        yield b"<a" + declared(0, half) + b"><b" + declared(0, count - half) + b"><p0:c/></b></a>"
        yield b"<a" + declared(0, half) + b"><b" + declared(0, count - half) + b" xmlns:xmlns='u'/></a>"
        yield b"<a" + declared(0, half) + b"><b" + declared(0, count - half) + b" xmlns:=''/></a>"
        yield b"<a" + declared(0, half) + b"><b xmlns=''" + declared(0, count - half) + b"/></a>"
        uses = b"".join(b" p%d:x=''" % k for k in range(half))
        yield b"<a" + declared(0, half) + b"><b" + uses + declared(half, count - half) + b"/></a>"
        late = b"".join(b" q%d:x=''" % k for k in range(config.attributes))
        yield b"<a" + declared(0, half) + b"><b" + declared(half, count - half) + b"><c" + late + b"/></b></a>"
        nested = b"".join(b"<e xmlns:n%d='u'>" % k for k in range(min(count, config.depth)))
        yield nested + b"<n0:f/>" * (config.depth > count) + b"</e>" * min(count, config.depth)
    for count in range(1, config.attributes + 1):
        used = b"".join(b" w%d:x=''" % k for k in range(count))
        yield b"<a" + used + b"/>"
        yield b"<w:a" + used + b"></w:a>"


def _learning(config: BrokerConfig) -> Iterator[bytes]:
    """More names than are learned, names that come again while they are being learned, and tags full of new names."""
    low = config.learned - config.attributes - 10
    for family, count in enumerate(
        (low - 1, low, low + 1, low + 2, config.learned - 1, config.learned, config.learned + 1, 2 * config.learned)
    ):
        names = [b"%c%d" % (b"ABCDEFGH"[family], k) for k in range(count)]
        yield b"<r>" + b"".join(b"<%s/>" % name for name in names) + b"</r>"
        yield b"<r>" + b"".join(b"<%s/>" % name for name in (*names, *names[:8], *names[-8:])) + b"</r>"
        rows = [names[at : at + config.attributes] for at in range(0, count, config.attributes)]
        yield b"<r>" + b"".join(b"<s " + b" ".join(b"%s=''" % name for name in row) + b"/>" for row in rows) + b"</r>"
        rows = [[*row, row[len(row) // 2]] for row in rows[:-1]] + rows[-1:]
        yield b"<r>" + b"".join(b"<s " + b" ".join(b"%s=''" % name for name in row) + b"/>" for row in rows) + b"</r>"
    for distance in range(24):
        stem = b"abcdefgh"[distance % 8 : distance % 8 + 1]
        between = b"".join(b"<%sx%d_%d/>" % (stem, distance, k) for k in range(distance))
        for fresh in (b"N%d" % distance, b"Longer_name_%d" % distance):
            yield b"<r><%s/>" % fresh + between + b"<%s/></r>" % fresh
            yield b"<r><b %s=''/>" % fresh.lower() + between + b"<%s></%s></r>" % (fresh.lower(), fresh.lower())
            yield (
                b"<r><c %s='' " % (b"_" + fresh)
                + b" ".join(b"y%d_%d=''" % (distance, k) for k in range(distance))
                + b" %s=''/></r>" % (b"_" + fresh)
            )
    # Names with one sum of bytes, by which those learned of late are remembered.
    for length in (4, 8, 12):
        letters = filled(length)
        turned = [letters[k:] + letters[:k] for k in range(length) if letters[k : k + 1].isalpha()]
        yield b"<r>" + b"".join(b"<%s/>" % name for name in turned * 2) + b"</r>"
        yield b"<r>" + b"".join(b"<q %s=''/>" % name for name in turned * 2) + b"</r>"


def _sizes(config: BrokerConfig) -> Iterator[bytes]:
    """Documents, text and numbers of tokens at the sizes of the rings and queues that they pass."""
    ring = config.xram_bytes
    for size in (ring - 1, ring, ring + 1, 2 * ring + 1):
        yield b"<a>" + filled(size - 7) + b"</a>"
        yield b"<a b='" + filled(size - 9) + b"'/>"
        yield b"<!--" + filled(size - 11) + b"--><a/>"
        yield (b"<a><b/>" + b"x<b/>" * (size // 5))[: size - 4] + b"</a>"
    for count in (63, 64, 65, 127, 128, 129, 255, 256, 257):
        yield b"<r>" + b"x<b/>" * count + b"</r>"
        yield b"<r>" + b"<b c='d'/>" * count + b"</r>"
        yield b"<r>" + b"<b>y</b>" * count + b"</r>"
        yield b"<r>" + b"y<!---->" * count + b"</r>"
        yield b"<r>" + b"<b></b>" * count + b"</r>"
    for length in (760, 764, 768, 772, 1000):
        yield b"<r>" + filled(length) + b"<b " + b" ".join(b"c%d='%s'" % (k, filled(k)) for k in range(config.attributes)) + b"/>z</r>"


def _values(config: BrokerConfig) -> Iterator[bytes]:
    """Values and numbers at the limits of comparison, which bind where a subscription compares them."""
    most = config.value_bytes
    for length in (most - 1, most, most + 1, most + 4, 2 * most):
        value = filled(length)
        yield b"<a b='%s'>%s</a>" % (value, value)
        yield b"<a><b>%s</b><b>%s<c>%s</c></b></a>" % (value, value[:9], value[9:])
    digits = b"1234567890123456789"
    for count in (1, config.digits - 1, config.digits, config.digits + 1, config.digits + 3):
        number = digits[:count]
        spellings = [
            number,
            b"-" + number,
            b"000" + number,
            number + b"000",
            b"." + number,
            b"0." + number,
            b"0.000" + number,
            number + b".",
        ]
        spellings += [
            number[:1] + b"." + number[1:],
            number[:1] + b"." + number[1:] + b"000",
            b" " + number + b" ",
            b"\n-" + number + b"\t",
        ]
        spellings += [number + b" 1", b"+" + number, number + b"e1", b"--" + number, number + b"x", number[: count // 2] + b"0" * 20]
        for spelling in spellings:
            yield b"<a price='%s'>%s</a>" % (spelling, spelling)


def documents(config: BrokerConfig) -> Iterator[bytes]:
    """Documents at, one below and one above every limit."""
    yield from _name_lengths(config)
    yield from _depths(config)
    yield from _attributes(config)
    for number, data in enumerate(_prefixes(config)):
        yield data
        yield b" " * (number % 3 + 1) + data
    yield from _learning(config)
    yield from _sizes(config)
    yield from _values(config)
