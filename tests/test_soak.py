"""``make soak``: rounds add up, a second run goes on with the next seed, a difference stops it and leaves the ledger as it was."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import typer
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from spark_vectors.runs import soak
from spark_vectors.runs.soak import FIRST_SEED, SUMMED, Plan, Round, plan, read_ledger, totals, write_ledger

ROOT = Path(__file__).parent.parent
TINY = Plan(24, 512, 1, scenarios=0)
PAIRS = 24 * 255 + 15 * (240 + 3 * 252)
ROUND = Round(1001, "default", 84, 512, 1, 255, 0, False, PAIRS, 50, 6000, 3000, 0, 1.5, "abc1234", False)


def invoke(place: Path, *arguments: str) -> tuple[int, str]:
    command = typer.Typer()
    command.command()(soak.main)
    places = [f"--ledger={place / 'soak.json'}", f"--folder={place / 'rounds'}"]
    done = CliRunner(env={"NO_COLOR": "1"}).invoke(command, [*arguments, "--master=local[2]", "--quiet", *places])
    return done.exit_code, done.output


def check(path: Path) -> list[Round]:
    """The rounds of a ledger whose sums are right and whose seeds are all different."""
    contents, rounds = json.loads(path.read_text()), read_ledger(path)
    last = rounds[-1]
    latest = [one for one in rounds if (one.commit, one.dirty) == (last.commit, last.dirty)]
    assert contents["totals"] == {"rounds": len(rounds), **{name: sum(asdict(one)[name] for one in rounds) for name in SUMMED}}
    assert contents["last_commit"] == {"commit": last.commit, "dirty": last.dirty, **totals(latest)}
    assert len({one.seed for one in rounds}) == len(rounds)
    assert contents["totals"]["differences"] == 0
    return rounds


@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(1200)
def test_rounds_add_up_and_a_difference_stops_them(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker of the tests' faults: two runs with none of them switched on, then one that takes ``<`` for ``>=``."""
    monkeypatch.setattr(soak, "plan", lambda seed: TINY)
    ledger, engines = tmp_path / "soak.json", "--engine=tests.spark.broken_engine"
    for count in (1, 2):
        status, output = invoke(tmp_path, f"{engines}:FaultyEngine", "--hours=0")
        assert status == 0, output
        assert f"PASS seed {FIRST_SEED - 1 + count}: {PAIRS:,} pairs" in output
        rounds = check(ledger)
        assert [one.seed for one in rounds] == list(range(FIRST_SEED, FIRST_SEED + count))
        assert not list((tmp_path / "rounds").glob("seed-*"))
    assert {(one.preset, one.documents, one.pairs, one.differences) for one in rounds} == {("default", 84, PAIRS, 0)}
    assert all(one.clocks > one.bytes / 4 > 0 for one in rounds)
    assert rounds[0].bytes != rounds[1].bytes

    before = ledger.read_bytes()
    (tmp_path / "rounds" / f"seed-{FIRST_SEED + 2}" / "vectors").mkdir(parents=True)  # as a round that was killed leaves it
    status, output = invoke(tmp_path, f"{engines}:InvertedEngine", "--hours=0")
    assert status == 1
    command = rf"python -m spark_vectors\.jobs\.replay --seed={FIRST_SEED + 2} .*--engine tests.*InvertedEngine --waves --row \d+ --sid \d+"
    assert re.search(command, output)
    assert re.search(rf"FAIL seed {FIRST_SEED + 2}: \d+ differences", output)
    assert ledger.read_bytes() == before
    assert (tmp_path / "rounds" / f"seed-{FIRST_SEED + 2}" / "vectors" / "manifest.json").is_file()

    status, output = invoke(tmp_path, f"--pairs={2 * PAIRS}")
    assert (status, f"has {2 * PAIRS:,} pairs already" in output) == (0, True)


def test_sums_are_given_overall_and_for_the_last_commit(tmp_path: Path) -> None:
    path = tmp_path / "new" / "soak.json"
    rounds = [ROUND, replace(ROUND, seed=1002, pairs=7), replace(ROUND, seed=1003, pairs=20, commit="def5678")]
    write_ledger(path, rounds)
    assert check(path) == rounds
    contents = json.loads(path.read_text())
    assert contents["totals"]["pairs"] == PAIRS + 27
    assert (contents["last_commit"]["commit"], contents["last_commit"]["rounds"], contents["last_commit"]["pairs"]) == ("def5678", 1, 20)
    assert [one.name for one in path.parent.iterdir()] == ["soak.json"]


def test_every_kind_of_round_comes_in_turn() -> None:
    plans = [plan(FIRST_SEED + place) for place in range(16)]
    assert {one.preset for one in plans} == {"small", "default", "large"}
    assert sum(one.preset == "default" for one in plans) == 14
    assert {one.largest for one in plans if one.preset == "default"} == {256, 1024, 1 << 16}
    assert any(one.words for one in plans)
    assert plan(FIRST_SEED + 16) == plans[0]


def test_a_file_that_is_no_ledger_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "soak.json").write_text('{"rounds": [{"seed": 1}]}')
    status, output = invoke(tmp_path)
    assert status == 2
    assert "must be a ledger of soak rounds" in output
    assert (tmp_path / "soak.json").read_text() == '{"rounds": [{"seed": 1}]}'


@pytest.mark.skipif(not (ROOT / "docs/results/soak.json").exists(), reason="no soak was recorded")
def test_recorded_rounds_add_up() -> None:
    assert check(ROOT / "docs/results/soak.json")
