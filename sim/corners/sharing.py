"""Streams of names that share their rows in the name table, or their key: every place, the spare places, and none left for one more."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from hdl.cam.hashing import HASHES, row_of
from hdl.cam.words import KEY_WIDTH
from hdl.config import BrokerConfig
from sim.corners.frames import cancel, subscribe
from sim.corners.names import TWINS
from sim.verilated.broker import Item, Name, Publication, Reset

__all__ = ["clashes", "sharing"]

_ROW_BITS = 9
_LAST = (1 << _ROW_BITS) - 1
_PLACES = 6
"""Of a name: two in each of its rows, and two spare ones, which all names share."""
_START = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OTHER = _START + b"0123456789"


def _rows(word: int) -> tuple[int, ...]:
    return tuple(row_of(word, key_width=KEY_WIDTH, row_width=_ROW_BITS, which=which) for which in range(HASHES))


@cache
def _halves() -> tuple[dict[bytes, tuple[int, ...]], dict[tuple[int, ...], list[bytes]]]:
    """What the first and the last two letters of a name add to its rows; the key of a name of four letters is the letters."""
    last = defaultdict(list)
    for one in _OTHER:
        for two in _OTHER:
            last[_rows(one << 16 | two << 24)].append(bytes([one, two]))
    return {bytes([one, two]): _rows(one | two << 8) for one in _START for two in _OTHER}, last


@cache
def _sharing(*rows: int) -> tuple[bytes, ...]:
    """All names of four letters in these two rows."""
    first, last = _halves()
    found = [start + end for start, own in first.items() for end in last.get(tuple(a ^ b for a, b in zip(own, rows, strict=True)), [])]
    return tuple(sorted(found))


def _elements(names: Sequence[bytes]) -> Publication:
    return Publication(b"<r>" + b"".join(b"<%s/>" % name for name in names) + b"</r>")


def _pinned(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Subscriptions to names of a few rows come and go, as many at a time as there are places at the least."""
    for turn in range(4):
        draw = random.Random(f"sharing-{turn}")
        rows = [draw.sample(range(_LAST), 2) for _ in range(2)]
        pairs = [(rows[0][0], rows[1][0])] if turn == 0 else [(one, two) for one in rows[0] for two in rows[1]]
        pool = [name for pair in pairs for name in _sharing(*pair)[: 16 // len(pairs)]]
        items: list[Item] = []
        held: list[int] = []
        for _ in range(28):
            away = held[: draw.randrange(1, 4)] if len(held) == _PLACES else []
            items += [cancel(number + 1) for number in away]
            held = [number for number in held if number not in away]
            while len(held) < _PLACES:
                number = draw.choice([number for number in range(len(pool)) if number not in held])
                held.append(number)
                items.append(subscribe(number + 1, b"//" + pool[number]))
            draw.shuffle(held)
            items.append(_elements([pool[number] for number in held]))
        yield (*items, _elements(pool), _elements(pool))


def _refused(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """More names with the same rows than there are places: those that find none are refused until others are given up."""
    items: list[Item] = [Name(b"k%d" % number) for number in range(config.names // 2)]
    pool = _sharing(17, 300)[: _PLACES + 4]
    items += [subscribe(number, b"//" + name) for number, name in enumerate(pool, 1)]
    items.append(_elements([*pool, b"k7"]))
    for number in range(1, _PLACES + 1):
        items += [cancel(number), subscribe(100 + number, b"//" + pool[_PLACES + number % 4]), cancel(100 + number)]
        items += [subscribe(number, b"//" + pool[number - 1]), _elements([*pool[:_PLACES]])]
    yield tuple(items)


def _learned(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Documents teach as many names as their rows have places for, then use each of them twice in one tag, far apart."""
    for first, second in ((400, 81), (_LAST, _LAST)):
        pool = _sharing(first, second)[:_PLACES]
        teaching = b"<b %s/>" % b" ".join(name + b"=''" for name in pool)
        items: list[Item] = [subscribe(1, b"//r[b]")]
        for turn, name in enumerate(pool * 2):
            between = b" ".join(b"y%d%d=''" % (turn, number) for number in range(20))
            items.append(
                Publication(b"<r>%s<b %s='' %s %s=''/></r>" % (teaching, name, between, name if turn < len(pool) else b"z" + name))
            )
        yield tuple(items)


def _swept(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Documents teach names until their time has come round: what was learned at first is swept away, and what subscriptions use stays."""
    once = config.learned - config.attributes - 9
    for turn, (first, second) in enumerate(((_LAST, _LAST), (0, 0), (_LAST - 3, _LAST - 5))):
        pool = _sharing(first, second)[:_PLACES]
        kept = [_sharing(row * 37 % _LAST, row * 101 % _LAST)[0] for row in range(24)] + [_sharing(first, row)[0] for row in (5, 77)][turn:]
        items: list[Item] = [subscribe(number, b"//" + name) for number, name in enumerate(kept, 1)]
        items.append(Publication(b"<r>" + b"<b %s/>" % b" ".join(name + b"=''" for name in pool) + b"</r>"))
        # As many names under every time as make the next one begin; text keeps them apart.
        numbers = range(14 * once + 4)
        for start in range(0, len(numbers), 60):
            items.append(
                Publication(b"<r>" + b"".join(b"<q%d/>%s" % (number, b"." * 48) for number in numbers[start : start + 60]) + b"</r>")
            )
        again = b" ".join(name + b"=''" for name in pool)
        items.append(Publication(b"<r>" + b"".join(b"<w%d/>" % number for number in range(12)) + b"<b " + again + b"/></r>"))
        items += [_elements(kept), _elements(pool)]
        yield tuple(items)


def _cleared(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The table is emptied after a reset while a document looks for names that were in its last rows before."""
    pool = _sharing(_LAST, _LAST)[:3] + _sharing(_LAST - 1, _LAST - 1)[:1]
    old = b"<r><b %s/></r>" % b" ".join(name + b"=''" for name in pool)
    new = b" ".join(b"%s=''" % name for name in (b"q1", b"q2", b"q3"))
    for pad in range(1500, 2100, 67):
        tags = b"<b %s %s/>" % (b" ".join(name + b"=''" for name in pool[:3]), new)
        document = b"<!--%s--><r><b %s/>" % (b"." * pad, new) + tags * 40 + b"</r>"
        yield Publication(old), Publication(old), Reset(900), Publication(document)


def sharing(config: BrokerConfig) -> Iterator[tuple[str, tuple[Item, ...], bool]]:
    """All of them, as kind, items, and whether frames and publications do not wait for each other."""
    for made in (_pinned, _refused, _learned, _swept):
        yield from (("sharing", items, False) for items in made(config))
    yield from (("resets", items, False) for items in _cleared(config))


def _attributes(*names: bytes) -> bytes:
    return b" ".join(name + b"=''" for name in names)


def clashes(config: BrokerConfig) -> Iterator[tuple[tuple[Item, ...], frozenset[bytes]]]:
    """Names that find no place or have the key of another, with the documents that end for that reason; those behind them do not."""
    one, other = TWINS
    # What was learned is forgotten at the next tag when the first of these is known to clash, and the second gives the time for that.
    forgotten = b"<r><%s/><%s/></r>" % (one, other)
    later = b"<q>%s</q>" % (b"<q/>" * 40)
    for turn, (first, second) in enumerate(((400, 81), (_LAST, _LAST))):
        pool = _sharing(first, second)[: _PLACES + 2]
        fresh = [b"y%d%d" % (turn, number) for number in range(24)]
        taught, last = b"<b %s/>" % _attributes(*pool[:_PLACES]), pool[_PLACES]
        twice = b"<c %s/>" % _attributes(last, *fresh, last)
        # A subscription uses one of the fresh names: the twelfth that is learned is the thirteenth.
        ends = [
            b"<r>%s%s</r>" % (taught, twice),
            b"<r>%s<c %s/></r>" % (taught, _attributes(last, *fresh)),
            b"<r>%s<c %s/></r>" % (taught, _attributes(*pool[_PLACES:], *fresh)),
            b"<r>%s<c %s/></r>" % (taught, _attributes(last, *fresh[:13])),
            b"<r>%s<%s/><c %s/></r>" % (taught, last, _attributes(last, *fresh, last)),
        ]
        passes = [
            b"<r><c %s/></r>" % _attributes(last, *fresh),
            b"<r>%s<c %s/><d/><c %s/></r>" % (taught, _attributes(last, *fresh[:3]), _attributes(*fresh)),
            b"<r>%s<c %s/></r>" % (taught, _attributes(last, *fresh[:12])),
            b"<r>%s<c %s/></r>" % (taught, _attributes(last, *fresh[:3], last)),
            b"<r>%s<%s/><%s>x</%s></r>" % (taught, last, last, last),
            b"<r>%s</r>" % twice,
        ]
        items: list[Item] = [subscribe(1, b"//c[@%s]" % fresh[1])]
        for ended in ends:
            items += [Publication(data) for passed in passes for data in (forgotten, later, ended, later, passed, passed)]
        # Subscriptions use all the places: what a document brings finds none at any time.
        items += [Publication(forgotten), Publication(later)]
        items += [subscribe(2 + number, b"//" + name) for number, name in enumerate(pool[:_PLACES])]
        few = b"<r><d %s/></r>" % _attributes(last, *fresh[:3])
        items += [Publication(data) for data in (ends[1], few, ends[0], ends[1])]
        yield tuple(items), frozenset([forgotten, *ends])
    passed = [b"<r><%s/><q/><%s/></r>" % (name, name) for name in (other, one)]
    published = [Publication(data) for data in (forgotten, later, passed[0], later, forgotten, later, passed[1], forgotten)]
    yield (subscribe(1, b"//q"), *published), frozenset([forgotten])
