"""The topology entity: trees without loops, ways, the frames that it writes, and how few of them a failure takes."""

from collections.abc import Sequence
from itertools import combinations

import networkx as nx
import pytest

from hdl.contract import Frame, Kind
from sim.golden.network.settings import Cyclic
from sim.network.model import ModelPlayer
from sim.network.scenario import BrokerState, LinkState, Publish, Settle, Subscribe
from sim.topology.description import BrokerSpec, LinkSpec, NetworkDescription
from sim.topology.entity import TopologyEntity
from sim.topology.map import BrokerMap
from sim.vectors.seeds import Draw


class Recorder:
    """Takes frames, and reports a network in which all that was sent has arrived."""

    def __init__(self) -> None:
        self.frames: list[tuple[int, Frame]] = []

    def write(self, bid: int, frame: Frame) -> None:
        assert frame.header.kind is Kind.TOPOLOGY
        self.frames.append((bid, frame))

    def traffic(self, sender: int, receiver: int) -> tuple[int, int]:
        return 5, 5

    def take(self) -> list[str]:
        found = [f"{bid}{'-' if f.header.remove else '+'}{f.body.decode()}>{f.header.aux}" for bid, f in self.frames]
        self.frames.clear()
        return found


def entity(count: int, links: Sequence[tuple[int, int, int]], *, trees: bool = True) -> tuple[TopologyEntity, Recorder]:
    recorder = Recorder()
    known = BrokerMap([BrokerSpec(str(bid), bid) for bid in range(1, count + 1)], links)
    return TopologyEntity(range(1, count + 1), known, recorder, trees=trees), recorder


def rest(one: TopologyEntity) -> None:
    """Work until nothing is due."""
    for _ in range(10):
        one.work()
    assert not one.busy


RING = [(1, 2, 1), (2, 3, 1), (3, 4, 1), (4, 1, 2)]


def test_the_cheapest_tree_is_written_at_first_and_the_last_frame_of_a_broker_ends_the_change() -> None:
    one, recorder = entity(4, RING)
    rest(one)
    more = [frame.header.more for _, frame in recorder.frames]
    assert recorder.take() == ["1+*>2", "2+*>1", "2+*>3", "3+*>2", "3+*>4", "4+*>3"]
    assert more == [False, True, False, True, False, False]


def test_a_link_of_the_tree_that_fails_takes_four_frames() -> None:
    one, recorder = entity(4, RING)
    rest(one)
    recorder.take()
    one.link(2, 3, up=False)
    one.work()
    assert recorder.take() == ["1+*>4", "4+*>1"]
    assert one.busy
    rest(one)
    assert recorder.take() == ["2-*>3", "3-*>2"]


def test_a_link_outside_the_tree_takes_no_frame_and_one_that_comes_back_unneeded_none_either() -> None:
    one, recorder = entity(4, RING)
    rest(one)
    recorder.take()
    one.link(1, 4, up=False)
    rest(one)
    one.link(1, 4, up=True)
    rest(one)
    assert recorder.take() == []


def test_a_link_that_comes_back_before_it_was_given_up_is_written_again() -> None:
    one, recorder = entity(2, [(1, 2, 1)])
    rest(one)
    recorder.take()
    one.link(1, 2, up=False)
    one.link(1, 2, up=True)
    rest(one)
    assert recorder.take() == ["1+*>2", "2+*>1"]


def test_a_broker_that_dies_and_comes_back() -> None:
    one, recorder = entity(4, [(1, 2, 1), (1, 3, 1), (1, 4, 1), (2, 3, 5), (3, 4, 5)])
    rest(one)
    recorder.take()
    one.broker(1, up=False)
    rest(one)
    assert recorder.take() == ["2+*>3", "3+*>2", "3+*>4", "4+*>3", "2-*>1", "3-*>1", "4-*>1"]
    one.broker(1, up=True)
    rest(one)
    assert recorder.take() == ["1+*>2", "2+*>1"]


class Unsettled(Recorder):
    arrived = 4

    def traffic(self, sender: int, receiver: int) -> tuple[int, int]:
        return 5, self.arrived


def test_nothing_is_taken_out_before_the_exchange_is_over() -> None:
    recorder = Unsettled()
    known = BrokerMap([BrokerSpec(str(bid), bid) for bid in range(1, 5)], RING)
    one = TopologyEntity(range(1, 5), known, recorder)
    for _ in range(5):
        one.work()
    one.link(2, 3, up=False)
    for _ in range(5):
        one.work()
    assert not any(frame.header.remove for _, frame in recorder.frames)
    recorder.arrived = 5
    one.work()
    assert not any(frame.header.remove for _, frame in recorder.frames)
    one.work()
    assert [bid for bid, frame in recorder.frames if frame.header.remove] == [2, 3]


@pytest.mark.parametrize("row", range(30))
def test_trees_span_what_can_be_reached_and_take_as_few_frames_as_stated(row: int) -> None:
    draw = Draw(2, "trees", row)
    count = draw.between(2, 10)
    links = {(draw.between(1, at - 1), at) for at in range(2, count + 1)}
    links |= {pair for pair in combinations(range(1, count + 1), 2) if draw.chance(0.25)}
    one, recorder = entity(count, [(a, b, draw.between(1, 4)) for a, b in sorted(links)])
    rest(one)
    cut: set[tuple[int, int]] = set()
    dead: set[int] = set()
    for _ in range(20):
        recorder.take()
        before = set(one.tree)
        bid = draw.between(1, count)
        up = bid in dead
        if draw.chance(0.3) and (up or len(dead) < count - 1):
            (dead.discard if up else dead.add)(bid)
            one.broker(bid, up=up)
            neighbours = sum(bid in pair for pair in before)
            most = 3 * neighbours - 2 if neighbours and not up else 2 * count
        else:
            pair = draw.choice(sorted(links))
            up = pair in cut
            (cut.discard if up else cut.add)(pair)
            one.link(*pair, up=up)
            most = 2 if up else 4 * (pair in before)
        rest(one)
        assert len(recorder.take()) <= most
        alive = nx.Graph(pair for pair in links - cut if not dead & set(pair))
        alive.add_nodes_from(set(range(1, count + 1)) - dead)
        tree = nx.Graph(list(one.tree))
        tree.add_nodes_from(alive)
        assert nx.is_forest(tree)
        assert set(map(frozenset, tree.edges)) <= set(map(frozenset, alive.edges))
        assert nx.number_connected_components(tree) == nx.number_connected_components(alive)


# ways for the cyclic policy


def test_ways_to_what_is_announced_and_round_a_failure() -> None:
    one, recorder = entity(4, RING, trees=False)
    one.announce(b"price", 3)
    rest(one)
    assert recorder.take() == ["1+price>2", "2+price>3", "4+price>3"]
    one.link(2, 3, up=False)
    rest(one)
    assert recorder.take() == ["1+price>4", "2+price>1", "1-price>2", "2-price>3"]
    one.broker(3, up=False)
    rest(one)
    assert recorder.take() == ["1-price>4", "2-price>1", "4-price>3"]
    one.broker(3, up=True)
    rest(one)
    assert recorder.take() == ["1+price>4", "2+price>1", "4+price>3"]


def test_the_model_takes_the_ways_that_the_entity_writes() -> None:
    brokers = tuple(BrokerSpec(name, bid) for bid, name in enumerate("ABC", start=1))
    player = ModelPlayer(NetworkDescription(brokers, (LinkSpec("A", "B"), LinkSpec("B", "C")), Cyclic()))
    one = TopologyEntity([1, 2, 3], BrokerMap(brokers, [(1, 2, 1), (2, 3, 1)]), player.hosts, trees=False)
    player.network.entities.append(one)
    one.announce(b"F", 3)
    list(player.play([Settle(), Publish("C", b"<F/>"), Subscribe("A", 7, "//F")]))
    assert [(one.at, one.sid) for one in player.network.deliveries] == [(1, 7)]


# two scopes


def scopes() -> NetworkDescription:
    """Two squares, joined by two links."""
    brokers = [BrokerSpec(f"N{bid}", bid, ("north",)) for bid in range(1, 5)] + [
        BrokerSpec(f"S{bid}", bid, ("south",)) for bid in range(5, 9)
    ]
    names = {broker.bid: broker.name for broker in brokers}
    pairs = [(1, 2), (2, 3), (3, 4), (4, 1), (5, 6), (6, 7), (7, 8), (8, 5), (2, 5), (3, 8)]
    return NetworkDescription(tuple(brokers), tuple(LinkSpec(names[a], names[b]) for a, b in pairs))


def whole(player: ModelPlayer) -> nx.Graph:
    tree = nx.Graph(pair for entity in player.entities for pair in entity.tree)
    tree.add_nodes_from(player.names)
    return tree


def test_two_entities_join_their_scopes_with_one_link_and_write_to_their_own_brokers_only() -> None:
    player = ModelPlayer(scopes())
    player.network.settle()
    north, south = player.entities
    assert (set(north.scope), set(south.scope)) == ({1, 2, 3, 4}, {5, 6, 7, 8})
    assert not any(north.map.works(a, b) for a, b in combinations(range(5, 9), 2))
    assert nx.is_tree(whole(player))
    assert north.told() == ([frozenset({2, 3})], {(2, 5)})
    assert south.told() == ([frozenset({5, 8})], {(2, 5)})
    assert (north.frames, south.frames) == (7, 7)


@pytest.mark.parametrize("row", range(20))
def test_two_entities_keep_one_tree_without_a_loop(row: int) -> None:
    draw = Draw(3, "scopes", row)
    description = scopes()
    player = ModelPlayer(description)
    events: list[BrokerState | LinkState | Settle] = []
    cut: set[tuple[str, str]] = set()
    for _ in range(12):
        link = draw.choice(description.links)
        pair = (link.one, link.other)
        events.append(LinkState(*pair, up=pair in cut))
        cut ^= {pair}
        if draw.chance(0.5):
            events.append(Settle())
            list(player.play(events))
            events.clear()
            tree, working = whole(player), nx.Graph()
            working.add_nodes_from(player.names)
            bids = {broker.name: broker.bid for broker in description.brokers}
            working.add_edges_from((bids[one.one], bids[one.other]) for one in description.links if (one.one, one.other) not in cut)
            assert nx.is_forest(tree)
            assert nx.number_connected_components(tree) == nx.number_connected_components(working)
