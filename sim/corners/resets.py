"""Streams that a reset cuts short where something would stay behind that nothing but the reset clears."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content, Frame, Header, Kind, OSid
from sim.verilated import broker
from sim.verilated.broker import Item, Name, Publication, Reset

__all__ = ["resets"]


def _subscribe(number: int, text: bytes, *, link: int = 0, content: Content = Content.HEADER) -> Item:
    header = Header(kind=Kind.SUBSCRIBE, osid=OSid(1), reference=number, content=content, link=link)
    return broker.Frame(Frame(header, text).pack())


def _cancel(number: int) -> Item:
    return broker.Frame(Frame(Header(kind=Kind.UNSUBSCRIBE, osid=OSid(1), reference=number)).pack())


def _rows(letter: bytes, first: int, count: int) -> Iterator[Item]:
    """Publications with so many names, each an element and an attribute, and a second time."""
    for start in range(first, first + count, 10):
        tags = b"".join(b"<%s%d/>" % (letter, number) for number in range(start, min(start + 10, first + count)))
        yield Publication(b"<r>" + tags + tags + b"</r>")


def _learned(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Names are learned, pinned and released before the reset; then as many are learned as there are places for, and pinned ones found."""
    most = config.learned - config.attributes - 10
    for turn, count in enumerate((most // 2, most - 1, most + 5)):
        before: list[Item] = [Name(b"k%d" % number) for number in range(5 * turn)]
        before += [_subscribe(number, b"//p%d" % number) for number in range(1, 9 * turn)]
        before += [_cancel(number) for number in range(1, 4 * turn)]
        after: list[Item] = [_subscribe(number, b"//k%d" % number, link=number % config.links) for number in range(1, 20)]
        after += [*_rows(b"n", 0, 2 * most), Publication(b"<k1><k2/><n1/><k3 k4=''/></k1>"), *_rows(b"m", 0, most)]
        after += [Publication(b"<r>" + b"".join(b"<k%d/>" % number for number in range(20)) + b"</r>")]
        again = [one for part in range(6) for one in (*_rows(b"abcdef"[part : part + 1], 0, count), Reset(2500))]
        yield (*before, *_rows(b"n", 0, count), Reset(2500 + 900 * turn), *again, *after)


_FAILED = (b"<r>&unknown;", b"<r><?1", b"<r><!-- -- ", b"<?xml version='2'", b"<r><!--\x01", b"<r><![CDATX")
_OPEN = (
    b"<r/><!--c",
    b"<r/><?p d",
    b"<r/><",
    b"<r></r><?p",
    b"<r/><!",
    b"<!DOCTYPE r",
    b"<r/>\n<!--c-",
    b"<!--",
)
"""Documents that end inside markup with no element open."""


def _drained(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """A reset while the rest of a bad document is dropped; the first one after it ends inside markup outside of elements."""
    for number, open_ in enumerate(_OPEN):
        bad = _FAILED[number % len(_FAILED)] + b"........" * 200
        items: list[Item] = [Publication(bad), Reset(150 + 20 * number), Publication(open_), Publication(b"<r/>"), Publication(open_)]
        yield (*items, _subscribe(1, b"/r", link=number % config.links), Publication(b"<r/>"))


def _halfway(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """A reset inside a text to be registered, at every few bytes of it; the first text after it is one that what is left over changes."""
    begun = (
        b"//a[text()='1234567890123456789' and @b='" + b"v" * 60,
        b"/" + b"n" * 60 + b"/" * 1 + b"m" * 60,
        b"//a" + b"/*" * 15 + b"[@b",
        "//\u20ac\U00010000\u00e9".encode() * 12,
        b"//a[@b<-123456.789012345",
        b'//a[. = "' + b" " * 40 + b"12.5" + b" " * 20,
        b"//a[text()" + b" " * 80,
        b"//" + b"x" * 400,
    )
    firsts = (b"a", b"*", b"//b[@c>-1.5]", b"/b[.='12']/@c", b"//b[text()='12']", b"/*//*[@c='2']")
    shown = Publication(b"<b c='2'>12<b c='-3'>12</b></b>")
    for turn in range(4):
        items: list[Item] = []
        for number, text in enumerate(begun[turn::4]):
            for place in range(5):
                items += [_subscribe(1, text * (2 if turn == 3 else 1)), Reset(1100 + 23 * place + 7 * number + turn)]
                items += [_subscribe(7, firsts[(number + place) % len(firsts)]), Reset(1500)]
        ends = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(firsts, 1)]
        yield (*items, *ends, shown, _cancel(3), shown)


def resets(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The items of all of them."""
    yield from _learned(config)
    yield from _drained(config)
    yield from _halfway(config)
