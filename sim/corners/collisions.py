"""Streams of subscriptions that the CRT's hash does not tell apart: what they ask for differs in one bit, and they must not share a run."""

from collections.abc import Iterator, Sequence

from hdl.config import BrokerConfig
from sim.corners.frames import cancel, subscribe
from sim.verilated.broker import Item, Publication

__all__ = ["collisions"]

_BITS = 8
"""Width of the hash."""


def _turned(bit: int, places: int) -> int:
    return 1 << (bit + places) % _BITS


def _pairs(
    texts: Sequence[tuple[bytes, bytes]], documents: Sequence[Publication], config: BrokerConfig, *, exact: bool = True
) -> list[Item]:
    """Both texts of each pair, the documents, the first of each pair cancelled, the documents again, and the others cancelled."""
    items: list[Item] = []
    for number, pair in enumerate(texts):
        items += [subscribe(500 + 2 * number + one, text, link=one % config.links, exact=exact) for one, text in enumerate(pair)]
    items += [*documents, *(cancel(500 + 2 * number) for number in range(len(texts))), *documents]
    return [*items, *(cancel(501 + 2 * number) for number in range(len(texts)))]


def _names(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Two steps whose names' token IDs differ in a bit, the second where the first comes to lie; kinds and axes that differ likewise."""
    count, run = config.names - 8, config.subscription_steps
    # The first name gets token ID 1.
    names = [b"n%d" % (place + 1) for place in range(count)]
    items: list[Item] = []
    for number, at in enumerate(range(0, count, run), 1):
        items.append(subscribe(number, b"".join(b"/" + name for name in names[at : at + run])))
    for base in (6, 41):
        texts, documents = [], []
        for bit in range(_BITS):
            first, second = base ^ 1 << bit, (base + 3) ^ _turned(bit, 3)
            if max(first, second) <= count and min(first, second) > 0:
                texts.append((b"/n%d/n%d" % (base, base + 3), b"/n%d/n%d" % (first, second)))
                documents.append(Publication(b"<n%d><n%d/></n%d>" % (first, second, first)))
        texts += [(b"/n%d/n%d" % (base, base + 3), b"/n%d//n%d" % (base, (base + 3) ^ 8)), (b"/n%d/n9" % base, b"/n%d[@n10]" % base)]
        documents += [Publication(b"<n%d><n%d/><q><n%d/></q></n%d>" % (base, base + 3, (base + 3) ^ 8, base))]
        documents += [Publication(b"<n%d n10=''/>" % base), Publication(b"<n%d><n9/></n%d>" % (base, base))]
        items += _pairs(texts, documents, config) + _pairs(texts[:3], documents[:2], config, exact=False)
    yield tuple(items)


def _strings(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Two tests with strings whose numbers differ in a bit, the second where the first comes to lie."""
    tests = config.subscription_steps - 1
    strings = [b"s%d" % number for number in range(config.values - 1)]
    items: list[Item] = []
    for number, at in enumerate(range(0, len(strings), tests), 1):
        items.append(subscribe(number, b"//v" + b"".join(b"[@w!='%s']" % one for one in strings[at : at + tests])))
    for operator in (b"=", b"!="):
        texts, documents = [], []
        for bit in range(_BITS):
            first, second = 21 ^ 1 << bit, 50 ^ _turned(bit, 6)
            form = b"/v[@x%s's%d'][@y%s's%d']"
            texts.append((form % (operator, 21, operator, 50), form % (operator, first, operator, second)))
            documents.append(Publication(b"<v x='s%d' y='s%d'/>" % (first, second)))
        documents.append(Publication(b"<v x='s21' y='s50'/>"))
        items += _pairs(texts, documents, config)
    yield tuple(items)


def _numbers(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Numbers that differ in a bit of two digits, in their sign, and in their point; exact and containment subscriptions of one text."""
    texts, values = [], list[bytes]()
    for low, high in ((b"2", b"3"), (b"4", b"6")):
        for place in range(3):
            digits = [low] * 9
            spelled = []
            for at in (place, place + 6):
                spelled.append(b"".join([*digits[:at], high, *digits[at + 1 :]]))
            texts.append((b"/v[@x=%s]" % spelled[0], b"/v[@x=%s]" % spelled[1]))
            values += spelled
    texts += [(b"/v[@x=5]", b"/v[@x=-5]"), (b"/v[@x='5']", b"/v[@x=5]"), (b"/v[@x=5.5]", b"/v[@x=55]")]
    values += [b"5", b"-5", b"5.0", b"5.5", b"55"]
    documents = [Publication(b"<v x='%s'/>" % value) for value in values]
    items = _pairs(texts, documents, config)
    tested = [
        b"/v",
        b"//v/w",
        b"//v[@x]",
        b"//*[.='5']",
        b"//v[.='5']",
        b"//v[text()='5']",
        b"//*[text()='5']",
        b"/*",
        b"/v/@x",
        b"/v[@x]/w",
    ]
    shown = [Publication(b"<v x='5'>5</v>"), Publication(b"<r>5<v/>5<w><v>5</v></w></r>"), Publication(b"<v><w/><v x=''/></v>")]
    for turn in range(2):
        for number, text in enumerate(tested):
            items += [subscribe(10 + number, text, exact=turn == 0), subscribe(40 + number, text, exact=turn == 1)]
        items += [*shown, *(cancel(10 + number) for number in range(len(tested))), *shown]
        items += [cancel(40 + number) for number in range(len(tested))]
    yield tuple(items)


def collisions(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """All of them."""
    yield from _names(config)
    yield from _strings(config)
    yield from _numbers(config)
