"""Streams of subscriptions, cancellations and publications through an engine, held against their golden results event by event."""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from hdl.config import PRESETS
from hdl.contract import Header, Refusal
from sim.interface import EngineError, Filtered
from sim.vectors.scenarios import Action
from sim.verilated.broker import Frame, Item, Publication
from spark_vectors.engines import Shipped, engine_at_hand

__all__ = ["STREAMED", "Streaming", "answers", "differences", "run_stream", "taken"]

STREAMED = pa.schema(
    [
        ("row", pa.int64()),
        ("step", pa.int32()),
        ("refusal", pa.int32()),
        ("code", pa.int32()),
        ("offset", pa.int64()),
        ("matches", pa.list_(pa.int32())),
        ("error", pa.string()),
        ("kind", pa.string()),
    ]
)
"""One row an event that the engine took, as in the golden table; ``error`` alone where it broke down."""

_COMPARED = ("refusal", "code", "offset", "matches")
_TAKEN = tuple(action.name.lower() for action in (Action.SUBSCRIBE, Action.UNSUBSCRIBE, Action.PUBLISH))


@runtime_checkable
class Streaming(Protocol):
    """An engine that takes events one after the other."""

    def stream(self, items: Sequence[Item], *, waves: Path | None = None) -> list[Refusal | Filtered]: ...


def taken(kind: str) -> bool:
    """Whether a broker that stands alone takes such an event; messages between brokers are for routing."""
    return kind in _TAKEN


def answers(under_test: Streaming, rows: Sequence[dict[str, Any]], *, waves: Path | None = None) -> list[dict[str, Any]]:
    """What the engine answers to the events of one stream, in the columns of :data:`STREAMED`."""
    items: list[Item] = [
        Publication(row["frame"][Header.BYTES :]) if row["kind"] == Action.PUBLISH.name.lower() else Frame(row["frame"]) for row in rows
    ]
    found = []
    for row, answer in zip(rows, under_test.stream(items, waves=waves), strict=True):
        told: dict[str, Any] = {"row": row["row"], "step": row["step"], "kind": row["kind"], "matches": []}
        if isinstance(answer, Filtered):
            told.update(code=int(answer.result.code), offset=answer.result.offset, matches=list(answer.matches))
        else:
            told["refusal"] = int(answer)
        found.append(told)
    return found


def run_stream(table: pa.Table, *, name: str, config: str, shipped: Shipped) -> pa.Table:
    """The engine's answers to one stream."""
    rows = sorted((row for row in table.to_pylist() if taken(row["kind"])), key=lambda row: int(row["step"]))
    under_test = engine_at_hand(name, PRESETS[config], shipped)
    assert isinstance(under_test, Streaming)
    try:
        found = answers(under_test, rows)
    except EngineError as error:
        found = [{"row": row["row"], "step": row["step"], "kind": row["kind"], "error": f"{error} ({error.hint})"} for row in rows]
    return pa.Table.from_pylist(found, schema=STREAMED)


def _told(prefix: str) -> Column:
    parts = (F.concat(F.lit(f"{name} "), F.coalesce(F.col(prefix + name).cast("string"), F.lit("-"))) for name in _COMPARED)
    return F.concat_ws(", ", *parts)


def differences(golden: DataFrame, streamed: DataFrame, *, seed: int, replay: str) -> DataFrame:
    """One row of kind ``stream`` for each event that was answered otherwise; its frame stands as the document."""
    wanted = golden.where(F.col("kind").isin(*_TAKEN)).select(
        "row", "step", "sid", "frame", *(F.col(name).alias(f"golden_{name}") for name in _COMPARED)
    )
    both = wanted.join(streamed.drop("kind"), ["row", "step"], "left")
    same = reduce(lambda left, right: left & right, (F.col(name).eqNullSafe(F.col(f"golden_{name}")) for name in _COMPARED))
    return both.where(~same | F.col("error").isNotNull()).select(
        "row",
        F.lit(-1).alias("set"),
        F.lit(seed).cast("long").alias("seed"),
        "sid",
        F.lit(None).cast("string").alias("subscription"),
        F.col("frame").alias("document"),
        F.concat(F.lit("step "), F.col("step").cast("string"), F.lit(": "), _told("golden_")).alias("expected"),
        F.coalesce("error", _told("")).alias("got"),
        F.concat(F.lit(f"{replay} --scenario "), F.col("row").cast("string")).alias("replay"),
        F.lit("stream").alias("kind"),
    )
