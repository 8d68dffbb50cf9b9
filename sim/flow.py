"""``make sim``: seeded vectors through an engine, its answers held against the judges, a table and a report.

Vectors come from a source, answers from an engine, both by name: another source or engine joins with a line in ``SOURCES`` here or
in :data:`sim.engines.ENGINES`.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Refusal
from sim.cli.errors import ENGINE_FAILED, fail
from sim.compare import Document, Vectors, compare
from sim.engines import open_engine
from sim.engines.interface import Engine, EngineError, Subscription
from sim.flow_report import Flow, report_of, show, write_replay
from spark_vectors import documents as generator
from spark_vectors.queries import subscription_set

__all__ = ["SOURCES", "built_in", "main", "run"]

Source = Callable[[int, int, int, BrokerConfig], Vectors]


def built_in(seed: int, documents: int, subscriptions: int, config: BrokerConfig) -> Vectors:
    """Vectors made in this process; the same seed gives the same bytes everywhere."""
    made = [generator.document(seed=seed, row=row, config=config, largest=1 << 15) for row in range(documents)]
    wanted = subscription_set(seed=seed, number=0, count=subscriptions, config=config)
    return Vectors(
        seed,
        tuple(Subscription(one.sid, one.text, one.semantics) for one in wanted),
        tuple(one.aim or Refusal.NONE for one in wanted),
        tuple(Document(f"{one.row:05}-{one.kind}", one.kind, one.data, one.aim, one.offset) for one in made),
    )


SOURCES: Mapping[str, Source] = {"built-in": built_in}


def run(worker: Engine, vectors: Vectors, *, engine: str, preset: str) -> Flow:
    """Have the engine of that name and preset filter the vectors, and compare."""
    started = time.perf_counter()
    result = worker.filter(vectors.subscriptions, [document.data for document in vectors.documents])
    seconds = time.perf_counter() - started
    return Flow(engine, preset, vectors, result, compare(vectors, result), seconds)


def main(
    engine: Annotated[str, typer.Option(help="What does the work.")] = "model",
    preset: Annotated[str, typer.Option(help="The limits to apply.")] = "default",
    source: Annotated[str, typer.Option(help="Where the vectors come from.")] = "built-in",
    seed: Annotated[int, typer.Option(min=0)] = 1,
    documents: Annotated[int, typer.Option(min=1)] = 600,
    subscriptions: Annotated[int, typer.Option(min=1)] = 200,
    output: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("build/report"),
) -> None:
    """Run seeded vectors through an engine and compare with the judges."""
    if preset not in PRESETS:
        fail(f"there is no preset {preset!r}", hint=f"choose one of {', '.join(PRESETS)}")
    if source not in SOURCES:
        fail(f"there is no source {source!r}", hint=f"choose one of {', '.join(SOURCES)}")
    if subscriptions > PRESETS[preset].subscriptions:
        fail(
            f"preset {preset} holds {PRESETS[preset].subscriptions} subscriptions, not {subscriptions}",
            hint="ask for fewer or --preset large",
        )
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=140)
    config = PRESETS[preset]
    try:
        worker = open_engine(engine, config)
    except EngineError as error:
        fail(str(error), hint=error.hint)
    with console.status(f"{documents} documents, {subscriptions} subscriptions, engine {engine}"):
        vectors = SOURCES[source](seed, documents, subscriptions, config)
        try:
            flow = run(worker, vectors, engine=engine, preset=preset)
        except EngineError as error:
            fail(str(error), hint=error.hint, status=ENGINE_FAILED)
    replay = output / "replay"
    if not flow.passed:
        write_replay(flow, replay)
    show(console, flow, replay)
    path = output / "index.html"
    report_of(flow, replay).write(path)
    console.print(f"Report: {path}")
    raise typer.Exit(0 if flow.passed else 1)


if __name__ == "__main__":
    typer.run(main)
