# amaranth: UnusedElaboratable=no
"""The XPath processor on both simulators."""

import pytest

from cocotb_tests.runner import SIMULATORS, simulate
from cocotb_tests.xpath.programs import CONFIGS
from hdl.xpath import XPathProcessor

TEXTS = {("default", "verilator"): 500, ("tight", "verilator"): 500, ("default", "icarus"): 40, ("tight", "icarus"): 100}


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("config", CONFIGS)
def test_processor(config: str, simulator: str) -> None:
    """The long texts at the default limits are left to the fast simulator."""
    simulate(
        XPathProcessor(CONFIGS[config]),
        tests="cocotb_tests.xpath.processor_tests",
        simulator=simulator,
        seed=4,
        parameters={"config": config, "texts": TEXTS[config, simulator], "limits": (config, simulator) != ("default", "icarus")},
    )
