"""Streams in which something waits for its turn when it is cut off, cleared away or answered at last."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content
from sim.corners.frames import cancel, subscribe
from sim.verilated.broker import Clear, Item, Publication, Reset

__all__ = ["halted"]

_WIPE = 1100
"""Clocks in which a reset has wiped the tables of the broker's limits, and a few more."""


def _stopped(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Resets while verdicts and the words of whole publications on a link wait to be taken: none of them is left over, and each reset gives
    all places of the queues back. The same four times, because of four streams of a kind two have stalls."""
    for _ in range(4):
        items: list[Item] = []
        for turn in range(20):
            items += [subscribe(1 + number, b"/r", content=Content.WHOLE, link=config.links - 1 - turn % 2) for number in range(3)]
            items += [Publication(b"<r>" + b"t" * 300 + b"</r>")] * 9
            items.append(Reset(_WIPE + 400 + 37 * turn))
        items += [subscribe(1 + number, b"/r", content=Content.WHOLE, link=config.links - 1 - number % 2) for number in range(6)]
        yield (*items, *[Publication(b"<r/>")] * 9)


def _cleared(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """All subscriptions are removed while one is being registered; it goes with the others."""
    steps = config.subscription_steps
    long = b"".join(b"/n%dx%d" % (step, step) for step in range(steps - 2)) + b"//a[@b='%s']" % (b"v" * config.value_bytes)
    shown = Publication(b"<a b='1'/>")
    items: list[Item] = []
    for place in range(8):
        items += [subscribe(1, b"//a", link=1), shown, subscribe(2, long), Clear(after=len(long) // 2 + 13 * place)]
        items += [shown, subscribe(2, long), shown, Clear()]
    yield tuple(items)


def _untold(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Text is compared by nobody any more: it does not come to the engine, which takes a clock for each of its words."""
    dense = Publication(b"<r>" + b"<a b='c'>d</a>" * 400 + b"</r>")
    yield (subscribe(1, b"//a[.='d']"), dense, Clear(), subscribe(1, b"/r"), dense, dense)
    yield (subscribe(1, b"//a[text()='d']"), dense, cancel(1), dense, Clear(), subscribe(1, b"//a[@b='c']"), dense)


def _refilled(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """t-SIDs that were used before are given anew while notifications go out, which read entries of the same table."""
    most = config.subscriptions
    for turn in range(2):
        items: list[Item] = [subscribe(number, b"/r", link=number % config.links) for number in range(1, most + 1)]
        items += [cancel(number) for number in range(1 + turn, most, 3)]
        items += [Publication(b"<r>" + b"<a/>" * turn + b"</r>")] * 12
        items += [subscribe(1000 + number, b"/zz", link=number % config.links) for number in range(most // 3)]
        items += [cancel(1000 + number) for number in range(0, most // 3, 2)]
        yield (*items, *(subscribe(2000 + number, b"//zz") for number in range(most // 6)))


def halted(config: BrokerConfig) -> Iterator[tuple[str, tuple[Item, ...], bool]]:
    """All of them, as kind, items, and whether frames and publications do not wait for each other."""
    yield from (("resets", items, False) for items in _stopped(config))
    yield from (("cleared", items, False) for made in (_cleared, _untold) for items in made(config))
    yield from (("refilled", items, True) for items in _refilled(config))
