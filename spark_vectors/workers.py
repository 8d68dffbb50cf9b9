"""What the Spark tasks run: thin shells round the generators and the referee, with everything compiled once a worker."""

import gc
from collections.abc import Iterator
from functools import lru_cache

import pyarrow as pa  # type: ignore[import-untyped]

from hdl.contract import Code, Refusal, Semantics
from sim.vectors.expressions import features, read
from sim.vectors.golden import Golden, Referee, refusal_of
from sim.vectors.scenarios import Action, Event, scenario
from spark_vectors.parameters import VectorParameters
from spark_vectors.schema import DOCUMENTS, GOLDEN, SCENARIOS, SUBSCRIPTIONS, row_hash

__all__ = ["documents", "golden", "rows_of", "scenarios", "stream_of", "subscriptions"]

_BATCH_ROWS = 256
_BATCH_BYTES = 4 << 20

Row = tuple[object, ...]


def _batch(rows: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return pa.RecordBatch.from_arrays(
        [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


def _hashed(values: Row) -> Row:
    """The row with its hash before its last column, the kind, which is hashed too."""
    return (*values[:-1], row_hash(*values), values[-1])


def rows_of(table: pa.Table | pa.RecordBatch) -> list[dict[str, object]]:
    """A table's rows."""
    return list(table.to_pylist())


def documents(batches: Iterator[pa.RecordBatch], parameters: VectorParameters) -> Iterator[pa.RecordBatch]:
    """The documents of the row ids."""
    rows: list[Row] = []
    size = 0
    for batch in batches:
        for row in batch.column(0).to_pylist():
            made = parameters.document(row)
            rows.append(_hashed((row, *parameters.place(row), made.data, made.aim, made.offset, made.kind)))
            size += len(made.data)
            if len(rows) >= _BATCH_ROWS or size >= _BATCH_BYTES:
                yield _batch(rows, DOCUMENTS)
                rows, size = [], 0
    yield _batch(rows, DOCUMENTS)


def subscriptions(batches: Iterator[pa.RecordBatch], parameters: VectorParameters) -> Iterator[pa.RecordBatch]:
    """The subscriptions of the sets, each with the model's answer."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            rows: list[Row] = []
            for entry in parameters.subscription_set(number):
                refusal = refusal_of(entry.text, parameters.limits)
                used = sorted(features(read(entry.text)) | {entry.semantics.name.lower()}) if refusal is Refusal.NONE else []
                rows.append(_hashed((number, entry.sid, entry.text, entry.semantics, entry.aim or 0, refusal, used, entry.origin)))
            yield _batch(rows, SUBSCRIPTIONS)


@lru_cache(maxsize=8)
def _referee(entries: tuple[tuple[int, str, Semantics], ...], config: str) -> Referee:
    referee = Referee(entries, VectorParameters(config=config).limits)
    gc.freeze()  # what is compiled stays, and need not be looked at again and again
    return referee


def _golden_row(source: dict[str, object], result: Golden) -> Row:
    data = source["data"]
    assert isinstance(data, bytes)
    apart = result.disagreement
    return _hashed(
        (
            source["row"],
            source["set"],
            source["chunk"],
            len(data),
            result.code.verdict,
            result.code,
            result.offset,
            result.words,
            result.digest,
            result.matches,
            result.selected,
            result.notified,
            apart.about if apart else None,
            apart.document if apart else None,
            apart.subscription if apart else None,
            source["kind"],
        )
    )


def golden(sources: pa.Table, entries: pa.Table, config: str) -> pa.Table:
    """The golden results of one chunk of documents against their set of subscriptions."""
    if sources.num_rows == 0:
        return pa.Table.from_batches([], schema=GOLDEN)
    texts = sorted((row["sid"], row["text"], Semantics(row["semantics"])) for row in entries.to_pylist())
    referee = _referee(tuple(texts), config)
    rows: list[Row] = []
    gc.disable()  # for one chunk, whose many small objects make no cycles
    try:
        for source in sorted(sources.to_pylist(), key=lambda row: row["row"]):
            aim = None if source["aim"] is None else Code(source["aim"])
            rows.append(_golden_row(source, referee.evaluate(source["data"], aim=aim, offset=source["offset"])))
    finally:
        gc.enable()
    return pa.Table.from_batches([_batch(rows, GOLDEN)])


class _Stream:
    """The golden state of one stream of events: which subscriptions are live."""

    def __init__(self, events: tuple[Event, ...], config: str) -> None:
        entries = sorted({(event.osid.sid, event.body.decode(), event.semantics) for event in events if event.action is Action.SUBSCRIBE})
        self._limits = VectorParameters(config=config).limits
        self._referee = _referee(tuple(entries), config)
        self._live: set[int] = set()

    def row(self, number: int, event: Event) -> Row:
        refusal: int | None = None
        code: int | None = None
        offset: int | None = None
        matches: tuple[int, ...] = ()
        disagreement: str | None = None
        sid = event.osid.sid
        if event.action is Action.SUBSCRIBE:
            refusal = refusal_of(event.body.decode(), self._limits)
            if refusal == Refusal.NONE and sid in self._live:
                refusal = Refusal.DUPLICATE_SID
            if refusal == Refusal.NONE:
                self._live.add(sid)
        elif event.action is Action.UNSUBSCRIBE:
            refusal = Refusal.NONE if sid in self._live else Refusal.UNKNOWN_SID
            self._live.discard(sid)
        elif event.action in (Action.PUBLISH, Action.ROUTE):
            result = self._referee.evaluate(event.body, sids=frozenset(self._live))
            code, offset, matches = result.code, result.offset, result.matches
            disagreement = result.disagreement.about if result.disagreement else None
        return _hashed((number, event.step, sid, event.frame(), refusal, code, offset, matches, disagreement, event.action.name.lower()))


def stream_of(number: int, parameters: VectorParameters) -> pa.RecordBatch:
    """One stream, event by event, with what must come out."""
    events = scenario(seed=parameters.seed, row=number, events=parameters.events, parameters=parameters.paths, config=parameters.limits)
    stream = _Stream(events, parameters.config)
    return _batch([stream.row(number, event) for event in events], SCENARIOS)


def scenarios(batches: Iterator[pa.RecordBatch], parameters: VectorParameters) -> Iterator[pa.RecordBatch]:
    """The streams of the row ids."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield stream_of(number, parameters)
