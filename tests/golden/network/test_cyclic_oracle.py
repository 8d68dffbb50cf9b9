"""The cyclic policy on random networks: nobody is notified who did not ask, nothing wanders, and everything comes to rest.

Losses are part of this policy, so there is no judge of what must come; scenarios with a known outcome are literals elsewhere.
"""

import json
from collections import Counter as Tally

import pytest
import yaml

from hdl.contract import Kind
from sim.golden.network.codes import Counter
from sim.golden.network.cyclic import CyclicBroker
from sim.golden.network.modes import Mode
from sim.network.model import ModelPlayer
from sim.network.scenario import read_scenario
from sim.topology.files import read_topology
from sim.vectors.networks import NetworkScenario, network_scenario
from tests.golden.network.oracle import selects

QUICK = 80
REDUNDANT = {Counter.SHORT_PATH, Counter.NOT_OWN, Counter.NOT_SENDER, Counter.NO_PORT, Counter.UNEXPECTED, Counter.UNKNOWN_INTEREST}
"""Signs of frames that no broker should have sent."""


def played(scenario: NetworkScenario) -> ModelPlayer:
    network = read_topology(yaml.safe_dump(scenario.topology), name="topology")
    player = ModelPlayer(network)
    lines = "\n".join(map(json.dumps, scenario.events))
    list(player.play(read_scenario(lines, name="scenario", network=network, load=lambda path: b"")))
    return player


def faults(scenario: NetworkScenario, totals: Tally[str]) -> list[str]:
    player = played(scenario)
    network, names = player.network, player.names
    asked = {(event["at"], event["sid"]): event["subscribe"] for event in scenario.events if "subscribe" in event}
    documents = [event["xml"] for event in scenario.events if "xml" in event]
    wrong = [f"frames that cannot be right: {bad}" for bad in network.counted().keys() & REDUNDANT]
    for one in network.deliveries:
        assert one.publication is not None
        if not selects(asked.get((names[one.at], one.sid), ""), documents[one.publication]):
            wrong.append(f"{names[one.at]}, {one.sid} got publication {one.publication} and did not ask for it")
    for crossing in network.crossings:
        path, at = crossing.message.osid.path, network.bids[crossing.sender]
        if crossing.message.kind is not Kind.RESULT and (not path or path[-1] != at or len(set(path)) != len(path)):
            wrong.append(f"{crossing} has a path that cannot be")
        totals[crossing.message.text] += 1
    for node, broker in network.brokers.items():
        assert isinstance(broker, CyclicBroker)
        modes = broker.modes
        if (modes.s, modes.sa) != (len(broker.registry), len(broker.waiting)) or modes.mode not in (Mode.NOP, Mode.NPNS, Mode.OPOS):
            wrong.append(f"broker {node} rests in {modes.mode.text} with S = {modes.s}, Sa = {modes.sa}")
        if modes.mode is Mode.OPOS and (modes.p != modes.pmax or modes.pmax != len(broker.publications)):
            wrong.append(f"broker {node} is saturated with P = {modes.p}, Pmax = {modes.pmax}")
    totals["deliveries"] += len(network.deliveries)
    totals.update(counter.name for counter in network.counted().elements())
    return wrong


def test_nobody_is_notified_who_did_not_ask() -> None:
    totals: Tally[str] = Tally()
    found = {row: wrong for row in range(QUICK) if (wrong := faults(network_scenario(seed=22, row=row, policy="cyclic"), totals))}
    assert found == {}
    for seen in (
        "SUBSCRIBE",
        "FORWARD",
        "ROUTE",
        "SOLICIT",
        "deliveries",
        "NO_ROUTE",
        "SAMPLES_REPEATED",
        "SAMPLES_EXPIRED",
    ):
        assert totals[seen] > 5, seen


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_nobody_is_notified_who_did_not_ask_at_size(part: int) -> None:
    rows = range(part, 1600, 8)
    made = ((row, network_scenario(seed=23, row=row, policy="cyclic", rounds=12)) for row in rows)
    assert {row: wrong for row, scenario in made if (wrong := faults(scenario, Tally()))} == {}
