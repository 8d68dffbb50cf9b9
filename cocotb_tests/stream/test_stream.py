# amaranth: UnusedElaboratable=no
"""Queue and register on both simulators."""

import pytest
from amaranth.hdl import unsigned

from cocotb_tests.runner import SIMULATORS, simulate
from cocotb_tests.streams import StreamRules
from hdl.stream import BlockRam, PairedRam, Register, Relay, StreamFifo

UNITS = {
    "register": (lambda: Register(unsigned(12)), {"depth": 2, "latency": 1}),
    "relay": (lambda: Relay(unsigned(12)), {"depth": 1, "latency": 1, "every": 2}),
    "fifo-2": (lambda: StreamFifo(unsigned(12), 2), {"depth": 2, "latency": 1}),
    "fifo-7": (lambda: StreamFifo(unsigned(12), 7), {"depth": 7, "latency": 2}),
    "fifo-7-direct": (lambda: StreamFifo(unsigned(12), 7, direct=True), {"depth": 7, "latency": 1}),
    "fifo-37": (lambda: StreamFifo(unsigned(12), 37), {"depth": 37, "latency": 3}),
}


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("unit", UNITS)
def test_queue(unit: str, simulator: str) -> None:
    make, facts = UNITS[unit]
    component = make()
    assert component.latency == facts["latency"]
    simulate(component, tests="cocotb_tests.stream.queue_tests", simulator=simulator, seed=11, parameters=facts)


@pytest.mark.parametrize("depth", [0, 1, 2.5, True])
def test_depth_is_checked(depth) -> None:
    with pytest.raises(ValueError, match=f"^depth must be an integer of at least 2, not {depth!r}$"):
        StreamFifo(8, depth)


@pytest.mark.parametrize("depth", [2, 33])
def test_direct_depth_is_checked(depth) -> None:
    with pytest.raises(ValueError, match=f"^depth must be 3 to 32 for a direct queue, not {depth}$"):
        StreamFifo(8, depth, direct=True)


def test_block_ram_is_checked() -> None:
    with pytest.raises(ValueError, match=r"^depth must be an integer of at least 2, not 1$"):
        BlockRam(shape=8, depth=1)
    with pytest.raises(ValueError, match=r"^read_ports must be an integer of at least 1, not 0$"):
        BlockRam(shape=8, depth=2, read_ports=0)
    with pytest.raises(ValueError, match=r"^depth must be a power of two of at least 2, not 12$"):
        PairedRam(shape=8, depth=12)


def test_rules_judge() -> None:
    rules = StreamRules("x")
    rules.see(True, False, 5)
    with pytest.raises(AssertionError, match="valid fell"):
        rules.see(False, True, 5)
    rules.see(True, False, 5)
    with pytest.raises(AssertionError, match="payload 0x5 became 0x6"):
        rules.see(True, True, 6)
    rules.forget()
    rules.see(True, True, 7)
    rules.see(False, True, 0)
