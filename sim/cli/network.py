"""``x2cbbr network``: networks of brokers."""

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.errors import fail

__all__ = ["NETWORK_ENGINES", "app"]

NETWORK_ENGINES = ("model",)

app = typer.Typer(help="Play scenarios on a network of brokers.", no_args_is_help=True)


@app.callback()
def network() -> None:
    """Networks of brokers: see docs/network.md."""


@app.command()
def run(
    topology: Annotated[Path, typer.Argument(metavar="TOPOLOGY.yaml", help="Brokers, links and the policy.", show_default=False)],
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO.jsonl", help="What is done, one JSON object a line.", show_default=False)],
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help=f"What plays it: {', '.join(NETWORK_ENGINES)}.")] = "model",
    trace: Annotated[bool, typer.Option("--trace", help="Also show each frame that crosses a link.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line instead of a table.")] = False,
) -> None:
    """Play a scenario and say who was notified of what."""
    from sim.cli import playing  # brings networkx, which takes a third of a second to load

    if engine not in NETWORK_ENGINES:
        fail(f"no engine {engine!r} plays networks", hint=f"the engines that do are: {', '.join(NETWORK_ENGINES)}")
    playing.play(topology, scenario, trace=trace, as_json=json)
