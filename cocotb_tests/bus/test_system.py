# amaranth: UnusedElaboratable=no
"""The real broker behind its fronts."""

import pytest

from cocotb_tests.broker.test_broker import CONFIG
from cocotb_tests.runner import simulate
from hdl.config import BrokerConfig
from hdl.system import AvalonBroker, AxiBroker


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("front", "component"), [("axi", AxiBroker), ("avalon", AvalonBroker)])
def test_system(front: str, component: type) -> None:
    simulate(
        component(BrokerConfig(**CONFIG)),
        tests="cocotb_tests.bus.system_tests",
        simulator="verilator",
        seed=8,
        parameters={"front": front, "documents": 15},
        ports_only=True,
    )
