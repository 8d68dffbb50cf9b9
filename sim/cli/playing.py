"""A scenario played on a network, and what is shown of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sim.cli.errors import ENGINE_FAILED, fail, stderr
from sim.cli.inputs import read_text
from sim.cli.render import console, json_line
from sim.golden.network.frames import Crossing, Delivery, Record, Refused, Rejected
from sim.network.model import ModelPlayer
from sim.network.scenario import Event, ScenarioError, read_scenario
from sim.topology.description import NetworkDescription, TopologyError
from sim.topology.files import read_topology

__all__ = ["play"]


def play(topology: Path, scenario: Path, *, trace: bool, as_json: bool) -> None:
    """Play a scenario on the golden network and print what happens."""
    description, events = _read(topology, scenario)
    player = ModelPlayer(description)
    rows = _Rows(player, trace=trace)
    table = None if as_json else rows.table()
    try:
        for record in player.play(events):
            row = rows.row(record)
            if isinstance(record, Rejected):
                stderr().print(rows.rejection(record), markup=False)
            elif row is not None and as_json:
                json_line(row)
            elif row is not None and table is not None:
                table.add_row(*rows.cells(record))
    except RuntimeError as error:
        fail(str(error), hint="a settle ends when nothing is under way", status=ENGINE_FAILED)
    if as_json:
        json_line(player.summary)
    else:
        _show(console(), table, player.summary)


def _read(topology: Path, scenario: Path) -> tuple[NetworkDescription, list[Event]]:
    try:
        description = read_topology(read_text(topology, what="topology"), name=str(topology))
        text = read_text(scenario, what="scenario")
        load = lambda path: (scenario.parent / path).read_bytes()  # noqa: E731
        return description, read_scenario(text, name=str(scenario), network=description, load=load)
    except (TopologyError, ScenarioError) as error:
        fail(str(error), hint=error.hint)


class _Rows:
    """Records as objects of the JSON output and as rows of the table."""

    def __init__(self, player: ModelPlayer, *, trace: bool) -> None:
        self._names = player.names
        self._layout = player.network.layout
        self._trace = trace

    def row(self, record: Record) -> dict[str, Any] | None:
        """The object of a record, None where it has none."""
        match record:
            case Delivery():
                return {"at": self._names[record.at], "sid": record.sid, "publication": record.publication}
            case Refused():
                return {"sid": record.sid, "at": self._names[record.at], "refused": record.code.text}
            case Crossing() if self._trace:
                link = [self._names[record.sender], self._names[record.receiver]]
                osid = self._layout.pack(record.message.osid).hex()
                return {"link": link, "frame": record.message.text.lower(), "osid": osid, "clock": None}
            case _:
                return None

    def table(self) -> Table:
        table = Table(header_style="bold")
        for name, justify in (("what", "left"), ("at", "left"), ("SID", "right"), ("publication", "right")):
            table.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
        if self._trace:
            table.add_column("o-SID", no_wrap=True)
        return table

    def cells(self, record: Record) -> list[str]:
        match record:
            case Delivery():
                return ["[green]notified[/]", escape(self._names[record.at]), str(record.sid), str(record.publication)]
            case Refused():
                return [f"[red]refused: {record.code.text}[/]", escape(self._names[record.at]), str(record.sid), ""]
            case Crossing(message=message):
                carried = "" if message.publication is None else str(message.publication)
                link = f"{self._names[record.sender]} > {self._names[record.receiver]}"
                return [f"[dim]{message.text.lower()}[/]", escape(link), "", carried, f"[dim]{escape(str(message.osid))}[/]"]
            case _:
                raise TypeError(f"record must be one with a row, not {record!r}")

    def rejection(self, record: Rejected) -> str:
        code = record.code
        where = f"publication {record.publication} notifies nobody at {self._names[record.at]}"
        return f"{where}: it is {code.verdict.text} ({code.text}): {code.sentence}"


def _show(out: Console, table: Table | None, summary: Mapping[str, int | None]) -> None:
    out.print(table)
    counts = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in summary.items() if value is not None)
    out.print(counts)
