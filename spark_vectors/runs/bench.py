"""``make bench``: runs the groups of the bench, prints them and writes ``build/bench.json``."""

import importlib
import platform
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from sim.bench.rows import Group, Maker, described, table, write_json
from sim.cli.errors import ENGINE_FAILED, fail, stderr
from sim.commit import commit
from sim.interface import EngineError
from spark_vectors.errors import JobError
from spark_vectors.record import record, running

__all__ = ["MAKERS", "main"]

MAKERS = {
    "parser": "sim.bench.parser:groups",
    "broker": "sim.bench.broker:groups",
    "cases": "sim.bench.cases:groups",
    "spark": "spark_vectors.runs.growth:groups",
    "bus": "sim.bench.bus:groups",
    "languages": "sim.bench.languages.groups:groups",
}
"""Name to ``module:function``; a new part of the bench joins with a line."""


def main(
    only: Annotated[list[str] | None, typer.Option(help=f"Part to run, of {', '.join(MAKERS)}; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    output: Annotated[Path, typer.Option(help="The JSON file to write.")] = Path("build/bench.json"),
    keep: Annotated[bool, typer.Option("--record", help="Keep the rows of languages in docs/results/languages.json.")] = False,
) -> None:
    """Measure, print thesis, ours and the ratio, and write them as JSON; a part that cannot be measured is named and left out."""
    chosen = only or list(MAKERS)
    if unknown := [name for name in chosen if name not in MAKERS]:
        fail(f"there is no part {unknown[0]!r} of the bench", hint=f"choose one of {', '.join(MAKERS)}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    groups: list[Group] = []
    before = running()
    failed: list[str] = []
    for place, name in enumerate(chosen, start=1):
        stderr().print(f"x2cbbr: measuring {name}, part {place} of {len(chosen)}")
        module, _, function = MAKERS[name].partition(":")
        make: Maker = getattr(importlib.import_module(module), function)
        try:
            made = make(seed)
        except (EngineError, JobError) as error:
            stderr().print(f"[bold red]x2cbbr:[/] {name} is left out: {escape(str(error))}; {escape(error.hint)}.")
            failed.append(name)
            continue
        for group in made:
            console.print(table(group))
        groups += made
        if keep and name == "languages":
            for group in made:
                record("bench", group.name, {"seed": seed, "machine": platform.platform(), **described(group)}, of=before)
    write_json(output, groups, seed=seed, commit=str(commit()), machine=platform.platform())
    console.print(f"Figures: {output}" + (f", without those of {', '.join(failed)}" if failed else ""))
    if failed:
        raise typer.Exit(ENGINE_FAILED)


if __name__ == "__main__":
    typer.run(main)
