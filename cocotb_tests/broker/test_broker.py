# amaranth: UnusedElaboratable=no
"""The whole broker on both simulators, with small tables."""

import pytest

from cocotb_tests.runner import SIMULATORS, shared, simulate
from hdl.broker import Broker
from hdl.config import BrokerConfig

CONFIG = {
    "subscriptions": 32,
    "steps": 64,
    "slices": 4,
    "names": 32,
    "learned": 64,
    "values": 16,
    "numbers": 16,
    "xpath_bytes": 256,
    "xram_bytes": 1024,
    "pram_words": 64,
    "selected": 32,
}
DOCUMENTS = {"verilator": 40, "icarus": 12}


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("stress", [0.0, pytest.param(0.4, marks=pytest.mark.long)])
def test_broker(simulator: str, stress: float) -> None:
    simulate(
        shared(Broker, BrokerConfig(**CONFIG)),
        tests="cocotb_tests.broker.broker_tests,cocotb_tests.broker.selected_tests",
        simulator=simulator,
        seed=9,
        parameters={"config": CONFIG, "documents": DOCUMENTS[simulator], "stress": stress},
        ports_only=True,
    )


@pytest.mark.parametrize("simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.long)])
def test_coverage(simulator: str) -> None:
    simulate(
        shared(Broker, BrokerConfig(**CONFIG)),
        tests="cocotb_tests.broker.coverage_tests",
        simulator=simulator,
        seed=3,
        parameters={"config": CONFIG},
        ports_only=True,
    )


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_commit(simulator: str) -> None:
    simulate(
        shared(Broker, BrokerConfig(**CONFIG)),
        tests="cocotb_tests.broker.commit_tests",
        simulator=simulator,
        seed=9,
        parameters={"config": CONFIG, "step": {"verilator": 1, "icarus": 7}[simulator]},
        ports_only=True,
    )


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_no_selection_log(simulator: str) -> None:
    config = CONFIG | {"selected": 0, "links": 1}
    simulate(
        shared(Broker, BrokerConfig(**config)),
        tests="cocotb_tests.broker.logless_tests",
        simulator=simulator,
        seed=9,
        parameters={"config": config},
        ports_only=True,
    )
