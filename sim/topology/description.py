"""What a network is: brokers with BIDs, links, the policy and the limits; every rule between them is checked here."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import networkx as nx

from hdl.config import PRESETS
from sim.golden.network.osid import Layout
from sim.golden.network.settings import Cyclic, Policy, Steady

__all__ = ["BrokerSpec", "LinkSpec", "NetworkDescription", "TopologyError"]


class TopologyError(Exception):
    """A description that cannot be used; ``hint`` says how to mend it."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class BrokerSpec:
    """A broker; ``unit`` are the units that it belongs to, the outermost first. Each outermost unit has a topology entity of its own."""

    name: str
    bid: int
    unit: tuple[str, ...] = ()


@dataclass(frozen=True)
class LinkSpec:
    """A link between two brokers, and what it costs to cross."""

    one: str
    other: str
    cost: int = 1

    @property
    def ends(self) -> frozenset[str]:
        return frozenset((self.one, self.other))


@dataclass(frozen=True)
class NetworkDescription:
    """A network; raises :class:`TopologyError` for one that cannot be."""

    brokers: tuple[BrokerSpec, ...]
    links: tuple[LinkSpec, ...]
    policy: Policy = field(default_factory=Steady)
    preset: str = "default"

    def __post_init__(self) -> None:
        self._check_brokers()
        self._check_links()
        if self.preset not in PRESETS:
            raise TopologyError(f"the preset must be one of {', '.join(PRESETS)}, not {self.preset!r}", hint="see `x2cbbr config`")

    def _check_brokers(self) -> None:
        if not self.brokers:
            raise TopologyError("a network must have at least one broker", hint="write `brokers: {A: {bid: 1}}`")
        bits = self.policy.bid_bits if isinstance(self.policy, Cyclic) else 8
        highest = Layout(bits).highest
        names: set[str] = set()
        taken: dict[int, str] = {}
        for broker in self.brokers:
            if broker.name in names:
                raise TopologyError(f"there are two brokers {broker.name!r}", hint="give each broker a name of its own")
            names.add(broker.name)
            if not 1 <= broker.bid <= highest:
                raise TopologyError(
                    f"the bid of broker {broker.name!r} must be 1 to {highest}, not {broker.bid}", hint=f"BIDs have {bits} bits"
                )
            if broker.bid in taken and self._unique:
                text = f"the brokers {taken[broker.bid]!r} and {broker.name!r} have the same bid {broker.bid}"
                raise TopologyError(text, hint="give each broker a bid of its own")
            taken[broker.bid] = broker.name

    @property
    def _unique(self) -> bool:
        return not isinstance(self.policy, Cyclic) or self.policy.unique

    def _check_links(self) -> None:
        names = {broker.name for broker in self.brokers}
        seen: set[frozenset[str]] = set()
        for link in self.links:
            for name in (link.one, link.other):
                if name not in names:
                    hint = f"the brokers are {', '.join(sorted(names))}"
                    raise TopologyError(f"the link {link.one}-{link.other} names the broker {name!r}, which there is not", hint=hint)
            if link.one == link.other:
                raise TopologyError(f"a link must join two brokers, not {link.one!r} with itself", hint="take it out")
            if link.ends in seen:
                raise TopologyError(f"the link {link.one}-{link.other} is there twice", hint="take one of them out")
            if link.cost < 1:
                raise TopologyError(
                    f"the cost of the link {link.one}-{link.other} must be at least 1, not {link.cost}", hint="leave it out for 1"
                )
            seen.add(link.ends)
        if not self._unique and not nx.is_forest(self.graph()):
            raise TopologyError(
                "a network whose BIDs are not unique must be a tree", hint="take links out of its rings, or give BIDs more bits"
            )

    def graph(self) -> nx.Graph:
        """The brokers' names, joined by links with their ``cost``."""
        graph = nx.Graph()
        graph.add_nodes_from(broker.name for broker in self.brokers)
        graph.add_weighted_edges_from(((link.one, link.other, link.cost) for link in self.links), weight="cost")
        return graph

    def numbers(self) -> dict[str, int]:
        """A number for each broker: its BID, or where BIDs are not unique its place."""
        if self._unique:
            return {broker.name: broker.bid for broker in self.brokers}
        return {broker.name: place for place, broker in enumerate(self.brokers, start=1)}

    def scopes(self) -> Iterator[list[BrokerSpec]]:
        """The brokers of each topology entity: those of one outermost unit."""
        for unit in sorted({broker.unit[:1] for broker in self.brokers}):
            yield [broker for broker in self.brokers if broker.unit[:1] == unit]
