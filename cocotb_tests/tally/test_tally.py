# amaranth: UnusedElaboratable=no
"""The counters on both simulators."""

import pytest

from cocotb_tests.runner import SIMULATORS, simulate
from hdl.tally import Tally


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_tally(simulator: str) -> None:
    simulate(Tally(), tests="cocotb_tests.tally.tally_tests", simulator=simulator, seed=17)
