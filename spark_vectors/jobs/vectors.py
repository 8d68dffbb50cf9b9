"""Makes a set of vectors: documents, subscriptions, streams, their golden results, and binary files for simulators."""

import argparse
import contextlib
import json
import sys
import time
from dataclasses import asdict
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.group_ops import PandasCogroupedOps

from hdl.config import PRESETS
from hdl.contract import Code, Refusal, Semantics
from sim.vectors.queries import PathParameters
from spark_vectors import workers
from spark_vectors.binary import DocumentRecord, GoldenRecord, SubscriptionRecord, pack_documents, pack_golden, pack_subscriptions
from spark_vectors.errors import JobError
from spark_vectors.jobs.command import DIFFERENT, arguments, run
from spark_vectors.parameters import CHUNK, VectorParameters
from spark_vectors.schema import DOCUMENTS, GOLDEN, SCENARIOS, SUBSCRIPTIONS, row_hash
from spark_vectors.session import Progress, even_tasks, open_session, processor_seconds
from spark_vectors.store import Store, put_file, spark_schema

__all__ = ["add_parameters", "arguments_of", "ensure", "main", "make", "pairs_of", "parameters_from", "partitions_for", "timings"]

_TIMINGS = "timings.json"
"""How long the golden results took: beside the manifest, which must not depend on it."""

_CHUNKS_A_TASK = 16
"""Of golden results: a task costs as much as a hundred small documents, and there must be enough of them to be spread over a cluster."""

_FILES = pa.schema([("name", pa.string()), ("bytes", pa.int64()), ("hash", pa.int64())])


def partitions_for(spark: SparkSession, documents: int, *, chunks: int = 8) -> int:
    """Tasks enough to keep all cores busy, each of about so many ``chunks`` of documents: a task costs as much as a hundred small ones."""
    cores = int(spark.sparkContext.defaultParallelism)
    return max(cores * 2, min(512, documents // (chunks * CHUNK)))


def pairs_of(documents: DataFrame, subscriptions: DataFrame, parameters: VectorParameters, *, chunks: int = 1) -> PandasCogroupedOps:
    """The plan documents x subscription sets: each chunk of documents, or so many ``chunks`` in a row, meets its set."""
    if chunks > 1:
        documents = documents.withColumn("chunk", F.expr(f"chunk div {chunks}").cast("int"))
    last = F.when(F.col("set") < parameters.sets, parameters.place(parameters.documents - 1)[1] // chunks).otherwise(0)
    sets = subscriptions.select("set", "sid", "text", "semantics", F.explode(F.sequence(F.lit(0), last)).alias("chunk"))
    return documents.groupBy("set", "chunk").cogroup(sets.groupBy("set", "chunk"))


def _write_chunk(table: pa.Table, root: str) -> pa.Table:
    rows = sorted(table.to_pylist(), key=lambda row: row["row"])
    number, chunk = rows[0]["set"], rows[0]["chunk"]
    base = f"binary/set-{number:04d}/chunk-{chunk:05d}"
    results = (
        GoldenRecord(row["row"], Code(row["code"]), row["golden_offset"], row["words"], row["digest"], tuple(row["matches"]))
        for row in rows
    )
    files = {
        f"{base}.documents": pack_documents(number, (DocumentRecord(row["row"], row["data"]) for row in rows)),
        f"{base}.golden": pack_golden(number, results),
    }
    return _written(root, files)


def _write_set(table: pa.Table, root: str) -> pa.Table:
    rows = sorted(table.to_pylist(), key=lambda row: row["sid"])
    number = rows[0]["set"]
    entries = (SubscriptionRecord(row["sid"], row["text"], Semantics(row["semantics"]), Refusal(row["refusal"])) for row in rows)
    return _written(root, {f"binary/set-{number:04d}/set.subscriptions": pack_subscriptions(number, entries)})


def _written(root: str, files: dict[str, bytes]) -> pa.Table:
    for name, data in files.items():
        put_file(root, name, data)
    columns = [list(files), [len(data) for data in files.values()], [row_hash(name, data) for name, data in files.items()]]
    return pa.Table.from_arrays([pa.array(column, kind) for column, kind in zip(columns, _FILES.types, strict=True)], schema=_FILES)


def _binary(store: Store) -> dict[str, Any]:
    root = store.root
    results = store.read_table("golden").select("row", "code", F.col("offset").alias("golden_offset"), "words", "digest", "matches")
    chunks = store.read_table("documents").select("row", "set", "chunk", "data").join(results, "row").groupBy("set", "chunk")
    written = chunks.applyInArrow(lambda table: _write_chunk(table, root), spark_schema(_FILES))
    sets = store.read_table("subscriptions").groupBy("set").applyInArrow(lambda table: _write_set(table, root), spark_schema(_FILES))
    total = (
        written.unionByName(sets)
        .agg(F.count("*").alias("files"), F.sum("bytes").alias("bytes"), F.sum(F.col("hash").cast("decimal(38,0)")).alias("sum"))
        .first()
    )
    assert total is not None
    return {"files": total["files"], "bytes": total["bytes"], "hash": f"{int(total['sum']) & (1 << 64) - 1:016x}"}


def make(
    spark: SparkSession, parameters: VectorParameters, output: str, *, partitions: int | None = None, quiet: bool = False
) -> tuple[dict[str, Any], int]:
    """Makes the set of vectors under ``output``; returns its manifest and the number of disagreements between judges.

    Where judges disagree, the minimised cases are in the table ``disagreements`` and the manifest counts them.
    """
    store = Store(spark, output)
    store.check_writable()
    store.remove("manifest.json")
    store.remove("binary")
    store.remove("disagreements")
    tasks = partitions or partitions_for(spark, parameters.documents)
    spark.conf.set("spark.sql.shuffle.partitions", str(tasks))
    with Progress(spark, quiet=quiet) as progress:
        progress.say(f"generating {parameters.rows} documents")
        rows = spark.range(0, parameters.rows, 1, tasks)
        made = rows.mapInArrow(lambda batches: workers.documents(batches, parameters), spark_schema(DOCUMENTS))
        store.write_table("documents", made, rows=parameters.rows)
        numbers = parameters.set_numbers
        progress.say(f"generating {len(numbers)} sets of up to {parameters.subscriptions} subscriptions")
        sets = spark.range(0, len(numbers), 1, min(tasks, len(numbers)))
        listed = sets.mapInArrow(lambda batches: workers.subscriptions(batches, parameters), spark_schema(SUBSCRIPTIONS))
        store.write_table("subscriptions", listed)
        progress.say(f"evaluating about {parameters.rows * parameters.subscriptions} pairs by libxml2 and the model")
        documents = store.read_table("documents").select("row", "set", "chunk", "data", "aim", "offset", "kind")
        config = parameters.config
        results = pairs_of(documents, store.read_table("subscriptions"), parameters).applyInArrow(
            lambda left, right: workers.golden(left, right, config), spark_schema(GOLDEN)
        )
        start, used = time.monotonic(), processor_seconds()
        evenly = even_tasks(spark, parameters.documents // (_CHUNKS_A_TASK * CHUNK))
        with evenly if partitions is None else contextlib.nullcontext():
            store.write_table("golden", results, rows=parameters.rows)
        taken = {"golden_seconds": time.monotonic() - start, "golden_processor_seconds": processor_seconds() - used}
        store.write_text(_TIMINGS, json.dumps({name: round(value, 3) for name, value in taken.items()}) + "\n")
        if parameters.scenarios:
            progress.say(f"evaluating {parameters.scenarios} streams of {parameters.events} events")
            streams = spark.range(0, parameters.scenarios, 1, min(tasks, parameters.scenarios))
            listed = streams.mapInArrow(lambda batches: workers.scenarios(batches, parameters), spark_schema(SCENARIOS))
            store.write_table("scenarios", listed)
        progress.say("writing binary vectors")
        binary = _binary(store)
        progress.say("checking")
        names = ["documents", "subscriptions", "golden", *(["scenarios"] if parameters.scenarios else [])]
        tables = {name: store.summary(name) for name in names}
        apart = _disagreements(store, parameters)
    contents = {"tables": tables, "binary": binary, "disagreements": apart}
    return store.write_manifest(parameters, contents), apart


def timings(store: Store) -> tuple[float, float]:
    """Seconds that the golden results of a set took, and processor seconds of the driver's machine."""
    taken = json.loads(store.read_text(_TIMINGS))
    return float(taken["golden_seconds"]), float(taken["golden_processor_seconds"])


def ensure(spark: SparkSession, parameters: VectorParameters, output: str, *, partitions: int | None = None, quiet: bool = False) -> None:
    """Makes the set of vectors unless it is there; raises :class:`JobError` where the judges disagree."""
    try:
        manifest = Store(spark, output).manifest()
        if VectorParameters.from_dict(manifest["parameters"]) == parameters and manifest["disagreements"] == 0:
            return
    except JobError:
        pass
    _, apart = make(spark, parameters, output, partitions=partitions, quiet=quiet)
    if apart:
        raise JobError(f"the judges of the golden results disagree on {apart} rows", hint=f"see {output}/disagreements")


def _disagreements(store: Store, parameters: VectorParameters) -> int:
    """Writes what the judges disagree on, if anything, and counts it."""
    found = (
        store.read_table("golden")
        .where(F.col("disagreement").isNotNull())
        .select("row", "set", "disagreement", "minimal_document", "minimal_subscription", "kind")
    )
    refused = (
        store.read_table("subscriptions")
        .where(F.col("aim") != F.col("refusal"))
        .select(
            F.col("sid").cast("long").alias("row"),
            "set",
            F.format_string("made for refusal %d, but the model answers %d", "aim", "refusal").alias("disagreement"),
            F.lit(b"").alias("minimal_document"),
            F.col("text").alias("minimal_subscription"),
            "kind",
        )
    )
    everything = found.unionByName(refused)
    if parameters.scenarios:
        streams = (
            store.read_table("scenarios")
            .where(F.col("disagreement").isNotNull())
            .select(
                "row",
                F.lit(-1).alias("set"),
                "disagreement",
                F.col("frame").alias("minimal_document"),
                F.lit("").alias("minimal_subscription"),
                "kind",
            )
        )
        everything = everything.unionByName(streams)
    count = int(everything.count())
    if count:
        everything.coalesce(1).write.mode("overwrite").parquet(f"{store.root}/disagreements")
        for row in everything.limit(5).collect():
            print(f"  row {row['row']} of set {row['set']}: {row['disagreement']}; {row['minimal_subscription']!r} on", file=sys.stderr)
            print(f"    {bytes(row['minimal_document'])[:300]!r}", file=sys.stderr)
    return count


_SIZES = ("seed", "documents", "sets", "scenarios", "events", "largest")


def add_parameters(parser: argparse.ArgumentParser) -> None:
    """The arguments that become :class:`VectorParameters`."""
    defaults = VectorParameters()
    for name in _SIZES:
        parser.add_argument(f"--{name}", type=int, default=getattr(defaults, name), help="(default: %(default)s)")
    parser.add_argument("--subscriptions", type=int, help="in a set (default: as many as the broker holds)")
    parser.add_argument("--config", choices=tuple(PRESETS), default=defaults.config, help="the broker's limits (default: %(default)s)")
    paths = parser.add_argument_group("paths", "parameters of the path generator; shares and probabilities are 0 to 1")
    for name, value in asdict(defaults.paths).items():
        if isinstance(value, bool):
            paths.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=value)
        else:
            paths.add_argument(f"--{name}", type=type(value), default=value, help="(default: %(default)s)")


def parameters_from(options: argparse.Namespace) -> VectorParameters:
    """The parameters that the arguments stand for."""
    subscriptions = PRESETS[options.config].subscriptions if options.subscriptions is None else options.subscriptions
    paths = PathParameters(**{name: getattr(options, name) for name in asdict(PathParameters())})
    sizes = {name: getattr(options, name) for name in _SIZES}
    return VectorParameters(**sizes, subscriptions=subscriptions, config=options.config, paths=paths)


def arguments_of(parameters: VectorParameters) -> list[str]:
    """The arguments that stand for the parameters, as far as they are not the defaults."""
    chosen = {name: getattr(parameters, name) for name in (*_SIZES, "subscriptions", "config")}
    found = [f"--{name}={value}" for name, value in chosen.items()]
    defaults = asdict(PathParameters())
    for name, value in asdict(parameters.paths).items():
        if value != defaults[name]:
            found.append(f"--{'' if value else 'no-'}{name}" if isinstance(value, bool) else f"--{name}={value}")
    return found


def main(argv: list[str] | None = None) -> int:
    """``python -m spark_vectors.jobs.vectors --output DIR``; exit status 0 made, 1 judges disagree, 2 not run."""
    parser = arguments(__doc__)
    parser.add_argument("--output", required=True, help="any Hadoop path")
    add_parameters(parser)
    options = parser.parse_args(argv)

    def job() -> int:
        parameters = parameters_from(options)
        with open_session(options.master, name="x2cbbr vectors", partitions=options.partitions) as spark:
            manifest, apart = make(spark, parameters, options.output, partitions=options.partitions, quiet=options.quiet)
        for name, table in manifest["tables"].items():
            print(f"{name:14} {table['rows']:>9} rows  {table['hash']}")
        print(f"{'binary':14} {manifest['binary']['files']:>9} files {manifest['binary']['hash']}")
        if apart:
            print(f"error: the judges disagree on {apart} rows, see {options.output}/disagreements", file=sys.stderr)
            return DIFFERENT
        return 0

    return run(job)


if __name__ == "__main__":
    sys.exit(main())
