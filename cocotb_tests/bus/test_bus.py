# amaranth: UnusedElaboratable=no
"""The fronts on both simulators, with the field's bus models."""

import pytest

from cocotb_tests.bus.fronted import FRONTS, Fronted
from cocotb_tests.runner import SIMULATORS, simulate

ROUNDS = {"verilator": 30, "icarus": 10}


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("front", FRONTS)
def test_front(simulator: str, front: str) -> None:
    simulate(
        Fronted(front),
        tests="cocotb_tests.bus.front_tests",
        simulator=simulator,
        seed=3,
        parameters={"front": front, "rounds": ROUNDS[simulator]},
    )
