# amaranth: UnusedElaboratable=no
"""The NPU on both simulators."""

import pytest

from cocotb_tests.npu.unit import NotifyingUnit
from cocotb_tests.runner import SIMULATORS, shared, simulate
from hdl.config import BrokerConfig

CONFIG = {"subscriptions": 31, "xram_bytes": 1024, "selected": 64}
DOCUMENTS = {"verilator": 60, "icarus": 20}


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_npu(simulator: str) -> None:
    simulate(
        shared(NotifyingUnit, BrokerConfig(**CONFIG)),
        tests="cocotb_tests.npu.npu_tests",
        simulator=simulator,
        seed=7,
        parameters={"config": CONFIG, "documents": DOCUMENTS[simulator]},
        ports_only=True,
    )
