"""``make soak``: the regression in rounds, each with a seed that no round had before; a ledger adds up what was compared."""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from hdl.config import PRESETS
from sim.cli.errors import ENGINE_FAILED, fail
from sim.commit import Commit, commit
from sim.engines import ENGINES
from sim.interface import EngineError
from sim.tools import environment
from spark_vectors.errors import JobError
from spark_vectors.parameters import VectorParameters
from spark_vectors.runs.flow import console_of, run_regression, show_differences

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_vectors.jobs.outcome import Outcome

__all__ = ["FIRST_SEED", "SUMMED", "Plan", "Round", "main", "plan", "read_ledger", "totals", "write_ledger"]

FIRST_SEED = 1001
"""Seed of the first round."""

SUMMED = ("documents", "pairs", "matches", "bytes", "clocks", "differences")
"""What the ledger adds up, beside the number of rounds."""

_LEDGER = "docs/results/soak.json"
_NOT_COUNTED = {"cells": [], "promised": 0, "empty": []}
"""Coverage of a round: whether its documents fill every cell is for ``make regress`` to say."""


@dataclass(frozen=True)
class Plan:
    """What a round runs: documents of about ``largest`` bytes at the most past ``sets`` sets, ``words`` if parsed words are compared."""

    documents: int
    largest: int
    sets: int
    preset: str = "default"
    scenarios: int = 2
    words: bool = False


_SMALL, _SHORT = Plan(40_000, 1024, 4), Plan(80_000, 256, 8)
_ROUNDS = (
    _SMALL,
    _SMALL,
    Plan(20_000, 1024, 4, words=True, scenarios=8),
    _SHORT,
    Plan(10_000, 1 << 16, 2, words=True),
    _SHORT,
    Plan(10_000, 1 << 16, 8),
)
_PRESETS = (Plan(10_000, 4096, 4, "large"), Plan(20_000, 4096, 8, "small", words=True))


def plan(seed: int) -> Plan:
    """The round of a seed: seven rounds of preset ``default``, then one of ``large`` or, the next time, of ``small``."""
    turn, place = divmod(seed - FIRST_SEED, len(_ROUNDS) + 1)
    return _ROUNDS[place] if place < len(_ROUNDS) else _PRESETS[turn % len(_PRESETS)]


@dataclass(frozen=True)
class Round:
    """A finished round as the ledger has it. ``clocks`` are those of its publications, ``seconds`` its whole time."""

    seed: int
    preset: str
    documents: int
    largest: int
    sets: int
    subscriptions: int
    streams: int
    words: bool
    pairs: int
    matches: int
    bytes: int
    clocks: int
    differences: int
    seconds: float
    commit: str
    dirty: bool


def totals(rounds: Sequence[Round]) -> dict[str, int]:
    """The sums of the rounds."""
    return {"rounds": len(rounds), **{name: sum(getattr(one, name) for one in rounds) for name in SUMMED}}


def read_ledger(path: Path) -> list[Round]:
    """The rounds of a ledger; there are none where there is no file."""
    if not path.exists():
        return []
    try:
        return [Round(**row) for row in json.loads(path.read_text(encoding="utf-8"))["rounds"]]
    except (ValueError, KeyError, TypeError) as error:
        fail(f"{path} must be a ledger of soak rounds ({error})", hint="restore it, or choose another --ledger")


def write_ledger(path: Path, rounds: Sequence[Round]) -> None:
    """Write the rounds and their sums, overall and of the last round's commit; the file changes as a whole or not at all."""
    last = rounds[-1]
    latest = [one for one in rounds if (one.commit, one.dirty) == (last.commit, last.dirty)]
    contents: dict[str, Any] = {
        "totals": totals(rounds),
        "last_commit": {"commit": last.commit, "dirty": last.dirty, **totals(latest)},
        "rounds": [asdict(one) for one in rounds],
    }
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.parent.mkdir(parents=True, exist_ok=True)
    partial.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keeps a second soak out of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            fail(f"another soak is at work in {folder}", hint="wait for it, or choose another --folder and --ledger")
        yield


def _round(
    spark: "SparkSession", parameters: VectorParameters, folder: Path, *, engine: str, words: bool, state: Commit, quiet: bool
) -> tuple[Round, "Outcome"]:
    """One round in an empty folder."""
    from spark_vectors.jobs.outcome import outcome

    started = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    vectors, results = str(folder / "vectors"), str(folder / "results")
    run_regression(spark, parameters, vectors, results, engine=engine, words=words, quiet=quiet)
    found = outcome(spark, vectors, results, _NOT_COUNTED)
    done = found.summary
    entry = Round(
        seed=parameters.seed,
        preset=parameters.config,
        documents=done["documents"],
        largest=parameters.largest,
        sets=parameters.sets,
        subscriptions=parameters.subscriptions,
        streams=done["streams"],
        words=words,
        pairs=done["pairs"],
        matches=sum(row["matches"] for row in found.kinds),
        bytes=done["bytes"],
        clocks=done["cycles"] or 0,
        differences=done["differences"],
        seconds=round(time.monotonic() - started, 1),
        commit=state.name,
        dirty=state.dirty,
    )
    return entry, found


def _parameters(seed: int, chosen: Plan, documents: int | None) -> VectorParameters:
    return VectorParameters(
        seed=seed,
        documents=documents or chosen.documents,
        subscriptions=PRESETS[chosen.preset].subscriptions,
        sets=chosen.sets,
        scenarios=chosen.scenarios,
        largest=chosen.largest,
        config=chosen.preset,
    )


def _estimate(done: Sequence[Round], total: int, left: float, pairs: int | None) -> str:
    """What is still to come at the pace of the rounds of this run: until the time is over or the pairs are reached."""
    pace = sum(one.pairs for one in done) / max(sum(one.seconds for one in done), 1e-9)
    if pairs is not None:
        left = min(left, (pairs - total) / pace)
    return f"{pace:,.0f} pairs/s, {max(left, 0) / 60:.0f} min to go, about {total + max(left, 0) * pace:,.0f} pairs then"


def main(
    hours: Annotated[float, typer.Option(min=0, help="Ends after the round in which this time is over.")] = 1.0,
    pairs: Annotated[int | None, typer.Option(min=1, help="Ends when the ledger's total has reached so many pairs.")] = None,
    documents: Annotated[int | None, typer.Option(min=1, help="Documents of a round (default: by the round's kind).")] = None,
    engine: Annotated[str, typer.Option(help="What does the work, or package.module:Factory.")] = "verilator",
    master: Annotated[str, typer.Option(help="Spark master.")] = "local[*]",
    ledger: Annotated[Path, typer.Option(help="The JSON file that adds up.")] = Path(_LEDGER),
    folder: Annotated[Path, typer.Option(help="Where a round keeps its vectors until it has passed.")] = Path("build/soak"),
    quiet: Annotated[bool, typer.Option(help="No progress inside a round.")] = False,
) -> None:
    """Run rounds of the regression with ever new seeds and add them to the ledger; the first difference ends it with status 1."""
    if engine not in ENGINES and ":" not in engine:
        fail(f"there is no engine {engine!r}", hint=f"choose one of {', '.join(ENGINES)}")
    os.environ.update(environment(java=True))
    console = console_of()
    try:
        with _alone(folder):
            passed = _run(console, hours, pairs, documents, engine, master, ledger, folder, quiet)
    except JobError as error:
        fail(str(error), hint=error.hint)
    except EngineError as error:
        fail(str(error), hint=error.hint, status=ENGINE_FAILED)
    raise typer.Exit(0 if passed else 1)


def _run(
    console: Console,
    hours: float,
    pairs: int | None,
    documents: int | None,
    engine: str,
    master: str,
    ledger: Path,
    folder: Path,
    quiet: bool,
) -> bool:
    # Spark is loaded only where there is something to run.
    from spark_vectors.jobs.command import plain_errors
    from spark_vectors.session import open_session

    rounds = read_ledger(ledger)
    before, end = len(rounds), time.monotonic() + 3600 * hours
    if pairs is not None and totals(rounds)["pairs"] >= pairs:
        console.print(f"{ledger} has {totals(rounds)['pairs']:,} pairs already.")
        return True
    with plain_errors(), open_session(master, name="x2cbbr soak") as spark:
        while True:
            seed = max((one.seed for one in rounds), default=FIRST_SEED - 1) + 1
            chosen, state = plan(seed), commit(apart_from=[_LEDGER])
            parameters = _parameters(seed, chosen, documents)
            what = (
                f"up to {chosen.largest:,} bytes x {parameters.subscriptions} subscriptions in {chosen.sets} sets, preset {chosen.preset}"
            )
            console.print(f"Round {len(rounds) + 1}, seed {seed}, commit {state}: {parameters.documents:,} documents of {what}.")
            place = folder / f"seed-{seed}"
            entry, found = _round(spark, parameters, place, engine=engine, words=chosen.words, state=state, quiet=quiet)
            if entry.differences:
                show_differences(console, found)
                total = f"{entry.differences:,} {'difference' if entry.differences == 1 else 'differences'} in {entry.pairs:,} pairs"
                console.print(f"[bold red]FAIL[/] seed {seed}: {total}; vectors and results are in {escape(str(place))}.", soft_wrap=True)
                return False
            rounds.append(entry)
            write_ledger(ledger, rounds)
            shutil.rmtree(place)
            summed = totals(rounds)
            console.print(
                f"[bold green]PASS[/] seed {seed}: {entry.pairs:,} pairs, {entry.matches:,} matches, {entry.clocks:,} clocks "
                f"in {entry.seconds:.0f} s, no difference.",
                soft_wrap=True,
            )
            left = end - time.monotonic()
            console.print(
                f"Ledger: {summed['rounds']:,} rounds, {summed['documents']:,} documents, {summed['pairs']:,} pairs, "
                f"{summed['clocks']:,} clocks; {_estimate(rounds[before:], summed['pairs'], left, pairs)}.",
                soft_wrap=True,
            )
            if left <= 0 or (pairs is not None and summed["pairs"] >= pairs):
                return True


if __name__ == "__main__":
    typer.run(main)
