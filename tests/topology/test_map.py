"""The broker network map [N 4]: shortest ways round what is suspected, gateways, and what is told to whom."""

from itertools import pairwise

import networkx as nx
import pytest

from sim.topology.description import BrokerSpec, TopologyError
from sim.topology.map import BrokerMap
from sim.vectors.seeds import Draw

# A network like N Fig 2: in SSC-A super-clusters SC-1 (clusters a, b, c) and SC-2 (clusters g, h); in SSC-B one cluster
UNITS = {
    1: ("SSC-A", "SC-1", "a"),
    2: ("SSC-A", "SC-1", "a"),
    3: ("SSC-A", "SC-1", "b"),
    4: ("SSC-A", "SC-1", "c"),
    5: ("SSC-A", "SC-1", "c"),
    6: ("SSC-A", "SC-1", "c"),
    10: ("SSC-A", "SC-2", "g"),
    11: ("SSC-A", "SC-2", "h"),
    20: ("SSC-B", "SC-9", "z"),
}
LINKS = [(1, 2, 1), (2, 3, 2), (3, 4, 2), (4, 5, 1), (5, 6, 1), (4, 6, 1), (5, 10, 4), (10, 11, 2), (1, 20, 8), (11, 20, 8)]


def network() -> BrokerMap:
    return BrokerMap([BrokerSpec(str(bid), bid, unit) for bid, unit in UNITS.items()], LINKS)


def edges(graph: nx.Graph) -> set[frozenset[str]]:
    return {frozenset("/".join(end) if isinstance(end, tuple) else str(end) for end in pair) for pair in graph.edges}


def pairs(*named: str) -> set[frozenset[str]]:
    return {frozenset(pair.split(" ")) for pair in named}


C, SC2, SSCB = "SSC-A/SC-1/c", "SSC-A/SC-2", "SSC-B"


def test_a_connection_between_units_is_told_as_one_with_the_unit() -> None:
    """5 is told of its connection with SC-2, and so are 4 and 6; in cluster b it is one between cluster c and SC-2."""
    inside_c = pairs(
        "4 5", "5 6", "4 6", "5 SSC-A/SC-2", "4 SSC-A/SC-1/b", "SSC-A/SC-1/a SSC-A/SC-1/b", "SSC-A/SC-1/a SSC-B", "SSC-A/SC-2 SSC-B"
    )
    assert edges(network().view(6)) == edges(network().view(4)) == inside_c
    inside_b = pairs(f"3 {C}", "3 SSC-A/SC-1/a", f"{C} {SC2}", f"SSC-A/SC-1/a {SSCB}", f"{SC2} {SSCB}")
    assert edges(network().view(3)) == inside_b


def test_nothing_inside_a_unit_is_told_outside() -> None:
    assert edges(network().view(20)) == pairs("20 SSC-A")
    assert edges(network().view(10)) == pairs("10 SSC-A/SC-1", "10 SSC-A/SC-2/h", "SSC-A/SC-1 SSC-B", "SSC-A/SC-2/h SSC-B")


def test_of_parallel_connections_the_cheapest_is_told() -> None:
    brokers = [BrokerSpec(str(bid), bid, unit) for bid, unit in ((1, ("a",)), (2, ("b",)), (3, ("b",)))]
    view = BrokerMap(brokers, [(1, 2, 7), (1, 3, 4), (2, 3, 1)]).view(1)
    assert list(view.edges(data="cost")) == [(1, ("b",), 4)]


def test_controllers_are_the_gateways_of_a_unit() -> None:
    known = network()
    assert known.controllers(("SSC-A", "SC-1", "c")) == [4, 5]
    assert known.controllers(("SSC-A", "SC-1")) == [1, 5]
    assert known.controllers(("SSC-A",)) == [1, 11]
    known.suspect(link=(5, 10))
    assert known.controllers(("SSC-A", "SC-1")) == [1]


def test_ways_go_round_suspected_links_and_brokers() -> None:
    known = network()
    assert known.path(3, 11) == [3, 4, 5, 10, 11]
    known.suspect(link=(4, 5))
    assert known.path(3, 11) == [3, 4, 6, 5, 10, 11]
    known.suspect(broker=10)
    assert known.path(3, 11) == [3, 2, 1, 20, 11]
    known.suspect(broker=20)
    assert (known.path(3, 11), known.path(3, 20), known.path(3, 3)) == ([], [], [3])
    for bid in (10, 20):
        known.suspect(broker=bid, failed=False)
    known.suspect(link=(4, 5), failed=False)
    assert known.path(3, 11) == [3, 4, 5, 10, 11]


def test_of_equal_ways_the_lowest_bids_are_taken() -> None:
    square = BrokerMap([BrokerSpec(str(bid), bid) for bid in range(1, 5)], [(1, 3, 1), (3, 4, 1), (1, 2, 1), (2, 4, 1)])
    assert square.path(1, 4) == [1, 2, 4]


def test_ways_are_as_short_as_networkx_says() -> None:
    for row in range(40):
        draw = Draw(1, "ways", row)
        count = draw.between(2, 12)
        links = [(draw.between(1, at - 1), at, draw.between(1, 5)) for at in range(2, count + 1)]
        links += [(a, b, draw.between(1, 5)) for a in range(1, count) for b in range(a + 1, count + 1) if draw.chance(0.2)]
        known = BrokerMap(
            [BrokerSpec(str(bid), bid) for bid in range(1, count + 1)], {(a, b): (a, b, cost) for a, b, cost in links}.values()
        )
        graph = nx.Graph()
        graph.add_weighted_edges_from((a, b, known.cost(a, b)) for a, b in known.links)
        for target in range(1, count + 1):
            lengths = nx.single_source_dijkstra_path_length(graph, target)
            for start in range(1, count + 1):
                way = known.path(start, target)
                assert sum(known.cost(a, b) for a, b in pairwise(way)) == lengths[start]


def test_units_have_limits() -> None:
    with pytest.raises(TopologyError, match=r"^units must nest at most 3 deep, not a/b/c/d$"):
        BrokerMap([BrokerSpec("A", 1, ("a", "b", "c", "d"))], [])
    with pytest.raises(TopologyError, match=r"^the unit a must have at most 32 parts, not 33$"):
        BrokerMap([BrokerSpec(str(bid), bid, ("a",)) for bid in range(1, 34)], [])
