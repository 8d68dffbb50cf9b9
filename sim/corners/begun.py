"""Streams with a reset while a value is being read; the first value after it is one that what is left over would change."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content
from sim.corners.frames import cancel, subscribe
from sim.verilated.broker import Clear, Item, Publication, Reset

__all__ = ["begun"]

_WANTED = (b"//v[@w>4]", b"//v[@w='5']", b"//v[.=5]", b"//v[text()='5']", b"//v[@w!='abc']", b"//v//i")


def _values(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Values of every kind behind each other until the reset comes."""
    numbers = b"<v w='123456789012345'>12<i>3456</i>78901234</v>"
    bodies = (
        numbers,
        b"<v w='123x'>" + b"..." * 40,
        b"<v w='abcdefghijkl'>abc<i/>defghi</v>",
        b"<v w='" + b"1" * 80 + b"'/>",
        b"<v>" + b"x1" * 150 + b"<i/>",
        b"<v w='5'><i/>5<i>" + b" " * 90,
        b"<v>12 12<i/>.12<v w='-.'>",
    )
    firsts = (b"<r><v w='5'/></r>", b"<r><v>5</v></r>", b"<r><v><i/>5</v></r>", b"<v w=''/>", b"<r><i/><v w='abc'>5<i/></v></r>")
    for turn, body in enumerate(bodies):
        items: list[Item] = []
        for step in range(5):
            subscribed = [subscribe(number, text, link=number % config.links) for number, text in enumerate(_WANTED)]
            publications = [Publication(firsts[(turn + step) % 5]), Publication(b"<r>" + body * max(1, 1500 // len(body)))]
            items += [*subscribed, *publications, Reset(2400 + 37 * (5 * turn + step))]
        items += [subscribe(number, text, link=number % config.links) for number, text in enumerate(_WANTED)]
        yield (*items, *map(Publication, (*firsts[turn % 5 :], *firsts)))


def _changes(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Subscriptions being registered, cancelled and cleared, one clock of them after the other; others follow."""
    texts = (b"//a[@x='1']/b", b"/r//c[.>5][@y]", b"//*[text()='7']", b"//a[@x='1']/b", b"/r/@x")
    for turn in range(3):
        items: list[Item] = []
        for step in range(6):
            items += [subscribe(number, text, content=Content(number % 3), exact=number != 2) for number, text in enumerate(texts)]
            items += [cancel(3), cancel(0), subscribe(7, b"//later[@x='2']")]
            items += [Clear()] * (turn == 2)
            items.append(Reset(1500 + 61 * (6 * turn + step)))
        for number, text in enumerate(reversed(texts)):
            items.append(subscribe(number, text, content=Content(number % 3), link=number % config.links))
        items += [Publication(b"<r x='2'><a x='1'><b>7</b></a><c y=''>9</c><later x='2'/></r>")]
        yield (
            *items,
            cancel(1),
            cancel(4),
            Publication(b"<r x='1'><a x='1'><b/></a></r>"),
            subscribe(9, b"//b[.=7]"),
            Publication(b"<b>7</b>"),
        )


def _deep(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The reset comes in long text at a depth at which the first publication after it has a string-value that passes the same marks."""
    wanted = [subscribe(1, b"//v[.=123456]"), subscribe(2, b"//v[.>5]"), subscribe(3, b"//v[.='123456']", link=1 % config.links)]
    marks = config.value_bytes
    for depth in range(1, 6):
        items: list[Item] = []
        for step, filler in enumerate((b"1", b"x", b" 1", b"-.")):
            body = b"<u>" * (depth - 1) + b"<v>" + filler * (1500 // len(filler))
            items += [*wanted, Publication(body), Reset(2100 + 61 * step + 17 * depth)]
            before = (b"<u>" * (depth - 1), b"1" * (marks - 3 + step % 2), b"<v>12<i/>3456</v>", b"</u>" * (depth - 1))
            outside = b"" if depth == 1 else before[1]
            # In the text of the elements round it, or of none: then it passes no mark.
            items += [*wanted, Publication(before[0] + outside + before[2] + before[3]), Publication(b"<v>123<i/>456</v>"), Reset(2)]
        yield tuple(items[:-1])


def begun(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """All of them."""
    yield from _values(config)
    yield from _changes(config)
    yield from _deep(config)
