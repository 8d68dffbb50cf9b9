"""``make sim`` and ``make regress``: vectors and golden results by Spark, the hardware over them, the comparison, a table and a report."""

import concurrent.futures
import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from figures.record import Run, record, running
from hdl.config import PRESETS
from sim.cli.errors import ENGINE_FAILED, fail
from sim.engines import ENGINES
from sim.interface import EngineError
from sim.tools import environment
from spark_vectors.errors import JobError
from spark_vectors.parameters import VectorParameters

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_vectors.jobs.outcome import Outcome

__all__ = ["console_of", "counts", "main", "run_regression", "show_differences"]

_SHOWN = 10


def console_of() -> Console:
    """The console for results; a table in a file has the width of a wide terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=140)


def main(
    engine: Annotated[str, typer.Option(help="What does the work, or package.module:Factory.")] = "verilator",
    preset: Annotated[str, typer.Option(help="The limits to apply.")] = "default",
    seed: Annotated[int, typer.Option(min=0)] = 1,
    documents: Annotated[int, typer.Option(min=1)] = 600,
    subscriptions: Annotated[int | None, typer.Option(min=1, help="Subscriptions in a set (default: as many as the preset holds).")] = None,
    sets: Annotated[int, typer.Option(min=1, help="Sets of subscriptions; documents go past them in turns.")] = 1,
    scenarios: Annotated[int, typer.Option(min=0, help="Streams of subscriptions and publications among the vectors.")] = 2,
    largest: Annotated[int, typer.Option(min=216, help="About the longest document in bytes.")] = 1 << 16,
    words: Annotated[bool, typer.Option(help="Compare the parsed words too.")] = False,
    master: Annotated[str, typer.Option(help="Spark master.")] = "local[*]",
    partitions: Annotated[int | None, typer.Option(min=1, help="Spark partitions.")] = None,
    vectors: Annotated[str, typer.Option(help="Where the vectors are, or are to be made: any Hadoop path.")] = "build/sim/vectors",
    results: Annotated[str, typer.Option(help="Where results and differences go: any Hadoop path.")] = "build/sim/results",
    report: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("build/report"),
    quiet: Annotated[bool, typer.Option(help="No progress.")] = False,
    keep: Annotated[bool, typer.Option("--record", help="Keep the counts in docs/results/exactness.json.")] = False,
) -> None:
    """Make seeded vectors with Spark, run an engine over them, compare with the golden results and write a report."""
    if preset not in PRESETS:
        fail(f"there is no preset {preset!r}", hint=f"choose one of {', '.join(PRESETS)}")
    if engine not in ENGINES and ":" not in engine:
        fail(f"there is no engine {engine!r}", hint=f"choose one of {', '.join(ENGINES)}")
    try:
        parameters = VectorParameters(
            seed=seed,
            documents=documents,
            subscriptions=subscriptions or PRESETS[preset].subscriptions,
            sets=sets,
            scenarios=scenarios,
            largest=largest,
            config=preset,
        )
    except ValueError as error:
        fail(str(error), hint="see --help")
    os.environ.update(environment(java=True))
    console = console_of()
    started, before = time.monotonic(), running("amaranth", "verilator", "lxml", "pyspark")
    try:
        passed = _run(console, parameters, engine, words, master, partitions, vectors, results, report, quiet, before, keep)
    except JobError as error:
        fail(str(error), hint=error.hint)
    except EngineError as error:
        fail(str(error), hint=error.hint, status=ENGINE_FAILED)
    if not quiet:
        console.print(f"Took {time.monotonic() - started:.0f} s.")
    raise typer.Exit(0 if passed else 1)


def counts(parameters: VectorParameters, found: "Outcome", *, words: bool) -> dict[str, Any]:
    """What a regression compared; ``clocks`` are those of its publications."""
    done = found.summary
    return {
        "seed": parameters.seed,
        "preset": parameters.config,
        "documents": done["documents"],
        "largest": parameters.largest,
        "sets": parameters.sets,
        "subscriptions": parameters.subscriptions,
        "streams": done["streams"],
        "words": words,
        "pairs": done["pairs"],
        "matches": sum(row["matches"] for row in found.kinds),
        "bytes": done["bytes"],
        "clocks": done["cycles"] or 0,
        "differences": done["differences"],
    }


def run_regression(
    spark: "SparkSession",
    parameters: VectorParameters,
    vectors: str,
    results: str,
    *,
    engine: str,
    words: bool,
    partitions: int | None = None,
    quiet: bool = False,
) -> None:
    """Make the vectors unless they are there, build the engine meanwhile, run it over them and write what differs."""
    from spark_vectors.engines import build
    from spark_vectors.jobs.regress import regress
    from spark_vectors.jobs.vectors import ensure
    from spark_vectors.store import Store

    for place in (vectors, results):
        Store(spark, place).check_writable()
    with concurrent.futures.ThreadPoolExecutor(1) as beside:
        building = beside.submit(build, engine, parameters.limits, words=words)
        ensure(spark, parameters, vectors, partitions=partitions, quiet=quiet)
        building.result()
    regress(spark, vectors, results, name=engine, words=words, partitions=partitions, quiet=quiet)


def _run(
    console: Console,
    parameters: VectorParameters,
    engine: str,
    words: bool,
    master: str,
    partitions: int | None,
    vectors: str,
    results: str,
    report: Path,
    quiet: bool,
    before: Run,
    keep: bool,
) -> bool:
    # Spark and plotting are loaded only where there is something to run.
    from spark_vectors.jobs import coverage
    from spark_vectors.jobs.command import plain_errors
    from spark_vectors.jobs.outcome import outcome
    from spark_vectors.runs.report import KINDS_COLUMNS, broker_times, headline, kinds_rows, report_of
    from spark_vectors.session import open_session

    with plain_errors(), open_session(master, name="x2cbbr", partitions=partitions) as spark:
        run_regression(spark, parameters, vectors, results, engine=engine, words=words, partitions=partitions, quiet=quiet)
        counted = coverage.count(spark, vectors, partitions=partitions, quiet=quiet)
        found = outcome(spark, vectors, results, counted)
    times = None
    if engine == "verilator":
        if not quiet:
            print("measuring the thesis's sets ...", file=sys.stderr, flush=True)
        times = broker_times(parameters.seed)
    _show(console, found)
    path = report / "index.html"
    command = shlex.join([".venv/bin/python", "-m", "spark_vectors.runs.flow", *sys.argv[1:]])
    report_of(found, times, command=command, commit=str(before.commit), machine=before.machine).write(path)
    if keep:
        kinds = [dict(zip(KINDS_COLUMNS, row, strict=True)) for row in kinds_rows(found)]
        figures = {"engine": engine, **counts(parameters, found, words=words), "kinds": kinds}
        record("exactness.json", ("regression", before.command), figures, of=before)
    state = "[bold green]PASS[/]" if found.passed else "[bold red]FAIL[/]"
    console.print(f"{state} {escape(headline(found))}.", soft_wrap=True)
    console.print(f"Report: {path}")
    return found.passed


def _show(console: Console, found: "Outcome") -> None:
    """The table by kind of document, the first differences with their replay commands, and empty cells."""
    from spark_vectors.runs.report import KINDS_COLUMNS, kinds_rows

    table = Table(header_style="bold")
    for name in KINDS_COLUMNS:
        table.add_column(name, justify="left" if name == "kind" else "right")
    *rows, total = kinds_rows(found)
    for row in rows:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    table.add_section()
    table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in total), style="bold")
    console.print(table)
    show_differences(console, found)
    for cell in found.coverage["empty"][:_SHOWN]:
        console.print(f"[red]empty[/] {escape(cell)}")


def show_differences(console: Console, found: "Outcome") -> None:
    """The first differences with the commands that replay them."""
    for one in found.differences[:_SHOWN]:
        what = f" subscription {one['sid']} {one['subscription']!r}" if one["sid"] is not None else ""
        text = f"document {one['row']}{what}: expected {one['expected']}, got {one['got']}"
        console.print(f"[red]{one['kind']}[/] {escape(text)}\n    {escape(one['replay'])}", soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
