"""N brokers and the links between them, in steps.

A step is: every frame that is on a link arrives, in the order in which the frames were sent; then each broker that has something
waiting does one thing, in rising order of their numbers; then the topology entities, if there are any, do what is due. What a
step sends arrives in the next one. What users do (a frame to their broker, a link cut) happens between steps.

Compare with another network at points where both are quiet (:meth:`Network.settle`). What is to be compared then are the
deliveries to each subscriber, those from one publisher's broker in their order, and the frames on each direction of each link. With one
thing done by users between two such points nothing depends on the schedule; with more of them, frames may come in another order or not
at all, because one overtakes the other.
"""

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from hdl.config import BrokerConfig
from hdl.contract import Code, Content, Kind, Semantics
from sim.golden.network.codes import LOSSES, AnyRefusal, Counter, NetworkRefusal
from sim.golden.network.cyclic import CyclicBroker
from sim.golden.network.documents import Documents
from sim.golden.network.frames import Counted, Crossing, Delivery, Message, Record, Refused, Rejected
from sim.golden.network.links import Links, Underway
from sim.golden.network.osid import Layout, OSid
from sim.golden.network.settings import Cyclic, Policy
from sim.golden.network.steady import SteadyBroker

__all__ = ["Broker", "Entity", "Network"]

Broker = SteadyBroker | CyclicBroker


class Entity(Protocol):
    """What runs beside the network and writes its VRTs."""

    def work(self) -> None:
        """Do what is due after a step."""
        ...

    @property
    def busy(self) -> bool: ...


class _Outlet:
    """A broker's way out, into the network's records."""

    def __init__(self, network: "Network", node: int) -> None:
        self._network = network
        self._node = node

    def linked(self, neighbour: int) -> bool:
        return self._network.links.up(self._node, self._network.neighbours(self._node).get(neighbour, 0))

    def send(self, neighbour: int, message: Message) -> None:
        self._network.put(self._node, self._network.neighbours(self._node)[neighbour], message)

    def notify(self, sid: int, message: Message) -> None:
        network = self._network
        delivery = Delivery(network.step_number, self._node, sid, message.reference, message.link, message.publication, message.body)
        network.records.append(delivery)

    def refuse(self, sid: int, code: AnyRefusal) -> None:
        self._network.records.append(Refused(self._network.step_number, self._node, sid, code))

    def reject(self, publication: int | None, code: Code) -> None:
        self._network.records.append(Rejected(self._network.step_number, self._node, publication, code))

    def count(self, counter: Counter, publication: int | None = None) -> None:
        self._network.records.append(Counted(self._network.step_number, self._node, counter, publication))


class Network:
    """Brokers joined by links, all with one policy and the same limits.

    A broker is known by a number. That is its BID too, unless ``brokers`` is a mapping from numbers to BIDs: BIDs of two bits must be given
    to several brokers, but never to two neighbours of one.
    """

    def __init__(
        self,
        brokers: Iterable[int] | Mapping[int, int],
        links: Iterable[tuple[int, int]],
        policy: Policy,
        config: BrokerConfig | None = None,
    ) -> None:
        self.config = config or BrokerConfig()
        self.policy = policy
        self.layout = Layout(policy.bid_bits) if isinstance(policy, Cyclic) else Layout()
        self.links = Links(links)
        self.records: list[Record] = []
        """Everything that happened, in order."""
        self.step_number = 0
        self.entities: list[Entity] = []
        self._documents = Documents(self.config)
        self._starts: Tally[int] = Tally()
        self._publications = 0
        self.bids = dict(brokers) if isinstance(brokers, Mapping) else {number: number for number in brokers}
        for bid in self.bids.values():
            if not 1 <= bid <= self.layout.highest:
                raise ValueError(f"a BID must be 1 to {self.layout.highest}, not {bid!r}")
        self._neighbours = {node: self._by_bid(node) for node in self.bids}
        self.brokers: dict[int, Broker] = {node: self._start(node) for node in sorted(self.bids)}

    def _by_bid(self, node: int) -> dict[int, int]:
        others = self.links.neighbours(node)
        found = {self.bids[other]: other for other in sorted(others)}
        if len(found) < len(others) or self.bids[node] in found:
            raise ValueError(f"a broker and its neighbours must have different BIDs, and those round {node} have not")
        return found

    def neighbours(self, node: int) -> Mapping[int, int]:
        """The numbers of a broker's neighbours by their BIDs, whatever the state of the links."""
        return self._neighbours[node]

    def _start(self, node: int) -> Broker:
        """A broker as it is after a reset."""
        outlet, neighbours, epoch = _Outlet(self, node), frozenset(self._neighbours[node]), self._starts[node]
        self._starts[node] += 1
        if isinstance(self.policy, Cyclic):
            return CyclicBroker(self.bids[node], outlet, self._documents, settings=self.policy, config=self.config, neighbours=neighbours)
        return SteadyBroker(
            self.bids[node], outlet, self._documents, settings=self.policy, config=self.config, neighbours=neighbours, epoch=epoch
        )

    # what users do

    def accept(self, at: int, message: Message, *, lease: int = 0) -> None:
        """A frame from a user of the broker ``at``."""
        outlet = _Outlet(self, at)
        if self.links.alive(at):
            self.brokers[at].accept(message, lease=lease)
        elif message.kind is Kind.PUBLISH:
            outlet.count(Counter.LOST_DOWN, message.publication)
        else:
            outlet.refuse(message.osid.sid, NetworkRefusal.BROKER_DOWN)

    def subscribe(
        self,
        at: int,
        sid: int,
        text: str | bytes,
        *,
        reference: int | None = None,
        semantics: Semantics = Semantics.EXACT,
        content: Content = Content.SELECTED,
        link: int = 0,
        lease: int = 0,
    ) -> None:
        body = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        reference = sid if reference is None else reference
        self.accept(at, Message(Kind.SUBSCRIBE, OSid(sid), reference, 0, body, semantics, content, link), lease=lease)

    def unsubscribe(self, at: int, sid: int, *, reference: int | None = None) -> None:
        self.accept(at, Message(Kind.UNSUBSCRIBE, OSid(sid), sid if reference is None else reference))

    def publish(self, at: int, document: bytes) -> int:
        """Publish at a broker; the publication's number, counted from 0."""
        number = self._publications
        self._publications += 1
        self.accept(at, Message(Kind.PUBLISH, body=document, publication=number))
        return number

    def topology(self, at: int, x: bytes, bid: int, *, remove: bool = False, aux: int = 0) -> None:
        """top(X, BID) to a broker; ``aux`` are the bits beside the BID."""
        self.accept(at, Message(Kind.TOPOLOGY, aux=bid | aux, body=x, remove=remove))

    def link(self, one: int, other: int, *, up: bool) -> None:
        """Cut or mend a link."""
        if not self.links.exists(one, other):
            raise ValueError(f"there must be a link between the brokers, and {one} and {other} have none")
        before = self.links.up(one, other)
        pair = [(one, other)]
        self._fall(self.links.change(mend=pair) if up else self.links.change(cut=pair))
        if before and not up:
            self._tell_down([(one, other), (other, one)])

    def broker(self, node: int, *, up: bool) -> None:
        """Let a broker die, or start it again; it has forgotten everything."""
        if self.links.alive(node) is up:
            return
        if up:
            self.links.change(alive=node)
            self.brokers[node] = self._start(node)
            return
        linked = [other for other in sorted(self.links.neighbours(node)) if self.links.up(node, other)]
        self._fall(self.links.change(dead=node))
        for publication in self.brokers[node].held():
            _Outlet(self, node).count(Counter.LOST_DOWN, publication)
        self._tell_down([(other, node) for other in linked])

    def _tell_down(self, ends: Iterable[tuple[int, int]]) -> None:
        for at, neighbour in ends:
            self.brokers[at].link_down(self.bids[neighbour])

    def _fall(self, frames: Iterable[Underway]) -> None:
        for frame in frames:
            counter = Counter.LOST_ON_LINK if frame.message.carries else Counter.CONTROL_LOST
            _Outlet(self, frame.sender).count(counter, frame.message.publication)

    def put(self, sender: int, receiver: int, message: Message) -> None:
        """Send a frame over a link."""
        if self.links.up(sender, receiver):
            self.links.put(Underway(sender, receiver, message))
        else:
            counter = Counter.LOST_NO_LINK if message.carries else Counter.CONTROL_LOST
            _Outlet(self, sender).count(counter, message.publication)

    # steps

    def step(self) -> None:
        """One step."""
        self.step_number += 1
        for frame in self.links.take():
            self.records.append(Crossing(self.step_number, frame.sender, frame.receiver, frame.message))
            self.brokers[frame.receiver].receive(frame.message, self.bids[frame.sender])
        for node, broker in self.brokers.items():
            if self.links.alive(node):
                broker.work()
        for entity in self.entities:
            entity.work()

    @property
    def quiet(self) -> bool:
        """Whether nothing is on a link, waits in a broker or is due for the entity."""
        working = any(broker.busy for node, broker in self.brokers.items() if self.links.alive(node))
        return self.links.quiet and not working and not any(entity.busy for entity in self.entities)

    def settle(self, *, steps: int = 1_000_000) -> None:
        """Go on until the network is quiet; raises :class:`RuntimeError` when it is not after so many steps."""
        for _ in range(steps):
            if self.quiet:
                return
            self.step()
        raise RuntimeError(f"the network must come to rest within {steps} steps, and has not")

    def pass_time(self, units: int) -> None:
        """Let the leases of subscriptions run."""
        for node, broker in self.brokers.items():
            if self.links.alive(node):
                broker.pass_time(units)

    # what has happened

    @property
    def deliveries(self) -> list[Delivery]:
        return [record for record in self.records if isinstance(record, Delivery)]

    @property
    def crossings(self) -> list[Crossing]:
        return [record for record in self.records if isinstance(record, Crossing)]

    @property
    def refusals(self) -> list[Refused]:
        return [record for record in self.records if isinstance(record, Refused)]

    def counted(self, at: int | None = None) -> Tally[Counter]:
        """What a broker has counted, or all of them together."""
        return Tally(record.counter for record in self._counts(lambda record: at in (None, record.at)))

    @property
    def losses(self) -> list[Counted]:
        """What somebody may have missed."""
        return self._counts(lambda record: record.counter in LOSSES)

    def _counts(self, chosen: Callable[[Counted], bool]) -> list[Counted]:
        return [record for record in self.records if isinstance(record, Counted) and chosen(record)]
