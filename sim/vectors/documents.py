"""Publications: every document is a pure function of the seed, the row and the broker's limits."""

import enum
from collections.abc import Callable
from dataclasses import dataclass

from hdl.config import BrokerConfig
from hdl.contract import Code
from sim.vectors.families import broken, media, news, presence, sensor, stock, trees
from sim.vectors.families.tree import Element, dress, write
from sim.vectors.seeds import Draw

__all__ = [
    "FAMILIES",
    "KINDS",
    "SIZE_CLASSES",
    "Document",
    "SizeClass",
    "code_planned",
    "document",
    "size_class",
    "thesis_document",
    "tree_of",
]


class SizeClass(enum.IntEnum):
    """How large a document is meant to be, in bytes from ``low`` to ``high``."""

    low: int
    high: int

    def __new__(cls, value: int, low: int, high: int) -> "SizeClass":
        member = int.__new__(cls, value)
        member._value_ = value
        member.low = low
        member.high = high
        return member

    TINY = (0, 0, 255)
    SMALL = (1, 256, 1023)
    MEDIUM = (2, 1024, 4095)
    LARGE = (3, 4096, 32767)
    HUGE = (4, 32768, 1 << 20)


SIZE_CLASSES: tuple[SizeClass, ...] = tuple(SizeClass)


def size_class(size: int) -> SizeClass:
    """The class that a document of ``size`` bytes falls into."""
    for member in SIZE_CLASSES:
        if size <= member.high:
            return member
    return SizeClass.HUGE


FAMILIES: dict[str, Callable[[Draw, int], Element]] = {
    "stock": stock.build,
    "presence": presence.build,
    "news": news.build,
    "sensor": sensor.build,
    "media": media.build,
    "deep": trees.deep,
    "wide": trees.wide,
    "odd": trees.odd,
}
"""The builders of trees by kind of document."""

KINDS: tuple[str, ...] = (*FAMILIES, "thesis", "digits", "broken", "mutant")
"""All kinds of documents: the families, the thesis's sizes, numbers too long to compare, and broken documents."""

_TURNS = (
    "stock",
    "broken",
    "presence",
    "odd",
    "news",
    "mutant",
    "sensor",
    "thesis",
    "media",
    "broken",
    "deep",
    "mutant",
    "wide",
    "odd",
    "stock",
    "sensor",
)
_SIZES = (1, 2, 0, 1, 2, 1, 3, 2, 1, 0, 2, 1, 1, 2, 0, 1)
_HUGE_EVERY = 331
_DIGITS_EVERY = 61
_DEEPEST = 48 << 10
"""Largest deep tree: libxml2 takes quadratic time for ``//`` in recursive documents."""


@dataclass(frozen=True)
class Document:
    """A publication; ``aim`` and ``offset`` are what it was made to end in, None where only a judge can tell."""

    row: int
    kind: str
    data: bytes
    aim: Code | None
    offset: int | None


def _kind(row: int) -> str:
    if row % _DIGITS_EVERY == _DIGITS_EVERY - 1:
        return "digits"
    return _TURNS[row % len(_TURNS)]


def code_planned(row: int) -> Code | None:
    """The code that the document of that row is to end in beside subscriptions that compare its numbers; None for a mutant.

    The seed does not change it.
    """
    kind = _kind(row)
    if kind == "mutant":
        return None
    if kind == "digits":
        return Code.NUMBER_DIGITS
    if kind != "broken":
        return Code.OK
    cycle, turn = divmod(row, len(_TURNS))
    return broken.CODES[(2 * cycle + (turn > 1)) % len(broken.CODES)]


def _size(draw: Draw, row: int, largest: int) -> int:
    turn, cycle = row % len(_TURNS), row // len(_TURNS)
    chosen = SizeClass.HUGE if row % _HUGE_EVERY == _HUGE_EVERY - 1 else SIZE_CLASSES[_SIZES[(turn + cycle) % len(_SIZES)]]
    low, high = max(chosen.low, 100), min(chosen.high, largest)
    if low >= high:
        return max(100, high)
    octaves = (high // low).bit_length()
    within = min(high, low << draw.below(octaves))
    return draw.between(within, min(high, 2 * within))


def tree_of(kind: str, *, seed: int, row: int, size: int) -> Element:
    """The tree behind a document of a family, which subscriptions are derived from."""
    if kind not in FAMILIES:
        raise ValueError(f"kind must be one of {', '.join(FAMILIES)}, not {kind!r}")
    return FAMILIES[kind](Draw(seed, "tree", kind, row), size)


def thesis_document(*, seed: int, size: int) -> bytes:
    """The stock document of exactly that size, of T-Tab 6.1 or any other from 216 bytes."""
    return stock.exact(Draw(seed, "thesis", size), size)


def _digits(draw: Draw) -> bytes:
    long = "".join(str(draw.between(1, 9)) for _ in range(draw.between(16, 24)))
    point = draw.between(1, len(long) - 1)
    value = draw.choice((long, f"{long[:point]}.{long[point:]}", f"-0.{long}"))
    kept = draw.choice((f"{long[:10]}00000000", f"000000{long[:15]}", f"{long[:15]} apples {long}"))
    root = Element("station", [("id", "s1")], [Element("r", [("seq", kept), ("value", value)]), Element("r", [("q", kept)], [value])])
    return write(root)


def document(*, seed: int, row: int, config: BrokerConfig | None = None, largest: int = 1 << 20) -> Document:
    """The document of that row, at most about ``largest`` bytes.

    Kinds, sizes and codes take turns by row, so that even a small table holds most of them; :func:`code_planned` says which codes.
    """
    if row < 0:
        raise ValueError(f"row must be at least 0, not {row!r}")
    limits = config or BrokerConfig()
    draw = Draw(seed, "document", row)
    kind = _kind(row)
    size = _size(draw, row, min(largest, _DEEPEST) if kind == "deep" else largest)
    cycle = row // len(_TURNS)
    if kind == "thesis":
        wanted = stock.THESIS_SIZES[cycle % len(stock.THESIS_SIZES)]
        return Document(row, kind, stock.exact(draw, min(wanted, max(largest, 216))), Code.OK, None)
    if kind == "digits":
        return Document(row, kind, _digits(draw), None, None)
    if kind in FAMILIES:
        root = FAMILIES[kind](draw, size)
        if kind == "odd":
            return Document(row, kind, dress(root, draw), Code.OK, None)
        return Document(row, kind, write(root, indent=draw.choice((None, 2, 2, 4)), declaration=draw.chance(0.3)), Code.OK, None)
    base = draw.choice(tuple(FAMILIES))
    root = FAMILIES[base](draw, min(size, 4096))
    code = code_planned(row)
    if code is not None:
        data, offset = broken.break_tree(root, code, draw, limits)
        return Document(row, kind, data, code, offset)
    plain = dress(root, draw) if draw.chance(0.5) else write(root, indent=draw.choice((None, 2)))
    return Document(row, kind, broken.mutate(plain, draw), None, None)
