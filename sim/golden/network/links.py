"""The links between brokers: what is on its way over them, and which are up."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sim.golden.network.frames import Message

__all__ = ["Links", "Underway"]


@dataclass(frozen=True)
class Underway:
    """A frame on a link."""

    sender: int
    receiver: int
    message: Message


class Links:
    """Pairs of brokers; each direction of a link keeps the order of its frames."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._pairs = frozenset(frozenset(pair) for pair in pairs)
        self._cut: set[frozenset[int]] = set()
        self._dead: set[int] = set()
        self._underway: list[Underway] = []
        self._sent: Counter[tuple[int, int]] = Counter()
        self._received: Counter[tuple[int, int]] = Counter()

    def neighbours(self, bid: int) -> frozenset[int]:
        """The brokers at the other ends of a broker's links, up or down."""
        return frozenset(other for pair in self._pairs if bid in pair for other in pair - {bid})

    def exists(self, one: int, other: int) -> bool:
        return frozenset((one, other)) in self._pairs

    def up(self, one: int, other: int) -> bool:
        """Whether there is a link between the two and it can be used."""
        return self.exists(one, other) and frozenset((one, other)) not in self._cut and not self._dead & {one, other}

    def alive(self, bid: int) -> bool:
        """Whether the broker is up."""
        return bid not in self._dead

    @property
    def quiet(self) -> bool:
        return not self._underway

    def put(self, frame: Underway) -> None:
        self._underway.append(frame)
        self._sent[frame.sender, frame.receiver] += not frame.message.carries

    def traffic(self, sender: int, receiver: int) -> tuple[int, int]:
        """Frames without content for subscribers that were sent over a link since it is up, and those that have arrived."""
        return self._sent[sender, receiver], self._received[sender, receiver]

    def take(self) -> list[Underway]:
        """What is on its way, in the order in which it was sent; it is not any more."""
        taken, self._underway = self._underway, []
        for frame in taken:
            self._received[frame.sender, frame.receiver] += not frame.message.carries
        return taken

    def change(
        self, *, cut: Iterable[tuple[int, int]] = (), mend: Iterable[tuple[int, int]] = (), dead: int = 0, alive: int = 0
    ) -> list[Underway]:
        """Cut and mend links, end and start a broker; what was on a link that is now down."""
        self._cut |= {frozenset(pair) for pair in cut}
        self._cut -= {frozenset(pair) for pair in mend}
        self._dead |= {dead} - {0}
        self._dead -= {alive}
        for way in [way for way in self._sent if not self.up(*way)]:
            del self._sent[way], self._received[way]
        fallen = [frame for frame in self._underway if not self.up(frame.sender, frame.receiver)]
        self._underway = [frame for frame in self._underway if self.up(frame.sender, frame.receiver)]
        return fallen
