"""The steady policy on random networks: what was promised is judged by a graph and libxml2."""

import json

import pytest
import yaml

from sim.golden.network.codes import LOSSES
from sim.golden.network.frames import Counted, Delivery
from sim.golden.network.steady import SteadyBroker
from sim.network.model import ModelPlayer
from sim.network.scenario import read_scenario
from sim.topology.files import read_topology
from sim.vectors.networks import NetworkScenario, network_scenario
from tests.golden.network.oracle import Oracle, Outcome

QUICK, LONG = 320, 4000


def played(scenario: NetworkScenario) -> ModelPlayer:
    """The scenario through its files."""
    network = read_topology(yaml.safe_dump(scenario.topology), name="topology")
    lines = "\n".join(json.dumps(event) for event in scenario.events)
    player = ModelPlayer(network)
    events = read_scenario(lines, name="scenario", network=network, load=lambda path: pytest.fail(f"{path} is read"))
    assert len(list(player.play(events))) == len(player.network.records)
    return player


def outcome(player: ModelPlayer) -> Outcome:
    names, records = player.names, player.network.records
    notified = [((names[one.at], one.sid), one.publication) for one in records if isinstance(one, Delivery) and one.publication is not None]
    lost = {one.publication for one in records if isinstance(one, Counted) and one.counter in LOSSES and one.publication is not None}
    return Outcome(notified, lost)


def faults(scenario: NetworkScenario) -> list[str]:
    """What the oracle finds, and interests that are left when the last subscription is cancelled."""
    oracle, player = Oracle(scenario.topology, scenario.events), played(scenario)
    wrong = oracle.judge(outcome(player))
    for name, sid in oracle.live:
        at = next(number for number, other in player.names.items() if other == name)
        player.network.unsubscribe(at, sid)
        player.network.settle()
    left = {at: list(broker.interests.classes) for at, broker in player.network.brokers.items() if isinstance(broker, SteadyBroker)}
    return wrong + [f"broker {at} keeps {kept}" for at, kept in left.items() if kept]


@pytest.mark.parametrize("part", range(8))
def test_every_matching_subscriber_gets_each_publication_once(part: int) -> None:
    rows = range(part, QUICK, 8)
    assert {row: wrong for row in rows if (wrong := faults(network_scenario(seed=20, row=row)))} == {}


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_every_matching_subscriber_gets_each_publication_once_at_size(part: int) -> None:
    rows = range(part, LONG, 8)
    assert {row: wrong for row in rows if (wrong := faults(network_scenario(seed=21, row=row, rounds=12)))} == {}
