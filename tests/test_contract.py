"""The contract pinned by literal bytes: a change of any of these is a change of what is on the wire."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hdl.config import BrokerConfig
from hdl.contract import (
    CONTRACT_VERSION,
    INDEX_MAX,
    PARTS,
    WORD_BYTES,
    Code,
    Content,
    Criterion,
    Format,
    Frame,
    FrameError,
    Header,
    Kind,
    Language,
    Message,
    Mode,
    OSid,
    Policy,
    Property,
    PropertyType,
    Refusal,
    Sampling,
    Segment,
    SegmentKind,
    Semantics,
    Verdict,
    VerdictBody,
    VersionError,
    WordClass,
    WordType,
    attach,
    detach,
)
from sim.golden.frames import frame_refusal

DOCS = Path(__file__).parents[1] / "docs"

ORDER = Message("home/k1", (Property("temp", PropertyType.NUMBER, "21.5"), Property("open", PropertyType.BOOLEAN, "true")), b"\xff\x00")
ORDER_BYTES = "0007 0002 686f6d652f6b3100 00 04 0004 74656d70 32312e35 02 04 0004 6f70656e 74727565 ff00"

# (name, frame, bytes): one or more for every kind; docs/formats.md shows the same bytes under the same names
FRAMES: list[tuple[str, Frame, str]] = [
    (
        "SUBSCRIBE, exact",
        Frame(Header(Kind.SUBSCRIBE, osid=OSid(7), reference=0x01020304), b"/stock/price"),
        "73 00 0000 0700000000000000 01020304 0000000c 2f73746f636b2f7072696365",
    ),
    (
        "SUBSCRIBE, containment",
        Frame(
            Header(Kind.SUBSCRIBE, osid=OSid(255), reference=1, semantics=Semantics.CONTAINMENT, content=Content.WHOLE, link=3),
            b"/price",
        ),
        "73 33 0000 ff00000000000000 00000001 00000006 2f7072696365",
    ),
    (
        "SUBSCRIBE, in another language",
        Frame(
            Header(Kind.SUBSCRIBE, osid=OSid(7), reference=2, attached=True, link=15, language=Language.MQTT, lease=9),
            b"home/+/temp",
        ),
        "73 f8 0092 0700000000000000 00000002 0000000b 686f6d652f2b2f74656d70",
    ),
    (
        "SUBSCRIBE, between brokers",
        Frame(Header(Kind.SUBSCRIBE, osid=OSid(7, (1, 2)), reference=0x01020304, neighbour=3), b"/stock/price"),
        "73 00 0300 0701020000000000 01020304 0000000c 2f73746f636b2f7072696365",
    ),
    (
        "UNSUBSCRIBE",
        Frame(Header(Kind.UNSUBSCRIBE, osid=OSid(7), reference=0x01020304)),
        "75 00 0000 0700000000000000 01020304 00000000",
    ),
    (
        "UNSUBSCRIBE, between brokers",
        Frame(Header(Kind.UNSUBSCRIBE, osid=OSid(7, (1, 2)), reference=0x01020304, neighbour=3)),
        "75 00 0300 0701020000000000 01020304 00000000",
    ),
    (
        "RESULT, accepted",
        Frame(Header(Kind.RESULT, osid=OSid(7), reference=0x01020304, aux=Refusal.NONE)),
        "72 00 0000 0700000000000000 01020304 00000000",
    ),
    (
        "RESULT, refused",
        Frame(Header(Kind.RESULT, osid=OSid(7), reference=0x01020304, aux=Refusal.FULL_VALUES, link=2)),
        "72 20 0016 0700000000000000 01020304 00000000",
    ),
    (
        "PUBLISH",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0), b"<a>1</a>"),
        "70 00 0000 0000000000000000 a0b0c0d0 00000008 3c613e313c2f613e",
    ),
    (
        "PUBLISH, with an attachment",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0, attached=True), attach(b"<a/>", b"\xff\xd8")),
        "70 08 0000 0000000000000000 a0b0c0d0 0000000a 00000004 3c612f3e ffd8",
    ),
    (
        "PUBLISH, a message",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0, format=Format.MESSAGE), ORDER.pack()),
        f"70 01 0000 0000000000000000 a0b0c0d0 00000026 {ORDER_BYTES}",
    ),
    (
        "VERDICT, well-formed",
        Frame(Header(Kind.VERDICT, reference=0xA0B0C0D0, aux=VerdictBody.aux(Code.OK)), VerdictBody(0, 8, 3).pack()),
        "76 00 0000 0000000000000000 a0b0c0d0 0000000c 00000000 00000008 00000003",
    ),
    (
        "VERDICT, not well-formed",
        Frame(Header(Kind.VERDICT, reference=0xA0B0C0D0, aux=VerdictBody.aux(Code.MISMATCHED_END)), VerdictBody(6, 7, 0).pack()),
        "76 00 0116 0000000000000000 a0b0c0d0 0000000c 00000006 00000007 00000000",
    ),
    (
        "NOTIFY",
        Frame(Header(Kind.NOTIFY, osid=OSid(7), reference=0x01020304, aux=1, link=1), b"<price>115</price>"),
        "6e 10 0001 0700000000000000 01020304 00000012 3c70726963653e3131353c2f70726963653e",
    ),
    (
        "NOTIFY, with an attachment",
        Frame(Header(Kind.NOTIFY, osid=OSid(7), reference=2, aux=258, content=Content.WHOLE, attached=True), attach(b"<a/>", b"\xff\xd8")),
        "6e 0a 0102 0700000000000000 00000002 0000000a 00000004 3c612f3e ffd8",
    ),
    (
        "FORWARD",
        Frame(Header(Kind.FORWARD, osid=OSid(7, (1, 2, 3)), reference=0x01020304, aux=1, link=3), b"<price>115</price>"),
        "66 30 0001 0701020300000000 01020304 00000012 3c70726963653e3131353c2f70726963653e",
    ),
    (
        "ROUTE",
        Frame(Header(Kind.ROUTE, osid=OSid(0, (1, 2)), reference=0x00012345, origin=4, hops=3), b"<a/>"),
        "71 00 0403 0001020000000000 00012345 00000004 3c612f3e",
    ),
    (
        "ROUTE, a message",
        Frame(Header(Kind.ROUTE, osid=OSid(0, (1, 2)), reference=6, origin=4, hops=1, format=Format.MESSAGE), Message().pack()),
        "71 01 0401 0001020000000000 00000006 00000004 0000 0000",
    ),
    (
        "SOLICIT",
        Frame(Header(Kind.SOLICIT, osid=OSid(0, (1, 2, 7, 5)), reference=9, neighbour=4), b"/a"),
        "6c 00 0400 0001020705000000 00000009 00000002 2f61",
    ),
    (
        "TOPOLOGY, add",
        Frame(Header(Kind.TOPOLOGY, aux=2), Criterion("price").pack()),
        "74 00 0002 0000000000000000 00000000 00000005 7072696365",
    ),
    (
        "TOPOLOGY, remove",
        Frame(Header(Kind.TOPOLOGY, aux=255, remove=True), Criterion("symbol", "S=7").pack()),
        "74 01 00ff 0000000000000000 00000000 0000000b 4073796d626f6c3d533d37",
    ),
    (
        "TOPOLOGY, anything else",
        Frame(Header(Kind.TOPOLOGY, aux=3, solicit=True, reference=5), Criterion().pack()),
        "74 00 0103 0000000000000000 00000005 00000001 2a",
    ),
    (
        "HELLO",
        Frame(Header(Kind.HELLO, osid=OSid(0, (2,)), neighbour=3, settled=True)),
        "68 01 0300 0002000000000000 00000000 00000000",
    ),
    (
        "SKELETON",
        Frame(Header(Kind.SKELETON), b"price"),
        "6b 00 0000 0000000000000000 00000000 00000005 7072696365",
    ),
    (
        "ACCESS, read",
        Frame(Header(Kind.ACCESS, reference=5, aux=0x0041)),
        "61 00 0041 0000000000000000 00000005 00000000",
    ),
    (
        "ACCESS, write",
        Frame(Header(Kind.ACCESS, reference=6, aux=0x8002), bytes([0, 0, 0, 1])),
        "61 00 8002 0000000000000000 00000006 00000004 00000001",
    ),
]

# frames as they were in version 1, one of every kind: none of them is a frame any more
VERSION_1 = [
    "53 00 0000 0700000000000000 01020304 0000000c 2f73746f636b2f7072696365",
    "53 1b 0000 ff00000000000000 00000001 00000006 2f7072696365",
    "53 00 0000 0701020000000000 01020304 0000000c 2f73746f636b2f7072696365",
    "55 00 0000 0700000000000000 01020304 00000000",
    "52 00 0016 0700000000000000 01020304 00000000",
    "50 00 0000 0000000000000000 a0b0c0d0 00000008 3c613e313c2f613e",
    "50 20 0000 0000000000000000 a0b0c0d0 0000000a 00000004 3c612f3e ffd8",
    "56 00 0116 0000000000000000 a0b0c0d0 0000000c 00000006 00000007 00000000",
    "4e 08 0001 0700000000000000 01020304 00000012 3c70726963653e3131353c2f70726963653e",
    "46 00 0001 0701020300000000 01020304 00000012 3c70726963653e3131353c2f70726963653e",
    "51 00 0000 0001020000000000 00000009 00000004 3c612f3e",
    "4c 00 0000 0001020705000000 00000009 00000002 2f61",
    "54 40 00ff 0000000000000000 00000000 00000005 7072696365",
    "4b 00 0000 0000000000000000 00000000 00000005 7072696365",
    "41 00 8002 0000000000000000 00000006 00000004 00000001",
]


@pytest.mark.parametrize(("name", "frame", "literal"), FRAMES, ids=[name for name, _, _ in FRAMES])
def test_frame_is_these_bytes_both_ways(name: str, frame: Frame, literal: str) -> None:
    data = bytes.fromhex(literal)
    assert frame.pack() == data
    back = Frame.unpack(data)
    assert back.body == frame.body
    assert back.header.length == len(frame.body)
    assert back.pack() == data
    assert replace(back.header, length=0) == frame.header


def test_every_kind_has_a_literal() -> None:
    assert {frame.header.kind for _, frame, _ in FRAMES} == set(Kind)


def test_documentation_shows_the_same_bytes() -> None:
    shown: dict[str, str] = {}
    for name, dump in re.findall(r"^### ([^\n]+)\n.*?^```text\n(.*?)^```", (DOCS / "formats.md").read_text(), re.MULTILINE | re.DOTALL):
        shown[name] = "".join(line[6:53] for line in dump.splitlines()).replace(" ", "")
    assert shown == {name: literal.replace(" ", "") for name, _, literal in FRAMES}


@pytest.mark.parametrize("literal", VERSION_1)
def test_a_frame_of_version_1_is_refused_clearly(literal: str) -> None:
    data = bytes.fromhex(literal)
    with pytest.raises(VersionError) as caught:
        Frame.unpack(data)
    assert str(caught.value) == f"a frame must be of contract version 2, not begin with 0x{data[0]:02x}"
    assert frame_refusal(data, BrokerConfig()) is Refusal.UNSUPPORTED_VERSION
    # Where its body ends is where it was, so that what follows can be read.
    assert len(data) == Header.BYTES + int.from_bytes(data[16:20], "big")


def test_bits_of_each_kind() -> None:
    """Every field sets bits of its own, and what a kind has not must stay as it is."""

    def low(kind: Kind, **changes: object) -> int:
        return int.from_bytes(Header(kind, **changes).pack()[1:4], "big")  # type: ignore[arg-type]

    subscribe: dict[str, list[tuple[object, int]]] = {
        "semantics": [(Semantics.CONTAINMENT, 0x010000)],
        "content": [(Content.WHOLE, 0x020000), (Content.HEADER, 0x040000)],
        "attached": [(True, 0x080000)],
        "link": [(1, 0x100000), (15, 0xF00000)],
        "neighbour": [(1, 0x000100), (255, 0x00FF00)],
        "lease": [(1, 0x000010), (15, 0x0000F0)],
        "language": [(Language.TOPIC, 1), (Language.REGEX, 8)],
    }
    for name, values in subscribe.items():
        for value, bits in values:
            assert low(Kind.SUBSCRIBE, **{name: value}) == bits
    assert low(Kind.ROUTE, origin=0x12, hops=0x34) == 0x001234
    assert low(Kind.TOPOLOGY, aux=0x12, solicit=True, remove=True) == 0x010112
    assert low(Kind.TOPOLOGY, aux=0x12, more=True) == 0x000212
    assert low(Kind.HELLO, neighbour=9, settled=True) == 0x010900
    assert low(Kind.NOTIFY, format=Format.MESSAGE, aux=0xFFFF) == 0x01FFFF
    for kind in Kind:
        parts = PARTS[kind]
        taken = [bit for part in parts for bit in range(part.low, part.low + part.width)]
        assert len(taken) == len(set(taken))
        assert all(bit < 24 for bit in taken)
        for bit in set(range(24)) - set(taken):
            raw = bytes([kind]) + (1 << bit).to_bytes(3, "big") + bytes(16)
            with pytest.raises(FrameError, match=f"a frame of kind {kind.name} must have zeros in bits that it does not use"):
                Header.unpack(raw)


def test_neighbour_that_a_frame_is_for() -> None:
    assert Header(Kind.SUBSCRIBE, osid=OSid(7, (1, 2)), neighbour=3).destination == 3
    assert Header(Kind.SUBSCRIBE, osid=OSid(7)).destination == 0
    assert [Header(kind, osid=OSid(7, (1, 2, 3))).destination for kind in (Kind.FORWARD, Kind.ROUTE, Kind.RESULT)] == [2, 2, 3]
    assert [Header(kind, osid=OSid(7)).destination for kind in (Kind.FORWARD, Kind.ROUTE, Kind.RESULT, Kind.NOTIFY)] == [0] * 4
    assert Header(Kind.HELLO, neighbour=4).destination == 4


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
    ("bits", "literal", "most"),
    [(8, "0501020000000000", 7), (7, "0502080000000000", 8), (4, "0512000000000000", 14), (2, "0560000000000000", 28)],
)
def test_osid_with_narrower_identities(bits: int, literal: str, most: int) -> None:
    osid = OSid(5, (1, 2), bits)
    assert osid.pack() == bytes.fromhex(literal)
    assert OSid.unpack(bytes.fromhex(literal), bits) == osid
    assert OSid.most(bits) == most
    full = OSid(5, ((1 << bits) - 1,) * most, bits)
    assert full.pack() == b"\5" + b"\xff" * 7
    assert OSid.unpack(full.pack(), bits) == full
    assert Frame.unpack(Frame(Header(Kind.UNSUBSCRIBE, osid=osid)).pack(), bits=bits).header.osid == osid
    with pytest.raises(FrameError, match=f"path must have at most {most} brokers, not {most + 1}"):
        OSid(5, (1,) * (most + 1), bits)
    with pytest.raises(FrameError, match=f"a broker identity must be 1 to {(1 << bits) - 1}, not {1 << bits}"):
        OSid(5, (1 << bits,), bits)


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
        (lambda: OSid(1, (), 3), "bits must be one of 2, 4, 7, 8, not 3"),
        (lambda: Header(Kind.NOTIFY, aux=65536), "aux must be 0 to 65535, not 65536"),
        (lambda: Header(Kind.NOTIFY, aux=-1), "aux must be 0 to 65535, not -1"),
        (lambda: Header(Kind.RESULT, aux=256), "aux must be 0 to 255, not 256"),
        (lambda: Header(Kind.PUBLISH, aux=1), "aux must be 0 in a frame of kind PUBLISH, not 1"),
        (lambda: Header(Kind.UNSUBSCRIBE, lease=1), "lease must be 0 in a frame of kind UNSUBSCRIBE, not 1"),
        (lambda: Header(Kind.SUBSCRIBE, lease=16), "lease must be 0 to 15, not 16"),
        (lambda: Header(Kind.PUBLISH, reference=1 << 32), "reference must be 0 to 4294967295, not 4294967296"),
        (lambda: Header(Kind.PUBLISH, length=1 << 32), "length must be 0 to 4294967295, not 4294967296"),
        (lambda: Header(Kind.NOTIFY, link=16), "link must be 0 to 15, not 16"),
        (lambda: Header.unpack(b"s" * 19), "a header must have 20 bytes, not 19"),
        (lambda: Header.unpack(b"X" + bytes(19)), "a frame must be of contract version 2, not begin with 0x58"),
        (lambda: Header.unpack(b"\x80" + bytes(19)), "a frame must be of contract version 2, not begin with 0x80"),
        (
            lambda: Header.unpack(b"x" + bytes(19)),
            "kind must be one of SUBSCRIBE, UNSUBSCRIBE, RESULT, PUBLISH, VERDICT, NOTIFY, FORWARD, ROUTE, SOLICIT, TOPOLOGY, HELLO, "
            "SKELETON, ACCESS, not 0x78",
        ),
        (lambda: Header.unpack(b"s\x06" + bytes(18)), "content must be one of SELECTED, WHOLE, HEADER, not 3"),
        (
            lambda: Header.unpack(b"s\0\0\x09" + bytes(16)),
            "language must be one of XPATH, TOPIC, MQTT, STRING, INTEGER, TAGS, FILTER, SELECTOR, REGEX, not 9",
        ),
        (lambda: Header.unpack(b"p\x02" + bytes(18)), "a frame of kind PUBLISH must have zeros in bits that it does not use, not 020000"),
        (lambda: Frame.unpack(b"u" + bytes(20)), "a frame must have 20 bytes as its header says, not 21"),
        (lambda: Frame.unpack(b"s" + bytes(18) + b"\2" + b"/"), "a frame must have 22 bytes as its header says, not 21"),
        (lambda: VerdictBody(1 << 32, 0, 0), "offset must be 0 to 4294967295, not 4294967296"),
        (lambda: VerdictBody(0, -1, 0), "length must be 0 to 4294967295, not -1"),
        (lambda: VerdictBody(0, 0, 1 << 32), "matches must be 0 to 4294967295, not 4294967296"),
        (lambda: VerdictBody.unpack(bytes(11)), "a verdict's body must have 12 bytes, not 11"),
        (lambda: detach(bytes(3)), "a body with an attachment must have at least 4 bytes, not 3"),
        (lambda: detach(bytes.fromhex("00000003") + b"<a"), "a publication's length must be at most the 2 bytes that follow it, not 3"),
    ],
)
def test_message(make: object, message: str) -> None:
    with pytest.raises(FrameError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("criterion", "data"),
    [
        (Criterion(), b"*"),
        (Criterion("price"), b"price"),
        (Criterion("\u00e9t\u00e9"), b"\xc3\xa9t\xc3\xa9"),
        (Criterion("p:q.r-1"), b"p:q.r-1"),
        (Criterion("symbol", "S7"), b"@symbol=S7"),
        (Criterion("symbol", ""), b"@symbol="),
        (Criterion("symbol", "=a *@"), b"@symbol==a *@"),
    ],
)
def test_criterion_of_a_route(criterion: Criterion, data: bytes) -> None:
    assert criterion.pack() == data
    assert Criterion.unpack(data) == criterion
    assert criterion.anything == (data == b"*")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a criterion must have a name of XML, not ''"),
        (b"**", "a criterion must have a name of XML, not '**'"),
        (b"a b", "a criterion must have a name of XML, not 'a b'"),
        (b"7up", "a criterion must have a name of XML, not '7up'"),
        (b"name=value", "a criterion must have a name of XML, not 'name=value'"),
        (b"@", "a criterion must be a name, @name=value or *, not '@'"),
        (b"@name", "a criterion must be a name, @name=value or *, not '@name'"),
        (b"@=value", "a criterion must have a name of XML, not ''"),
        (b"@a/b=1", "a criterion must have a name of XML, not 'a/b'"),
        (b"\xff", "a criterion must be UTF-8, not b'\\xff'"),
    ],
)
def test_criteria_that_are_none(data: bytes, message: str) -> None:
    with pytest.raises(FrameError) as caught:
        Criterion.unpack(data)
    assert str(caught.value) == message


MESSAGES = [
    (Message(), "0000 0000"),
    (Message(body=b"x"), "0000 0000 78"),
    (Message("abcd", (), b"\0\0"), "0004 0000 61626364 0000"),
    (Message("a", (Property("b", PropertyType.STRING, ""),)), "0001 0001 61000000 01 01 0000 62000000"),
    (Message("", (Property("\u00e9", PropertyType.NUMBER, "-.5"),), b"!"), "0000 0001 00 02 0003 c3a90000 2d2e3500 21"),
    (ORDER, ORDER_BYTES),
]


@pytest.mark.parametrize(("message", "literal"), MESSAGES)
def test_messages_on_the_wire(message: Message, literal: str) -> None:
    assert message.pack() == bytes.fromhex(literal)
    assert Message.unpack(bytes.fromhex(literal)) == message
    assert (len(message.pack()) - len(message.body)) % 4 == 0


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        ("000000", "a message must have at least 4 bytes, not 3"),
        ("0005 0000 61626364", "a message must have at least 12 bytes, not 8"),
        ("0001 0000 61000100", "a message must have zeros in front of byte 8, not 000100"),
        ("0001 0000 ff000000", "a topic must be UTF-8, not b'\\xff'"),
        ("0000 0001 03 01 0000 62000000", "a property's type must be one of NUMBER, STRING, BOOLEAN, not 3"),
        ("0000 0001 01 00 0000", "a property must have a name"),
        ("0000 0001 00 01 0000 62000000", "the property 'b' must be a number, not ''"),
        ("0000 0001 00 01 0003 62000000 31653500", "the property 'b' must be a number, not '1e5'"),
        ("0000 0001 02 01 0003 62000000 79657300", "the property 'b' must be a boolean, not 'yes'"),
        ("0000 0002 01 01 0000 62000000 01 01 0000 62000000", "a message must have the property 'b' once, not 2 times"),
    ],
)
def test_messages_that_are_none(literal: str, message: str) -> None:
    with pytest.raises(FrameError) as caught:
        Message.unpack(bytes.fromhex(literal))
    assert str(caught.value) == message


def test_numbers_of_messages() -> None:
    for text in ("0", "-0", "007", "1.", ".5", "-12.50", "123456789012345"):
        assert Property("n", PropertyType.NUMBER, text).text == text
    for text in ("", "-", ".", "+1", "1e5", " 1", "1 ", "--1", "0x1", "\u0661"):
        with pytest.raises(FrameError, match="the property 'n' must be a number"):
            Property("n", PropertyType.NUMBER, text)
    with pytest.raises(FrameError, match="a property's name must have at most 255 bytes, not 256"):
        Property("n" * 256, PropertyType.STRING, "")


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
    "unsupported-version",
    "unsupported-kind",
    "unsupported-language",
    "unsupported-format",
    "unsupported-attachment",
    "unsupported-lease",
]
ROUTING = [
    "local-sample",
    "path-full",
    "loop",
    "wrong-broker",
    "no-route",
    "duplicate-frame",
    "hop-limit",
    "link-down",
    "bad-criterion",
    "unknown-neighbour",
    "unknown-route",
    "full-routes",
]


def test_codes_are_numbered_and_spelled_like_this() -> None:
    assert [(code.value, code.text) for code in Code] == list(enumerate(CODES))
    assert [verdict.text for verdict in Verdict] == ["well-formed", "not-well-formed", "unsupported", "over-limit"]
    assert {code.text for code in Code if code.verdict is Verdict.UNSUPPORTED} == UNSUPPORTED
    assert {code.text for code in Code if code.verdict is Verdict.OVER_LIMIT} == OVER_LIMIT
    assert {code.text for code in Code if code.verdict is Verdict.WELL_FORMED} == {"ok"}


def test_refusals_are_numbered_and_spelled_like_this() -> None:
    assert [(refusal.value, refusal.text) for refusal in Refusal] == [*enumerate(REFUSALS), *enumerate(ROUTING, 64)]
    assert all(refusal < 256 for refusal in Refusal), "the wire has eight bits"


def test_small_numbers() -> None:
    assert (CONTRACT_VERSION, WORD_BYTES, INDEX_MAX, Header.BYTES, Header.LINKS, OSid.BYTES) == (2, 4, 15, 20, 16, 8)
    assert [(t.name, t.value) for t in WordType] == [("ELEMENT", 0), ("ATTRIBUTE", 1), ("VALUE", 2), ("TEXT", 3), ("END", 4)]
    assert [(c.name, c.value) for c in WordClass] == [("I", 0), ("U", 1), ("V", 2)]
    assert [(s.name, s.value) for s in Semantics] == [("EXACT", 0), ("CONTAINMENT", 1)]
    assert [(c.name, c.value) for c in Content] == [("SELECTED", 0), ("WHOLE", 1), ("HEADER", 2)]
    assert [(f.name, f.value) for f in Format] == [("XML", 0), ("MESSAGE", 1)]
    languages = ["xpath", "topic", "mqtt", "string", "integer", "tags", "filter", "selector", "regex"]
    assert [(language.text, language.value) for language in Language] == [(name, place) for place, name in enumerate(languages)]
    assert [(p.name, p.value) for p in PropertyType] == [("NUMBER", 0), ("STRING", 1), ("BOOLEAN", 2)]
    assert [(p.name, p.value) for p in Policy] == [("STEADY", 0), ("CYCLIC", 1)]
    assert [(p.name, p.value) for p in Sampling] == [("SOUND", 0), ("LITERAL", 1)]
    assert [(m.name, m.value) for m in Mode] == [("NOP", 0), ("NPNS", 1), ("NPOS", 2), ("OPOS", 3), ("OPNS", 4)]


def test_every_sentence_is_one_of_its_own() -> None:
    for members in (Code, Refusal, Kind, Language, Policy, Sampling, PropertyType):
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
