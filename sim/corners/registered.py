"""Streams about single names and values: names with the same hash, bytes next to digits, lengths of numbers, documents without a byte."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Frame, Header, Kind, OSid
from sim.corners.names import TWINS
from sim.verilated import broker
from sim.verilated.broker import Item, Publication

__all__ = ["registered"]


def _subscribe(number: int, text: bytes, *, link: int = 0) -> Item:
    return broker.Frame(Frame(Header(kind=Kind.SUBSCRIBE, osid=OSid(1), reference=number, link=link), text).pack())


def _cancel(number: int) -> Item:
    return broker.Frame(Frame(Header(kind=Kind.UNSUBSCRIBE, osid=OSid(1), reference=number)).pack())


def _twins(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Of two names with the same hash one is registered, then the other: beside it, in its place, and in a place that became free."""
    items: list[Item] = []
    for turn in range(8):
        one, other = TWINS if turn % 2 else TWINS[::-1]
        shown = Publication(b"<r><%s/><b %s=''/></r>" % (one, one))
        texts = (b"//%s", b"//b[@%s]", b"//*/@%s", b"/r/%s")
        items += [_subscribe(90 + number, b"//free%d_%d" % (turn, number)) for number in range(turn % 4)]
        items += [_cancel(90 + number) for number in range(turn % 4)]
        items += [_subscribe(1, texts[turn % 4] % one, link=turn % config.links), shown]
        items += [_subscribe(2, texts[(turn + 1) % 4] % other), _subscribe(3, b"/r/b/@" + other), shown]
        items += [_subscribe(4, b"//after%d" % turn), _cancel(1), _cancel(4)]
    yield (*items, Publication(b"<r><%s/></r>" % TWINS[0]))


def _digits(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Every byte that is no letter of an exponent, alone, before and behind a digit, in values that are compared with numbers."""
    wanted = (b"//v[.>11]", b"//v[.<=11]", b"//v[@w>1]", b"//v[@w!=1]", b"//v[text()>5]", b"//v[.='1']", b"//v[@w<5]", b"//v[.=1]")
    items = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(wanted, 1)]
    special = {ord("<"): b"&lt;", ord("&"): b"&amp;", ord("'"): b"&apos;"}
    for byte in range(0x20, 0x7F):
        if byte not in b"eE":
            one = special.get(byte, bytes([byte]))
            items += [Publication(b"<v w='1%s'>1%s</v>" % (one, one)), Publication(b"<v w='%s'>2%s</v>" % (one, one))]
            items.append(Publication(b"<r><v w='%s1'>%s3</v></r>" % (one, one)))
    yield tuple(items)


def _lengths(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Numbers of every length round the longest literal, most of their digits zeros that do not count."""
    most = config.value_bytes
    items: list[Item] = []
    for number, length in enumerate((most - 2, most - 1, most, most + 1, most + 2)):
        spellings = (b"1".rjust(length, b"0"), b"-" + b"1".rjust(length - 1, b"0"), b"1." + b"0" * (length - 2), b"." + b"0" * (length - 1))
        items += [_subscribe(10 * number + place, b"//v[.>=%s]" % one) for place, one in enumerate(spellings)]
    yield (*items, Publication(b"<v>1</v>"), Publication(b"<v>0</v>"), Publication(b"<v>-2</v>"))


def _empty(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """As many documents without a byte as words wait in the lexer, then one with rare markup, whose words do not come at once."""
    for turn in range(4):
        items: list[Item] = [_subscribe(1, b"/r"), _subscribe(2, b"//s[.='x']", link=turn % config.links)]
        for rare in (b"<!--%s-->", b"<?p %s?>", b"<![CDATA[%s]]>", b"&lt;%s&#65;"):
            items += [Publication(b"")] * (16 + turn)
            items.append(Publication(b"<r>" + rare % (b"12]-?45 " * 12) + b"<s>x</s></r>"))
        yield tuple(items)


def registered(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The items of all of them."""
    yield from _twins(config)
    yield from _digits(config)
    yield from _lengths(config)
    yield from _empty(config)
