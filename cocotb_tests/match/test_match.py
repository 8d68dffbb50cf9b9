"""Runs the coroutines of match_tests."""

import pytest

from cocotb_tests.match.unit import MatchingUnit
from cocotb_tests.runner import SIMULATORS, simulate
from hdl.config import BrokerConfig
from hdl.match.selection import SelectionLog

pytestmark = pytest.mark.long

SMALL = {"steps": 128, "slices": 4, "names": 16, "learned": 128, "subscriptions": 31, "values": 32, "numbers": 32}


def run(testcase, simulator, seed, stress=0.0, **parameters):
    simulate(
        MatchingUnit(BrokerConfig(**SMALL)),
        tests="cocotb_tests.match.match_tests",
        testcase=testcase,
        simulator=simulator,
        seed=seed,
        parameters={"config": SMALL, "idle": stress, "stall": stress, **parameters},
        ports_only=True,
    )


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("level", [1, 4])
def test_equals_libxml2(simulator, level):
    run("equals_libxml2", simulator, 11 + level, level=level, subscriptions=30, documents=60 if simulator == "verilator" else 15)


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("stress", [0.0, 0.3])
def test_equals_the_model(simulator, stress):
    run("equals_the_model", simulator, 21, stress, rounds=300 if simulator == "verilator" else 60)


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_numbers_over_the_limit(simulator):
    run("numbers_over_the_limit", simulator, 31)


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("stress", [0.0, 0.3])
def test_sets_change_between_documents(simulator, stress):
    run("sets_change_between_documents", simulator, 41, stress)


SELECTION = {**SMALL, "steps": 128, "slices": 4, "selected": 32, "xram_bytes": 1024}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_selection_log(simulator):
    simulate(
        SelectionLog(BrokerConfig(**SELECTION)),
        tests="cocotb_tests.match.selection_tests",
        simulator=simulator,
        seed=51,
        parameters={"config": SELECTION, "documents": 60 if simulator == "verilator" else 30},
    )
