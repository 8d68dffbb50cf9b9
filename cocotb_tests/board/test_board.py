# amaranth: UnusedElaboratable=no
"""The whole of a board through its UART pins."""

import pytest

from cocotb_tests.runner import simulate
from hdl.config import BrokerConfig
from hdl.system import UartBroker

CONFIG = {
    "subscriptions": 127,
    "steps": 256,
    "slices": 4,
    "names": 32,
    "learned": 64,
    "values": 64,
    "numbers": 64,
    "xpath_bytes": 256,
    "xram_bytes": 1024,
    "pram_words": 64,
}
DIVISOR = 8


@pytest.mark.long
@pytest.mark.timeout(5400)
def test_board() -> None:
    simulate(
        UartBroker(BrokerConfig(**CONFIG), divisor=DIVISOR),
        tests="cocotb_tests.board.board_tests",
        simulator="verilator",
        seed=6,
        parameters={"divisor": DIVISOR, "documents": 20},
        ports_only=True,
    )
