"""Scenarios played on the golden network."""

from collections.abc import Iterable, Iterator

from hdl.config import PRESETS
from hdl.contract import Frame
from sim.golden.network.codes import MORE_FLAG, SOLICIT_FLAG, Counter
from sim.golden.network.frames import Message, Record
from sim.golden.network.network import Network
from sim.golden.network.osid import OSid
from sim.golden.network.settings import Steady
from sim.network.scenario import BrokerState, Event, LinkState, Publish, Settle, Subscribe, Topology, Unsubscribe
from sim.topology.description import NetworkDescription
from sim.topology.entity import TopologyEntity
from sim.topology.map import BrokerMap

__all__ = ["ModelHosts", "ModelPlayer"]


class ModelHosts:
    """The golden network's brokers, as a topology entity reaches them."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def write(self, bid: int, frame: Frame) -> None:
        header = frame.header
        aux = header.aux | SOLICIT_FLAG * header.solicit | MORE_FLAG * header.more
        message = Message(header.kind, OSid(0), header.reference, aux, frame.body, remove=header.remove)
        self._network.accept(bid, message)

    def traffic(self, sender: int, receiver: int) -> tuple[int, int]:
        return self._network.links.traffic(sender, receiver)


def _entities(description: NetworkDescription, hosts: ModelHosts) -> list[TopologyEntity]:
    """The topology entities of a network, one for each outermost unit; each knows the links that end in its scope."""
    bids = {broker.name: broker.bid for broker in description.brokers}
    found = []
    for scope in description.scopes():
        own = {broker.name for broker in scope}
        links = [(bids[link.one], bids[link.other], link.cost) for link in description.links if own & link.ends]
        known = {bid for one, other, _ in links for bid in (one, other)} | {bids[name] for name in own}
        brokers = [broker for broker in description.brokers if broker.bid in known]
        found.append(TopologyEntity([bids[name] for name in own], BrokerMap(brokers, links), hosts))
    for entity in found:
        entity.peers = [peer for peer in found if peer is not entity]
    return found


class ModelPlayer:
    """Plays events on the golden network: a step after each, and until nothing is under way at a settle and at the end.

    With the policy steady its topology entities run beside.
    """

    def __init__(self, description: NetworkDescription) -> None:
        numbers = description.numbers()
        self.names = {number: name for name, number in numbers.items()}
        self._numbers = numbers
        bids = {numbers[broker.name]: broker.bid for broker in description.brokers}
        links = [(numbers[link.one], numbers[link.other]) for link in description.links]
        self.network = Network(bids, links, description.policy, PRESETS[description.preset])
        self.hosts = ModelHosts(self.network)
        self.entities = _entities(description, self.hosts) if isinstance(description.policy, Steady) else []
        self.network.entities = list(self.entities)
        self._shown = 0

    def play(self, events: Iterable[Event]) -> Iterator[Record]:
        """What happens, as it happens; raises :class:`RuntimeError` when the network does not come to rest."""
        self.network.settle()
        yield from self._news()
        for event in events:
            self._do(event)
            yield from self._news()
        self.network.settle()
        yield from self._news()

    def _news(self) -> Iterator[Record]:
        records = self.network.records
        while self._shown < len(records):
            self._shown += 1
            yield records[self._shown - 1]

    def _do(self, event: Event) -> None:
        network, numbers = self.network, self._numbers
        match event:
            case Subscribe():
                network.subscribe(numbers[event.at], event.sid, event.text, semantics=event.semantics)
            case Unsubscribe():
                network.unsubscribe(numbers[event.at], event.sid)
            case Publish():
                network.publish(numbers[event.at], event.document)
            case Topology():
                aux = SOLICIT_FLAG if event.solicit else 0
                network.topology(numbers[event.at], event.x.encode(), event.bid, remove=event.remove, aux=aux)
            case LinkState():
                one, other = numbers[event.one], numbers[event.other]
                network.link(one, other, up=event.up)
                for entity in self.entities:
                    entity.link(one, other, up=event.up)
            case BrokerState():
                network.broker(numbers[event.name], up=event.up)
                for entity in self.entities:
                    entity.broker(numbers[event.name], up=event.up)
            case Settle():
                return network.settle()
        return network.step()

    @property
    def summary(self) -> dict[str, int | None]:
        """The counts of a scenario that was played; a model has no clocks."""
        counted = self.network.counted()
        return {
            "delivered": len(self.network.deliveries),
            "lost": len(self.network.losses),
            "duplicates_suppressed": counted[Counter.DUPLICATES] + counted[Counter.SAMPLES_REPEATED],
            "refused": len(self.network.refusals),
            "clocks": None,
        }
