"""The subscriptions that a broker holds in a cycle: SMT, raw frames, and what became of each."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from hdl.config import BrokerConfig
from hdl.contract import Header, Refusal
from sim.golden.network.documents import Expression
from sim.golden.network.frames import Message
from sim.golden.network.room import Room

__all__ = ["Entry", "Registry"]


@dataclass
class Entry:
    """A registered subscription; ``born`` is when it was registered."""

    tsid: int
    message: Message
    expression: Expression
    born: int
    relayed: bool = False
    """It is a solicitation that went on as it came."""
    matched: bool = False
    routed: bool = False
    raw: bool = True
    """Its raw frame is still stored."""
    tried: set[int] = field(default_factory=set)
    """Neighbours that refused it."""

    @property
    def foreign_sample(self) -> bool:
        return self.message.osid.sample and not self.message.osid.local


class Registry:
    """S: a new subscription gets the lowest free t-SID. Raw frames have ``raw_bytes`` together; the oldest are dropped first."""

    def __init__(self, config: BrokerConfig, raw_bytes: int) -> None:
        self._room = Room(config)
        self._raw_bytes = raw_bytes
        self._entries: dict[int, Entry] = {}

    def __iter__(self) -> Iterator[Entry]:
        """In rising order of t-SIDs."""
        return iter([self._entries[tsid] for tsid in sorted(self._entries)])

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, tsid: int) -> Entry | None:
        return self._entries.get(tsid)

    def lacking(self, expression: Expression) -> Refusal | None:
        """Which table has no room for it."""
        return self._room.lacking(expression)

    def add(self, message: Message, expression: Expression, now: int, *, relayed: bool) -> Entry:
        tsid = next(number for number in range(1, len(self) + 2) if number not in self._entries)
        entry = Entry(tsid, message, expression, now, relayed)
        self._room.add(expression)
        self._entries[tsid] = entry
        self._drop_raw()
        return entry

    def _drop_raw(self) -> None:
        stored = sorted((entry for entry in self if entry.raw), key=lambda entry: entry.born)
        size = sum(Header.BYTES + len(entry.message.body) for entry in stored)
        for entry in stored:
            if size <= self._raw_bytes:
                break
            entry.raw = False
            size -= Header.BYTES + len(entry.message.body)

    def remove(self, entry: Entry) -> None:
        del self._entries[entry.tsid]
        self._room.remove(entry.expression)

    def clear(self) -> None:
        for entry in self:
            self.remove(entry)

    @property
    def commonality(self) -> bool:
        """HCD: whether many subscriptions have a name in common."""
        return self._room.commonality

    @property
    def expressions(self) -> list[Expression]:
        """Each expression once, in the order of the t-SIDs."""
        return list(dict.fromkeys(entry.expression for entry in self))

    @property
    def mismatched(self) -> list[Entry]:
        """Su, without solicitations, which went on when they came."""
        return [entry for entry in self if not entry.matched and not entry.relayed]
