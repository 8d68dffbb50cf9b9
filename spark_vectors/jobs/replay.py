"""Runs one document of a set of vectors alone, without Spark, and writes it and its subscriptions out for a closer look."""

import argparse
import sys
from pathlib import Path

from hdl.config import PRESETS
from hdl.contract import Semantics
from sim.engines.interface import EngineError, Subscription
from spark_vectors.documents import document
from spark_vectors.engines import engine
from spark_vectors.errors import JobError
from spark_vectors.golden import Referee
from spark_vectors.jobs.command import DIFFERENT, run
from spark_vectors.queries import subscription_set

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """``python -m spark_vectors.jobs.replay --seed N --row N --set N --engine NAME``; exit status 0 equal, 1 different, 2 not run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--row", type=int, required=True, help="the document")
    parser.add_argument("--set", type=int, default=0, help="the set of subscriptions (default: 0)")
    parser.add_argument("--sid", type=int, help="this subscription alone")
    parser.add_argument("--subscriptions", type=int, default=255, help="of the set (default: 255)")
    parser.add_argument("--largest", type=int, default=1 << 20)
    parser.add_argument("--config", choices=tuple(PRESETS), default="default")
    parser.add_argument("--engine", default="model")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/replay"), help="where the document and its subscriptions go (default: %(default)s)"
    )
    options = parser.parse_args(argv)

    def job() -> int:
        limits = PRESETS[options.config]
        made = document(seed=options.seed, row=options.row, config=limits, largest=options.largest)
        entries = [
            Subscription(entry.sid, entry.text, entry.semantics)
            for entry in subscription_set(seed=options.seed, number=options.set, count=options.subscriptions, config=limits)
            if options.sid in (None, entry.sid)
        ]
        options.folder.mkdir(parents=True, exist_ok=True)
        source, listed = options.folder / f"row-{options.row}.xml", options.folder / f"set-{options.set}.txt"
        source.write_bytes(made.data)
        lines = (f"{entry.sid}\t{entry.xpath}" for entry in entries if entry.semantics is Semantics.EXACT and entry.xpath)
        listed.write_text("\n".join(lines) + "\n", encoding="utf-8")
        expected = Referee([(entry.sid, entry.xpath, entry.semantics) for entry in entries], limits).evaluate(made.data)
        try:
            got = engine(options.engine, limits).filter(entries, [made.data]).documents[0]
        except EngineError as error:
            raise JobError(str(error), hint=error.hint) from None
        print(f"document {options.row} ({made.kind}, {len(made.data)} bytes): {source}")
        print(f"expected {expected.code.text} at {expected.offset}, matches {list(expected.matches)}")
        print(f"got      {got.result.code.text} at {got.result.offset}, matches {list(got.matches)}")
        print(f"x2cbbr filter --engine {options.engine} --subscriptions {listed} {source}")
        same = (expected.code, expected.offset, expected.matches) == (got.result.code, got.result.offset, got.matches)
        return 0 if same else DIFFERENT

    return run(job)


if __name__ == "__main__":
    sys.exit(main())
