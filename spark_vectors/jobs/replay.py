"""Runs one document of a set of vectors without Spark, alone or behind others, and writes it, its subscriptions and the waves out."""

import argparse
import sys
from pathlib import Path

from hdl.contract import Semantics
from sim.interface import EngineError, FilterResult, Subscription
from sim.vectors.golden import Golden, Referee, refusal_of
from spark_vectors import streams, workers
from spark_vectors.engines import BackToBack, Traceable, engine
from spark_vectors.errors import JobError
from spark_vectors.jobs.command import DIFFERENT, run
from spark_vectors.jobs.vectors import add_parameters, parameters_from
from spark_vectors.parameters import VectorParameters

__all__ = ["main"]


def _got(name: str, entries: list[Subscription], data: list[bytes], parameters: VectorParameters, waves: Path | None) -> FilterResult:
    """What the engine makes of the documents, back to back where it can, as in a regression."""
    under_test = engine(name, parameters.limits)
    if waves is None:
        return under_test.filter_back_to_back(entries, data) if isinstance(under_test, BackToBack) else under_test.filter(entries, data)
    if not isinstance(under_test, Traceable):
        raise JobError(f"engine {name} has no waves", hint="leave --waves out")
    return under_test.filter_with_waves(entries, data, waves)


def _same(expected: Golden, entries: list[Subscription], got: FilterResult, parameters: VectorParameters) -> bool:
    found = got.documents[-1]
    refusals = {entry.sid: code for entry in entries if (code := refusal_of(entry.text, parameters.limits))}
    return (expected.code, expected.offset, expected.matches, refusals) == (
        found.result.code,
        found.result.offset,
        found.matches,
        {refused.subscription.sid: refused.code for refused in got.refused},
    )


def _stream(options: argparse.Namespace, parameters: VectorParameters) -> int:
    """Runs one stream and shows the events that are answered otherwise."""
    under_test = engine(options.engine, parameters.limits)
    if not isinstance(under_test, streams.Streaming):
        raise JobError(f"engine {options.engine} takes no streams", hint="choose --engine verilator")
    rows = [row for row in workers.rows_of(workers.stream_of(options.scenario, parameters)) if streams.taken(str(row["kind"]))]
    waves = options.folder / f"stream-{options.scenario}.vcd" if options.waves else None
    try:
        found = streams.answers(under_test, rows, waves=waves)
    except EngineError as error:
        raise JobError(str(error), hint=error.hint) from None
    apart = 0
    for row, told in zip(rows, found, strict=True):
        expected, got = ({name: one.get(name) for name in ("refusal", "code", "offset", "matches")} for one in (row, told))
        if expected != got:
            apart += 1
            print(f"step {row['step']} ({row['kind']}): expected {expected}, got {got}")
    print(f"stream {options.scenario}: {len(rows)} events, {apart} answered otherwise" + (f"; waves: {waves}" if waves else ""))
    return DIFFERENT if apart else 0


def main(argv: list[str] | None = None) -> int:
    """``python -m spark_vectors.jobs.replay --row N --engine NAME``; exit status 0 equal, 1 different, 2 not run."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_parameters(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--row", type=int, help="the document")
    what.add_argument("--scenario", type=int, help="the stream")
    parser.add_argument("--sid", type=int, help="this subscription alone")
    parser.add_argument("--before", type=int, default=0, help="documents of the same set that go before it (default: none)")
    parser.add_argument("--engine", default="model")
    parser.add_argument("--waves", action="store_true", help="write a VCD file of all signals")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/replay"), help="where the document and its subscriptions go (default: %(default)s)"
    )
    options = parser.parse_args(argv)

    def job() -> int:
        parameters = parameters_from(options)
        options.folder.mkdir(parents=True, exist_ok=True)
        if options.scenario is not None:
            return _stream(options, parameters)
        if not 0 <= options.row < parameters.rows:
            raise ValueError(f"row must be 0 to {parameters.rows - 1}, not {options.row}")
        made = parameters.document(options.row)
        number, _ = parameters.place(options.row)
        entries = [
            Subscription(entry.sid, entry.text, entry.semantics)
            for entry in parameters.subscription_set(number)
            if options.sid in (None, entry.sid)
        ]
        source = options.folder / f"row-{options.row}.xml"
        source.write_bytes(made.data)
        waves = source.with_suffix(".vcd") if options.waves else None
        expected = Referee([(entry.sid, entry.text, entry.semantics) for entry in entries], parameters.limits).evaluate(made.data)
        try:
            before = [row for row in range(options.row) if parameters.place(row)[0] == number][-options.before :] if options.before else []
            got = _got(options.engine, entries, [*(parameters.document(row).data for row in before), made.data], parameters, waves)
        except EngineError as error:
            raise JobError(str(error), hint=error.hint) from None
        found = got.documents[-1]
        print(f"document {options.row} ({made.kind}, {len(made.data)} bytes): {source}")
        print(f"expected {expected.code.text} at {expected.offset}, matches {list(expected.matches)}")
        print(f"got      {found.result.code.text} at {found.result.offset}, matches {list(found.matches)}")
        for semantics in Semantics:
            chosen = [entry for entry in entries if entry.semantics is semantics and entry.text]
            if chosen:
                listed = options.folder / f"set-{number}-{semantics.name.lower()}.subs"
                listed.write_text("".join(f"{entry.sid}\t{entry.text}\n" for entry in chosen), encoding="utf-8")
                meaning = f"--preset {options.config} --semantics {semantics.name.lower()}"
                print(f".venv/bin/x2cbbr filter {meaning} --subscriptions {listed} {source}")
        if waves is not None:
            print(f"waves: {waves}")
        return 0 if _same(expected, entries, got, parameters) else DIFFERENT

    return run(job)


if __name__ == "__main__":
    sys.exit(main())
