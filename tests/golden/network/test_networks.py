"""The generator of networks and scenarios: pinned, within its bounds, and read by the commands."""

import hashlib
import json
from collections import Counter as Tally

import networkx as nx
import pytest
import yaml

from sim.network.scenario import read_scenario
from sim.topology.files import read_topology
from sim.vectors.networks import network_scenario

PINNED = [("5cd747804ba09e2c", "e178fb65f49220e9"), ("27c4fc171fa55d07", "d6259fc15d3da3be"), ("0db43bcaf8670ea0", "b222b9d5f2b0d37a")]


def digest(thing: object) -> str:
    return hashlib.blake2b(json.dumps(thing, sort_keys=True).encode(), digest_size=8).hexdigest()


def test_scenarios_are_pinned() -> None:
    found = [network_scenario(seed=1, row=row) for row in (0, 1, 77)]
    assert [(digest(one.topology), digest(one.events)) for one in found] == PINNED
    assert network_scenario(seed=1, row=1) == found[1]


def test_scenarios_have_everything() -> None:
    kinds: Tally[str] = Tally()
    sizes: Tally[int] = Tally()
    rings = units = 0
    for row in range(100):
        made = network_scenario(seed=5, row=row)
        network = read_topology(yaml.safe_dump(made.topology), name="topology")
        lines = "\n".join(map(json.dumps, made.events))
        assert len(read_scenario(lines, name="scenario", network=network, load=lambda path: b"")) == len(made.events)
        assert nx.is_connected(network.graph())
        rings += not nx.is_tree(network.graph())
        units += len(list(network.scopes())) > 1
        sizes[len(network.brokers)] += 1
        for event in made.events:
            kinds[next(kind for kind in ("subscribe", "unsubscribe", "xml", "link", "broker", "settle") if kind in event)] += 1
    assert set(sizes) == set(range(2, 9))
    assert min(kinds.values()) > 50
    assert len(kinds) == 6
    assert 20 < rings < 80
    assert 10 < units < 50


def test_without_failures_nothing_breaks_and_settings_are_taken() -> None:
    for row in range(20):
        made = network_scenario(seed=5, row=row, failures=False, brokers=3, settings={"window": 5})
        assert not any("state" in event for event in made.events)
        assert (len(made.topology["brokers"]), made.topology["steady"]) == (3, {"window": 5})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"rounds": 0}, "rounds must be 1 to 30, so that SIDs last, not 0"), ({"brokers": 1}, "brokers must be 2 to 255, not 1")],
)
def test_bad_parameters(parameters: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        network_scenario(seed=1, row=1, failures=True, **parameters)
