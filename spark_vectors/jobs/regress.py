"""Runs an engine over a set of vectors and says where it differs from the golden results."""

import json
import sys
import time
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_vectors import streams
from spark_vectors.engines import BackToBack, Traceable, engine, ship
from spark_vectors.jobs.command import DIFFERENT, arguments, run
from spark_vectors.jobs.vectors import add_parameters, arguments_of, ensure, pairs_of, parameters_from, partitions_for
from spark_vectors.parameters import CHUNK, VectorParameters
from spark_vectors.running import RESULTS, run_chunks
from spark_vectors.schema import DIFFERENCES
from spark_vectors.session import Progress, open_session
from spark_vectors.store import Store, absolute, spark_schema

__all__ = ["differences", "main", "regress"]


_MOST_CHUNKS = 16
"""Chunks of documents in one run of an engine at the most: each run registers the subscriptions anew."""


def _chunks(spark: SparkSession, parameters: VectorParameters) -> int:
    """Chunks in one run, so that there are a few runs for each core."""
    return max(1, min(_MOST_CHUNKS, parameters.documents // CHUNK // (2 * int(spark.sparkContext.defaultParallelism))))


def _replay_command(parameters: VectorParameters, name: str) -> str:
    waves = " --waves" if isinstance(engine(name, parameters.limits), Traceable) else ""
    return f".venv/bin/python -m spark_vectors.jobs.replay {' '.join(arguments_of(parameters))} --engine {name}{waves}"


def _replay(parameters: VectorParameters, name: str) -> Column:
    start = f"{_replay_command(parameters, name)} --row "
    sid = F.when(F.col("sid").isNull(), "").otherwise(F.concat(F.lit(" --sid "), F.col("sid").cast("string")))
    return F.concat(F.lit(start), F.col("row").cast("string"), sid)


def _text(*columns: str) -> Column:
    return F.concat_ws(" at ", *(F.coalesce(F.col(column).cast("string"), F.lit("-")) for column in columns))


def differences(store: Store, results: DataFrame, parameters: VectorParameters, name: str) -> DataFrame:
    """One row for each difference between the engine's results and the golden ones.

    Kinds: ``engine`` (no result), ``verdict`` (code or offset), ``words``, ``missed`` and ``false`` (a match too few or too many), and
    ``refusal`` (a subscription refused otherwise).
    """
    golden = store.read_table("golden").select(
        "row",
        *(F.col(column).alias(f"golden_{column}") for column in ("code", "offset", "words", "digest", "matches")),
    )
    both = results.join(golden, "row", "right")
    at_hand = F.col("code").isNotNull()
    no_sid = F.lit(None).cast("int").alias("sid")

    def rows(kind: str, where: Column, expected: Column, got: Column, sid: Column = no_sid) -> DataFrame:
        chosen = both.where(where).select("row", "set", sid, expected.alias("expected"), got.alias("got"), F.lit(kind).alias("kind"))
        return chosen.where(F.col("sid").isNotNull()) if sid is not no_sid else chosen

    wrong = ~F.col("code").eqNullSafe(F.col("golden_code")) | ~F.col("offset").eqNullSafe(F.col("golden_offset"))
    missing = F.explode_outer(F.array_except("golden_matches", "matches")).alias("sid")
    false = F.explode_outer(F.array_except("matches", "golden_matches")).alias("sid")
    parts = [
        rows("engine", ~at_hand, F.lit("a result"), F.coalesce(F.col("error"), F.lit("none"))),
        rows("verdict", at_hand & wrong, _text("golden_code", "golden_offset"), _text("code", "offset")),
        rows(
            "words",
            F.col("digest").isNotNull() & (F.col("golden_code") == 0) & (F.col("digest") != F.col("golden_digest")),
            _text("golden_words"),
            _text("words"),
        ),
        rows("missed", at_hand, F.lit("match"), F.lit("no match"), missing),
        rows("false", at_hand, F.lit("no match"), F.lit("match"), false),
        _refusals(store, results),
    ]
    found = parts[0]
    for part in parts[1:]:
        found = found.unionByName(part)
    documents = store.read_table("documents").select("row", F.col("data").alias("document"))
    texts = store.read_table("subscriptions").select("set", "sid", F.col("text").alias("subscription"))
    return (
        found.join(documents, "row", "left")
        .join(texts, ["set", "sid"], "left")
        .withColumn("seed", F.lit(parameters.seed).cast("long"))
        .withColumn("replay", _replay(parameters, name))
        .select("row", "set", "seed", "sid", "subscription", "document", "expected", "got", "replay", "kind")
    )


def _refusals(store: Store, results: DataFrame) -> DataFrame:
    """Subscriptions refused otherwise than the model does, once a set, with the first document of the set."""
    first = results.groupBy("set").agg(F.min("row").alias("row"))
    got = results.where(F.col("refused").isNotNull()).select("set", F.explode_outer("refused").alias("entry")).distinct()
    ours = store.read_table("subscriptions").where(F.col("refusal") != 0)
    wanted = ours.select("set", F.concat_ws(":", F.col("sid").cast("string"), F.col("refusal").cast("string")).alias("entry"))
    wanted = wanted.join(got.select("set").distinct(), "set")

    def rows(entries: DataFrame, expected: str, received: str) -> DataFrame:
        return (
            entries.where(F.col("entry").isNotNull())
            .join(first, "set")
            .select(
                "row",
                "set",
                F.split("entry", ":")[0].cast("int").alias("sid"),
                F.concat(F.lit(expected), F.lit(" "), F.split("entry", ":")[1]).alias("expected"),
                F.lit(received).alias("got"),
                F.lit("refusal").alias("kind"),
            )
        )

    missing = wanted.join(got, ["set", "entry"], "left_anti")
    added = got.join(wanted, ["set", "entry"], "left_anti")
    return rows(missing, "refusal", "another answer").unionByName(rows(added, "no refusal", "refused"))


def regress(
    spark: SparkSession, vectors: str, output: str, *, name: str, words: bool = True, partitions: int | None = None, quiet: bool = False
) -> dict[str, Any]:
    """Runs the engine over the stored vectors; results, differences and a summary are written under ``output``, the summary is returned."""
    store, target = Store(spark, vectors), Store(spark, output)
    manifest = store.manifest()
    parameters = VectorParameters.from_dict(manifest["parameters"])
    target.check_writable()
    config = parameters.config
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions or partitions_for(spark, parameters.documents, chunks=2)))
    start = time.monotonic()
    with Progress(spark, quiet=quiet) as progress:
        progress.say(f"seeing to engine {name}")
        shipped = ship(spark, name, parameters.limits, words=words)
        progress.say("checking the vectors against their manifest")
        store.check_tables(manifest, *manifest["tables"])
        progress.say(f"running {parameters.rows} documents x {parameters.subscriptions} subscriptions on {name}")
        documents = store.read_table("documents").select("row", "set", "chunk", "data", "kind")
        pairs = pairs_of(documents, store.read_table("subscriptions"), parameters, chunks=_chunks(spark, parameters))
        running = time.monotonic()
        target.write_table(
            "results",
            pairs.applyInArrow(
                lambda left, right: run_chunks(left, right, name=name, config=config, words=words, shipped=shipped), spark_schema(RESULTS)
            ),
            rows=parameters.rows,
        )
        running = time.monotonic() - running
        streaming = parameters.scenarios > 0 and isinstance(engine(name, parameters.limits), streams.Streaming)
        if streaming:
            progress.say(f"running {parameters.scenarios} streams of {parameters.events} events on {name}")
            groups = store.read_table("scenarios").select("row", "step", "frame", "kind").groupBy("row")
            told = groups.applyInArrow(
                lambda table: streams.run_stream(table, name=name, config=config, shipped=shipped), spark_schema(streams.STREAMED)
            )
            target.write_table("streamed", told)
        progress.say("comparing with the golden results")
        results = target.read_table("results", RESULTS)
        found = differences(store, results, parameters, name)
        if streaming:
            streamed = target.read_table("streamed", streams.STREAMED)
            command = _replay_command(parameters, name)
            apart = streams.differences(store.read_table("scenarios"), streamed, seed=parameters.seed, replay=command)
            found = found.unionByName(apart)
        target.write_table("differences", found)
        summary = _summary(store, target, results, parameters, name, running)
        summary["streams"] = parameters.scenarios if streaming else 0
    summary["seconds"] = round(time.monotonic() - start, 2)
    target.write_text("summary.json", json.dumps(summary, indent=2, sort_keys=True) + "\n")
    return summary


def _pairs(store: Store, results: DataFrame) -> int:
    """Documents x subscriptions of the set that each went past."""
    sets = store.read_table("subscriptions").groupBy("set").agg(F.count("*").alias("entries"))
    total = results.groupBy("set").agg(F.count("*").alias("documents")).join(sets, "set")
    counted = total.agg(F.sum(F.col("documents") * F.col("entries")).alias("pairs")).first()
    return int(counted["pairs"]) if counted is not None else 0


def _summary(store: Store, target: Store, results: DataFrame, parameters: VectorParameters, name: str, running: float) -> dict[str, Any]:
    totals = results.agg(
        F.count("*").alias("documents"), F.sum("bytes").alias("bytes"), F.sum("cycles").alias("cycles"), F.sum("seconds").alias("engine")
    ).first()
    assert totals is not None
    stored = target.read_table("differences", DIFFERENCES)
    kinds = {row["kind"]: row["count"] for row in stored.groupBy("kind").count().collect()}
    pairs = _pairs(store, results)
    return {
        "engine": name,
        "config": parameters.config,
        "seed": parameters.seed,
        "documents": totals["documents"],
        "subscriptions": parameters.subscriptions,
        "sets": parameters.sets,
        "pairs": pairs,
        "bytes": totals["bytes"],
        "back_to_back": isinstance(engine(name, parameters.limits), BackToBack),
        "cycles": totals["cycles"],
        "engine_seconds": round(totals["engine"] or 0.0, 3),
        "running_seconds": round(running, 3),
        "documents_per_second": round(totals["documents"] / running, 1),
        "pairs_per_second": round(pairs / running, 1),
        "megabytes_per_core_second": round(totals["bytes"] / 1e6 / max(totals["engine"] or 0.0, 1e-9), 4),
        "bytes_per_clock": round(totals["bytes"] / totals["cycles"], 4) if totals["cycles"] else None,
        "differences": sum(kinds.values()),
        "kinds": dict(sorted(kinds.items())),
    }


def _show(summary: dict[str, Any], target: Store) -> None:
    for key in ("documents", "pairs", "bytes", "running_seconds", "documents_per_second", "pairs_per_second", "differences"):
        print(f"{key.replace('_', ' '):22} {summary[key]}")
    if summary["differences"]:
        table = target.read_table("differences", DIFFERENCES)
        for row in table.orderBy("row").limit(10).collect():
            what = f" subscription {row['sid']} {row['subscription']!r}" if row["sid"] is not None else ""
            print(
                f"  {row['kind']}: document {row['row']}{what}: expected {row['expected']}, got {row['got']}\n    {row['replay']}",
                file=sys.stderr,
            )


def main(argv: list[str] | None = None) -> int:
    """``python -m spark_vectors.jobs.regress --vectors DIR --output DIR --engine NAME``; exit status 0 equal, 1 different, 2 not run.

    Vectors that are not there, or were made from other parameters, are made first.
    """
    parser = arguments(__doc__)
    parser.add_argument("--vectors", required=True, help="where the vectors are, or are to be made")
    parser.add_argument("--output", help="where results go (default: VECTORS/regress)")
    parser.add_argument(
        "--engine", default="model", help="an engine of `x2cbbr parse --engine`, or package.module:Factory (default: model)"
    )
    parser.add_argument("--no-words", action="store_true", help="do not compare the parsed words")
    add_parameters(parser)
    options = parser.parse_args(argv)

    def job() -> int:
        parameters = parameters_from(options)
        output = options.output or f"{absolute(options.vectors)}/regress"
        with open_session(options.master, name="x2cbbr regress", partitions=options.partitions) as spark:
            ensure(spark, parameters, options.vectors, partitions=options.partitions, quiet=options.quiet)
            summary = regress(
                spark,
                options.vectors,
                output,
                name=options.engine,
                words=not options.no_words,
                partitions=options.partitions,
                quiet=options.quiet,
            )
            _show(summary, Store(spark, output))
        return DIFFERENT if summary["differences"] else 0

    return run(job)


if __name__ == "__main__":
    sys.exit(main())
