# amaranth: UnusedElaboratable=no
"""The boards and the flow that builds them, with a UART that sends back what it receives in place of the broker."""

import json
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Signal

import fpga.boards.top
import fpga.build
from fpga.boards import BOARDS, board
from fpga.io.pll import pll_settings
from fpga.report import critical_path, resources, summary, units
from tests.uart_loop import UartLoop


class Core(UartLoop):
    """As small as a board's core can be."""

    def __init__(self, config: object, *, divisor: int) -> None:
        super().__init__(divisor=divisor)
        self.open, self.fault, self.receives, self.sends = Signal(), Signal(), Signal(), Signal()

    def elaborate(self, platform: Any) -> Any:
        m = super().elaborate(platform)  # type: ignore[no-untyped-call]
        m.d.comb += [self.open.eq(1), self.receives.eq(~self.rx), self.sends.eq(~self.tx)]
        return m


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(fpga.boards.top, "UartBroker", Core)
    monkeypatch.setattr(fpga.build, "BUILD", tmp_path)
    return tmp_path


@pytest.mark.parametrize(("given", "wanted", "dividers"), [(25, 100, 4), (25, 80, None), (100, 100, 1), (12, 60, 5), (100, 125, None)])
def test_pll(given: float, wanted: float, dividers: int | None) -> None:
    found = pll_settings(given, wanted)
    assert found.mhz == pytest.approx(wanted)
    assert found.mhz == pytest.approx(given * found.feedback / found.reference)
    assert 400 <= found.mhz * found.output <= 800
    assert dividers is None or found.feedback == dividers * found.reference


def test_a_frequency_out_of_reach_is_refused() -> None:
    with pytest.raises(ValueError, match="mhz must be a frequency that 25 MHz can give within 1 %, not 900"):
        pll_settings(25, 900)


def test_boards_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert fpga.build.main(["help"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in BOARDS)
    assert list(BOARDS) == ["ulx3s-85f", "ulx3s-25f", "ecpix5-85", "versa-ecp5", "colorlight-5a75b", "icesugar-pro"]
    assert fpga.build.main(["nonesuch"]) == 2
    assert "board must be one of ulx3s-85f, " in capsys.readouterr().err
    with pytest.raises(ValueError, match="not 'nonesuch'"):
        board("nonesuch")


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_its_pins(name: str, small: Path) -> None:
    one = board(name)
    files, platform = fpga.build.plan(one, one.config, one.mhz)
    text, pins = files["x2cbbr.il"], files["x2cbbr.lpf"]
    assert "EHXPLLL" in text
    assert f"{platform.default_clk_frequency / 1e6:.1f}" in pins or "FREQUENCY" in pins
    assert pins.count("uart_0__tx") >= 1
    assert pins.count("uart_0__rx") >= 1
    for resource, number, part in one.leds:
        assert f"{resource}_{number}__{part or 'io'}" in pins


def test_limits_of_boards_can_be_built() -> None:
    assert {name: one.config.subscriptions for name, one in BOARDS.items() if one.mhz == 100} == {
        "ulx3s-85f": 255,
        "ecpix5-85": 255,
        "versa-ecp5": 255,
    }


def test_what_is_not_built_is_not_loaded(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fpga.build.main(["ulx3s-25f", "--program"]) == 2
    assert "run make bitstream BOARD=ulx3s-25f" in capsys.readouterr().err


def test_flow(small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With real tools: a clock that is not met fails and leaves no bitstream, one that is met gives one."""
    monkeypatch.delenv("ALLOW_FAIL", raising=False)
    assert fpga.build.main(["ulx3s-25f", "--mhz", "400", "--seeds", "1"]) == 1
    told = capsys.readouterr()
    assert "timing FAILS" in told.err
    assert "NOT met" in told.out
    folder = small / "ulx3s-25f"
    assert not (folder / "x2cbbr.bit").exists()
    failed = json.loads((folder / "report.json").read_text())
    assert (failed["met"], failed["requested_mhz"]) == (False, 400)
    assert fpga.build.main(["ulx3s-25f", "--seeds", "2", "--preset", "default", "--limits", '{"subscriptions": 31}']) == 0
    report = json.loads((folder / "report.json").read_text())
    assert report["met"]
    assert (report["preset"], report["config"]["subscriptions"], report["config"]["steps"]) == ("limits of its own", 31, 1024)
    assert report["fmax_mhz"] >= report["requested_mhz"] == 80
    assert report["seed"] == 1
    assert {"luts", "ffs", "brams", "critical_path", "units", "device", "config"} <= report.keys()
    assert report["ffs"] > 50
    assert set(report["units"]) >= {"receiver", "transmitter"}
    assert sum(unit["ffs"] for unit in report["units"].values()) == report["ffs"]
    assert sum(unit["luts"] for unit in report["units"].values()) == report["luts"]
    assert report["critical_path"]["logic_ns"] > 0
    assert (folder / "x2cbbr.bit").stat().st_size > 50_000
    assert "LUT4" in (folder / "summary.txt").read_text()


def _cell(kind: str, **ports: int) -> dict[str, Any]:
    outputs = ("Q", "Z", "Y")
    directions = {name: "output" if name in outputs else "input" for name in ports}
    return {"type": kind, "port_directions": directions, "connections": {name: [bit] for name, bit in ports.items()}}


def test_cells_are_counted_for_the_unit_that_they_feed() -> None:
    cells = {
        "core.scbxp.state_FF": _cell("TRELLIS_FF", DI=10, Q=11),
        "lut0": _cell("LUT4", A=12, Z=10),
        "lut1": _cell("LUT4", A=11, Z=12),
        "lut2": _cell("LUT4", A=1, Z=13),
        "core.npu.memory": _cell("DP16KD", DIA0=13, Q=14),
        "carry": _cell("CCU2C", A=1, Z=99),
    }
    netlist = {"modules": {"top": {"attributes": {"top": "1"}, "cells": cells, "netnames": {}}}}
    assert resources(netlist) == {"luts": 5, "ffs": 1, "brams": 1, "dsps": 0}
    assert units(netlist) == {
        "scbxp": {"luts": 2, "ffs": 1, "brams": 0, "dsps": 0},
        "npu": {"luts": 1, "ffs": 0, "brams": 1, "dsps": 0},
        "rest": {"luts": 2, "ffs": 0, "brams": 0, "dsps": 0},
    }


def test_summary_names_the_path_that_limits() -> None:
    hops = [
        {"type": "clk-to-q", "delay": 0.5, "from": {"cell": "a", "port": "Q"}, "to": {"cell": "a", "port": "Q"}},
        {"type": "routing", "delay": 1.5, "from": {"cell": "a", "port": "Q"}, "to": {"cell": "b", "port": "D"}, "net": "n"},
    ]
    path = critical_path({"critical_paths": [{"from": "posedge clk", "to": "posedge clk", "path": hops}]})
    assert path == {"from": "a.Q", "to": "b.D", "logic_ns": 0.5, "routing_ns": 1.5, "through": ["n"]}
    report = {
        "board": "x",
        "device": "d",
        "preset": "p",
        "fmax_mhz": 99.0,
        "requested_mhz": 100.0,
        "seed": 1,
        "met": False,
        "luts": 1,
        "ffs": 2,
        "brams": 3,
        "units": {},
        "critical_path": path,
    }
    assert "99.0 MHz closes, 100.0 asked for (seed 1): NOT met" in summary(report)
    assert "a.Q -> b.D: 0.5 ns logic, 1.5 ns routing" in summary(report)
