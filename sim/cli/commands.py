"""The commands and their options."""

import dataclasses
import enum
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Semantics
from sim.cli import network, render
from sim.cli.errors import ENGINE_FAILED, fail, stderr
from sim.cli.inputs import Batch, batches, check_files, message_batches, read_subscriptions
from sim.engines import ENGINES, MESSAGE_ENGINES, open_engine, open_message_engine
from sim.engines.compiled import refusal
from sim.interface import XPATH, Engine, EngineError, FilterResult, Refused, Subscription

__all__ = ["Meaning", "Preset", "app"]

app = typer.Typer(
    help="Parse XML publications, filter them with XPath subscriptions and match messages, on the reference model or on the hardware.",
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


SubscriptionsOption = Annotated[
    Path,
    typer.Option(
        "--subscriptions",
        "-s",
        metavar="SUBS",
        help="One a line: an XPath, or 'language: text'; SID<TAB> in front; # starts a comment line.",
    ),
]


@app.command()
def filter(
    files: Files,
    subscriptions: SubscriptionsOption,
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
    own = [one for one in wanted if one.language == XPATH]
    _show_matches(wanted, own, worker.filter, batches(files), config, json=json)


@app.command()
def match(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Messages, one JSON object a line.", show_default=False)],
    subscriptions: SubscriptionsOption,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help=f"What does the work: {', '.join(MESSAGE_ENGINES)}.")] = "model",
    preset: PresetOption = Preset.DEFAULT,
    json: JsonOption = False,
) -> None:
    """Say which subscriptions each message matches; see docs/languages.md."""
    config = PRESETS[preset]
    try:
        worker = open_message_engine(engine, config)
    except EngineError as error:
        fail(str(error), hint=error.hint)
    wanted = read_subscriptions(subscriptions, Semantics.EXACT)
    check_files(files)
    own = [one for one in wanted if one.language != XPATH]
    _show_matches(wanted, own, worker.match, message_batches(files), config, json=json)


def _show_matches(
    wanted: Sequence[Subscription],
    own: Sequence[Subscription],
    work: Callable[[Sequence[Subscription], Sequence[bytes]], FilterResult],
    publications: Iterable[Batch],
    config: BrokerConfig,
    *,
    json: bool,
) -> None:
    """Shows what is refused, then what each publication matches.

    ``own`` are the wanted subscriptions in languages for such publications. The others never match, so the engine does not get them.
    """
    rows: list[render.Row] = []
    for number, batch in enumerate(publications):
        try:
            found = work(own, batch.contents)
        except EngineError as error:
            fail(str(error), hint=error.hint, status=ENGINE_FAILED)
        if number == 0:
            _show_refused(wanted, own, found.refused, config, json=json)
        for path, line, content, one in zip(batch.paths, batch.lines, batch.contents, found.documents, strict=True):
            if json:
                render.json_line(render.parse_object(path, one.result, one.matches, line=line))
            else:
                place = render.where(content, one.result.offset, in_line=line is not None)
                rows.append(render.Row(path, one.result, place, one.matches, line))
    if not json:
        render.console().print(render.results_table(rows))


def _show_refused(
    wanted: Sequence[Subscription], own: Sequence[Subscription], refused: Sequence[Refused], config: BrokerConfig, *, json: bool
) -> None:
    """Shows what the engine refused of its own and the golden model of the others, in the order of the file."""
    reasons = {one.subscription.sid: one.code for one in refused}
    for one in wanted:
        if one not in own and (reason := refusal(one, config)):
            reasons[one.sid] = reason.code
        if one.sid not in reasons:
            continue
        shown = Refused(one, reasons[one.sid])
        if json:
            render.json_line(render.refusal_object(shown))
        else:
            stderr().print(render.refusal_text(shown, config), markup=False)


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
    from fpga.host.transport import Transport, TransportError
    from sim.cli.shell import Shell
    from sim.engines.serial import open_port
    from sim.verilated.board import SimulationTransport

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
