"""Streams that give back names and strings in every way and then take as many as there are places for: one that is lost is missed."""

from collections.abc import Callable, Iterator, Sequence

from hdl.config import BrokerConfig
from sim.corners.frames import cancel, subscribe
from sim.verilated.broker import Clear, Item, Publication

__all__ = ["given_back"]


def _groups(prefix: bytes, count: int, size: int) -> list[list[bytes]]:
    names = [b"%s%d" % (prefix, number) for number in range(count)]
    return [names[at : at + size] for at in range(0, count, size)]


def _path(names: Sequence[bytes]) -> bytes:
    return b"".join(b"/" + name for name in names)


def _selected(names: Sequence[bytes]) -> bytes:
    return _path(names[1:]) + b"/@" + names[0]


def _tests(form: bytes) -> Callable[[Sequence[bytes]], bytes]:
    return lambda names: b"//v" + b"".join(form % name for name in names[1:])


def _nested(names: Sequence[bytes]) -> Publication:
    return Publication(b"".join(b"<" + name + b">" for name in names) + b"".join(b"</" + name + b">" for name in reversed(names)))


def _ways(text: bytes, other: bytes, last: bytes) -> list[Item]:
    """With all others, by the only subscription, by the second of two, and by one that is refused behind its last name; what has been given
    back is not taken again."""
    return [
        *(subscribe(1, last), subscribe(2, last), Clear(), subscribe(1, text), cancel(1)),
        *(subscribe(1, text), subscribe(2, text), subscribe(3, other), cancel(1), cancel(2), cancel(3)),
        subscribe(1, other + b"]"),
    ]


def _names(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Names of steps, of attributes that must be there, that are compared and that are selected; then documents that have all names."""
    size = config.subscription_steps
    kinds = (_path, _tests(b"[@%s]"), _tests(b"[@%s>1]"), _tests(b"[@%s='x']"), _selected)
    items: list[Item] = []
    for number, text in enumerate(kinds):
        one, other, last = map(text, _groups(b"abcdefgh"[number : number + 1], 3 * size, size))
        items += _ways(one, other, last)
    groups = _groups(b"f", config.names, size)
    items += [subscribe(1000 + number, _path(names)) for number, names in enumerate(groups)]
    items += map(_nested, groups)
    yield (*items, *(cancel(1000 + number) for number in range(len(groups))), subscribe(1, _path(groups[0])), _nested(groups[0]))


def _cut(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Names that are cut short, a clock later each time, while the names of the frame before are given back."""
    size = config.subscription_steps
    names = _groups(b"n", size, size)[0]
    items: list[Item] = []
    for length in range(5, 25):
        items += [subscribe(1, _path(names)), cancel(1)] if length % 2 else [subscribe(1, _path(names) + b"]")]
        items.append(subscribe(2, b"/" + b"c" * length + b"!"))
    groups = _groups(b"f", config.names, size)
    yield (*items, *(subscribe(1000 + number, _path(names)) for number, names in enumerate(groups)), _nested(groups[-1]))


def _strings(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Strings of tests that hang from them and of those in lists; then documents that have all of them."""
    tests = config.subscription_steps - 1
    items: list[Item] = []
    for number, form in enumerate((b"[@w='%s']", b"[@w!='%s']", b"[.='%s']", b"[text()!='%s']")):
        one, other, last = map(_tests(form), _groups(b"abcd"[number : number + 1], 3 * (tests + 1), tests + 1))
        items += _ways(one, other, last)
    groups = _groups(b"g", config.values, tests)
    items += [subscribe(10 + number, b"//v" + b"".join(b"[@w!='%s']" % one for one in group)) for number, group in enumerate(groups)]
    items += [Publication(b"<r><v w='%s'/></r>" % group[-1]) for group in groups]
    yield tuple(items)


def given_back(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """All of them."""
    yield from _names(config)
    yield from _cut(config)
    yield from _strings(config)
