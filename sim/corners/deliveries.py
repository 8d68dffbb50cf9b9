"""Streams at the corners of what waits: frames for those before them, notifications for their links, publications for both."""

import itertools
from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content
from sim.corners.characters import block_points, encoded
from sim.corners.frames import cancel, subscribe
from sim.golden.chars import NAME_EXTRA, NAME_START
from sim.verilated import broker
from sim.verilated.broker import Clear, Item, Publication

__all__ = ["deliveries"]


def _blocks(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Every block of the characters of names, a few in a text and in a publication that it matches; those that begin no name, too."""
    points = [encoded(point) for point in block_points(NAME_START)]
    groups = [points[at : at + 4] for at in range(0, len(points), 4)]
    extra = [encoded(point) for point in block_points(NAME_EXTRA)]
    for part in range(4):
        items: list[Item] = []
        for number, group in enumerate(groups[part::4]):
            joined = b"x".join(group)
            items += [subscribe(3 * number, b"".join(b"/" + one for one in group), link=number % config.links)]
            items += [subscribe(3 * number + 1, b"//b[@" + joined + b"]"), subscribe(3 * number + 2, b"//" + joined)]
            inner = b"<b " + joined + b"='1'/><" + joined + b"/>"
            for one in reversed(group):
                inner = b"<" + one + b">" + inner + b"</" + one + b">"
            items.append(Publication(inner))
        for number, one in enumerate(extra[part::4], 500):
            name = b"a" * (1 + number % 4) + one
            items += [subscribe(number, b"//" + one), subscribe(number, b"//" + name), Publication(b"<" + name + b"/>")]
        yield tuple(items)


def _reused(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """All t-SIDs but a few are held, and the few have been given up. They are taken again, between frames that do not find their
    subscription or find the table full, and behind rows of publications with and without content at every distance."""
    few = 5
    items: list[Item] = [subscribe(1000 + number, b"/z", link=number % config.links) for number in range(config.subscriptions - few)]
    items += [subscribe(2000 + number, b"!") for number in range(few)]
    wanted = ((b"/r", Content.HEADER), (b"//r", Content.SELECTED), (b"/s", Content.WHOLE), (b"/*", Content.HEADER))
    bodies = (b"<r/>", b"<s/>", b"<r>", b"<t/>", b"<r x='1'/>", b"", b"<u><r/></u>", b"<s>......</s>")
    held: list[int] = []
    for number in range(1, 25):
        text, content = wanted[number % len(wanted)]
        items += [subscribe(number, text, content=content, link=number % config.links), cancel(500 + number)]
        held.append(number)
        if len(held) > few:
            items += [cancel(held[-1]), cancel(held.pop(number % few)), cancel(500), subscribe(held[-1], text)]
        if number % 3 == 0:
            items += [Publication(bodies[(number * place + place // 8) % 8]) for place in range(number // 3, 14)]
    yield tuple(items)


def _held(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The table is full, and notifications wait for a link while their subscriptions are cancelled. Others take their t-SIDs, but not
    before the notifications have been addressed."""
    few = 18
    items: list[Item] = [subscribe(number, b"/r", content=Content.WHOLE, link=1) for number in range(1, few + 1)]
    items += [subscribe(1000 + number, b"/z", link=number % config.links) for number in range(config.subscriptions - few)]
    items += [Publication(b"<r>" + b"." * size + b"</r>") for size in (300, 301, 302)]
    # These take longer than the publications need to begin.
    items += [broker.Frame(b"held")] * 24
    for number in range(1, few + 1):
        items += [cancel(number), subscribe(900 + number, b"//zz", link=number % config.links)]
    yield tuple(items)


def _pending(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Frames of one subscription behind each other, in every order of those that are accepted, refused early, refused late, and that
    cancel; each meets the one before it at another stage."""
    steps = (b"/a", b"]", b"//a[@b='c']!", None)
    orders = list(itertools.product(steps, repeat=3))
    for part in range(3):
        items: list[Item] = []
        for number, order in enumerate(orders[part::3], 1):
            items += [cancel(number) if text is None else subscribe(number, text, link=number % config.links) for text in order]
            items += [cancel(number)] * (number % 3 != 0)
            items += [Publication(b"<a/>")] * (number % 3 == 0)
        yield (*items, Publication(b"<a/>"))


def _cut_out(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Nodes that begin and end in every lane, of every small length, alone and several of them, on all links at a time."""
    names = [b"abcdefgh"[:length] for length in range(1, 9)]
    for turn in range(4):
        items: list[Item] = []
        for number, name in enumerate(names):
            for link in range(config.links):
                text = b"//" + name + b"/@" * ((number + link + turn) % 2)
                text += name if text.endswith(b"@") else b""
                content = Content.SELECTED if (number + link) % 5 else Content.WHOLE
                items.append(subscribe(config.links * number + link + 1, text, content=content, link=link))
        items.append(subscribe(99, b"/*", content=Content.SELECTED, link=turn % config.links))
        for before in range(4):
            for number, name in enumerate(names[turn % 2 :: 2]):
                body = b"<%s/>" % name + b" " * ((before + number) % 4) + b"<%s %s=''/>" % (name, name) + b"-" * number
                body += b"<%s>%s</%s>" % (name, b"." * number, name)
                items.append(Publication(b"<r>" + b" " * before + body * (1 + (number == before)) + b"</r>"))
        yield tuple(items)


def _verdicts(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Rows of the shortest publications, good and bad ones, matched by none and by many, so that verdicts and matched sets pile up."""
    kinds = (b"<r/>", b"<s/>", b"<r>", b"<t/>", b"<r x='1'/>", b"", b"<u><r/></u>", b"<r x='%s'/>" % (b"7" * (config.digits + 1)))
    for turn in range(4):
        items: list[Item] = [subscribe(number, b"/r", link=number % config.links) for number in range(1, 8)]
        items += [subscribe(10, b"/s", content=Content.WHOLE), subscribe(11, b"//r", content=Content.SELECTED, link=1)]
        items += [subscribe(12, b"//r[@x>1]"), subscribe(13, b"/*", link=2 % config.links)][: 2 if turn % 2 else 1]
        items += [Publication(kinds[(number * (turn + 1) + number // 8) % 8]) for number in range(150)]
        yield tuple(items)


def _late(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The first subscription that wants bytes of publications, again and again, while publications flow that are shorter and longer
    than the ring; their elements come late, so that the subscription is in time for them unless it is made to wait."""
    for turn in range(4):
        items: list[Item] = [subscribe(number, b"/r", link=number % config.links) for number in range(1, 4)]
        sizes = [(1, 300, config.xram_bytes, config.xram_bytes + 600)[(number + turn) % 4] for number in range(14)]
        items += [
            Publication(b"<!--%s--><r><a>%d</a></r>" % (b"." * (size + 7 * (number % 5)), number)) for number, size in enumerate(sizes)
        ]
        for number in range(100, 108):
            content = Content.WHOLE if (number + turn) % 3 else Content.SELECTED
            items.append(subscribe(number, b"//a" if number % 4 else b"//b", content=content, link=number % config.links))
            items += [broker.Frame(b"late")] * (number * (turn + 1) % 7)
            items += [cancel(number)] * (number != 107)
            items += [broker.Frame(b"late")] * (number * (turn + 3) % 5)
        yield tuple(items)


def _cleared(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """All subscriptions are removed while notifications wait for a link; those that follow get the same t-SIDs, but nothing of that."""
    for content in (Content.HEADER, Content.WHOLE, Content.SELECTED):
        items: list[Item] = [subscribe(number, b"/r", content=Content.WHOLE, link=1) for number in range(1, 41)]
        items += [Publication(b"<r>" + b"." * size + b"</r>") for size in (300, 301, 302)]
        # These take longer than the publications need to begin.
        items += [*[broker.Frame(b"late")] * 40, Clear()]
        items += [subscribe(900 + number, b"//zz", content=content, link=number % config.links) for number in range(20)]
        yield tuple(items)


def deliveries(config: BrokerConfig) -> Iterator[tuple[str, tuple[Item, ...], bool]]:
    """All of them, as kind, items, and whether frames and publications do not wait for each other."""
    kinds = {
        "blocks": _blocks,
        "reused": _reused,
        "held": _held,
        "pending": _pending,
        "cut-out": _cut_out,
        "verdicts": _verdicts,
        "late": _late,
        "cleared": _cleared,
    }
    for kind, made in kinds.items():
        yield from ((kind, items, kind in ("held", "late", "cleared")) for items in made(config))
