"""What a finished regression has to show, brought together from its tables: small whatever the number of documents."""

import json
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from hdl.contract import Verdict
from spark_vectors.jobs.vectors import timings
from spark_vectors.parameters import VectorParameters
from spark_vectors.running import RESULTS
from spark_vectors.schema import DIFFERENCES
from spark_vectors.store import Store

__all__ = ["SHOWN", "Outcome", "outcome"]

SHOWN = 200
"""Differences that are brought along; the others stay in their table."""

_STEPS_AN_OCTAVE = 2


@dataclass(frozen=True)
class Outcome:
    """A regression: its summary, the coverage of its vectors, documents by kind, differences, codes, refusals, and clocks by size.

    ``clocks`` has, for each step of sizes, the mean size, documents and the 10th, 50th and 90th percentile of bytes a clock of well-formed
    documents past the generated sets; it is empty where the engine has no clock.
    """

    parameters: VectorParameters
    summary: dict[str, Any]
    coverage: dict[str, Any]
    golden_seconds: float
    kinds: list[dict[str, Any]]
    codes: dict[int, int]
    refusals: dict[int, int]
    differences: list[dict[str, Any]]
    clocks: list[dict[str, float]]

    @property
    def passed(self) -> bool:
        return not self.summary["differences"] and not self.coverage["empty"]


def outcome(spark: SparkSession, vectors: str, output: str, coverage: dict[str, Any]) -> Outcome:
    """The outcome of the regression under ``output`` over the vectors."""
    store, target = Store(spark, vectors), Store(spark, output)
    parameters = VectorParameters.from_dict(store.manifest()["parameters"])
    results = target.read_table("results", RESULTS).cache()
    golden = store.read_table("golden").select("row", "verdict")
    wrong = target.read_table("differences", DIFFERENCES)
    counts = wrong.groupBy("row").agg(F.count("*").alias("differences"))
    joined = results.join(golden, "row").join(counts, "row", "left")
    kinds = (
        joined.groupBy("kind")
        .agg(
            F.count("*").alias("documents"),
            F.sum("bytes").alias("bytes"),
            *(F.sum((F.col("verdict") == int(verdict)).cast("long")).alias(verdict.text) for verdict in Verdict),
            F.sum(F.size("matches")).alias("matches"),
            F.sum(F.coalesce("differences", F.lit(0))).alias("differences"),
        )
        .orderBy("kind")
        .collect()
    )
    good = results.where((F.col("code") == 0) & (F.col("cycles") > 0)).withColumn("rate", F.col("bytes") / F.col("cycles"))
    clocks = (
        good.where(F.col("set") < parameters.sets)
        .groupBy(F.floor(F.log2("bytes") * _STEPS_AN_OCTAVE).alias("step"))
        .agg(
            F.avg("bytes").alias("bytes"),
            F.count("*").alias("documents"),
            F.percentile_approx("rate", F.array(*map(F.lit, (0.1, 0.5, 0.9)))).alias("rates"),
        )
        .orderBy("step")
        .collect()
    )
    refusals = store.read_table("subscriptions").where(F.col("refusal") != 0).groupBy("refusal").count().collect()
    differences = (
        wrong.orderBy("row", "kind", "sid").limit(SHOWN).select(*(F.col(name) for name in DIFFERENCES.names if name != "document"))
    )
    found = Outcome(
        parameters,
        json.loads(target.read_text("summary.json")),
        coverage,
        timings(store)[0],
        [row.asDict() for row in kinds],
        {row["code"]: row["count"] for row in results.groupBy("code").count().collect()},
        {row["refusal"]: row["count"] for row in refusals},
        [row.asDict() for row in differences.collect()],
        [
            {
                "bytes": row["bytes"],
                "documents": row["documents"],
                **dict(zip(("low", "middle", "high"), row["rates"], strict=True)),
            }
            for row in clocks
        ],
    )
    results.unpersist()
    return found
