"""Compact vector files for simulators, simple enough to read from C or C++.

A file is a header of 32 bytes and records; all integers are little-endian:

======  ==========  =====================================================================
bytes   field       meaning
======  ==========  =====================================================================
0-3     magic       ``X2CV``
4-5     version     1
6-7     content     1 documents, 2 subscriptions, 3 golden results
8-11    set         the set of subscriptions that the records belong to
12-15   count       records
16-23   length      bytes of all records
24-27   checksum    CRC-32 (as in zlib) of all records
28-31   header      CRC-32 of bytes 0 to 27
======  ==========  =====================================================================

Records:

- a document is u32 row, u32 length, bytes;
- a subscription is u32 SID, u8 semantics, u8 refusal code (0: accepted), u16 length, UTF-8 text;
- a golden result is u32 row, u8 verdict, u8 code, u16 zero, u32 offset (FFFFFFFF: none), u32 words, 16 bytes digest of the words, u32
  matches, and as many u32 SIDs.
"""

import enum
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hdl.contract import Code, Refusal, Semantics
from spark_vectors.errors import JobError

__all__ = [
    "Contents",
    "DocumentRecord",
    "GoldenRecord",
    "SubscriptionRecord",
    "pack_documents",
    "pack_golden",
    "pack_subscriptions",
    "unpack_documents",
    "unpack_golden",
    "unpack_subscriptions",
]

MAGIC = b"X2CV"
VERSION = 1
NO_OFFSET = 0xFFFFFFFF
_HEADER = struct.Struct("<4sHHIIQI")
_CHECK = struct.Struct("<I")
_DOCUMENT = struct.Struct("<II")
_SUBSCRIPTION = struct.Struct("<IBBH")
_GOLDEN = struct.Struct("<IBBHII16sI")


class Contents(enum.IntEnum):
    """What a file holds."""

    DOCUMENTS = 1
    SUBSCRIPTIONS = 2
    GOLDEN = 3


@dataclass(frozen=True)
class DocumentRecord:
    """One document."""

    row: int
    data: bytes


@dataclass(frozen=True)
class SubscriptionRecord:
    """One subscription and the answer to it."""

    sid: int
    text: str
    semantics: Semantics
    refusal: Refusal


@dataclass(frozen=True)
class GoldenRecord:
    """What must come out for one document; ``offset`` None where no byte decides."""

    row: int
    code: Code
    offset: int | None
    words: int
    digest: bytes
    matches: tuple[int, ...]


def _file(contents: Contents, set_number: int, records: Sequence[bytes]) -> bytes:
    body = b"".join(records)
    header = _HEADER.pack(MAGIC, VERSION, contents, set_number, len(records), len(body), zlib.crc32(body))
    return header + _CHECK.pack(zlib.crc32(header)) + body


def pack_documents(set_number: int, documents: Iterable[DocumentRecord]) -> bytes:
    """A file of documents."""
    return _file(Contents.DOCUMENTS, set_number, [_DOCUMENT.pack(entry.row, len(entry.data)) + entry.data for entry in documents])


def pack_subscriptions(set_number: int, subscriptions: Iterable[SubscriptionRecord]) -> bytes:
    """A file of subscriptions."""
    records = []
    for entry in subscriptions:
        text = entry.text.encode()
        records.append(_SUBSCRIPTION.pack(entry.sid, entry.semantics, entry.refusal, len(text)) + text)
    return _file(Contents.SUBSCRIPTIONS, set_number, records)


def pack_golden(set_number: int, results: Iterable[GoldenRecord]) -> bytes:
    """A file of golden results."""
    records = []
    for entry in results:
        offset = NO_OFFSET if entry.offset is None else entry.offset
        fixed = _GOLDEN.pack(entry.row, entry.code.verdict, entry.code, 0, offset, entry.words, entry.digest, len(entry.matches))
        records.append(fixed + struct.pack(f"<{len(entry.matches)}I", *entry.matches))
    return _file(Contents.GOLDEN, set_number, records)


def _broken(name: str, what: str) -> JobError:
    return JobError(f"the vector file {name} must {what}", hint="write the vectors again with `make vectors`")


def _body(data: bytes, contents: Contents, name: str) -> tuple[int, int, bytes]:
    size = _HEADER.size + _CHECK.size
    if len(data) < size:
        raise _broken(name, f"have a header of {size} bytes, not {len(data)} bytes in all")
    magic, version, kind, set_number, count, length, checksum = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise _broken(name, f"start with {MAGIC!r}, not {magic!r}")
    if zlib.crc32(data[: _HEADER.size]) != _CHECK.unpack_from(data, _HEADER.size)[0]:
        raise _broken(name, "have a header that its checksum confirms, not a damaged one")
    if version != VERSION:
        raise _broken(name, f"be of version {VERSION}, not {version}")
    if kind != contents:
        raise _broken(name, f"hold {contents.name.lower()}, not {Contents(kind).name.lower()}")
    if len(data) - size != length:
        raise _broken(name, f"have {length} bytes of records as its header says, not {len(data) - size}")
    body = data[size:]
    if zlib.crc32(body) != checksum:
        raise _broken(name, "have records that its checksum confirms, not damaged ones")
    return set_number, count, body


def unpack_documents(data: bytes, *, name: str = "in memory") -> tuple[int, list[DocumentRecord]]:
    """The set's number and the documents of a file; raises :class:`JobError` when it is truncated or damaged."""
    set_number, count, body = _body(data, Contents.DOCUMENTS, name)

    def records() -> Iterator[DocumentRecord]:
        at = 0
        for _ in range(count):
            row, length = _DOCUMENT.unpack_from(body, at)
            at += _DOCUMENT.size
            yield DocumentRecord(row, body[at : at + length])
            at += length

    return set_number, list(records())


def unpack_subscriptions(data: bytes, *, name: str = "in memory") -> tuple[int, list[SubscriptionRecord]]:
    """The set's number and the subscriptions of a file."""
    set_number, count, body = _body(data, Contents.SUBSCRIPTIONS, name)
    found, at = [], 0
    for _ in range(count):
        sid, semantics, refusal, length = _SUBSCRIPTION.unpack_from(body, at)
        at += _SUBSCRIPTION.size
        found.append(SubscriptionRecord(sid, body[at : at + length].decode(), Semantics(semantics), Refusal(refusal)))
        at += length
    return set_number, found


def unpack_golden(data: bytes, *, name: str = "in memory") -> tuple[int, list[GoldenRecord]]:
    """The set's number and the golden results of a file."""
    set_number, count, body = _body(data, Contents.GOLDEN, name)
    found, at = [], 0
    for _ in range(count):
        row, _verdict, code, _zero, offset, words, digest, matches = _GOLDEN.unpack_from(body, at)
        at += _GOLDEN.size
        sids = struct.unpack_from(f"<{matches}I", body, at)
        at += 4 * matches
        found.append(GoldenRecord(row, Code(code), None if offset == NO_OFFSET else offset, words, digest, sids))
    return set_number, found
