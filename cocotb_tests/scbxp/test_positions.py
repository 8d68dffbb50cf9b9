# amaranth: UnusedElaboratable=no
"""The node map on both simulators."""

import pytest

from cocotb_tests.runner import SIMULATORS, simulate
from cocotb_tests.scbxp.mapped import MappedUnit
from hdl.config import BrokerConfig

CONFIG = {"xram_bytes": 1024, "depth": 12}
DOCUMENTS = {"verilator": 60, "icarus": 25}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_positions(simulator: str) -> None:
    simulate(
        MappedUnit(BrokerConfig(**CONFIG)),
        tests="cocotb_tests.scbxp.positions_tests",
        simulator=simulator,
        seed=13,
        parameters={"config": CONFIG, "documents": DOCUMENTS[simulator]},
        ports_only=True,
    )
