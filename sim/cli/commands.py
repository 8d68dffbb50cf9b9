"""The commands and their options."""

import dataclasses
import enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Semantics
from sim.cli import network, render
from sim.cli.errors import ENGINE_FAILED, fail, stderr
from sim.cli.inputs import batches, check_files, read_subscriptions
from sim.engines import ENGINES, open_engine
from sim.engines.interface import Engine, EngineError

__all__ = ["Meaning", "Preset", "app"]

app = typer.Typer(
    help="Parse XML publications and filter them with XPath subscriptions, on the reference model or on the hardware.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(network.app, name="network")


class Preset(enum.StrEnum):
    """The names of :data:`hdl.config.PRESETS`."""

    SMALL = "small"
    DEFAULT = "default"
    LARGE = "large"


class Meaning(enum.StrEnum):
    """The names of :class:`hdl.contract.Semantics`."""

    EXACT = "exact"
    CONTAINMENT = "containment"


EngineOption = Annotated[
    str, typer.Option("--engine", metavar="NAME", help=f"What does the work: {', '.join(ENGINES)}; serial:PORT is a board.")
]
PresetOption = Annotated[Preset, typer.Option("--preset", help="The limits to apply; see `x2cbbr config`.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line instead of tables.")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="XML documents, one a file.", show_default=False)]


def _engine(name: str, config: BrokerConfig) -> Engine:
    try:
        return open_engine(name, config)
    except EngineError as error:
        fail(str(error), hint=error.hint)


@app.command()
def parse(
    files: Files,
    engine: EngineOption = "model",
    preset: PresetOption = Preset.DEFAULT,
    json: JsonOption = False,
    words: Annotated[bool, typer.Option("--words", help="Also show the typed words of each document.")] = False,
) -> None:
    """Say of each document whether it is well-formed, and if not, why and at which byte."""
    worker = _engine(engine, PRESETS[preset])
    check_files(files)
    rows: list[render.Row] = []
    console = render.console()
    for batch in batches(files):
        try:
            results = worker.parse(batch.contents, words=words)
        except EngineError as error:
            fail(str(error), hint=error.hint, status=ENGINE_FAILED)
        for path, content, result in zip(batch.paths, batch.contents, results, strict=True):
            if json:
                render.json_line(render.parse_object(path, result))
                continue
            rows.append(render.Row(path, result, render.where(content, result.offset)))
            if result.words:
                console.print(render.words_table(path, result.words))
    if not json:
        console.print(render.results_table(rows))


@app.command()
def filter(
    files: Files,
    subscriptions: Annotated[
        Path, typer.Option("--subscriptions", "-s", metavar="SUBS", help="One XPath a line, or SID<TAB>XPath; # starts a comment line.")
    ],
    engine: EngineOption = "model",
    preset: PresetOption = Preset.DEFAULT,
    semantics: Annotated[Meaning, typer.Option("--semantics", help="What a match is; see docs/xpath-subset.md.")] = Meaning.EXACT,
    json: JsonOption = False,
) -> None:
    """Say which subscriptions each document matches."""
    config = PRESETS[preset]
    worker = _engine(engine, config)
    wanted = read_subscriptions(subscriptions, Semantics[semantics.name])
    check_files(files)
    rows: list[render.Row] = []
    for number, batch in enumerate(batches(files)):
        try:
            found = worker.filter(wanted, batch.contents)
        except EngineError as error:
            fail(str(error), hint=error.hint, status=ENGINE_FAILED)
        if number == 0:
            for refused in found.refused:
                if json:
                    render.json_line(render.refusal_object(refused))
                else:
                    stderr().print(render.refusal_text(refused, config), markup=False)
        for path, content, document in zip(batch.paths, batch.contents, found.documents, strict=True):
            if json:
                render.json_line(render.parse_object(path, document.result, document.matches))
            else:
                rows.append(render.Row(path, document.result, render.where(content, document.result.offset), document.matches))
    if not json:
        render.console().print(render.results_table(rows))


@app.command()
def shell(
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="The broker: verilator, or serial:PORT for a board.")
    ] = "verilator",
    preset: PresetOption = Preset.DEFAULT,
) -> None:
    """Subscribe, publish and watch notifications at a prompt."""
    from fpga.host.broker import Broker, BrokerError
    from fpga.host.link import LinkError
    from fpga.host.simulation import SimulationTransport
    from fpga.host.transport import Transport, TransportError
    from sim.cli.shell import Shell
    from sim.engines.serial import open_port

    kind, _, argument = engine.partition(":")
    if kind not in ("verilator", "serial"):
        fail(f"the shell cannot use the engine {engine!r}", hint="choose verilator, or serial:PORT")
    try:
        transport: Transport = open_port(argument) if kind == "serial" else SimulationTransport(PRESETS[preset])
    except EngineError as error:
        fail(str(error), hint=error.hint, status=ENGINE_FAILED)
    try:
        with Broker(transport) as broker:
            Shell(broker).cmdloop()
    except (BrokerError, LinkError, TransportError) as error:
        fail(str(error), hint="check that the board is connected, programmed and not in use", status=ENGINE_FAILED)


@app.command()
def config(preset: PresetOption = Preset.DEFAULT, json: JsonOption = False) -> None:
    """Print the limits of a preset."""
    limits: dict[str, Any] = dataclasses.asdict(PRESETS[preset])
    if json:
        render.json_line({"preset": preset.value, **limits})
        return
    table = Table(title=f"preset {preset.value}", title_justify="left", header_style="bold")
    table.add_column("limit")
    table.add_column("value", justify="right")
    for name, value in limits.items():
        table.add_row(name, str(value))
    render.console().print(table)
