"""Every language for messages against its judges: an engine matches sets of subscriptions and messages drawn at the corners.

``python -m spark_vectors.jobs.languages --engine model``; exit status 0 equal, 1 different, 2 not run. ``--record`` keeps the figures.
"""

import sys
import time
from functools import partial
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from hdl.config import PRESETS, BrokerConfig
from sim.engines import MESSAGE_ENGINES, open_message_engine
from sim.interface import EngineError
from sim.judges.languages import JUDGES
from sim.vectors.languages.corners import MIXED
from spark_vectors.errors import JobError
from spark_vectors.jobs.command import DIFFERENT, arguments, run
from spark_vectors.judging import JUDGED, judge_sets
from spark_vectors.record import record, running
from spark_vectors.session import Progress, open_session
from spark_vectors.store import spark_schema

__all__ = ["LANGUAGES", "judge", "main"]

LANGUAGES = (*JUDGES, MIXED)


def judge(
    spark: SparkSession,
    *,
    seed: int,
    sets: int,
    engine: str = "model",
    preset: str = "default",
    subscriptions: int = 128,
    messages: int = 160,
    languages: tuple[str, ...] = LANGUAGES,
    quiet: bool = False,
) -> dict[str, dict[str, Any]]:
    """By language what was compared and what differs."""
    try:
        open_message_engine(engine, BrokerConfig())
    except EngineError as error:
        raise JobError(str(error), hint=error.hint) from None
    rows = [{"language": language, "number": number} for number in range(sets) for language in languages]
    settings: dict[str, Any] = {"seed": seed, "engine": engine, "preset": preset, "subscriptions": subscriptions, "messages": messages}
    with Progress(spark, quiet=quiet) as progress:
        progress.say(f"judging {len(rows)} sets of {subscriptions} subscriptions x {messages} messages on {engine}")
        schema = pa.schema([("language", pa.string()), ("number", pa.int32())])
        drawn = spark.createDataFrame(pa.Table.from_pylist(rows, schema=schema)).repartition(min(len(rows), 4 * _cores(spark)))
        found = drawn.mapInArrow(partial(judge_sets, **settings), spark_schema(JUDGED))
        counts = [F.sum(name).alias(name) for name in ("subscriptions", "refused", "messages", "pairs", "matches", "seconds")]
        lists = [F.first("judges").alias("judges"), F.flatten(F.collect_list("differences")).alias("differences")]
        collected = {
            row["language"]: row.asDict() for row in found.groupBy("language").agg(F.count("*").alias("sets"), *counts, *lists).collect()
        }
    return {language: collected[language] for language in languages}


def _cores(spark: SparkSession) -> int:
    return int(spark.sparkContext.defaultParallelism)


def _kept(found: dict[str, Any]) -> dict[str, Any]:
    """What is recorded of a language."""
    names = ("sets", "subscriptions", "refused", "messages", "pairs", "matches", "judges")
    return {**{name: found[name] for name in names}, "differences": len(found["differences"])}


def main(argv: list[str] | None = None) -> int:
    parser = arguments(__doc__ or "")
    parser.add_argument("--engine", default="model", help=f"one of {', '.join(MESSAGE_ENGINES)} (default: model)")
    parser.add_argument("--preset", choices=PRESETS, default="default", help="the limits to apply (default: default)")
    parser.add_argument("--seed", type=int, default=1, help="of the sets (default: 1)")
    parser.add_argument("--sets", type=int, default=12, help="sets of each language (default: 12)")
    parser.add_argument("--subscriptions", type=int, default=128, help="subscriptions of a set (default: 128)")
    parser.add_argument("--messages", type=int, default=160, help="messages of a set (default: 160)")
    parser.add_argument("--only", choices=LANGUAGES, action="append", help="a language; may be repeated (default: all, and all at once)")
    parser.add_argument("--record", action="store_true", help="keep the figures in docs/results/languages.json")
    options = parser.parse_args(argv)

    def job() -> int:
        begun, before = time.monotonic(), running()
        with open_session(options.master, name="x2cbbr languages", partitions=options.partitions) as spark:
            found = judge(
                spark,
                seed=options.seed,
                sets=options.sets,
                engine=options.engine,
                preset=options.preset,
                subscriptions=options.subscriptions,
                messages=options.messages,
                languages=tuple(options.only or LANGUAGES),
                quiet=options.quiet,
            )
        print(f"{'language':10} {'pairs':>10} {'matches':>9} {'refused':>8} {'differences':>12}  judges")
        for language, one in found.items():
            shown = "all of these" if language == MIXED else ", ".join(one["judges"])
            print(f"{language:10} {one['pairs']:>10} {one['matches']:>9} {one['refused']:>8} {len(one['differences']):>12}  {shown}")
            for line in one["differences"][:10]:
                print(f"  {line}", file=sys.stderr)
        seconds = time.monotonic() - begun
        print(f"{sum(one['pairs'] for one in found.values())} pairs in {seconds:.0f} s")
        if options.record:
            kept = {language: _kept(one) for language, one in found.items()}
            record("regression", options.engine, {"seed": options.seed, "preset": options.preset, "languages": kept}, of=before)
        return DIFFERENT if any(one["differences"] for one in found.values()) else 0

    return run(job)


if __name__ == "__main__":
    sys.exit(main())
