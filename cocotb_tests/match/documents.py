"""Parsed beats of documents, made from the golden parser's events, and the name table that gives them token IDs."""

from collections.abc import Iterable, Iterator
from typing import Any

from hdl.config import BrokerConfig
from hdl.contract import WordType
from sim.golden.events import Event

__all__ = ["NameTable", "beats"]

Beat = dict[str, Any]


class NameTable:
    """Stands for the name table: names have token IDs from 1 up."""

    def __init__(self, config: BrokerConfig):
        self.config = config
        self.pinned: dict[bytes, int] = {}
        self.free = list(range(config.names, 0, -1))
        self.begun = 0

    def pin(self, name: bytes) -> int:
        """The name's token ID, 0 when there is no room."""
        if name not in self.pinned:
            if not self.free:
                return 0
            self.pinned[name] = self.free.pop()
        return self.pinned[name]

    def unpin(self, number: int) -> None:
        """Release a pinned name."""
        (name,) = (name for name, found in self.pinned.items() if found == number)
        del self.pinned[name]
        self.free.append(number)


def _words(value: bytes) -> Iterator[tuple[bytes, bool]]:
    for at in range(0, max(len(value), 1), 4):
        yield value[at : at + 4], at + 4 >= len(value)


def beats(events: Iterable[Event], names: NameTable, *, good: bool = True, packed: bool = True) -> Iterator[Beat]:
    """The beats of a document. With ``packed`` the last word of a text shares a beat with the mark after it."""
    events = list(events)
    held: Beat | None = None
    for number, (kind, value, _start, _end) in enumerate(events):
        following = events[number + 1].type if number + 1 < len(events) else None
        closes = kind in (WordType.ELEMENT, WordType.VALUE) and following is not WordType.ATTRIBUTE
        for part, last in _words(value):
            word = {"valid": 1, "data": int.from_bytes(part, "little"), "count": len(part), "last": int(last)}
            if kind is WordType.TEXT:
                if held is not None:
                    yield held
                held = {"text": word}
                if not packed:
                    yield held
                    held = None
                continue
            mark = word | {"type": int(kind)}
            if last:
                mark["close"] = int(closes)
                declares = kind is WordType.ATTRIBUTE and (value == b"xmlns" or value.startswith(b"xmlns:"))
                if kind in (WordType.ELEMENT, WordType.ATTRIBUTE) and not declares:
                    mark["name"] = names.pinned.get(value, 0)
            yield (held or {}) | {"mark": mark}
            held = None
    if held is not None:
        yield held
    yield {"done": 1, "good": int(good)}
