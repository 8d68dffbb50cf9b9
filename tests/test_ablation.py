"""What passes gain: computed from runs, measured by real tools, and what the committed figures say of the passes that there are."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import fpga.boards.top
from fpga import ablation
from fpga.ecp5.passes import PASSES
from fpga.gains import gains, worth
from tests.test_boards import Core


def _run(without: str | None, seed: int, clock: float, luts: int = 1000) -> dict[str, Any]:
    return {"without": without, "seed": seed, "clock": clock, "luts": luts}


def test_gains_are_means_over_the_seeds_that_both_have() -> None:
    runs = [_run(None, 1, 110), _run(None, 2, 99), _run("a", 1, 100), _run("a", 2, 110), _run("a", 3, 1), _run("b", 1, 110, 1040)]
    found = gains(runs)
    assert [*found["a"], *found["b"]] == pytest.approx([0, 0, 0, 0.04])


def test_a_pass_that_nextpnr_fails_without_is_needed() -> None:
    failed = {"without": "a", "seed": 1, "failure": "placing did not end within 1 hours of processor time"}
    assert gains([_run(None, 1, 100), failed])["a"] == (math.inf, math.inf)
    assert gains([failed | {"without": None}, _run("a", 1, 100)]) == {}


def test_a_pass_is_worth_its_place_if_one_device_says_so() -> None:
    every, little, much = _run(None, 1, 103), _run("a", 1, 102), _run("a", 1, 100)
    assert worth([{"runs": [every, little]}]) == {"a": False}
    assert worth([{"runs": [every, little]}, {"runs": [every, much]}]) == {"a": True}
    assert worth([{"runs": [every, _run("a", 1, 103, 1029)]}]) == {"a": False}
    assert worth([{"runs": [every, _run("a", 1, 103, 1031)]}]) == {"a": True}


def test_the_passes_are_those_that_were_found_worth_it() -> None:
    found = worth(json.loads(ablation.RESULTS.read_text(encoding="utf-8")))
    assert {name for name, stays in found.items() if stays} == set(PASSES)


def test_runs_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With real tools, and a core that sends back what it receives in the broker's place."""
    monkeypatch.delenv("NEXTPNR_ECP5", raising=False)
    monkeypatch.setattr(fpga.boards.top, "UartBroker", Core)
    monkeypatch.setattr(ablation, "BUILD", tmp_path)
    results = tmp_path / "results.json"
    netlist, placement = PASSES[0], PASSES[-1]
    asked = ["--board", "ulx3s-25f", "--without", netlist, "--without", placement, "--results", str(results)]
    assert ablation.main([*asked, "--seeds", "1"]) == 0
    (first,) = json.loads(results.read_text())
    assert {(run["without"], run["seed"]) for run in first["runs"]} == {(None, 1), (netlist, 1), (placement, 1)}
    assert all(run["clock"] > 50 and run["luts"] > 50 for run in first["runs"])
    assert {name for run in first["runs"] if run["without"] is None for name in run["changed"]} >= {placement}
    assert not any(placement in run["changed"] for run in first["runs"] if run["without"] == placement)
    capsys.readouterr()
    # What is there is left alone, and only placements are measured with a second seed.
    assert ablation.main([*asked, "--seeds", "1,2"]) == 0
    (second,) = json.loads(results.read_text())
    assert second["runs"][: len(first["runs"])] == first["runs"]
    assert {(run["without"], run["seed"]) for run in second["runs"][len(first["runs"]) :]} == {(None, 2), (placement, 2)}
    assert f"{placement:20} " in capsys.readouterr().out
    # Another netlist begins anew.
    monkeypatch.setattr(ablation, "OPTIONS", ("--placer", "heap"))
    asked = ["--board", "ulx3s-25f", "--without", PASSES[0], "--seeds", "1", "--results", str(results)]
    assert ablation.main([*asked, "--hours", "0.0003"]) == 0
    (found,) = json.loads(results.read_text())
    assert [run["failure"] for run in found["runs"]] == ["placing did not end within 0.0003 hours of processor time"] * 2
