# amaranth: UnusedElaboratable=no
"""The counters on both simulators."""

import pytest

from cocotb_tests.runner import SIMULATORS, simulate
from hdl.tally import Tally


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("banks", [1, 4])
def test_tally(simulator: str, banks: int) -> None:
    simulate(Tally(banks=banks), tests="cocotb_tests.tally.tally_tests", simulator=simulator, seed=17, parameters={"banks": banks})


@pytest.mark.parametrize("banks", [0, 3])
def test_banks_are_a_power_of_two(banks: int) -> None:
    with pytest.raises(ValueError, match=f"banks must be a power of two, not {banks}"):
        Tally(banks=banks)
