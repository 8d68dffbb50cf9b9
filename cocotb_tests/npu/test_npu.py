# amaranth: UnusedElaboratable=no
"""The NPU, and the watch over what subscriptions want, on both simulators."""

import pytest

from cocotb_tests.npu.unit import NotifyingUnit
from cocotb_tests.runner import SIMULATORS, shared, simulate
from hdl.config import BrokerConfig
from hdl.npu import ContentWatch

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


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.long)])
def test_watch(simulator: str) -> None:
    simulate(
        ContentWatch(BrokerConfig(**CONFIG)),
        tests="cocotb_tests.npu.watch_tests",
        simulator=simulator,
        seed=8,
        parameters={"config": CONFIG, "commands": {"verilator": 400, "icarus": 60}[simulator]},
        ports_only=True,
    )
