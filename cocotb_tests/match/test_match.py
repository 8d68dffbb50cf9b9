"""Runs the coroutines of match_tests and selection_tests: a short run in every test run, the long ones in `make test-long`."""

import pytest

from cocotb_tests.match.unit import MatchingUnit
from cocotb_tests.runner import SIMULATORS, shared, simulate
from hdl.config import BrokerConfig
from hdl.match.selection import SelectionLog

SMALL = {"steps": 128, "slices": 4, "names": 16, "learned": 128, "subscriptions": 31, "values": 32, "numbers": 32}
SELECTION = SMALL | {"selected": 32, "xram_bytes": 1024}


def test_in_short() -> None:
    """Every coroutine once, with few documents and with stalls, on the simulator whose models are built in seconds."""
    simulate(
        shared(MatchingUnit, BrokerConfig(**SMALL)),
        tests="cocotb_tests.match.match_tests",
        simulator="icarus",
        seed=61,
        parameters={"config": SMALL, "idle": 0.2, "stall": 0.2, "level": 4, "subscriptions": 30, "documents": 12, "rounds": 30},
        ports_only=True,
    )


PACE = {"steps": 128, "slices": 8, "names": 16, "learned": 128, "subscriptions": 31, "values": 32, "numbers": 32}


def test_pace() -> None:
    """Clocks by what is compared, without stalls."""
    simulate(
        MatchingUnit(BrokerConfig(**PACE)),
        tests="cocotb_tests.match.pace_tests",
        simulator="icarus",
        seed=71,
        parameters={"config": PACE},
        ports_only=True,
    )


def run(testcase, simulator, seed, stress=0.0, **parameters):
    simulate(
        shared(MatchingUnit, BrokerConfig(**SMALL)),
        tests="cocotb_tests.match.match_tests",
        testcase=testcase,
        simulator=simulator,
        seed=seed,
        parameters={"config": SMALL, "idle": stress, "stall": stress, **parameters},
        ports_only=True,
    )


@pytest.mark.long
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("level", [1, 4])
def test_equals_libxml2(simulator, level):
    run("equals_libxml2", simulator, 11 + level, level=level, subscriptions=30, documents=60 if simulator == "verilator" else 15)


@pytest.mark.long
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("stress", [0.0, 0.3])
def test_equals_the_model(simulator, stress):
    run("equals_the_model", simulator, 21, stress, rounds=300 if simulator == "verilator" else 60)


@pytest.mark.long
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_numbers_over_the_limit(simulator):
    run("numbers_over_the_limit", simulator, 31)


@pytest.mark.long
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("stress", [0.0, 0.3])
def test_sets_change_between_documents(simulator, stress):
    run("sets_change_between_documents", simulator, 41, stress)


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.long)])
def test_selection_log(simulator):
    simulate(
        SelectionLog(BrokerConfig(**SELECTION)),
        tests="cocotb_tests.match.selection_tests",
        simulator=simulator,
        seed=51,
        parameters={"config": SELECTION, "documents": 60 if simulator == "verilator" else 30},
    )
