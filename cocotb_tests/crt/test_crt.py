"""Runs the coroutines of crt_tests: a short run in every test run, the long ones in `make test-long`."""

import pytest

from cocotb_tests.match.test_match import SMALL
from cocotb_tests.match.unit import MatchingUnit
from cocotb_tests.runner import SIMULATORS, shared, simulate
from hdl.config import BrokerConfig

TINY = SMALL | {"steps": 64, "learned": 42, "values": 16, "numbers": 16}
"""Full sooner, and simulated faster."""

CASES = (
    "thesis_example",
    "equal_subscriptions_in_any_order",
    "full_tables",
    "refused_programs_leave_nothing",
    "high_commonality",
    "registration_is_quick",
    "reset_in_the_middle",
)


def test_in_short() -> None:
    """Every coroutine once, with few changes and resets, on the simulator whose models are built in seconds."""
    simulate(
        MatchingUnit(BrokerConfig(**TINY)),
        tests="cocotb_tests.crt.crt_tests",
        simulator="icarus",
        seed=62,
        parameters={"config": TINY, "changes": 20, "resets": [30, 90, 170]},
        ports_only=True,
    )


def run(testcase, simulator, **parameters):
    config = SMALL | parameters.pop("config", {})
    simulate(
        shared(MatchingUnit, BrokerConfig(**config)),
        tests="cocotb_tests.crt.crt_tests",
        testcase=testcase,
        simulator=simulator,
        seed=51,
        parameters={"config": config, **parameters},
        ports_only=True,
    )


@pytest.mark.long
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("case", CASES)
def test_registration(simulator, case):
    run(case, simulator)


@pytest.mark.long
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_churn(simulator):
    run("churn_leaves_nothing", simulator, changes=10000 if simulator == "verilator" else 300)
