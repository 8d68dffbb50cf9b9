"""Streams in which what is wanted of publications has to wait, or to be told from its neighbours."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content
from sim.corners.frames import cancel, subscribe
from sim.verilated import broker
from sim.verilated.broker import Item, Name, Publication, Reset

__all__ = ["waiting"]


def _drained(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The first subscription that wants bytes of publications comes while one flows whose last element it would match. It must wait
    until that has been notified, however many there were before."""
    for before in range(4):
        items: list[Item] = [subscribe(50 + number, b"/r", link=1) for number in range(6)]
        content = Content.SELECTED if before % 2 else Content.WHOLE
        items += [Publication(b"<r><a/></r>") for _ in range(before)]
        items += [Publication(b"<r>" + b"." * (config.xram_bytes - 200) + b"<a/></r>")]
        items += [broker.Frame(b"drained")] * (2 * before)
        items.append(subscribe(2, b"//a", content=content, link=before % config.links))
        yield tuple(items)


def _nothing(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Selected nodes of no bytes, on every link, and others right after them; attributes of one tag in several groups of steps."""
    items: list[Item] = [subscribe(1 + link, b"//a/@b", content=Content.SELECTED, link=link) for link in range(config.links)]
    items += [subscribe(10 + link, b"//c", content=Content.WHOLE, link=link) for link in range(config.links)]
    for value in (b"", b"1", b"", b"", b"22"):
        items += [Publication(b"<r><a b='%s'/></r>" % value), Publication(b"<c><a b='%s'/></c>" % value)]
    yield tuple(items)
    names = [b"x%d" % number for number in range(8)]
    items = []
    for number, name in enumerate(names):
        # The steps between let each have a group of its own.
        items += [subscribe(100 + number, b"//f%d" % number * 14)]
        items += [subscribe(1 + number, b"//a/@" + name, content=Content.SELECTED, link=number % config.links)]
    for order in (names, names[::-1], names[2:] + names[:2]):
        tag = b"<a " + b" ".join(name + b"='" + name * 3 + b"'" for name in order)
        items += [Publication(b"<r>" + tag + b"/>" + tag + b"></a></r>"), Publication(b"<r><b>" + tag + b">7</a></b></r>")]
    yield tuple(items)


def _aged(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The first subscription that wants bytes of publications comes when the broker has run for half of 65536 clocks, and later."""
    text = b"." * (4 * 0x8800)
    for content in (Content.WHOLE, Content.SELECTED):
        yield (
            subscribe(1, b"/r", link=1),
            Publication(b"<r>" + text + b"</r>"),
            subscribe(2, b"//a", content=content),
            Publication(b"<r><a/></r>"),
        )


def _behind(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """A frame that takes long to register, a short one that waits for it, one that is refused early, and one more."""
    steps = config.subscription_steps
    for turn in range(3):
        items: list[Item] = [subscribe(1, b"//a")]
        for number in range(2, 22):
            last = b"[@q>%d]" % number * (turn == 1) + b"[.='%s']" % (b"%d" % number * 20) * (turn == 2)
            text = b"".join(b"/n%dx%d" % (number % 7, step) + b"y" * (1 + 7 * turn) for step in range(steps - len(last[:1]))) + last
            items += [subscribe(3 * number, text), subscribe(3 * number + 1, b"//b"), subscribe(1, b"//a")]
            items += [subscribe(3 * number + 2, b"//c"), subscribe(1, b"/d")]
        yield (*items, Publication(b"<a><b/><c/></a>"))


def _counted(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Everything that is counted has been counted when a reset comes."""
    busy: list[Item] = [Name(b"k"), Name(b""), broker.Frame(b"refused"), subscribe(90, b"//a"), cancel(90)]
    busy += [subscribe(1 + link, b"/r", content=Content.WHOLE, link=link) for link in range(config.links)]
    busy += [Publication((b"<r/>", b"<r>", b"<" + b"n" * 99 + b"/>")[number % 3]) for number in range(9)]
    yield (*busy, Reset(3000), Publication(b"<r/>"), *busy)
    yield (*busy, Reset(3000), *busy, Reset(4000), subscribe(1, b"/r", link=config.links - 1), Publication(b"<r/>"))


def _crammed(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The store of frames is full of short ones. One of full length waits until enough of them have been dropped, and another such
    frame comes behind it meanwhile."""
    size = config.xpath_bytes
    items: list[Item] = [subscribe(1000 + number, b"//b", link=number % config.links) for number in range(config.subscriptions * 3 // 4)]
    for number in range(4):
        tail = b"//" + b"z" * (config.name_bytes - 8) + b"%d" % number
        items += [subscribe(10 + number, b" " * number + b"//abcdefghijklmnopqrst%d" % number + b" " * (size - 25 - number))]
        items += [subscribe(20 + number, b" " * (size - len(tail)) + tail)]
        items += [subscribe(30 + turn + 9 * number, b"//c%d" % turn) for turn in range(9)]
    names = b"".join(b"<abcdefghijklmnopqrst%d/><" % number + b"z" * (config.name_bytes - 8) + b"%d/>" % number for number in range(4))
    yield (*items, Publication(b"<r>" + names + b"</r>"), cancel(12), cancel(21), Publication(b"<r>" + names + b"</r>"))


def waiting(config: BrokerConfig) -> Iterator[tuple[str, tuple[Item, ...], bool]]:
    """All of them, as kind, items, and whether frames and publications do not wait for each other."""
    yield from (("drained", items, True) for items in _drained(config))
    for made in (_nothing, _aged, _behind, _crammed):
        yield from (("waiting", items, False) for items in made(config))
    yield from (("resets", items, False) for items in _counted(config))
