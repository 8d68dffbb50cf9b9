"""The contract pinned by literal bytes: a change of any of these is a change of what is on the wire."""

import re
from pathlib import Path

import pytest

from hdl.contract import (
    CONTRACT_VERSION,
    INDEX_MAX,
    WORD_BYTES,
    Code,
    Content,
    Frame,
    FrameError,
    Header,
    Kind,
    OSid,
    Refusal,
    Segment,
    SegmentKind,
    Semantics,
    Verdict,
    VerdictBody,
    WordClass,
    WordType,
    attach,
    detach,
)

DOCS = Path(__file__).parents[1] / "docs"

# (name, frame, bytes): one or more for every kind; docs/formats.md shows the same bytes under the same names
FRAMES: list[tuple[str, Frame, str]] = [
    (
        "SUBSCRIBE, exact",
        Frame(Header(Kind.SUBSCRIBE, osid=OSid(7), reference=0x01020304), b"/stock/price"),
        "53 00 0000 0700000000000000 01020304 0000000c 2f73746f636b2f7072696365",
    ),
    (
        "SUBSCRIBE, containment",
        Frame(
            Header(Kind.SUBSCRIBE, osid=OSid(255), reference=1, semantics=Semantics.CONTAINMENT, content=Content.WHOLE, link=3),
            b"/price",
        ),
        "53 1b 0000 ff00000000000000 00000001 00000006 2f7072696365",
    ),
    (
        "SUBSCRIBE, between brokers",
        Frame(Header(Kind.SUBSCRIBE, osid=OSid(7, (1, 2)), reference=0x01020304), b"/stock/price"),
        "53 00 0000 0701020000000000 01020304 0000000c 2f73746f636b2f7072696365",
    ),
    (
        "UNSUBSCRIBE",
        Frame(Header(Kind.UNSUBSCRIBE, osid=OSid(7), reference=0x01020304)),
        "55 00 0000 0700000000000000 01020304 00000000",
    ),
    (
        "RESULT, accepted",
        Frame(Header(Kind.RESULT, osid=OSid(7), reference=0x01020304, aux=Refusal.NONE)),
        "52 00 0000 0700000000000000 01020304 00000000",
    ),
    (
        "RESULT, refused",
        Frame(Header(Kind.RESULT, osid=OSid(7), reference=0x01020304, aux=Refusal.FULL_VALUES)),
        "52 00 0016 0700000000000000 01020304 00000000",
    ),
    (
        "PUBLISH",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0), b"<a>1</a>"),
        "50 00 0000 0000000000000000 a0b0c0d0 00000008 3c613e313c2f613e",
    ),
    (
        "PUBLISH, with an attachment",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0, attached=True), attach(b"<a/>", b"\xff\xd8")),
        "50 20 0000 0000000000000000 a0b0c0d0 0000000a 00000004 3c612f3e ffd8",
    ),
    (
        "VERDICT, well-formed",
        Frame(Header(Kind.VERDICT, reference=0xA0B0C0D0, aux=VerdictBody.aux(Code.OK)), VerdictBody(0, 8, 3).pack()),
        "56 00 0000 0000000000000000 a0b0c0d0 0000000c 00000000 00000008 00000003",
    ),
    (
        "VERDICT, not well-formed",
        Frame(Header(Kind.VERDICT, reference=0xA0B0C0D0, aux=VerdictBody.aux(Code.MISMATCHED_END)), VerdictBody(6, 7, 0).pack()),
        "56 00 0116 0000000000000000 a0b0c0d0 0000000c 00000006 00000007 00000000",
    ),
    (
        "NOTIFY",
        Frame(Header(Kind.NOTIFY, osid=OSid(7), reference=0x01020304, aux=1, link=1), b"<price>115</price>"),
        "4e 08 0001 0700000000000000 01020304 00000012 3c70726963653e3131353c2f70726963653e",
    ),
    (
        "FORWARD",
        Frame(Header(Kind.FORWARD, osid=OSid(7, (1, 2, 3)), reference=0x01020304, aux=1), b"<price>115</price>"),
        "46 00 0001 0701020300000000 01020304 00000012 3c70726963653e3131353c2f70726963653e",
    ),
    (
        "ROUTE",
        Frame(Header(Kind.ROUTE, osid=OSid(0, (1, 2)), reference=9), b"<a/>"),
        "51 00 0000 0001020000000000 00000009 00000004 3c612f3e",
    ),
    (
        "SOLICIT",
        Frame(Header(Kind.SOLICIT, osid=OSid(0, (1, 2, 7, 5)), reference=9), b"/a"),
        "4c 00 0000 0001020705000000 00000009 00000002 2f61",
    ),
    (
        "TOPOLOGY, add",
        Frame(Header(Kind.TOPOLOGY, aux=2), b"price"),
        "54 00 0002 0000000000000000 00000000 00000005 7072696365",
    ),
    (
        "TOPOLOGY, remove",
        Frame(Header(Kind.TOPOLOGY, aux=255, remove=True), b"price"),
        "54 40 00ff 0000000000000000 00000000 00000005 7072696365",
    ),
    (
        "SKELETON",
        Frame(Header(Kind.SKELETON), b"price"),
        "4b 00 0000 0000000000000000 00000000 00000005 7072696365",
    ),
    (
        "ACCESS, read",
        Frame(Header(Kind.ACCESS, reference=5, aux=0x0041)),
        "41 00 0041 0000000000000000 00000005 00000000",
    ),
    (
        "ACCESS, write",
        Frame(Header(Kind.ACCESS, reference=6, aux=0x8002), bytes([0, 0, 0, 1])),
        "41 00 8002 0000000000000000 00000006 00000004 00000001",
    ),
]


@pytest.mark.parametrize(("name", "frame", "literal"), FRAMES, ids=[name for name, _, _ in FRAMES])
def test_frame_is_these_bytes_both_ways(name: str, frame: Frame, literal: str) -> None:
    data = bytes.fromhex(literal)
    assert frame.pack() == data
    back = Frame.unpack(data)
    assert back.body == frame.body
    assert back.header.length == len(frame.body)
    assert back.pack() == data
    assert [
        getattr(back.header, f) for f in ("kind", "osid", "reference", "aux", "semantics", "content", "link", "attached", "remove")
    ] == [getattr(frame.header, f) for f in ("kind", "osid", "reference", "aux", "semantics", "content", "link", "attached", "remove")]


def test_every_kind_has_a_literal() -> None:
    assert {frame.header.kind for _, frame, _ in FRAMES} == set(Kind)


def test_documentation_shows_the_same_bytes() -> None:
    shown: dict[str, str] = {}
    for name, dump in re.findall(r"^### ([^\n]+)\n.*?^```text\n(.*?)^```", (DOCS / "formats.md").read_text(), re.MULTILINE | re.DOTALL):
        shown[name] = "".join(line[6:53] for line in dump.splitlines()).replace(" ", "")
    assert shown == {name: literal.replace(" ", "") for name, _, literal in FRAMES}


def test_flag_bits() -> None:
    def flags(**changes: object) -> int:
        return Header(Kind.SUBSCRIBE, **changes).pack()[1]  # type: ignore[arg-type]

    assert flags() == 0x00
    assert flags(semantics=Semantics.CONTAINMENT) == 0x01
    assert [flags(content=content) for content in Content] == [0x00, 0x02, 0x04]
    assert [flags(link=link) for link in range(4)] == [0x00, 0x08, 0x10, 0x18]
    assert flags(attached=True) == 0x20
    assert flags(remove=True) == 0x40
    assert Header.unpack(Header(Kind.SUBSCRIBE, content=Content.HEADER, link=2).pack()).content is Content.HEADER


def test_osid_of_a_local_subscription_and_along_the_thesis_path() -> None:
    assert OSid(0xAB).pack() == bytes.fromhex("ab00000000000000")
    assert OSid(0xAB).local
    # [T 5.4.3.5.1]: s local to B1, seen in B2, in B3, in B7, and in the notification that B7 sends back
    assert OSid(5, (1,)).pack() == bytes.fromhex("0501000000000000")
    assert OSid(5, (1, 2)).pack() == bytes.fromhex("0501020000000000")
    assert OSid(5, (1, 2, 3, 4, 5, 6)).pack() == bytes.fromhex("0501020304050600")
    assert OSid(5, (1, 2, 3, 4, 5, 6, 7)).pack() == bytes.fromhex("0501020304050607")
    for path in ((), (1,), (1, 2, 3, 4, 5, 6, 7), (255,) * 7):
        assert OSid.unpack(OSid(5, path).pack()) == OSid(5, path)
        assert OSid(5, path).local == (not path)
    assert OSid.unpack(bytes.fromhex("0001020000000000")) == OSid(0, (1, 2)), "SID 0 is a sample, not an error"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OSid(256), "sid must be 0 to 255, not 256"),
        (lambda: OSid(-1), "sid must be 0 to 255, not -1"),
        (lambda: OSid(1, (1,) * 8), "path must have at most 7 brokers, not 8"),
        (lambda: OSid(1, (1, 0)), "a broker identity must be 1 to 255, not 0"),
        (lambda: OSid(1, (256,)), "a broker identity must be 1 to 255, not 256"),
        (lambda: OSid.unpack(b"\x01"), "an o-SID must have 8 bytes, not 1"),
        (lambda: OSid.unpack(bytes.fromhex("0101000200000000")), "an o-SID's brokers must come without gaps, not 0101000200000000"),
        (lambda: Header(Kind.PUBLISH, aux=65536), "aux must be 0 to 65535, not 65536"),
        (lambda: Header(Kind.PUBLISH, aux=-1), "aux must be 0 to 65535, not -1"),
        (lambda: Header(Kind.PUBLISH, reference=1 << 32), "reference must be 0 to 4294967295, not 4294967296"),
        (lambda: Header(Kind.PUBLISH, length=1 << 32), "length must be 0 to 4294967295, not 4294967296"),
        (lambda: Header(Kind.PUBLISH, link=4), "link must be 0 to 3, not 4"),
        (lambda: Header.unpack(b"S" * 19), "a header must have 20 bytes, not 19"),
        (
            lambda: Header.unpack(b"X" + bytes(19)),
            "kind must be one of SUBSCRIBE, UNSUBSCRIBE, RESULT, PUBLISH, VERDICT, NOTIFY, FORWARD, ROUTE, SOLICIT, TOPOLOGY, "
            "SKELETON, ACCESS, not 0x58",
        ),
        (lambda: Header.unpack(b"S\x80" + bytes(18)), "flags must leave bit 7 and content 3 unused, not 0x80"),
        (lambda: Header.unpack(b"S\x06" + bytes(18)), "flags must leave bit 7 and content 3 unused, not 0x06"),
        (lambda: Frame.unpack(b"S" + bytes(20)), "a frame must have 20 bytes as its header says, not 21"),
        (lambda: Frame.unpack(b"S" + bytes(18) + b"\2" + b"/"), "a frame must have 22 bytes as its header says, not 21"),
        (lambda: VerdictBody(1 << 32, 0, 0), "offset must be 0 to 4294967295, not 4294967296"),
        (lambda: VerdictBody(0, -1, 0), "length must be 0 to 4294967295, not -1"),
        (lambda: VerdictBody(0, 0, 1 << 32), "matches must be 0 to 4294967295, not 4294967296"),
        (lambda: VerdictBody.unpack(bytes(11)), "a verdict's body must have 12 bytes, not 11"),
        (lambda: detach(bytes(3)), "a body with an attachment must have at least 4 bytes, not 3"),
        (lambda: detach(bytes.fromhex("00000003") + b"<a"), "a document's length must be at most the 2 bytes that follow it, not 3"),
    ],
)
def test_message(make: object, message: str) -> None:
    with pytest.raises(FrameError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message


def test_attachment_round_trip() -> None:
    assert attach(b"<a/>", b"\xff\xd8") == bytes.fromhex("000000043c612f3effd8")
    assert detach(bytes.fromhex("000000043c612f3effd8")) == (b"<a/>", b"\xff\xd8")
    assert detach(bytes(4)) == (b"", b"")


def test_verdict_body_round_trip() -> None:
    assert VerdictBody.unpack(bytes.fromhex("000000060000000700000000")) == VerdictBody(offset=6, length=7, matches=0)
    assert [VerdictBody.aux(code) for code in (Code.OK, Code.UTF16, Code.BAD_UTF8, Code.NUMBER_DIGITS)] == [0x0000, 0x0201, 0x0102, 0x031E]


CODES = [
    "ok",
    "utf16",
    "bad-utf8",
    "bad-char",
    "name-length",
    "bad-name",
    "bad-tag",
    "lt-in-value",
    "bad-reference",
    "entity",
    "cdata-end",
    "bad-markup",
    "bad-comment",
    "bad-pi",
    "bad-decl",
    "encoding",
    "bad-doctype",
    "text-outside",
    "extra-root",
    "unexpected-end",
    "depth",
    "bad-qname",
    "mismatched-end",
    "attributes",
    "duplicate-attribute",
    "prefixes",
    "bad-ns-decl",
    "unbound-prefix",
    "unclosed",
    "no-root",
    "number-digits",
    "name-clash",
]
UNSUPPORTED = {"utf16", "entity", "encoding"}
OVER_LIMIT = {"name-length", "depth", "attributes", "prefixes", "number-digits", "name-clash"}

REFUSALS = [
    "none",
    "bad-header",
    "empty",
    "text-length",
    "bad-utf8",
    "syntax",
    "axis",
    "function",
    "operator",
    "position",
    "unterminated",
    "text-test",
    "attribute-step",
    "name-length",
    "literal-length",
    "number-digits",
    "steps",
    "duplicate-sid",
    "unknown-sid",
    "full-subscriptions",
    "full-steps",
    "full-names",
    "full-values",
]


def test_codes_are_numbered_and_spelled_like_this() -> None:
    assert [(code.value, code.text) for code in Code] == list(enumerate(CODES))
    assert [verdict.text for verdict in Verdict] == ["well-formed", "not-well-formed", "unsupported", "over-limit"]
    assert {code.text for code in Code if code.verdict is Verdict.UNSUPPORTED} == UNSUPPORTED
    assert {code.text for code in Code if code.verdict is Verdict.OVER_LIMIT} == OVER_LIMIT
    assert {code.text for code in Code if code.verdict is Verdict.WELL_FORMED} == {"ok"}


def test_refusals_are_numbered_and_spelled_like_this() -> None:
    assert [(refusal.value, refusal.text) for refusal in Refusal] == list(enumerate(REFUSALS))


def test_small_numbers() -> None:
    assert (CONTRACT_VERSION, WORD_BYTES, INDEX_MAX, Header.BYTES, Header.LINKS, OSid.BYTES) == (1, 4, 15, 20, 4, 8)
    assert [(t.name, t.value) for t in WordType] == [("ELEMENT", 0), ("ATTRIBUTE", 1), ("VALUE", 2), ("TEXT", 3), ("END", 4)]
    assert [(c.name, c.value) for c in WordClass] == [("I", 0), ("U", 1), ("V", 2)]
    assert [(s.name, s.value) for s in Semantics] == [("EXACT", 0), ("CONTAINMENT", 1)]
    assert [(c.name, c.value) for c in Content] == [("SELECTED", 0), ("WHOLE", 1), ("HEADER", 2)]


def test_every_sentence_is_one_of_its_own() -> None:
    for members in (Code, Refusal, Kind):
        sentences = [member.sentence for member in members]
        assert len(set(sentences)) == len(sentences)
        assert all(sentence and not sentence.endswith(".") for sentence in sentences)


SEGMENTS = (
    (Segment(SegmentKind.OPEN, 0x5A), "7e 015a000000 6b31f25f 7e"),
    (Segment(SegmentKind.DATA, 1, 2, payload=bytes([0x7D, 0x7E, 0x41])), "7e 0301020003 7d5d7d5e41 a603e9fe 7e"),
    (Segment(SegmentKind.ACK, 1, 0x7E, 9), "7e 04017d5e0900 abc8b304 7e"),
)


@pytest.mark.parametrize(("segment", "wire"), SEGMENTS)
def test_segments_on_the_wire(segment: Segment, wire: str) -> None:
    assert segment.pack() == bytes.fromhex(wire)
    assert Segment.unpack(segment.pack()[1:-1]) == segment


def test_damaged_segments_are_no_segments() -> None:
    whole = Segment(SegmentKind.DATA, 3, 4, payload=b"some bytes").pack()[1:-1]
    for at in range(len(whole)):
        for damaged in (whole[:at] + whole[at + 1 :], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], whole[:at]):
            with pytest.raises(FrameError):
                Segment.unpack(damaged)


def test_kinds_of_segments_keep_their_numbers() -> None:
    names = ["OPEN", "OPENED", "DATA", "ACK", "REPEAT", "POLL", "CLOSED"]
    assert {kind.name: kind.value for kind in SegmentKind} == {name: place for place, name in enumerate(names, start=1)}


def test_segments_have_limits() -> None:
    with pytest.raises(FrameError, match="session must be 0 to 255, not 256"):
        Segment(SegmentKind.ACK, 256)
    with pytest.raises(FrameError, match="a payload must have at most 255 bytes, not 256"):
        Segment(SegmentKind.DATA, 0, payload=bytes(256))
    with pytest.raises(FrameError, match="a segment's kind must be one of"):
        Segment.unpack(bytes.fromhex("0801000000" + "b9dbee4e"))
