# amaranth: UnusedElaboratable=no
"""The fronts on both simulators, with the field's bus models."""

import pytest

from cocotb_tests.bus.axis_loop import AxisLoop
from cocotb_tests.bus.fronted import FRONTS, Fronted
from cocotb_tests.runner import simulate
from hdl.config import BrokerConfig
from hdl.link.frames import FrameSplitter
from hdl.link.host import HostPort
from hdl.link.uart import divisor_of
from hdl.link.window import Link
from tests.uart_loop import UartLoop

BOTH = ("icarus", pytest.param("verilator", marks=pytest.mark.long))
"""Building the models for Verilator is what takes long here."""

ROUNDS = {"verilator": 30, "icarus": 10}
BYTES = {"verilator": 6000, "icarus": 1200}


@pytest.mark.parametrize("simulator", BOTH)
@pytest.mark.parametrize("front", FRONTS)
def test_front(simulator: str, front: str) -> None:
    simulate(
        Fronted(front),
        tests="cocotb_tests.bus.front_tests",
        simulator=simulator,
        seed=3,
        parameters={"front": front, "rounds": ROUNDS[simulator]},
        ports_only=True,
    )


@pytest.mark.parametrize("simulator", BOTH)
def test_link(simulator: str) -> None:
    simulate(
        Link(patience=1500),
        tests="cocotb_tests.bus.link_tests",
        simulator=simulator,
        seed=4,
        parameters={"bytes": BYTES[simulator]},
        ports_only=True,
    )


HOST = {"subscriptions": 31, "steps": 64, "slices": 4, "names": 32, "learned": 64, "links": 2}


@pytest.mark.parametrize("simulator", BOTH)
def test_host(simulator: str) -> None:
    simulate(
        HostPort(BrokerConfig(**HOST), patience=1500),
        tests="cocotb_tests.bus.host_tests",
        simulator=simulator,
        seed=6,
        parameters={"config": HOST, "frames": {"verilator": 240, "icarus": 60}[simulator], "stress": 0.3},
        ports_only=True,
    )


@pytest.mark.parametrize("simulator", BOTH)
def test_frames(simulator: str) -> None:
    simulate(FrameSplitter(), tests="cocotb_tests.bus.frames_tests", simulator=simulator, seed=6, ports_only=True)


@pytest.mark.parametrize("simulator", BOTH)
@pytest.mark.parametrize("divisor", [8, 33])
def test_uart(simulator: str, divisor: int) -> None:
    simulate(
        UartLoop(divisor=divisor),
        tests="cocotb_tests.bus.uart_tests",
        simulator=simulator,
        seed=5,
        parameters={"divisor": divisor},
        # The model counts a bit in whole nanoseconds, too coarse for a rate that is a little off a short one.
        testcase="bytes_come_back" if divisor == 8 else None,
        ports_only=True,
    )


@pytest.mark.parametrize(
    ("clock", "baud", "divisor"), [(100e6, 3_000_000, 33), (80e6, 3_000_000, 27), (100e6, 115_200, 868), (96e6, 12_000_000, 8)]
)
def test_divisor(clock: float, baud: int, divisor: int) -> None:
    assert divisor_of(clock, baud) == divisor


def test_a_rate_out_of_reach_is_refused() -> None:
    with pytest.raises(ValueError, match="baud must be a rate that 25000000 Hz divides into at least 8 clocks within 2 %, not 12000000"):
        divisor_of(25e6, 12_000_000)


@pytest.mark.parametrize("simulator", BOTH)
def test_axis(simulator: str) -> None:
    simulate(AxisLoop(), tests="cocotb_tests.bus.axis_tests", simulator=simulator, seed=7, ports_only=True)
