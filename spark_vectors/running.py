"""The task of a regression: an engine runs some chunks of documents with their set of subscriptions."""

import resource
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from hdl.config import PRESETS
from hdl.contract import Code, Semantics
from sim.interface import EngineError, Subscription
from sim.vectors.golden import words_digest
from spark_vectors.engines import BackToBack, Shipped, engine_at_hand
from spark_vectors.parameters import CHUNK

__all__ = ["RESULTS", "run_chunks"]

RESULTS = pa.schema(
    [
        ("row", pa.int64()),
        ("set", pa.int32()),
        ("bytes", pa.int64()),
        ("code", pa.int32()),
        ("offset", pa.int64()),
        ("words", pa.int32()),
        ("digest", pa.binary()),
        ("matches", pa.list_(pa.int32())),
        ("refused", pa.list_(pa.string())),
        ("cycles", pa.int64()),
        ("seconds", pa.float64()),
        ("error", pa.string()),
        ("kind", pa.string()),
    ]
)
"""One row a document. ``refused`` ("SID:code") and ``seconds``, the processor time of filtering, stand with the first document of a run
only, ``words`` and ``digest`` where words were asked for, ``error`` alone where the engine broke down."""


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def run_chunks(sources: pa.Table, entries: pa.Table, *, name: str, config: str, words: bool, shipped: Shipped = ()) -> pa.Table:
    """What the engine makes of the documents, back to back where it can; each is judged as if it were alone."""
    documents = sorted(sources.to_pylist(), key=lambda row: row["row"])
    listed = sorted(entries.to_pylist(), key=lambda row: row["sid"])
    subscriptions = [Subscription(row["sid"], row["text"], Semantics(row["semantics"])) for row in listed]
    rows: list[dict[str, Any]] = [
        {"row": row["row"], "set": row["set"], "bytes": len(row["data"]), "kind": row["kind"]} for row in documents
    ]
    data = [row["data"] for row in documents]
    try:
        under_test = engine_at_hand(name, PRESETS[config], shipped)
        start = _processor_seconds()
        if isinstance(under_test, BackToBack):
            filtered = under_test.filter_back_to_back(subscriptions, data, spread=True)
        else:
            filtered = under_test.filter(subscriptions, data)
        seconds = _processor_seconds() - start
        for place in range(0, len(rows) if words else 0, CHUNK):  # a chunk's words at a time: they take much room
            parsed = under_test.parse(data[place : place + CHUNK], words=True)
            for row, parse in zip(rows[place : place + CHUNK], parsed, strict=True):
                if parse.code is Code.OK:
                    found = parse.words or ()
                    row.update(words=len(found), digest=words_digest(found))
    except EngineError as error:
        for row in rows:
            row["error"] = f"{error} ({error.hint})"
        return pa.Table.from_pylist(rows, schema=RESULTS)
    for row, result in zip(rows, filtered.documents, strict=True):
        row.update(code=int(result.result.code), offset=result.result.offset, matches=list(result.matches), cycles=result.result.cycles)
    if rows:
        refused = sorted(f"{entry.subscription.sid}:{int(entry.code)}" for entry in filtered.refused)
        rows[0].update(refused=refused, seconds=seconds)
    return pa.Table.from_pylist(rows, schema=RESULTS)
