"""The tables of a set of vectors, typed once for Arrow, Parquet and Spark."""

import hashlib
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache

import pyarrow as pa  # type: ignore[import-untyped]

__all__ = ["DIFFERENCES", "DOCUMENTS", "GOLDEN", "SCENARIOS", "SCHEMA_VERSION", "SUBSCRIPTIONS", "TABLES", "row_hash"]

SCHEMA_VERSION = 2
"""Raised whenever a column, its meaning or a generator changes what a stored set stands for."""


def _schema(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind) for name, kind in columns])


DOCUMENTS = _schema(
    ("row", pa.int64()),
    ("set", pa.int32()),
    ("chunk", pa.int32()),
    ("data", pa.binary()),
    ("aim", pa.int32()),
    ("offset", pa.int64()),
    ("hash", pa.int64()),
    ("kind", pa.string()),
)
"""``aim`` and ``offset`` are the code and the deciding byte that the document was made for, null where only a judge can tell."""

SUBSCRIPTIONS = _schema(
    ("set", pa.int32()),
    ("sid", pa.int32()),
    ("text", pa.string()),
    ("semantics", pa.int32()),
    ("aim", pa.int32()),
    ("refusal", pa.int32()),
    ("features", pa.list_(pa.string())),
    ("hash", pa.int64()),
    ("kind", pa.string()),
)
"""``refusal`` is the model's answer, 0 where it accepts; ``features`` are the grammar's that an accepted text uses."""

GOLDEN = _schema(
    ("row", pa.int64()),
    ("set", pa.int32()),
    ("chunk", pa.int32()),
    ("bytes", pa.int64()),
    ("verdict", pa.int32()),
    ("code", pa.int32()),
    ("offset", pa.int64()),
    ("words", pa.int32()),
    ("digest", pa.binary()),
    ("matches", pa.list_(pa.int32())),
    ("selected", pa.list_(pa.int32())),
    ("notified", pa.binary()),
    ("disagreement", pa.string()),
    ("minimal_document", pa.binary()),
    ("minimal_subscription", pa.string()),
    ("hash", pa.int64()),
    ("kind", pa.string()),
)
"""One row a document; ``disagreement`` is null where the judges agree."""

SCENARIOS = _schema(
    ("row", pa.int64()),
    ("step", pa.int32()),
    ("sid", pa.int32()),
    ("frame", pa.binary()),
    ("refusal", pa.int32()),
    ("code", pa.int32()),
    ("offset", pa.int64()),
    ("matches", pa.list_(pa.int32())),
    ("disagreement", pa.string()),
    ("hash", pa.int64()),
    ("kind", pa.string()),
)
"""One row an event, ``kind`` its action: a refusal for (un)subscriptions, a code and the live SIDs that match for publications."""

DIFFERENCES = _schema(
    ("row", pa.int64()),
    ("set", pa.int32()),
    ("seed", pa.int64()),
    ("sid", pa.int32()),
    ("subscription", pa.string()),
    ("document", pa.binary()),
    ("expected", pa.string()),
    ("got", pa.string()),
    ("replay", pa.string()),
    ("kind", pa.string()),
)
"""One row a difference; ``kind`` says what differs."""

TABLES: dict[str, pa.Schema] = {"documents": DOCUMENTS, "subscriptions": SUBSCRIPTIONS, "golden": GOLDEN, "scenarios": SCENARIOS}
"""The stored tables by name; each is partitioned by ``kind``, its last column."""


_LENGTH = struct.Struct("<I")


def _encoded(value: object) -> bytes:
    if value is None:
        return b"n"
    if isinstance(value, bool | int):
        return b"i%d" % int(value)
    if isinstance(value, bytes):
        return b"b" + value
    if isinstance(value, str):
        return b"s" + value.encode()
    if isinstance(value, Sequence):
        return b"l" + _joined(value)
    raise TypeError(f"a value must be None, an integer, bytes, a string or a sequence, not {value!r}")


@lru_cache(maxsize=4096)
def _framed_integer(value: int) -> bytes:
    return _framed(value)


def _framed(value: object) -> bytes:
    part = _encoded(value)
    return _LENGTH.pack(len(part)) + part


def _joined(values: Iterable[object]) -> bytes:
    return b"".join([_framed_integer(value) if type(value) is int else _framed(value) for value in values])


def row_hash(*values: object) -> int:
    """A signed 64-bit hash of a row's values; a table's hash is the sum and the exclusive or of its rows', in no order."""
    return int.from_bytes(hashlib.blake2b(_joined(values), digest_size=8).digest(), "little", signed=True)
