"""Runs the coroutines of crt_tests."""

import pytest

from cocotb_tests.match.test_match import SMALL
from cocotb_tests.match.unit import MatchingUnit
from cocotb_tests.runner import SIMULATORS, simulate
from hdl.config import BrokerConfig

pytestmark = pytest.mark.long

CASES = (
    "thesis_example",
    "equal_subscriptions_in_any_order",
    "full_tables",
    "refused_programs_leave_nothing",
    "high_commonality",
    "registration_is_quick",
    "reset_in_the_middle",
)


def run(testcase, simulator, **parameters):
    config = SMALL | parameters.pop("config", {})
    simulate(
        MatchingUnit(BrokerConfig(**config)),
        tests="cocotb_tests.crt.crt_tests",
        testcase=testcase,
        simulator=simulator,
        seed=51,
        parameters={"config": config, **parameters},
        ports_only=True,
    )


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("case", CASES)
def test_registration(simulator, case):
    run(case, simulator)


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_churn(simulator):
    run("churn_leaves_nothing", simulator, changes=10000 if simulator == "verilator" else 300)
