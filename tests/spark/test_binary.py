"""The vector files byte by byte, and every way in which one can be broken."""

import zlib

import pytest

from hdl.contract import Code, Refusal, Semantics
from spark_vectors.binary import (
    DocumentRecord,
    GoldenRecord,
    SubscriptionRecord,
    pack_documents,
    pack_golden,
    pack_subscriptions,
    unpack_documents,
    unpack_golden,
    unpack_subscriptions,
)
from spark_vectors.errors import JobError

DOCUMENTS = [DocumentRecord(7, b"<a/>"), DocumentRecord(300, b"")]
RECORDS = b"\x07\0\0\0\x04\0\0\0<a/>\x2c\x01\0\0\0\0\0\0"


def test_documents_byte_by_byte() -> None:
    data = pack_documents(2, DOCUMENTS)
    header = b"X2CV\x01\0\x01\0\x02\0\0\0\x02\0\0\0\x14\0\0\0\0\0\0\0" + zlib.crc32(RECORDS).to_bytes(4, "little")
    assert data == header + zlib.crc32(header).to_bytes(4, "little") + RECORDS
    assert unpack_documents(data) == (2, DOCUMENTS)


def test_subscriptions_byte_by_byte() -> None:
    entries = [SubscriptionRecord(1, "//é", Semantics.CONTAINMENT, Refusal.NONE), SubscriptionRecord(2, "", Semantics.EXACT, Refusal.EMPTY)]
    data = pack_subscriptions(0, entries)
    assert data[32:] == b"\x01\0\0\0\x01\0\x04\0//\xc3\xa9" + b"\x02\0\0\0\0\x02\0\0"
    assert unpack_subscriptions(data) == (0, entries)


def test_golden_byte_by_byte() -> None:
    entries = [GoldenRecord(5, Code.OK, None, 3, b"0123456789abcdef", (1, 258)), GoldenRecord(6, Code.BAD_TAG, 9, 0, bytes(16), ())]
    data = pack_golden(0, entries)
    first = b"\x05\0\0\0\0\0\0\0\xff\xff\xff\xff\x03\0\0\0" + b"0123456789abcdef" + b"\x02\0\0\0\x01\0\0\0\x02\x01\0\0"
    assert data[32:] == first + b"\x06\0\0\0\x01\x06\0\0\x09\0\0\0\0\0\0\0" + bytes(16) + b"\0\0\0\0"
    assert unpack_golden(data) == (0, entries)


def _with(data: bytes, at: int, value: int) -> bytes:
    header = data[:at] + bytes([value]) + data[at + 1 : 28]
    return header + zlib.crc32(header).to_bytes(4, "little") + data[32:]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: data[:20], "have a header of 32 bytes, not 20 bytes in all"),
        (lambda data: b"PK" + data[2:], "start with b'X2CV', not b'PKCV'"),
        (lambda data: data[:9] + b"\1" + data[10:], "have a header that its checksum confirms, not a damaged one"),
        (lambda data: _with(data, 4, 9), "be of version 1, not 9"),
        (lambda data: _with(data, 6, 3), "hold documents, not golden"),
        (lambda data: data[:-5], "have 20 bytes of records as its header says, not 15"),
        (lambda data: data[:-1] + b"\1", "have records that its checksum confirms, not damaged ones"),
    ],
)
def test_broken_files(spoil: object, message: str) -> None:
    assert callable(spoil)
    with pytest.raises(JobError) as caught:
        unpack_documents(spoil(pack_documents(2, DOCUMENTS)), name="x.documents")
    assert str(caught.value) == f"the vector file x.documents must {message}"
    assert caught.value.hint == "write the vectors again with `make vectors`"
