"""The topology entity: it knows the brokers of its scope and writes their VRTs [T 5.4.3.6.1, 5.4.6].

It writes TOPOLOGY frames and reads counters through :class:`Hosts`, and does not know whether a model or a driver of hardware takes them.

For the steady policy it keeps a loop-free tree: top(*, BID) on both ends of each link of the tree. What works of the tree stays; where
a failure has cut it, the cheapest links that join the pieces are added. Each added link is two frames. Then the exchange of interests
that they begin must end: what was sent over every working link has arrived, and nothing new was sent since the last look. At last the
entries for the failed links are taken out, one frame for each end that is alive. So

- a link of the tree that fails takes 4 frames at most, and a link outside the tree none;
- a broker with k neighbours in the tree takes 3k - 2 at most;
- whatever comes back takes 2 frames for each link that the tree needs again, and one for each end that waited to be taken out.

For the cyclic policy it writes where things are: :meth:`TopologyEntity.announce` gives each broker top(X, BID) with the next broker on
the cheapest way to X. A failure takes two frames at most for each X and broker.

Entities of several scopes tell each other of their tree only which of their gateways are joined inside, and the links between scopes.
They decide one after the other.
"""

from collections.abc import Iterable
from typing import Protocol

from networkx.utils import UnionFind

from hdl.contract import Frame, Header, Kind
from sim.topology.map import BrokerMap

__all__ = ["ALL", "Hosts", "TopologyEntity"]

ALL = b"*"


class Hosts(Protocol):
    """The way to the brokers of a scope: a model, or drivers of hardware."""

    def write(self, bid: int, frame: Frame) -> None:
        """Give a broker a TOPOLOGY frame."""
        ...

    def traffic(self, sender: int, receiver: int) -> tuple[int, int]:
        """Frames sent over a link since it came up, publications and notifications left out, and how many of them arrived."""
        ...


class TopologyEntity:
    """The entity of the brokers ``scope``; ``known`` are their links and those to other scopes.

    With ``trees`` it works for the steady policy, without for the cyclic one.
    """

    def __init__(self, scope: Iterable[int], known: BrokerMap, hosts: Hosts, *, trees: bool = True) -> None:
        self.scope = frozenset(scope)
        self.map = known
        self.peers: list[TopologyEntity] = []
        self.tree: set[tuple[int, int]] = set()
        """The links of the tree with an end in this scope, the lower BID first."""
        self.frames = 0
        """TOPOLOGY frames written so far."""
        self._hosts = hosts
        self._trees = trees
        self._written: set[tuple[bytes, int, int]] = set()
        """Entries in VRTs: X, the broker that has it, and the neighbour."""
        self._fallen: set[tuple[int, int]] = set()
        """Ends of links that have been down: their entry must be written again to be used."""
        self._content: dict[bytes, int] = {}
        self._changed = True
        self._looked: list[tuple[int, int]] | None = None
        if trees:
            self._grow([pair for pair in self.map.links if self.scope >= set(pair)])

    # what it is told

    def link(self, one: int, other: int, *, up: bool) -> None:
        """A link has gone or come back."""
        if not self.scope & {one, other}:
            return
        self.map.suspect(link=(one, other), failed=not up)
        if not up:
            self._fall([(one, other)])
        self._changed = True

    def broker(self, bid: int, *, up: bool) -> None:
        """A broker has died, or started again with an empty VRT."""
        if bid not in self.map.brokers and not up:
            return
        self.map.suspect(broker=bid, failed=not up)
        if not up:
            self._fall([pair for pair in self.tree if bid in pair])
            self._written = {entry for entry in self._written if entry[1] != bid}
        self._changed = True

    def _fall(self, links: Iterable[tuple[int, int]]) -> None:
        for one, other in list(links):
            self.tree.discard((min(one, other), max(one, other)))
            self._fallen |= {(one, other), (other, one)}
        self._tell_peers()

    def _tell_peers(self) -> None:
        """The other entities' trees may have to join what is apart now."""
        for peer in self.peers:
            peer._changed = True

    def announce(self, x: bytes, at: int) -> None:
        """Let the brokers of the scope know that X is to be had at a broker."""
        self._content[x] = at
        self._changed = True

    # what it tells other entities

    def told(self) -> tuple[list[frozenset[int]], set[tuple[int, int]]]:
        """The gateways that the tree joins inside the scope, and its links to other scopes."""
        joined = UnionFind(sorted(self.scope))
        for pair in self.tree:
            if self.scope >= set(pair):
                joined.union(*pair)
        gateways = {bid for pair in self.map.links for bid in pair if bid in self.scope and not self.scope >= set(pair)}
        groups = [frozenset(group) & gateways for group in joined.to_sets()]
        return [group for group in groups if group], {pair for pair in self.tree if not self.scope >= set(pair)}

    # what it does

    @property
    def busy(self) -> bool:
        """Whether something is to be written."""
        return self._changed or bool(self._surplus())

    def work(self) -> None:
        """Write what is due."""
        if self._changed:
            self._changed = False
            if self._trees:
                self._grow(self.map.links)
            missing = [entry for entry in self._wanted() if entry not in self._written or (self._trees and entry[1:] in self._fallen)]
            self._write(missing)
            self._looked = None
        surplus = self._surplus()
        if surplus and (not self._trees or self._exchanged()):
            self._write(surplus, remove=True)

    def _grow(self, links: Iterable[tuple[int, int]]) -> None:
        """Join what the tree leaves apart with the given links, as far as they have an end in the scope."""
        joined = UnionFind(self.map.brokers)
        before = set(self.tree)
        for peer in self.peers:
            groups, between = peer.told()
            self.tree |= {pair for pair in between if self.scope & set(pair) and self.map.works(*pair)}
            for group in (*groups, *between):
                joined.union(*group)
        for pair in self.tree:
            joined.union(*pair)
        inside_first = sorted(links, key=lambda pair: not self.scope >= set(pair))
        for one, other in inside_first:
            if self.scope & {one, other} and joined[one] != joined[other]:
                joined.union(one, other)
                self.tree.add((one, other))
        if self.tree != before:
            self._tell_peers()

    def _wanted(self) -> set[tuple[bytes, int, int]]:
        """The entries that the VRTs of the scope should have."""
        if self._trees:
            ways = [way for pair in self.tree for way in (pair, pair[::-1])]
            return {(ALL, at, to) for at, to in ways if at in self.scope}
        alive = self.scope & set(self.map.brokers)
        return {(x, at, to) for x, where in self._content.items() for at, to in self.map.hops(where).items() if at in alive}

    def _surplus(self) -> set[tuple[bytes, int, int]]:
        return self._written - self._wanted()

    def _exchanged(self) -> bool:
        """Whether all that was sent has arrived, and nothing was sent since the last look."""
        entities = [self, *self.peers]
        counts = [entity._hosts.traffic(*way) for entity in entities for pair in entity.map.links for way in (pair, pair[::-1])]
        before, self._looked = self._looked, counts
        return counts == before and all(sent == arrived for sent, arrived in counts) and not any(peer._changed for peer in self.peers)

    def _write(self, entries: Iterable[tuple[bytes, int, int]], *, remove: bool = False) -> None:
        """Write entries, or take them out, broker by broker."""
        ordered = sorted(entries, key=lambda entry: (entry[1], entry))
        for place, entry in enumerate(ordered):
            x, at, to = entry
            more = any(other[1] == at for other in ordered[place + 1 :])
            self._hosts.write(at, Frame(Header(Kind.TOPOLOGY, aux=to, more=more, remove=remove), x))
            self.frames += 1
            self._fallen.discard((at, to))
        (self._written.difference_update if remove else self._written.update)(ordered)
