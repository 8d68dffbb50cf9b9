"""Exactness at volume: ``python -m sim.volume parse --documents 6000 --seed 1``.

The hardware must say of every document what the golden model says: verdict, code, offset, length and every word. Whether a document is
well-formed is asked of libxml2 and expat as well. They keep to the whole of XML, so documents that are unsupported or over a limit are not
put to them, and where they disagree with each other the document is listed and counts as no difference; ``docs/xml-subset.md`` explains
each such place.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from figures.record import record, running
from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Verdict
from sim.cli.errors import ENGINE_FAILED, fail
from sim.engines.model import ModelEngine
from sim.icarus import parser as icarus
from sim.interface import EngineError, ParseResult
from sim.vectors import documents as generator
from sim.vectors.oracle import accepted_by
from sim.verilated import parser as verilated

__all__ = ["REAL", "Outcome", "Sample", "compare", "difference", "main", "real_samples", "seeded_samples"]

REAL = ("mime/packages", "X11/xkb/rules", "xml/iso-codes", "osinfo")
"""Folders of Debian's packages shared-mime-info, xkb-data, iso-codes and osinfo-db in /usr/share."""

_BATCH = 400
_ICARUS_LARGEST = 1200
_LARGEST = 1 << 13

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@dataclass(frozen=True)
class Sample:
    """A document with a name to find it by."""

    name: str
    data: bytes


@dataclass
class Outcome:
    """How one comparison went."""

    name: str
    documents: int = 0
    broken: int = 0
    bytes: int = 0
    words: int = 0
    seconds: float = 0.0
    differences: list[str] = field(default_factory=list)
    split: list[str] = field(default_factory=list)
    """Documents on which the judges disagree with each other."""


Parse = Callable[[Sequence[bytes]], list[ParseResult]]


def seeded_samples(*, seed: int, documents: int, config: BrokerConfig, largest: int = _LARGEST) -> list[Sample]:
    """The documents of the vector jobs: every kind, size and code takes its turn."""
    made = (generator.document(seed=seed, row=row, config=config, largest=largest) for row in range(documents))
    return [Sample(f"{one.row:05}-{one.kind}", one.data) for one in made]


def real_samples(root: Path = Path("/usr/share")) -> list[Sample]:
    """Every XML file of the packages, each once."""
    paths = {path.resolve() for folder in REAL for path in (root / folder).rglob("*.xml")}
    return [Sample(str(path), path.read_bytes()) for path in sorted(paths)]


def difference(expected: ParseResult, found: ParseResult) -> str | None:
    """What the hardware says otherwise than the model; None when there is nothing."""
    for name in ("code", "offset", "bytes"):
        wanted, got = getattr(expected, name), getattr(found, name)
        if wanted != got:
            return f"{name} must be {getattr(wanted, 'text', wanted)}, not {getattr(got, 'text', got)}"
    wanted, got = expected.words or (), found.words or ()
    if wanted != got:
        place = next((at for at, (one, other) in enumerate(zip(wanted, got, strict=False)) if one != other), min(len(wanted), len(got)))
        return f"word {place} must be {wanted[place : place + 1]}, not {got[place : place + 1]}"
    return None


def _judged(sample: Sample, result: ParseResult, outcome: Outcome) -> None:
    if result.verdict not in (Verdict.WELL_FORMED, Verdict.NOT_WELL_FORMED):
        return
    accepting = accepted_by(sample.data)
    if len(accepting) == 1:
        outcome.split.append(f"{sample.name}: {result.code.text} at {result.offset}, accepted by {next(iter(accepting))}")
    elif bool(accepting) != (result.verdict is Verdict.WELL_FORMED):
        outcome.differences.append(f"{sample.name}: {result.verdict.text}, but libxml2 and expat both say otherwise")


def compare(
    name: str, samples: Sequence[Sample], parse: Parse, config: BrokerConfig, *, judges: bool = False, log: Callable[[str], None]
) -> Outcome:
    """Hold a parser against the golden model, and with ``judges`` against libxml2 and expat."""
    outcome = Outcome(name)
    model = ModelEngine(config)
    for start in range(0, len(samples), _BATCH):
        batch = samples[start : start + _BATCH]
        began = time.perf_counter()
        results = parse([sample.data for sample in batch])
        outcome.seconds += time.perf_counter() - began
        for sample, found in zip(batch, results, strict=True):
            (expected,) = model.parse([sample.data], words=True)
            if (what := difference(expected, found)) is not None:
                outcome.differences.append(f"{sample.name}: {what}")
            if judges:
                _judged(sample, found, outcome)
            outcome.documents += 1
            outcome.broken += found.code is not Code.OK
            outcome.bytes += len(sample.data)
            outcome.words += len(found.words or ())
        log(f"{name}: {outcome.documents} of {len(samples)} documents, {len(outcome.differences)} differences")
    return outcome


def _on_verilator(config: BrokerConfig, *, apart: bool = False, stalls: int | None = None) -> Parse:
    return lambda data: [one.result(words=True) for one in verilated.parse(data, config, words=True, apart=apart, stalls=stalls)]


def _on_icarus(config: BrokerConfig, *, stalls: int | None = None) -> Parse:
    return lambda data: [one.result(words=True) for one in icarus.parse(data, config, words=True, stalls=stalls)]


def _subset(samples: Sequence[Sample], count: int) -> list[Sample]:
    """Small ones, spread over all of them."""
    small = [sample for sample in samples if len(sample.data) <= _ICARUS_LARGEST]
    step = max(1, len(small) // count) if count else 1
    return small[::step][:count]


def _show(console: Console, outcomes: Iterable[Outcome]) -> None:
    table = Table(header_style="bold")
    table.add_column("comparison")
    for heading in ("documents", "not well-formed", "bytes", "words", "judges split", "differences"):
        table.add_column(heading, justify="right")
    for one in outcomes:
        figures = (one.documents, one.broken, one.bytes, one.words, len(one.split), len(one.differences))
        table.add_row(one.name, *(f"{figure:,}" for figure in figures), style="red" if one.differences else "")
    console.print(table)
    for one in outcomes:
        for line in one.differences[:10]:
            console.print(f"{one.name}: {line}", style="red", markup=False)
        for line in one.split[:10]:
            console.print(f"judges split: {line}", markup=False)


@app.callback()
def main() -> None:
    """The hardware against the golden model and independent judges, at volume."""


@app.command()
def parse(
    documents: Annotated[int, typer.Option(min=1, help="Seeded documents.")] = 6000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    stalls: Annotated[int, typer.Option(min=1, help="Seed of the stalls of the second run.")] = 7,
    icarus_documents: Annotated[int, typer.Option("--icarus", min=0, help="How many of them also on Icarus.")] = 200,
    real: Annotated[bool, typer.Option(help="Also the real documents of Debian's packages.")] = True,
    preset: Annotated[str, typer.Option(help="The limits to build in.")] = "default",
    output: Annotated[Path, typer.Option(help="The JSON file to write.")] = Path("build/volume-parse.json"),
    keep: Annotated[bool, typer.Option("--record", help="Keep the counts in docs/results/exactness.json.")] = False,
) -> None:
    """The parser: back to back, with stalls, on Icarus, and on real documents."""
    if preset not in PRESETS:
        fail(f"there is no preset {preset!r}", hint=f"choose one of {', '.join(PRESETS)}")
    config, before = PRESETS[preset], running("amaranth", "verilator", "lxml")
    samples = seeded_samples(seed=seed, documents=documents, config=config)
    plans: list[tuple[str, Sequence[Sample], Parse, bool]] = [
        ("back to back", samples, _on_verilator(config), True),
        ("with stalls", samples, _on_verilator(config, stalls=stalls), False),
    ]
    if real:
        plans.append(("real documents", real_samples(), _on_verilator(config), True))
    if icarus_documents:
        subset = _subset(samples, icarus_documents)
        half = len(subset) // 2
        plans.append(("Icarus, back to back", subset[:half], _on_icarus(config), False))
        plans.append(("Icarus, with stalls", subset[half:], _on_icarus(config, stalls=stalls), False))
    try:
        outcomes = [
            compare(name, chosen, run, config, judges=judges, log=lambda line: print(line, file=sys.stderr, flush=True))
            for name, chosen, run, judges in plans
        ]
    except EngineError as error:
        fail(str(error), hint=error.hint, status=ENGINE_FAILED)
    console = Console(highlight=False)
    _show(console if console.is_terminal else Console(highlight=False, width=160), outcomes)
    output.parent.mkdir(parents=True, exist_ok=True)
    about = {"seed": seed, "stalls": stalls, "preset": preset}
    output.write_text(json.dumps({**about, "comparisons": [asdict(one) for one in outcomes]}, indent=2) + "\n", encoding="utf-8")
    if keep:
        comparisons = [{**asdict(one), "differences": len(one.differences), "split": len(one.split)} for one in outcomes]
        record("exactness.json", ("parser", before.command), {**about, "comparisons": comparisons}, of=before)
    raise typer.Exit(1 if any(one.differences for one in outcomes) else 0)


if __name__ == "__main__":
    app()
