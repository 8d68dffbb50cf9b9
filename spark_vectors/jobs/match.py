"""Filters and messages through PCM as a Spark job, for sets of filters that no chip holds.

``python -m spark_vectors.jobs.match --subscriptions SUBS --messages M.jsonl --output DIR`` writes a Parquet table of matches and a summary.
With ``--workload`` both sides are those of the papers, made in the tasks.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hdl.config import PRESETS
from hdl.contract import Code, Semantics
from sim.cli.inputs import check_files, message_batches, read_subscriptions
from sim.engines.pcm import LANGUAGE
from sim.golden.languages import AnyRefusal, Limits
from sim.pcm.table import PcmTable
from sim.vectors.languages.attributes import MARGARA, MIXED, STRINGS, ZIPF, EventParameters, filters
from spark_vectors.errors import JobError
from spark_vectors.jobs.command import arguments, run
from spark_vectors.matching import MATCHES, PIECES, compile_pieces, joined, match_batches, workload_messages, workload_texts
from spark_vectors.record import record, running
from spark_vectors.session import Progress, open_session
from spark_vectors.store import Store, absolute, spark_schema

__all__ = ["WORKLOADS", "Workload", "deploy", "main", "match"]

WORKLOADS = {"numbers": MARGARA, "mixed": MIXED, "strings": STRINGS, "zipf": ZIPF}
_TEXTS_A_BATCH = 4096
_TASKS_A_CORE = 4
_RECORDED = (
    *("filters", "constraints", "partitions", "table_bytes", "messages", "matches", "milliseconds_a_message", "deployment_seconds"),
    *("seconds", "cores", "digest"),
)


@dataclass(frozen=True)
class Workload:
    """Filters and events of the papers; ``interfaces`` grows with the scale, as in P Fig 9."""

    parameters: EventParameters
    seed: int = 1
    events: int = 1000

    @classmethod
    def named(cls, name: str, *, seed: int, events: int, scale: int) -> "Workload":
        if name not in WORKLOADS:
            raise JobError(f"there is no workload {name!r}", hint=f"choose one of {', '.join(WORKLOADS)}")
        parameters = WORKLOADS[name]
        return cls(replace(parameters, interfaces=parameters.interfaces * scale), seed, events)

    def texts(self, spark: SparkSession) -> DataFrame:
        """SID and text; SIDs are numbered through the interfaces."""
        counts = [filters(self.seed, interface, self.parameters) for interface in range(self.parameters.interfaces)]
        begins = [sum(counts[:interface]) for interface in range(len(counts))]
        some = pa.table({"interface": range(len(counts)), "count": counts, "begin": begins})
        rows = spark.createDataFrame(some).select("interface", "begin", F.explode(F.sequence(F.lit(0), F.col("count") - 1)).alias("row"))
        places = rows.select("interface", "row", (F.col("begin") + F.col("row") + 1).alias("sid")).repartition(_tasks(spark), "sid")
        return places.mapInArrow(partial(workload_texts, seed=self.seed, parameters=self.parameters), "sid long, text string")

    def messages(self, spark: SparkSession) -> DataFrame:
        """Row and line."""
        rows = spark.range(0, self.events, 1, _tasks(spark)).withColumnRenamed("id", "row")
        return rows.mapInArrow(partial(workload_messages, seed=self.seed, parameters=self.parameters), "row long, line binary")


def _tasks(spark: SparkSession) -> int:
    return _TASKS_A_CORE * int(spark.sparkContext.defaultParallelism)


def _files(spark: SparkSession, subscriptions: Path, messages: Sequence[Path]) -> tuple[DataFrame, DataFrame]:
    """SID and text of a file of subscriptions, row and line of files of messages."""
    wanted = read_subscriptions(subscriptions, Semantics.EXACT)
    if other := next((one for one in wanted if one.language != LANGUAGE), None):
        raise JobError(f"every subscription must be in the language filter, and {other.sid} is in {other.language}", hint="leave it out")
    check_files(messages)
    texts = pa.table({"sid": [one.sid for one in wanted], "text": [one.text for one in wanted]}, _schema(sid=pa.int64(), text=pa.string()))
    lines = [line for batch in message_batches(messages) for line in batch.contents]
    rows = pa.table({"row": range(len(lines)), "line": lines}, _schema(row=pa.int64(), line=pa.binary()))
    return spark.createDataFrame(texts).repartition(_tasks(spark)), spark.createDataFrame(rows).repartition(_tasks(spark))


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema(list(columns.items()))


def deploy(spark: SparkSession, texts: DataFrame, limits: Limits) -> tuple[PcmTable, dict[int, AnyRefusal]]:
    """The table of SIDs and texts, which tasks take apart and the driver joins."""
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(_TEXTS_A_BATCH))
    try:
        return joined(texts.mapInArrow(partial(compile_pieces, limits=limits), spark_schema(PIECES)).collect())
    finally:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", before or "")


def match(
    spark: SparkSession, texts: DataFrame, messages: DataFrame, output: str, *, preset: str = "default", quiet: bool = False
) -> dict[str, Any]:
    """Matches all messages and writes ``matches`` and ``summary.json`` under ``output``; the summary is returned.

    ``seconds`` are wall clock. ``milliseconds_a_message`` is the processor time of the tasks a message, from the line of JSON to the SIDs.
    """
    target, limits = Store(spark, output), Limits.of(PRESETS[preset])
    target.check_writable()
    with Progress(spark, quiet=quiet) as progress:
        progress.say("taking filters apart")
        begun = time.monotonic()
        table, refused = deploy(spark, texts, limits)
        deployed = time.monotonic() - begun
        progress.say(f"matching messages with {table.constraints} constraints of {table.filters} filters")
        sent = spark.sparkContext.broadcast(table)
        begun = time.monotonic()
        found = messages.mapInArrow(partial(match_batches, table=sent, limits=limits), spark_schema(MATCHES))
        found.write.mode("overwrite").parquet(f"{target.root}/matches")
        seconds = time.monotonic() - begun
        sent.unpersist()
        progress.say("counting")
        summary = _summary(target.read_table("matches", MATCHES), table, refused)
    summary |= {"cores": int(spark.sparkContext.defaultParallelism), "deployment_seconds": round(deployed, 3), "seconds": round(seconds, 3)}
    target.write_text("summary.json", json.dumps(summary, indent=2, sort_keys=True) + "\n")
    return summary


def _summary(matches: DataFrame, table: PcmTable, refused: dict[int, AnyRefusal]) -> dict[str, Any]:
    counted = matches.agg(
        F.count("*").alias("messages"),
        F.sum(F.size("matches")).alias("matches"),
        F.sum((F.col("code") != int(Code.OK)).cast("long")).alias("refused"),
        F.sum("seconds").alias("seconds"),
        F.bit_xor(F.xxhash64("row", "code", "offset", "matches")).alias("digest"),
    ).first()
    assert counted is not None
    return {
        "filters": table.filters,
        "constraints": table.constraints,
        "partitions": table.partitions,
        "table_bytes": table.nbytes,
        "refused": {str(sid): code.text for sid, code in refused.items()},
        "messages": counted["messages"],
        "messages_refused": counted["refused"] or 0,
        "matches": counted["matches"] or 0,
        "milliseconds_a_message": round(1000 * (counted["seconds"] or 0.0) / max(counted["messages"], 1), 6),
        "digest": f"{(counted['digest'] or 0) & (1 << 64) - 1:016x}",
    }


def _parser() -> argparse.ArgumentParser:
    parser = arguments(__doc__ or "")
    parser.add_argument("--subscriptions", type=Path, help="a file of filters as `x2cbbr match` reads it")
    parser.add_argument("--messages", type=Path, nargs="+", default=[], help="files of messages, one a line")
    parser.add_argument("--workload", help=f"instead of files: {', '.join(WORKLOADS)}")
    parser.add_argument("--seed", type=int, default=1, help="of the workload (default: 1)")
    parser.add_argument("--events", type=int, default=1000, help="messages of the workload (default: 1000)")
    parser.add_argument("--scale", type=int, default=1, help="times 10 interfaces of 22,500 to 27,500 filters (default: 1)")
    parser.add_argument("--preset", choices=PRESETS, default="default", help="the limits to apply (default: default)")
    parser.add_argument("--output", required=True, help="where the table of matches goes")
    parser.add_argument("--record", action="store_true", help="keep the figures of a workload in docs/results/languages.json")
    return parser


def _sources(spark: SparkSession, options: argparse.Namespace) -> Iterator[DataFrame]:
    if options.workload:
        chosen = Workload.named(options.workload, seed=options.seed, events=options.events, scale=options.scale)
        yield from (chosen.texts(spark), chosen.messages(spark))
    elif options.subscriptions and options.messages:
        yield from _files(spark, options.subscriptions, options.messages)
    else:
        raise JobError("there must be something to match", hint="give --subscriptions and --messages, or --workload")


def main(argv: list[str] | None = None) -> int:
    """Exit status 0, or 2 when the job could not be run."""
    options = _parser().parse_args(argv)

    def job() -> int:
        before = running()
        with open_session(options.master, name="x2cbbr match", partitions=options.partitions) as spark:
            texts, messages = _sources(spark, options)
            summary = match(spark, texts, messages, absolute(options.output), preset=options.preset, quiet=options.quiet)
        for key, value in summary.items():
            print(f"{key.replace('_', ' '):24} {value if not isinstance(value, dict) else len(value)}")
        if options.record and options.workload:
            name = f"{options.workload}, {summary['constraints']} constraints"
            record("matching", name, {"seed": options.seed, **{key: summary[key] for key in _RECORDED}}, of=before)
        return 0

    return run(job)


if __name__ == "__main__":
    sys.exit(main())
