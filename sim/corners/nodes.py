"""Streams about nodes that are selected: at every depth, and in documents whose nodes are ahead of their words."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content, Frame, Header, Kind, OSid
from sim.verilated import broker
from sim.verilated.broker import Item, Publication

__all__ = ["nodes"]


def _subscribe(number: int, text: bytes, *, link: int = 0, content: Content = Content.SELECTED) -> Item:
    header = Header(kind=Kind.SUBSCRIBE, osid=OSid(1), reference=number, content=content, link=link)
    return broker.Frame(Frame(header, text).pack())


def _deep(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """An element at each level, as deep as a document may be, each selected; tags of every length, so that two begin in a word."""
    for turn in range(2):
        items = [_subscribe(level + 1, b"//n%d" % level, link=level % config.links) for level in range(config.depth)]
        items += [_subscribe(100 + level, b"//n%d/@x" % level, link=level % config.links) for level in range(turn, config.depth, 5)]
        for depth in (config.depth, config.depth - 1, 3):
            for between in (b"", b"<b>t</b>") if turn else (b"yz", b"<b x='1'/>"):
                opening = b"".join(b"<n%d%s>" % (level, b" x='%d'" % level * (level % 5 == turn)) + between for level in range(depth - 1))
                closing = b"".join(between + b"</n%d>" % level for level in reversed(range(depth - 1)))
                items.append(Publication(opening + b"<n%d>q</n%d>" % (depth - 1, depth - 1) + closing))
                items.append(Publication(opening + b"<n%d/>" % (depth - 1) + closing))
        yield tuple(items)


def _ahead(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """A publication is held for its notifications while documents follow that have a node in almost every word: start tags behind each
    other, so that the nodes are ahead of their words when the ring is full."""
    few, ring = 48, config.xram_bytes
    for turn in range(2):
        items = [_subscribe(number, b"/r", content=Content.WHOLE) for number in range(1, few)]
        items += [_subscribe(few + number, b"//%s" % b"abc"[number : number + 1]) for number in range(3)]
        held = b"<r>" + b"<a/><b/><c/>" * 8 + b"." * (40 * turn) + b"</r>"
        for shift in range(1, 6):
            tower = b"<d>" * (config.depth - 2) + b"<e/>" + b"</d>" * (config.depth - 2)
            full = ring - len(held) - len(tower) + 4 * (8 * shift - 24)
            dense = b"<s>" + b"<f/>" * (full // 4) + tower * 2 + b"</s>"
            items += [Publication(held), Publication(dense), Publication(held)]
        yield tuple(items)


def nodes(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The items of all of them."""
    if config.selected:
        yield from _deep(config)
        yield from _ahead(config)
