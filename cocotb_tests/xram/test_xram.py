"""X-RAM on both simulators."""

import pytest

from cocotb_tests.runner import SIMULATORS, simulate
from hdl.config import BrokerConfig
from hdl.publication.ring import Xram


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_xram(simulator: str) -> None:
    xram = Xram(BrokerConfig(xram_bytes=1024))
    simulate(xram, tests="cocotb_tests.xram.xram_tests", simulator=simulator, seed=3, parameters={"words": 256})
