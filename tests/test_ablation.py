"""What passes gain: computed from runs, measured by real tools, and what the committed figures say of the passes that there are."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import fpga.boards.top
from fpga import ablation
from fpga.ecp5.passes import PASSES
from fpga.gains import gains, mean, worth
from tests.test_boards import Core


def _run(without: str | None, seed: int, clock: float, luts: int = 1000) -> dict[str, Any]:
    return {"passes": [name for name in "abc" if name != without], "seed": seed, "clock": clock, "luts": luts}


def _failed(without: str | None) -> dict[str, Any]:
    return {"passes": [name for name in "abc" if name != without], "seed": 1, "failure": "placing failed with status 1"}


def test_gains_are_those_of_runs_that_differ_in_one_pass() -> None:
    runs = [_run(None, 1, 110), _run(None, 2, 99), _run("a", 1, 100), _run("a", 2, 110), _run("a", 3, 1), _run("b", 1, 110, 1040)]
    # Without a and b, which says what b gains where a is not.
    runs.append({"passes": ["c"], "seed": 1, "clock": 50, "luts": 1000})
    found = gains(runs)
    assert found.keys() == {"a", "b"}
    assert [*found["a"][0], *found["a"][1]] == pytest.approx([0.1, 0, -0.1, 0])
    assert mean(found["a"][:2]) == pytest.approx((0, 0))
    assert [*found["b"][0], *found["b"][1]] == pytest.approx([0, 0.04, 1, 0])


def test_a_pass_that_nextpnr_fails_without_is_needed() -> None:
    assert gains([_run(None, 1, 100), _failed("a")]) == {"a": [(math.inf, math.inf)]}
    assert gains([_failed(None), _run("a", 1, 100)]) == {}


def _decided(*devices: list[dict[str, Any]], seeds: int = 1) -> dict[str, bool]:
    return worth([{"runs": runs, "passes": {"a": {"seeds": seeds}}} for runs in devices], devices=2)


def test_a_pass_is_worth_its_place_if_one_device_says_so() -> None:
    every, little, much = _run(None, 1, 103), _run("a", 1, 102), _run("a", 1, 100)
    assert _decided([every, little], [every, little]) == {"a": False}
    assert _decided([every, little], [every, much]) == {"a": True}
    assert _decided([every, _run("a", 1, 103, 1029)], [every, little]) == {"a": False}
    assert _decided([every, _run("a", 1, 103, 1031)], [every, little]) == {"a": True}


def test_nothing_is_decided_before_it_is_measured() -> None:
    runs = [_run(without, seed, 103) for without in (None, "a") for seed in (1, 2)]
    assert _decided(runs) == {}
    assert _decided(runs, runs, seeds=3) == {}
    assert _decided(runs, runs, seeds=2) == {"a": False}
    assert _decided([_run(None, 1, 103), _run("a", 1, 90)]) == {"a": True}


def test_the_passes_are_those_that_were_found_worth_it() -> None:
    found = worth(json.loads(ablation.RESULTS.read_text(encoding="utf-8")), devices=len(ablation.DEVICES))
    assert not {name for name, stays in found.items() if not stays}.intersection(PASSES)
    assert {name for name, stays in found.items() if stays} <= set(PASSES)


def _left_out(runs: list[dict[str, Any]]) -> set[tuple[tuple[str, ...], int]]:
    return {(tuple(name for name in PASSES if name not in run["passes"]), run["seed"]) for run in runs}


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
    assert _left_out(first["runs"]) == {((), 1), ((netlist,), 1), ((placement,), 1)}
    assert all(run["clock"] > 50 and run["luts"] > 50 for run in first["runs"])
    assert all(set(run["changed"]) == set(run["passes"]) for run in first["runs"])
    capsys.readouterr()
    # What is there is left alone, and only placements are measured with a second seed.
    assert ablation.main([*asked, "--seeds", "1,2"]) == 0
    (second,) = json.loads(results.read_text())
    assert second["runs"][: len(first["runs"])] == first["runs"]
    assert _left_out(second["runs"][len(first["runs"]) :]) == {((), 2), ((placement,), 2)}
    assert "all passes, seed 1" in capsys.readouterr().err
    # Other options begin anew; a step that takes too long is told.
    monkeypatch.setattr(ablation, "OPTIONS", ("--placer", "heap"))
    assert ablation.main([*asked[:4], "--results", str(results), "--seeds", "1", "--hours", "0.0003"]) == 0
    (third,) = json.loads(results.read_text())
    assert [run["failure"] for run in third["runs"]] == ["placing did not end within 0.0003 hours of processor time"] * 2
