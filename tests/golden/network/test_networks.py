"""The generator of networks and scenarios: pinned, within its bounds, and read by the commands."""

import hashlib
import json
from collections import Counter as Tally
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml

from sim.network.scenario import read_scenario
from sim.topology.files import read_topology
from sim.vectors.networks import network_scenario

PINNED = [("6725508fdf02c3e6", "7037be6b32925b01"), ("19b861d8b881f469", "4568832a30b9a42d"), ("59ff40847943c6c3", "a7cfcfca6f407f42")]


def digest(thing: object) -> str:
    return hashlib.blake2b(json.dumps(thing, sort_keys=True).encode(), digest_size=8).hexdigest()


def test_scenarios_are_pinned() -> None:
    found = [network_scenario(seed=1, row=row) for row in (0, 1, 77)]
    assert [(digest(one.topology), digest(one.events)) for one in found] == PINNED
    assert network_scenario(seed=1, row=1) == found[1]


@pytest.mark.parametrize("policy", ["steady", "cyclic"])
def test_a_scenario_of_each_policy_is_pinned_as_it_stands(policy: str) -> None:
    made = network_scenario(seed=1, row=3, policy=policy, rounds=1, brokers=2)
    lines = (Path(__file__).parent / "pinned" / f"{policy}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [made.topology, *made.events] == list(map(json.loads, lines))


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
    [
        ({"rounds": 0}, "rounds must be at least 1, not 0"),
        ({"brokers": 1}, "brokers must be 2 to 255, not 1"),
        ({"policy": "fast"}, "policy must be steady or cyclic, not 'fast'"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        network_scenario(seed=1, row=1, **parameters)


def test_cyclic_scenarios_have_crowds_and_routes() -> None:
    kinds: Tally[str] = Tally()
    for row in range(40):
        made = network_scenario(seed=5, row=row, policy="cyclic")
        network = read_topology(yaml.safe_dump(made.topology), name="topology")
        lines = "\n".join(map(json.dumps, made.events))
        assert len(read_scenario(lines, name="scenario", network=network, load=lambda path: b"")) == len(made.events)
        kinds.update(kind for event in made.events for kind in event if kind in ("topology", "subscribe"))
        kinds.update(flag for event in made.events for flag in event.get("topology", {}) if flag in ("solicit", "remove"))
        texts = Tally((event["at"], event["subscribe"]) for event in made.events if "subscribe" in event)
        kinds["crowd"] += max(texts.values(), default=0) > 30
        assert max((event["sid"] for event in made.events if "sid" in event), default=1) <= 255
    assert min(kinds[kind] for kind in ("topology", "subscribe", "solicit", "remove", "crowd")) > 10
