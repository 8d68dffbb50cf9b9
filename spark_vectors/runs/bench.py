"""``make bench``: runs the groups of the bench, prints them and writes ``build/bench.json``."""

import importlib
import platform
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sim.bench.rows import Group, Maker, table, write_json
from sim.cli.errors import ENGINE_FAILED, fail
from sim.commit import commit
from sim.interface import EngineError

__all__ = ["MAKERS", "main"]

MAKERS = {
    "parser": "sim.bench.parser:groups",
    "broker": "sim.bench.broker:groups",
    "cases": "sim.bench.cases:groups",
    "spark": "spark_vectors.runs.growth:groups",
    "bus": "sim.bench.bus:groups",
}
"""Name to ``module:function``; a new part of the bench joins with a line."""


def main(
    only: Annotated[list[str] | None, typer.Option(help=f"Part to run, of {', '.join(MAKERS)}; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    output: Annotated[Path, typer.Option(help="The JSON file to write.")] = Path("build/bench.json"),
) -> None:
    """Measure, print thesis, ours and the ratio, and write them as JSON."""
    chosen = only or list(MAKERS)
    if unknown := [name for name in chosen if name not in MAKERS]:
        fail(f"there is no part {unknown[0]!r} of the bench", hint=f"choose one of {', '.join(MAKERS)}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    groups: list[Group] = []
    for name in chosen:
        module, _, function = MAKERS[name].partition(":")
        make: Maker = getattr(importlib.import_module(module), function)
        try:
            made = make(seed)
        except EngineError as error:
            fail(str(error), hint=error.hint, status=ENGINE_FAILED)
        for group in made:
            console.print(table(group))
        groups += made
    write_json(output, groups, seed=seed, commit=str(commit()), machine=platform.platform())
    console.print(f"Figures: {output}")


if __name__ == "__main__":
    typer.run(main)
