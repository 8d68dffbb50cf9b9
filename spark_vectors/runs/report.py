"""The report of a regression: pass or fail, differences with the commands that replay them, coverage, clocks beside the thesis's, rates."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.colors import LogNorm

from hdl.contract import Code, Refusal, Verdict
from sim.bench.broker import MATCHING, SET_SERIES, back_to_back, measure, series_rows, task_rows, thesis_subscriptions
from sim.bench.parser import CASE_I, CASE_II
from sim.bench.rows import Row
from sim.engines.simulated_filter import subscribe
from sim.report import Report, Table, figure
from sim.vectors.documents import SIZE_CLASSES, thesis_document
from sim.vectors.families.stock import THESIS_SIZES
from spark_vectors.jobs.coverage import ALL_FEATURES
from spark_vectors.jobs.outcome import SHOWN, Outcome

__all__ = ["KINDS_COLUMNS", "BrokerTimes", "broker_times", "headline", "kinds_rows", "rates", "report_of"]

_OURS, _OTHER, _THESIS, _THESIS_2 = "#2563a8", "#1a7f4b", "#b3261e", "#c98a00"
_COLOURS = {
    Verdict.WELL_FORMED: "#1a7f4b",
    Verdict.NOT_WELL_FORMED: "#b3261e",
    Verdict.UNSUPPORTED: "#c98a00",
    Verdict.OVER_LIMIT: "#7a3e9d",
}
KINDS_COLUMNS = ("kind", "documents", "bytes", *(verdict.text for verdict in Verdict), "matches", "differences")
_PACE_SIZES = (224, 536, 1008, 2904, 6696, 15228)
_PARSER_MHZ, _BROKER_MHZ = 50, 150
_FIRST, _KNOWN = 123.20, 66.88
"""Microseconds of a publication's loading and parsing with and without a new skeleton [T-Tab 7.3, 7.4]."""
_LOADS = {1: 24, 2: 42}
_SERIES = [42 * place for place in range(1, 7)]
_BUFFERING_AND_MAPPING = (62.18, 111.70, 161.04, 210.56, 260.08, 308.70)
"""Microseconds for one to six series of Set 2 [T-Tab 7.2]."""


@dataclass(frozen=True)
class BrokerTimes:
    """Clocks of the RTL beside the thesis's: T-Tab 7.1 by set, T-Tab 7.2, and bytes a clock by size, back to back and alone with names that
    are known."""

    sets: dict[int, tuple[Row, ...]]
    tasks: tuple[Row, ...]
    pace: dict[int, float]
    alone: dict[int, float]


def broker_times(seed: int) -> BrokerTimes:
    """Measures on the Verilated broker."""
    return BrokerTimes(
        {number: series_rows(seed, number) for number in SET_SERIES},
        task_rows(seed),
        {size: back_to_back(seed, size) for size in _PACE_SIZES},
        {size: size / measure(thesis_subscriptions(4, 6), thesis_document(seed=seed, size=size), copies=1).again for size in THESIS_SIZES},
    )


def headline(outcome: Outcome) -> str:
    """The run in one line."""
    done = outcome.summary
    count, empty = done["differences"], len(outcome.coverage["empty"])
    return (
        f"{done['documents']:,} publications x {done['subscriptions']:,} subscriptions (seed {done['seed']}) on engine {done['engine']}, "
        f"preset {done['config']}: {done['pairs']:,} pairs, "
        f"{sum(row['matches'] for row in outcome.kinds):,} matches, "
        f"{'no difference' if not count else '1 difference' if count == 1 else f'{count:,} differences'}"
        + (f", {empty} promised cells of the coverage empty" if empty else "")
    )


def kinds_rows(outcome: Outcome) -> list[list[object]]:
    """A row for each kind of document, and their sum."""
    rows: list[list[object]] = [[row[column] for column in KINDS_COLUMNS] for row in outcome.kinds]
    total = [sum(row[column] for row in outcome.kinds) for column in KINDS_COLUMNS[1:]]
    total[-1] = outcome.summary["differences"]
    return [*rows, ["all", *total]]


def _following(outcome: Outcome) -> str:
    return "back to back" if outcome.summary["back_to_back"] else "alone"


def rates(outcome: Outcome) -> list[list[object]]:
    """What was done each second, by the golden job and by the engine."""
    done = outcome.summary
    both = "both judges, wall clock, all cores"
    found: list[list[object]] = [
        ["golden: documents/s", done["documents"] / outcome.golden_seconds, both],
        ["golden: pairs/s", done["pairs"] / outcome.golden_seconds, both],
    ]
    found.append([f"{done['engine']}: documents/s", done["documents_per_second"], "wall clock, all cores"])
    found.append([f"{done['engine']}: pairs/s", done["pairs_per_second"], "wall clock, all cores"])
    found.append([f"{done['engine']}: MB/s a core", done["megabytes_per_core_second"], "processor time of filtering"])
    if done["cycles"]:
        found.append(
            [f"{done['engine']}: clocks/s a core", done["cycles"] / done["engine_seconds"], "publications' clocks, processor time"]
        )
        found.append(["bytes/clock", done["bytes_per_clock"], f"publications {_following(outcome)}, all kinds together"])
        found.append(
            ["Gbit/s at 100 MHz", done["bytes_per_clock"] * 8 / 10, "the same; the thesis's publications are faster, see the plot"]
        )
    return found


def _verdict_plot(report: Report, outcome: Outcome) -> None:
    drawn = figure()
    axes = drawn.subplots()
    kinds = [row["kind"] for row in outcome.kinds]
    base = [0] * len(kinds)
    for verdict in Verdict:
        heights = [row[verdict.text] for row in outcome.kinds]
        axes.bar(kinds, heights, bottom=base, label=verdict.text, color=_COLOURS[verdict])
        base = [low + height for low, height in zip(base, heights, strict=True)]
    axes.set_ylabel("documents")
    axes.tick_params(axis="x", labelrotation=30)
    axes.set_ylim(top=1.06 * max(base))
    drawn.legend(loc="outside right upper", frameon=False)
    report.add_figure(drawn, "Verdicts by kind of document.")


def _clock_plot(report: Report, outcome: Outcome, times: BrokerTimes | None) -> None:
    """Bytes a clock by size, with T-Tab 6.1 and 6.2 beside ours."""
    drawn = figure(height=4.2)
    axes = drawn.subplots()
    for name, case, colour in (("thesis, Case I", CASE_I, _THESIS), ("thesis, Case II", CASE_II, _THESIS_2)):
        axes.plot(list(case), list(case.values()), "o-", ms=3, color=colour, label=f"{name} (parsing alone)")
    if times is not None:
        axes.plot(list(times.pace), list(times.pace.values()), "s-", ms=4, color=_OTHER, label="ours, back to back, 252 subscriptions")
        axes.plot(list(times.alone), list(times.alone.values()), "^-", ms=4, color=_OURS, label="ours, alone, 252 of Set 4")
    if outcome.clocks:
        sizes = [row["bytes"] for row in outcome.clocks]
        name = f"ours, {_following(outcome)}, all of the regression (median)"
        axes.plot(sizes, [row["middle"] for row in outcome.clocks], "--", color=_OURS, label=name)
        low, high = ([row[name] for row in outcome.clocks] for name in ("low", "high"))
        axes.fill_between(sizes, low, high, color=_OURS, alpha=0.15, lw=0, label="... its 10th to 90th percentile")
    axes.set_xscale("log")
    axes.set_ylim(0, 4.3)
    axes.axhline(4, color="#888", lw=0.8, ls=":")
    axes.set_xlabel("bytes of the document")
    axes.set_ylabel("bytes a clock")
    drawn.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    report.add_figure(
        drawn,
        "Bytes a clock against size: parsing and matching together, beside T-Tab 6.1 and 6.2, which parse alone. Alone: first word in to "
        "matched set out, the pipeline's depth included; back to back: the clocks that a publication adds. The regression's sets compare "
        "text and numbers of every kind. 4 is the limit of a 32-bit path.",
    )


def _cases(times: BrokerTimes) -> list[tuple[str, str, list[float], list[float]]]:
    """Name, colour, and the clocks of the thesis and of ours for one to six series of Set 2 [T-Tab 7.2 to 7.4]."""
    taken = [one * _BROKER_MHZ for one in _BUFFERING_AND_MAPPING]
    matching = [one * _BROKER_MHZ for one in MATCHING]
    registered, alone, apart = ([row.ours for row in times.tasks[place::3]] for place in range(3))
    both = [one + two for one, two in zip(registered, alone, strict=True)]
    first = [_FIRST * _PARSER_MHZ + one for one in matching]
    worst = [one + two for one, two in zip(taken, first, strict=True)]
    best = [_KNOWN * _PARSER_MHZ + one for one in matching]
    return [("worst", _THESIS, worst, both), ("regular", _THESIS_2, first, alone), ("best", _OTHER, best, apart)]


def _sets(times: BrokerTimes) -> list[tuple[int, str, list[int], list[float], list[float]]]:
    """Set, colour, numbers of subscriptions, and the clocks of the thesis and of ours [T-Tab 7.1]."""
    found = []
    for number, colour in ((1, _OURS), (2, _OTHER)):
        rows = times.sets[number]
        counts = [_LOADS[number] * place for place in range(1, len(rows) + 1)]
        found.append((number, colour, counts, [row.thesis or 0.0 for row in rows], [row.ours for row in rows]))
    return found


def _sets_plot(report: Report, times: BrokerTimes) -> None:
    drawn = figure(height=4)
    left, right = drawn.subplots(1, 2)
    for number, colour, counts, thesis, ours in _sets(times):
        left.plot(counts, thesis, "o--", ms=3, color=colour, alpha=0.6, label=f"thesis, Set {number}")
        left.plot(counts, ours, "s-", ms=3, color=colour, label=f"ours, Set {number}")
    left.set_title("T-Fig 7.2: everything, 980 bytes", fontsize=10)
    for name, colour, thesis, ours in _cases(times):
        right.plot(_SERIES, thesis, "o--", ms=3, color=colour, alpha=0.6, label=f"thesis, {name}")
        right.plot(_SERIES, ours, "s-", ms=3, color=colour, label=f"ours, {name}")
    right.set_title("T-Fig 7.14: worst, regular, best; 1008 bytes", fontsize=10)
    for axes in (left, right):
        axes.set_yscale("log")
        axes.set_xlabel("subscriptions")
        axes.set_ylabel("clocks")
        axes.legend(frameon=False, fontsize=8, ncols=2)
        low, high = axes.get_ylim()
        axes.set_ylim(low, high * 4)
    report.add_figure(
        drawn,
        "Broker time against the number of subscriptions, in clocks: the thesis's microseconds at its own frequencies (50 MHz left; 50 MHz "
        "for the parser and 150 MHz for the broker right). Worst: subscriptions, then the first publication; regular: one publication; "
        "best: publications back to back.",
    )


def _throughput_plot(report: Report, times: BrokerTimes) -> None:
    """T-Fig 7.3 and 7.15: bits a clock."""
    drawn = figure(height=3.4)
    left, right = drawn.subplots(1, 2)
    for number, colour, counts, thesis, ours in _sets(times):
        bits = [8 * len(_frames(number)) * count / _LOADS[number] for count in counts]
        left.plot(
            counts, [a / b for a, b in zip(bits, thesis, strict=True)], "o--", ms=3, color=colour, alpha=0.6, label=f"thesis, Set {number}"
        )
        left.plot(counts, [a / b for a, b in zip(bits, ours, strict=True)], "s-", ms=3, color=colour, label=f"ours, Set {number}")
    left.set_title("T-Fig 7.3: bits of subscriptions over everything", fontsize=10)
    bits = [8 * 1008 * (1 + place) for place in range(1, 7)]
    for name, colour, thesis, ours in _cases(times):
        right.plot(
            _SERIES, [a / b for a, b in zip(bits, thesis, strict=True)], "o--", ms=3, color=colour, alpha=0.6, label=f"thesis, {name}"
        )
        right.plot(_SERIES, [a / b for a, b in zip(bits, ours, strict=True)], "s-", ms=3, color=colour, label=f"ours, {name}")
    right.set_title("T-Fig 7.15: bits of publication and subscriptions", fontsize=10)
    right.set_yscale("log")
    right.set_ylim(bottom=right.get_ylim()[0] / 8)  # room for the legend
    left.set_ylim(bottom=0)
    for axes in (left, right):
        axes.set_xlabel("subscriptions")
        axes.set_ylabel("bits a clock")
        axes.legend(frameon=False, fontsize=8, ncols=2)
    report.add_figure(
        drawn,
        "Throughput in bits a clock, counted as the thesis counts: subscriptions that are registered already count on the right as well.",
    )


def _frames(number: int) -> bytes:
    """The frames of one load of a set, as they are buffered."""
    entries = (subscribe(one).data for one in thesis_subscriptions(number, 1))
    return b"".join(entries)


def _heat_map(report: Report, outcome: Outcome) -> None:
    """Features x (verdicts, sizes, hit or miss) and codes x sizes, the counts as colours."""
    sums: Counter[tuple[str, str]] = Counter()
    names = [size.name.lower() for size in SIZE_CLASSES]
    columns = [f"{verdict.text}" for verdict in Verdict if verdict is not Verdict.WELL_FORMED]
    columns += [f"{size} {side}" for size in names for side in ("hit", "miss")]
    codes = sorted({cell["what"] for cell in outcome.coverage["cells"] if cell["what"].startswith("code ")})
    for cell in outcome.coverage["cells"]:
        if cell["what"].startswith("code "):
            sums[cell["what"], cell["size"]] += cell["pairs"]
        elif cell["verdict"] != Verdict.WELL_FORMED.text:
            sums[cell["what"], cell["verdict"]] += cell["pairs"]
        else:
            sums[cell["what"], f"{cell['size']} {'hit' if cell['hit'] else 'miss'}"] += cell["pairs"]
    _map(
        report,
        sums,
        ALL_FEATURES,
        columns,
        "Coverage: pairs by grammar feature x verdict, and for well-formed documents x size x hit or miss.",
    )
    texts = [f"code {code.text}" for code in Code if f"code {code.text}" in codes]
    _map(report, sums, texts, names, "Coverage: documents by verdict code x size.")
    if outcome.coverage["empty"]:
        report.add_table(Table("Promised cells that are empty", ["cell"], [[cell] for cell in outcome.coverage["empty"]]))


def _map(report: Report, sums: "Counter[tuple[str, str]]", rows: Sequence[str], columns: Sequence[str], caption: str) -> None:
    if not rows:
        return
    drawn = figure(width=5 + 0.45 * len(columns), height=1.6 + 0.19 * len(rows))
    axes = drawn.subplots()
    grid = [[sums[row, column] or math.nan for column in columns] for row in rows]
    largest = max((value for line in grid for value in line if value == value), default=1)
    shown = axes.imshow(grid, norm=LogNorm(1, max(largest, 10)), cmap="viridis", aspect="auto", interpolation="nearest")
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right", fontsize=8)
    axes.set_yticks(range(len(rows)), [row.removeprefix("code ") for row in rows], fontsize=7)
    axes.set_facecolor("#f3d9d7")
    drawn.colorbar(shown, ax=axes, shrink=0.6, label="count")
    report.add_figure(drawn, f"{caption} A pink cell is empty.")


def report_of(outcome: Outcome, times: BrokerTimes | None, *, command: str, commit: str, machine: str) -> Report:
    """The report; ``times`` is None where the engine is not the Verilated hardware."""
    report = Report("X2CBBR: hardware against golden results", outcome.passed, headline(outcome) + ".")
    done = outcome.summary
    if outcome.differences:
        columns = ["kind", "document", "SID", "subscription", "expected", "got", "replay"]
        rows = [
            [
                one["kind"],
                str(one["row"]),
                "" if one["sid"] is None else str(one["sid"]),
                one["subscription"] or "",
                one["expected"],
                one["got"],
                f"$ {one['replay']}",
            ]
            for one in outcome.differences
        ]
        more = f" (the first {SHOWN} of {done['differences']:,})" if done["differences"] > SHOWN else ""
        report.add_table(Table(f"Differences{more}", columns, rows))
    report.add_table(Table("Documents", list(KINDS_COLUMNS), kinds_rows(outcome)))
    _verdict_plot(report, outcome)
    _clock_plot(report, outcome, times)
    if times is not None:
        _sets_plot(report, times)
        _throughput_plot(report, times)
    report.add_table(Table("Rates", ["what", "a second", "measured as"], rates(outcome)))
    _heat_map(report, outcome)
    codes = [[Code(code).text, count, Code(code).sentence] for code, count in sorted(outcome.codes.items()) if code is not None]
    report.add_table(Table("Codes", ["code", "documents", "meaning"], codes))
    refusals = [[Refusal(code).text, count] for code, count in sorted(outcome.refusals.items())]
    report.add_table(Table("Refused subscriptions", ["refused", "subscriptions"], refusals))
    report.add_table(Table("This run", ["", ""], [["command", f"$ {command}"], ["commit", commit], ["machine", machine]]))
    return report
