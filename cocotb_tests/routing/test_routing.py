# amaranth: UnusedElaboratable=no
"""The units of routing on Icarus."""

import pytest

from cocotb_tests.runner import simulate
from hdl.routing.frames import FrameReader, FrameWriter


@pytest.mark.parametrize(("unit", "component"), [("reader", FrameReader(port=5)), ("writer", FrameWriter())], ids=["reader", "writer"])
def test_frames(unit: str, component) -> None:
    parameters = {"unit": unit, "port": 5, "frames": 150}
    simulate(component, tests="cocotb_tests.routing.frames_tests", simulator="icarus", seed=3, parameters=parameters)


@pytest.mark.parametrize("port", [-1, 16, "x"])
def test_port_is_checked(port) -> None:
    with pytest.raises(ValueError, match=f"^port must be 0 to 15, not {port!r}$"):
        FrameReader(port=port)
