"""What a run of the vector flow shows: the table on the terminal, the report, and what is needed to replay a difference alone."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from hdl.contract import Code, Semantics, Verdict
from sim.compare import Comparison, Difference, Vectors
from sim.engines.interface import FilterResult
from sim.report import Report, Table, figure

__all__ = ["Flow", "report_of", "show", "write_replay"]

_SHOWN = 20
_BLUE = "#2563a8"
_COLOURS = {
    Verdict.WELL_FORMED: "#1a7f4b",
    Verdict.NOT_WELL_FORMED: "#b3261e",
    Verdict.UNSUPPORTED: "#c98a00",
    Verdict.OVER_LIMIT: "#7a3e9d",
}
_COLUMNS = ["kind", "documents", "bytes", *(verdict.text for verdict in Verdict), "matches", "differences"]


@dataclass(frozen=True)
class Flow:
    """A finished run."""

    engine: str
    preset: str
    vectors: Vectors
    result: FilterResult
    comparison: Comparison
    engine_seconds: float

    @property
    def passed(self) -> bool:
        return not self.comparison.differences

    @property
    def headline(self) -> str:
        done, count = self.comparison, len(self.comparison.differences)
        return (
            f"{done.verdicts:,} publications x {len(self.vectors.subscriptions):,} subscriptions (seed {self.vectors.seed}) on engine "
            f"{self.engine}, preset {self.preset}: {done.pairs:,} pairs judged, {done.matches:,} matches, "
            f"{'no difference' if not count else '1 difference' if count == 1 else f'{count:,} differences'}"
        )


def _kinds(flow: Flow) -> list[list[object]]:
    """A row for each kind of document, and their sum."""
    wrong = Counter(difference.document for difference in flow.comparison.differences)
    sums: dict[str, list[int]] = {}
    for document, filtered in zip(flow.vectors.documents, flow.result.documents, strict=True):
        verdict = filtered.result.verdict
        counts = [1, len(document.data), *(int(verdict is one) for one in Verdict), len(filtered.matches), wrong[document.name]]
        sums[document.kind] = [a + b for a, b in zip(sums.get(document.kind, [0] * len(counts)), counts, strict=True)]
    total = [sum(column) for column in zip(*sums.values(), strict=True)]
    total[-1] = len(flow.comparison.differences)
    return [[kind, *counts] for kind, counts in sorted(sums.items())] + [["all", *total]]


def _replay(flow: Flow, difference: Difference, folder: Path) -> str:
    if difference.document is None:
        document = folder / "empty.xml"
    else:
        document = folder / f"{difference.document}.xml"
    meaning = difference.semantics.name.lower()
    return (
        f".venv/bin/x2cbbr filter --engine {flow.engine} --preset {flow.preset} --semantics {meaning} "
        f"--subscriptions {folder / meaning}.subs {document}"
    )


def write_replay(flow: Flow, folder: Path) -> None:
    """The documents that differ and the subscriptions, for the commands that replay a difference alone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "empty.xml").write_bytes(b"<empty/>")
    for semantics in Semantics:
        lines = [f"{one.sid}\t{one.xpath}\n" for one in flow.vectors.subscriptions if one.semantics is semantics]
        (folder / f"{semantics.name.lower()}.subs").write_text("".join(lines))
    wanted = {difference.document for difference in flow.comparison.differences}
    for document in flow.vectors.documents:
        if document.name in wanted:
            (folder / f"{document.name}.xml").write_bytes(document.data)


def _verdict_plot(report: Report, flow: Flow) -> None:
    drawn = figure()
    axes = drawn.subplots()
    rows = _kinds(flow)[:-1]
    kinds = [str(row[0]) for row in rows]
    base = [0] * len(rows)
    for place, verdict in enumerate(Verdict):
        heights = [int(str(row[3 + place])) for row in rows]
        axes.bar(kinds, heights, bottom=base, label=verdict.text, color=_COLOURS[verdict])
        base = [low + height for low, height in zip(base, heights, strict=True)]
    axes.set_ylabel("documents")
    axes.set_ylim(top=1.06 * max(base))
    drawn.legend(loc="outside right upper", frameon=False)
    report.add_figure(drawn, "Verdicts by kind of document.")


def _size_plot(report: Report, flow: Flow) -> None:
    """Bytes a clock against size where the engine has a clock, otherwise matches against size."""
    drawn = figure()
    axes = drawn.subplots()
    good = [one for one in flow.result.documents if one.result.code is Code.OK]
    clocked = [one for one in good if one.result.cycles]
    if clocked:
        axes.scatter(
            [one.result.bytes for one in clocked], [one.result.bytes / (one.result.cycles or 1) for one in clocked], s=9, color=_BLUE
        )
        axes.set_ylabel("bytes a clock")
        caption = "Bytes a clock, first word in to verdict out, by size of the well-formed documents."
    else:
        axes.scatter([one.result.bytes for one in good], [len(one.matches) for one in good], s=9, color=_BLUE)
        axes.set_ylabel("matching subscriptions")
        caption = "Matching subscriptions by size of the well-formed documents."
    axes.set_xscale("log")
    axes.set_xlabel("bytes")
    report.add_figure(drawn, caption)


def _hits_plot(report: Report, flow: Flow) -> None:
    drawn = figure()
    axes = drawn.subplots()
    hits = Counter(sid for one in flow.result.documents for sid in one.matches)
    ranked = sorted((hits[one.sid] for one in flow.vectors.subscriptions), reverse=True)
    axes.step(range(1, len(ranked) + 1), ranked, where="mid", color=_BLUE)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("subscriptions, the busiest first")
    axes.set_ylabel("publications matched")
    report.add_figure(drawn, "How many publications each subscription matches.")


def report_of(flow: Flow, replay: Path) -> Report:
    """The report of a run; ``replay`` is the folder that its replay commands read from."""
    report = Report("X2CBBR: vectors against the judges", flow.passed, flow.headline + ".")
    shown = [
        [one.kind, one.document or "", "" if one.sid is None else one.sid, one.what, f"$ {_replay(flow, one, replay)}"]
        for one in flow.comparison.differences
    ]
    if shown:
        report.add_table(Table("Differences", ["kind", "document", "SID", "what", "replay"], shown))
    report.add_table(Table("Documents", _COLUMNS, _kinds(flow)))
    _verdict_plot(report, flow)
    _size_plot(report, flow)
    _hits_plot(report, flow)
    codes = Counter(one.result.code for one in flow.result.documents)
    report.add_table(Table("Codes", ["code", "documents", "meaning"], [[code.text, codes[code], code.sentence] for code in sorted(codes)]))
    refused = [[one.subscription.sid, one.code.text, one.subscription.xpath] for one in flow.result.refused]
    report.add_table(Table("Refused subscriptions", ["SID", "refused", "expression"], refused))
    return report


def show(console: Console, flow: Flow, replay: Path) -> None:
    """The table, the first differences with their replay commands, and the headline."""
    table = RichTable(header_style="bold")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name == "kind" else "right")
    *rows, total = _kinds(flow)
    for row in rows:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    table.add_section()
    table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in total), style="bold")
    console.print(table)
    for difference in flow.comparison.differences[:_SHOWN]:
        where = " ".join(str(part) for part in (difference.document, difference.sid) if part is not None)
        console.print(
            f"[red]{difference.kind}[/] {where}: {escape(difference.what)}\n    {_replay(flow, difference, replay)}", soft_wrap=True
        )
    size = sum(len(document.data) for document in flow.vectors.documents)
    state = "[bold green]PASS[/]" if flow.passed else "[bold red]FAIL[/]"
    console.print(f"{state} {flow.headline}; {size / flow.engine_seconds / 1e6:.2f} MB/s.", soft_wrap=True)
