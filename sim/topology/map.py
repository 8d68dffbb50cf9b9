"""The broker network map: links with costs, units in units, and what of it is told to whom [N 4].

A unit is known by its path of names, the outermost first; a broker belongs to every unit on its path. Nobody outside a unit is told of a
link inside it: seen from a broker, the end of a link is the largest unit that has this end and not the broker, and a link with both ends
in one such unit is not seen. Brokers and links suspected of failure are passed by.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

import networkx as nx

from sim.topology.description import BrokerSpec, TopologyError

__all__ = ["LEVELS", "SUB_UNITS", "BrokerMap"]

LEVELS = 4
"""Levels of a network, that of the brokers included."""
SUB_UNITS = 32
"""Sub-units of a unit, or brokers of a smallest one."""


class BrokerMap:
    """Brokers by BID, with links of a cost."""

    def __init__(self, brokers: Iterable[BrokerSpec], links: Iterable[tuple[int, int, int]]) -> None:
        self._units: dict[int, tuple[str, ...]] = {broker.bid: broker.unit for broker in brokers}
        self._check_units()
        self._graph = nx.Graph()
        self._graph.add_nodes_from(sorted(self._units))
        self._graph.add_weighted_edges_from(sorted((min(a, b), max(a, b), cost) for a, b, cost in links), weight="cost")
        self._suspected: set[int] = set()
        self._cut: set[frozenset[int]] = set()

    def _check_units(self) -> None:
        parts: dict[tuple[str, ...], set[Hashable]] = defaultdict(set)
        for bid, unit in self._units.items():
            if len(unit) > LEVELS - 1:
                raise TopologyError(f"units must nest at most {LEVELS - 1} deep, not {'/'.join(unit)}", hint="leave the innermost out")
            for depth in range(len(unit)):
                parts[unit[:depth]].add(unit[: depth + 1])
            parts[unit].add(bid)
        for unit, members in parts.items():
            if unit and len(members) > SUB_UNITS:
                raise TopologyError(f"the unit {'/'.join(unit)} must have at most {SUB_UNITS} parts, not {len(members)}", hint="divide it")

    def suspect(self, *, link: tuple[int, int] | None = None, broker: int = 0, failed: bool = True) -> None:
        """Take a link or a broker for failed, or, with ``failed`` false, for working again."""
        change = set.add if failed else set.discard
        if link is not None:
            change(self._cut, frozenset(link))
        if broker:
            change(self._suspected, broker)

    def works(self, one: int, other: int) -> bool:
        """Whether there is a link between the two that is not suspected, nor one of them."""
        return self._graph.has_edge(one, other) and frozenset((one, other)) not in self._cut and not self._suspected & {one, other}

    @property
    def brokers(self) -> list[int]:
        """Those that are not suspected."""
        return [bid for bid in self._graph if bid not in self._suspected]

    @property
    def links(self) -> list[tuple[int, int]]:
        """Those that are not suspected, the cheapest first, then the one with the lowest BIDs."""
        found = [(min(pair), max(pair)) for pair in self._graph.edges if self.works(*pair)]
        return sorted(found, key=lambda pair: (self.cost(*pair), pair))

    def cost(self, one: int, other: int) -> int:
        cost: int = self._graph.edges[one, other]["cost"]
        return cost

    def unit(self, bid: int) -> tuple[str, ...]:
        return self._units[bid]

    def hops(self, target: int) -> Mapping[int, int]:
        """From each broker that can reach the target, the neighbour on the cheapest way there; of equal ones the lowest BID."""
        working = self._graph.edge_subgraph(self.links)
        if target not in working:
            return {}
        distances: dict[int, int] = nx.single_source_dijkstra_path_length(working, target, weight="cost")

        def distance(bid: int, by: int) -> tuple[int, int]:
            return distances[by] + self.cost(bid, by), by

        return {bid: min(working[bid], key=lambda by, bid=bid: distance(bid, by)) for bid in distances if bid != target}  # type: ignore[misc]

    def path(self, start: int, target: int) -> list[int]:
        """The brokers on the cheapest way, both ends included; empty when there is none."""
        hops, way = self.hops(target), [start]
        while way[-1] != target:
            if way[-1] not in hops:
                return []
            way.append(hops[way[-1]])
        return way

    def controllers(self, unit: tuple[str, ...]) -> list[int]:
        """The brokers of a unit with a working link out of it: its gateways."""

        def inside(bid: int) -> bool:
            return self._units[bid][: len(unit)] == unit

        return sorted({one for pair in self.links for one, other in (pair, pair[::-1]) if inside(one) and not inside(other)})

    def view(self, bid: int) -> nx.Graph:
        """What a broker is told: brokers by BID and units by path, joined by working links, the cheapest of parallel ones."""
        seen = nx.Graph()
        for one, other in self.links:
            ends = self._seen_from(bid, one), self._seen_from(bid, other)
            cost = self.cost(one, other)
            if ends[0] != ends[1] and (not seen.has_edge(*ends) or seen.edges[ends]["cost"] > cost):
                seen.add_edge(*ends, cost=cost)
        return seen

    def _seen_from(self, bid: int, end: int) -> Hashable:
        own, units = self._units[bid], self._units[end]
        for depth in range(1, len(units) + 1):
            if units[:depth] != own[:depth]:
                return units[:depth]
        return end
