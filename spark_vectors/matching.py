"""The tasks of PCM as a Spark job: texts become pieces of the table, and messages go past the table in batches."""

import json
import pickle
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.broadcast import Broadcast

from sim.engines.pcm import match_lines
from sim.golden.languages import AnyRefusal, Limits, Refused, compile
from sim.golden.languages.filter import Predicate
from sim.pcm.table import PcmTable, Piece
from sim.vectors.languages.attributes import EventParameters, event, filter_text

__all__ = ["MATCHES", "PIECES", "compile_pieces", "joined", "match_batches", "workload_messages", "workload_texts"]

PIECES = pa.schema([("piece", pa.binary()), ("refused", pa.binary())])
"""Both pickled: a :class:`Piece`, and SIDs with the refusals of their texts. One row a batch of texts."""

MATCHES = pa.schema(
    [
        ("row", pa.int64()),
        ("code", pa.int32()),
        ("offset", pa.int64()),
        ("bytes", pa.int64()),
        ("matches", pa.list_(pa.int64())),
        ("seconds", pa.float64()),
    ]
)
"""One row a message. ``seconds`` is the processor time of its batch, reading included; it stands with the first message of the batch."""


def workload_texts(batches: Iterable[pa.RecordBatch], *, seed: int, parameters: EventParameters) -> Iterator[pa.RecordBatch]:
    """From interface, row and SID to SID and text."""
    for batch in batches:
        columns = batch.to_pydict()
        texts = [filter_text(seed, one, row, parameters) for one, row in zip(columns["interface"], columns["row"], strict=True)]
        yield pa.RecordBatch.from_pydict({"sid": columns["sid"], "text": texts})


def workload_messages(batches: Iterable[pa.RecordBatch], *, seed: int, parameters: EventParameters) -> Iterator[pa.RecordBatch]:
    """From row to row and line."""
    for batch in batches:
        rows = batch.to_pydict()["row"]
        lines = [json.dumps({"properties": event(seed, row, parameters)}).encode() for row in rows]
        yield pa.RecordBatch.from_pydict({"row": rows, "line": lines})


def compile_pieces(batches: Iterable[pa.RecordBatch], *, limits: Limits) -> Iterator[pa.RecordBatch]:
    """From SID and text to :data:`PIECES`."""
    for batch in batches:
        columns = batch.to_pydict()
        predicates: list[tuple[int, Predicate]] = []
        refused: list[tuple[int, AnyRefusal]] = []
        for sid, text in zip(columns["sid"], columns["text"], strict=True):
            try:
                predicate = compile("filter", text, limits)
            except Refused as reason:
                refused.append((sid, reason.code))
                continue
            assert isinstance(predicate, Predicate)
            predicates.append((sid, predicate))
        row = {"piece": [pickle.dumps(Piece.of(predicates))], "refused": [pickle.dumps(refused)]}
        yield pa.RecordBatch.from_pydict(row, schema=PIECES)


def joined(rows: Iterable[Any]) -> tuple[PcmTable, dict[int, AnyRefusal]]:
    """The table of all pieces, and the refusals by SID."""
    pieces: list[Piece] = []
    refused: dict[int, AnyRefusal] = {}
    for row in rows:
        pieces.append(pickle.loads(bytes(row["piece"])))
        refused.update(pickle.loads(bytes(row["refused"])))
    return PcmTable(pieces), dict(sorted(refused.items()))


def match_batches(batches: Iterable[pa.RecordBatch], *, table: "Broadcast[PcmTable]", limits: Limits) -> Iterator[pa.RecordBatch]:
    """From row and line to :data:`MATCHES`."""
    for batch in batches:
        columns = batch.to_pydict()
        begun = time.process_time()
        found = match_lines(table.value, columns["line"], limits)
        seconds = time.process_time() - begun
        rows = {
            "row": columns["row"],
            "code": [int(one.result.code) for one in found],
            "offset": [one.result.offset for one in found],
            "bytes": [one.result.bytes for one in found],
            "matches": [list(one.matches) for one in found],
            "seconds": [seconds if not place else None for place in range(len(found))],
        }
        yield pa.RecordBatch.from_pydict(rows, schema=MATCHES)
