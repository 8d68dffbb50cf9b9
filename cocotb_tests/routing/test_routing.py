# amaranth: UnusedElaboratable=no
"""The units of routing on Icarus."""

import pytest

from cocotb_tests.runner import simulate
from hdl.config import BrokerConfig
from hdl.lookup import RouteLookup
from hdl.routing.copies import CopySender
from hdl.routing.forwarder import Forwarder
from hdl.routing.frames import FrameReader, FramesMux, FrameWriter
from hdl.routing.gate import PublicationGate
from hdl.routing.interests import Interests
from hdl.routing.link import FrameMux, LinkReceiver, LinkSender
from hdl.routing.members import MemberTable
from hdl.routing.modes import OperationModes
from hdl.routing.path import Identity, PathWalker
from hdl.routing.relay import Relay
from hdl.routing.router import OwnSubscriptions, Router
from hdl.routing.sorter import FrameSorter
from hdl.routing.vrt import VicinityRoutingTable
from hdl.routing.window import SeenWindow


@pytest.mark.parametrize(("unit", "component"), [("reader", FrameReader(port=5)), ("writer", FrameWriter())], ids=["reader", "writer"])
def test_frames(unit: str, component) -> None:
    parameters = {"unit": unit, "port": 5, "frames": 150}
    simulate(component, tests="cocotb_tests.routing.frames_tests", simulator="icarus", seed=3, parameters=parameters)


@pytest.mark.parametrize("port", [-1, 16, "x"])
def test_port_is_checked(port) -> None:
    with pytest.raises(ValueError, match=f"^port must be 0 to 15, not {port!r}$"):
        FrameReader(port=port)


def test_path() -> None:
    simulate(PathWalker(ports=3), tests="cocotb_tests.routing.path_tests", simulator="icarus", seed=4, parameters={"paths": 40})


@pytest.mark.parametrize("ports", [0, 17, None])
def test_ports_are_checked(ports) -> None:
    with pytest.raises(ValueError, match=f"^ports must be 1 to 16, not {ports!r}$"):
        Identity(ports)


@pytest.mark.parametrize("size", [4, 16])
def test_window(size: int) -> None:
    simulate(SeenWindow(size=size), tests="cocotb_tests.routing.window_tests", simulator="icarus", seed=5, parameters={"size": size})


@pytest.mark.parametrize("size", [0, 1, 12, "x"])
def test_window_is_checked(size) -> None:
    with pytest.raises(ValueError, match=f"^size must be a power of two of at least 2, not {size!r}$"):
        SeenWindow(size=size)


@pytest.mark.parametrize(("unit", "component"), [("receiver", LinkReceiver()), ("sender", LinkSender())], ids=["receiver", "sender"])
def test_link(unit: str, component) -> None:
    parameters = {"unit": unit, "clocks": 2500}
    simulate(component, tests="cocotb_tests.routing.link_tests", simulator="icarus", seed=6, parameters=parameters)


@pytest.mark.parametrize("streams", [1, 2, 5])
def test_mux(streams: int) -> None:
    parameters = {"unit": "mux", "streams": streams}
    simulate(FrameMux(streams=streams), tests="cocotb_tests.routing.link_tests", simulator="icarus", seed=7, parameters=parameters)


@pytest.mark.parametrize("streams", [0, 1.5])
def test_streams_are_checked(streams) -> None:
    with pytest.raises(ValueError, match=f"^streams must be an integer of at least 1, not {streams!r}$"):
        FrameMux(streams=streams)


def test_relay() -> None:
    simulate(Relay(ports=4), tests="cocotb_tests.routing.relay_tests", simulator="icarus", seed=8, parameters={"frames": 150})


def test_vrt() -> None:
    component = VicinityRoutingTable(routes=8, words=8)
    simulate(component, tests="cocotb_tests.routing.vrt_tests", simulator="icarus", seed=9, parameters={"routes": 8, "rounds": 40})


@pytest.mark.parametrize("name", ["routes", "words"])
@pytest.mark.parametrize("value", [0, 1, 12, 2.0])
def test_vrt_is_checked(name: str, value) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be a power of two of at least 2, not {value!r}$"):
        VicinityRoutingTable(**{name: value})


def test_lookup() -> None:
    config = {"name_bytes": 8, "value_bytes": 8, "xpath_bytes": 64}
    component = RouteLookup(BrokerConfig(**config), ports=3, routes=8)
    parameters = {"config": config, "routes": 8, "rounds": 40}
    simulate(component, tests="cocotb_tests.routing.lookup_tests", simulator="icarus", seed=10, parameters=parameters)


def test_modes() -> None:
    component = OperationModes(BrokerConfig(subscriptions=12))
    parameters = {"subscriptions": 12, "clocks": 1500}
    simulate(component, tests="cocotb_tests.routing.modes_tests", simulator="icarus", seed=11, parameters=parameters)


def test_forwarder() -> None:
    component = Forwarder(BrokerConfig(), ports=4)
    simulate(component, tests="cocotb_tests.routing.forwarder_tests", simulator="icarus", seed=12, parameters={"tasks": 150})


@pytest.mark.parametrize("ports", [2, 4])
def test_interests(ports: int) -> None:
    config = {"subscriptions": 15, "steps": 16, "slices": 1, "subscription_steps": 4}
    component = Interests(BrokerConfig(**config), ports=ports)
    parameters = {"config": config, "ports": ports, "changes": 150}
    simulate(component, tests="cocotb_tests.routing.interests_tests", simulator="icarus", seed=13, parameters=parameters)


SMALL = {"subscriptions": 15, "steps": 16, "slices": 1, "subscription_steps": 4, "xram_bytes": 1024}
STEADY = {
    "frames-mux": lambda: FramesMux(streams=3),
    "sorter": lambda: FrameSorter(ports=3, port=1),
    "own": OwnSubscriptions,
    "gate": lambda: PublicationGate(BrokerConfig(**SMALL), ports=3, window=128),
    "copies": lambda: CopySender(ports=3),
    "members": lambda: MemberTable(BrokerConfig(**SMALL), ports=3),
}


@pytest.mark.parametrize("unit", STEADY)
def test_steady(unit: str) -> None:
    parameters = {"unit": unit, "config": SMALL, "frames": 120, "publications": 30, "results": 25}
    simulate(STEADY[unit](), tests="cocotb_tests.routing.steady_tests", simulator="icarus", seed=14, parameters=parameters)


def test_router() -> None:
    config = SMALL | {"links": 2}
    component = Router(BrokerConfig(**config), ports=2, window=4)
    simulate(component, tests="cocotb_tests.routing.router_tests", simulator="icarus", seed=15, parameters={"config": config})
