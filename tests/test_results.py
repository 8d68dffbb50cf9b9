"""Pages of results: every figure comes from a kept one, every step of ``make results`` is a command that there is."""

import argparse
import importlib
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

from figures.commit import ROOT, Commit
from figures.record import RESULTS
from tools.remeasure import __main__ as command
from tools.remeasure.plan import STEPS, Step
from tools.results.area import configurations
from tools.results.kept import group, places
from tools.results.pages import RESULTS as PAGES

KEPT = ROOT / "docs" / "results"
ALONE = {"soak.json", "ablation.json"}
"""Files that commands of their own go on with for as long as they are let."""

TYPER = {"sim.volume": "app", "spark_vectors.runs.flow": "main", "spark_vectors.runs.bench": "main"}


class Parsed(Exception):
    """The arguments have been taken apart."""


@pytest.mark.parametrize("short", [False, True], ids=["whole", "short"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_is_a_command_that_there_is(step: Step, short: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(step.module)
    arguments = step.command(short=short)[2:]
    if step.module in TYPER:
        app = getattr(module, TYPER[step.module])
        found = typer.main.get_command(app if isinstance(app, typer.Typer) else _app(app))
        context = found.make_context(step.module, list(arguments))
        if (chosen := getattr(found, "commands", {}).get(arguments[0])) is not None:
            context = chosen.make_context(step.module, list(arguments[1:]))
        assert context.params["keep"] is True
        return
    parse = argparse.ArgumentParser.parse_args

    def stop(self: argparse.ArgumentParser, args: Sequence[str] | None = None, namespace: Any = None) -> Any:
        assert parse(self, args, namespace).record is True
        raise Parsed

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises(Parsed):
        module.main(arguments)


def _app(function: Any) -> typer.Typer:
    app = typer.Typer()
    app.command()(function)
    return app


def test_every_kept_file_has_a_step_and_a_page() -> None:
    files = {path.name for path in KEPT.glob("*.json")}
    assert files == {step.file for step in STEPS} | ALONE
    pages = {name.removeprefix("results/") for name in PAGES if name.startswith("results/")}
    written = " ".join((KEPT / name).read_text(encoding="utf-8").split("\n")[0] for name in pages)
    assert all(name in written for name in files)
    assert {path.name for path in KEPT.glob("*.md")} == pages | {"README.md"}


def test_the_readme_has_the_kept_figures() -> None:
    """The numbers in the README are those of the files, found there without the page's own code."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("<!-- figures")[2].partition("<!-- end")[0]
    found = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| `")]
    boards = json.loads((KEPT / "boards.json").read_text())
    area = json.loads((KEPT / "area.json").read_text())
    due = {(f"{one['luts']:,}", f"{one['ffs']:,}", str(one["brams"]), str(round(one["fmax_mhz"]))) for one in boards.values()}
    for one in area.values():
        if one["component"] == "hdl.broker:Broker":
            used = one["resources"]
            luts = used.get("places") or used["LUT4"] + used["CCU2C"] * 2 + used["TRELLIS_DPR16X4"] * 6
            ffs = f"{used['TRELLIS_FF']:,}" if "TRELLIS_FF" in used else "-"
            due.add((f"{luts:,}", ffs, str(used["DP16KD"]), str(round(min(run["mhz"] for run in one["runs"])))))
    assert {tuple(row[2:6]) for row in found} == due
    assert len(found) == len(list(configurations()))
    assert f"{json.loads((KEPT / 'soak.json').read_text())['totals']['pairs']:,} pairs" in text


def test_places_count_carry_cells_and_distributed_memory() -> None:
    assert places({"LUT4": 100, "CCU2C": 10, "TRELLIS_DPR16X4": 1}) == 126
    assert places({"places": 7}) == 7


def test_a_group_of_the_bench_as_a_table() -> None:
    rows = [{"name": "<a/> only", "ours": 3.0, "thesis": 2.0, "ratio": 1.5, "more": {"clocks": 7.0}}]
    rows += [{"name": "other", "ours": 1.0, "thesis": None, "ratio": None, "more": {}}]
    about = {"commit": "abc", "seed": 1, "load": 0.5, "tools": {"verilator": "5.48"}, "against": "thesis"}
    figures = {**about, "title": "T", "unit": "clocks", "note": "how", "left_out": {"peer": "there is no peer"}, "rows": rows}
    text = group(figures)
    assert text.startswith("### T (clocks)\n\nHow. Commit abc, seed 1, load 0.5, verilator 5.48.\n\n")
    assert "| row | thesis | here | ratio | clocks |\n" in text
    assert "| \\<a/> only | 2 | 3 | 1.500 | 7 |\n| other | - | 1 | - | - |\n" in text
    assert text.endswith("\npeer is not measured: there is no peer.\n")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Three steps, of which the second fails; what was run."""
    ran: list[str] = []

    def run(arguments: Sequence[str], **_: Any) -> "subprocess.CompletedProcess[str]":
        ran.append(arguments[2])
        return subprocess.CompletedProcess(arguments, int(arguments[2] == "b"))

    monkeypatch.setattr(command, "STEPS", tuple(Step(name, f"{name}.json", name, (), ()) for name in "abc"))
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "commit", lambda **_: Commit("abc", False))
    monkeypatch.setenv(RESULTS, "")
    return ran


def test_results_go_on_where_they_stopped(steps: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    into = ["--into", str(tmp_path / "kept")]
    assert command.main(into) == 1
    assert steps == ["a", "b", "c"]
    assert "failed: b" in capsys.readouterr().err
    assert command.main(into) == 1
    assert steps == ["a", "b", "c", "b"]
    assert command.main([*into, "--only", "c"]) == 0


def test_results_are_of_one_commit(
    steps: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "commit", lambda **_: Commit("abc", True))
    assert command.main(["--into", str(tmp_path)]) == 2
    assert not steps
    assert "must be of one commit" in capsys.readouterr().err
    monkeypatch.setattr(command, "commit", lambda **_: Commit("abc", False))
    monkeypatch.setattr(command, "STEPS", (Step("a", "a.json", "a", (), ()),))
    kept = {"group": {"old": {"commit": "old"}, "new": {"commit": "abc"}}, "row": {"commit": "old"}, "last": {"commit": "abc"}}
    (tmp_path / "a.json").write_text(json.dumps(kept))
    assert command.main(["--into", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "a.json").read_text()) == {"group": {"new": {"commit": "abc"}}, "last": {"commit": "abc"}}


def test_a_short_try_is_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--short"])
    assert re.search("give --into", capsys.readouterr().err)
