"""Figures are kept with what gave them, and a changed checkout is said to be changed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from figures import commit as commits
from figures.record import RESULTS, Run, record, running


def test_figures_replace_those_of_the_same_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RESULTS, str(tmp_path))
    run = Run("python -m one", commits.Commit("abc", True), 0.5, "a machine", {"python": "3.11"})
    record("kept.json", ("part", "row"), {"pairs": 1}, of=run)
    record("kept.json", ("part", "other"), {"pairs": 2}, of=run)
    record("kept.json", ("part", "row"), {"pairs": 3}, of=run)
    found = json.loads((tmp_path / "kept.json").read_text())
    assert {name: row["pairs"] for name, row in found["part"].items()} == {"row": 3, "other": 2}
    about = {"command": "python -m one", "commit": "abc-dirty", "machine": "a machine", "load": 0.5, "tools": {"python": "3.11"}}
    assert found["part"]["row"] == {**about, "pairs": 3}
    assert [path.name for path in tmp_path.iterdir()] == ["kept.json"]


def test_the_command_is_the_one_that_repeats_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["measure.py", "--record", "--params", "config=default and more"])
    run = running("lxml").beside(nextpnr="1.2")
    assert run.command.endswith(" --params 'config=default and more'")
    assert run.command.startswith("python -m ")
    assert set(run.tools) == {"python", "lxml", "nextpnr"}


def test_a_changed_file_makes_the_commit_dirty_unless_figures_go_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(commits, "ROOT", tmp_path)
    assert str(commits.commit()) == "unknown"
    for place in ("docs/results/a.json", "hdl/a.py"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("before")
    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    (tmp_path / "docs/results/a.json").write_text("after")
    assert commits.commit().dirty
    assert not commits.commit(apart_from=("docs",)).dirty
    (tmp_path / "hdl/a.py").write_text("after")
    assert commits.commit(apart_from=("docs",)).dirty
