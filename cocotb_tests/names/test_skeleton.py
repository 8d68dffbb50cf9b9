# amaranth: UnusedElaboratable=no
"""The skeleton loader on both simulators."""

import pytest

from cocotb_tests.runner import simulate
from hdl.config import BrokerConfig
from hdl.names import SkeletonLoader

CONFIG = {"names": 16, "name_bytes": 16}


@pytest.mark.parametrize("simulator", ["icarus", pytest.param("verilator", marks=pytest.mark.long)])
def test_loader(simulator: str) -> None:
    simulate(
        SkeletonLoader(BrokerConfig(**CONFIG)),
        tests="cocotb_tests.names.skeleton_tests",
        simulator=simulator,
        seed=12,
        parameters={"config": CONFIG, "turns": {"verilator": 200, "icarus": 40}[simulator]},
        ports_only=True,
    )
