"""P-RAM on both simulators."""

import pytest

from cocotb_tests.runner import SIMULATORS, simulate
from hdl.config import BrokerConfig
from hdl.scbxp.pram import Pram


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_pram(simulator: str) -> None:
    pram = Pram(BrokerConfig(pram_words=16))
    simulate(pram, tests="cocotb_tests.pram.pram_tests", simulator=simulator, seed=4, parameters={"beats": 16})
