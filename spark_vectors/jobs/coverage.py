"""Counts what a set of vectors exercises: grammar features x verdicts x sizes x hit or miss, and codes x sizes."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from hdl.contract import Code, Semantics, Verdict
from sim.vectors.documents import SIZE_CLASSES, SizeClass, code_planned
from sim.vectors.expressions import FEATURES
from spark_vectors.jobs.command import DIFFERENT, arguments, run
from spark_vectors.parameters import VectorParameters
from spark_vectors.session import Progress, open_session
from spark_vectors.store import Store

__all__ = ["ALL_FEATURES", "Cell", "count", "coverage", "empty", "main", "promised"]

ALL_FEATURES = (*FEATURES, *(semantics.name.lower() for semantics in Semantics))
_CODES_WITHIN = 400
"""Rows in which every code has its turn."""
_FEATURES_FROM = 500
_SIZES_FROM = 4000
_HUGE_FROM = 16_000
_SUBSCRIPTIONS_FROM = 192


@dataclass(frozen=True)
class Cell:
    """A cell of the cross, or a line through it where a coordinate is None; ``what`` is a feature or ``code NAME``."""

    what: str
    verdict: str | None = None
    size: str | None = None
    hit: bool | None = None

    def __str__(self) -> str:
        parts = [self.what, self.verdict, self.size, None if self.hit is None else "hit" if self.hit else "miss"]
        return " x ".join(part for part in parts if part is not None)


def promised(parameters: VectorParameters) -> Iterator[Cell]:
    """The cells that a set made from these parameters must not leave empty; more documents promise more.

    A code is promised when one of the rows is planned to end in it.
    """
    planned = {code_planned(row) for row in range(min(parameters.documents, _CODES_WITHIN))}
    yield from (Cell(f"code {code.text}") for code in Code if code in planned)
    if parameters.subscriptions < _SUBSCRIPTIONS_FROM or parameters.documents < _FEATURES_FROM:
        return
    for feature in ALL_FEATURES:
        yield from (Cell(feature, Verdict.WELL_FORMED.text, None, hit) for hit in (True, False))
        yield from (Cell(feature, verdict.text) for verdict in Verdict)
        if parameters.documents >= _SIZES_FROM:
            sizes = [size for size in (SizeClass.SMALL, SizeClass.MEDIUM, SizeClass.LARGE) if size.low <= parameters.largest]
            if parameters.documents >= _HUGE_FROM and parameters.largest > 2 * SizeClass.HUGE.low:
                sizes.append(SizeClass.HUGE)
            yield from (Cell(feature, Verdict.WELL_FORMED.text, size.name.lower(), hit) for size in sizes for hit in (True, False))


def _size(column: str) -> Column:
    chosen = F.lit(SIZE_CLASSES[-1].name.lower())
    for member in reversed(SIZE_CLASSES[:-1]):
        chosen = F.when(F.col(column) <= member.high, member.name.lower()).otherwise(chosen)
    return chosen


def _named(column: str, members: "type[Code] | type[Verdict]") -> Column:
    pairs = [part for member in members for part in (F.lit(int(member)), F.lit(member.text))]
    return F.create_map(*pairs)[F.col(column)]


def coverage(spark: SparkSession, vectors: str) -> DataFrame:
    """The counted cells: what, verdict, size, hit, pairs; for codes ``hit`` is null and ``pairs`` counts documents."""
    store = Store(spark, vectors)
    golden = store.read_table("golden").select(
        "set", "matches", _size("bytes").alias("size"), _named("verdict", Verdict).alias("verdict"), _named("code", Code).alias("code")
    )
    features = store.read_table("subscriptions").where(F.col("refusal") == 0).select("set", "sid", F.explode("features").alias("what"))
    documents = golden.groupBy("set", "verdict", "size").agg(F.count("*").alias("documents"))
    users = features.groupBy("set", "what").agg(F.count("*").alias("users"))
    pairs = documents.join(users, "set").groupBy("what", "verdict", "size").agg(F.sum(F.col("documents") * F.col("users")).alias("all"))
    matched = golden.select("set", "verdict", "size", F.explode("matches").alias("sid")).join(features, ["set", "sid"])
    hits = matched.groupBy("what", "verdict", "size").agg(F.count("*").alias("hits"))
    both = pairs.join(hits, ["what", "verdict", "size"], "left").withColumn("hits", F.coalesce("hits", F.lit(0)))
    cells = both.select(
        "what",
        "verdict",
        "size",
        F.explode(F.create_map(F.lit(True), F.col("hits"), F.lit(False), F.col("all") - F.col("hits"))).alias("hit", "pairs"),
    )
    codes = golden.groupBy(F.concat(F.lit("code "), "code").alias("what"), "verdict", "size").agg(F.count("*").alias("pairs"))
    return cells.unionByName(codes.withColumn("hit", F.lit(None).cast("boolean")).select(cells.columns)).where(F.col("pairs") > 0)


def empty(cells: list[dict[str, Any]], wanted: Iterator[Cell]) -> list[Cell]:
    """The promised cells in which nothing was counted."""
    found: set[Cell] = set()
    for cell in cells:
        for verdict in (None, cell["verdict"]):
            for size in (None, cell["size"]):
                for hit in (None, cell["hit"]):
                    found.add(Cell(cell["what"], verdict, size, hit))
    return [cell for cell in wanted if cell not in found]


def count(spark: SparkSession, vectors: str, *, partitions: int | None = None, quiet: bool = False) -> dict[str, Any]:
    """Counts the cells, writes them to ``coverage.json`` beside the vectors and returns them with the promised ones that are empty."""
    store = Store(spark, vectors)
    parameters = VectorParameters.from_dict(store.manifest()["parameters"])
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions or 4))
    with Progress(spark, quiet=quiet) as progress:
        progress.say("counting the cells of the cross")
        cells = [row.asDict() for row in coverage(spark, vectors).orderBy("what", "verdict", "size", "hit").collect()]
    missing = empty(cells, promised(parameters))
    report = {"cells": cells, "promised": len(list(promised(parameters))), "empty": [str(cell) for cell in missing]}
    store.write_text("coverage.json", json.dumps(report, indent=1) + "\n")
    return report


def main(argv: list[str] | None = None) -> int:
    """``python -m spark_vectors.jobs.coverage --vectors DIR``; exit status 0 full, 1 a promised cell is empty, 2 not run."""
    parser = arguments(__doc__)
    parser.add_argument("--vectors", required=True, help="a set of vectors; coverage.json is written there")
    options = parser.parse_args(argv)

    def job() -> int:
        with open_session(options.master, name="x2cbbr coverage", partitions=options.partitions) as spark:
            report = count(spark, options.vectors, partitions=options.partitions, quiet=options.quiet)
        print(f"{len(report['cells'])} cells counted, {report['promised']} promised, {len(report['empty'])} of them empty")
        for cell in report["empty"]:
            print(f"empty: {cell}", file=sys.stderr)
        return DIFFERENT if report["empty"] else 0

    return run(job)


if __name__ == "__main__":
    sys.exit(main())
