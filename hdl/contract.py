"""The contract between the hardware, the golden model, the host driver and the vector jobs.

Every code, frame format and register offset lives here and nowhere else; the tables of the documentation are generated
from this module. It uses the standard library only, so that anything may import it.
"""

import enum
import struct
import zlib
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self

from hdl.config import BrokerConfig

__all__ = [
    "CONTRACT_VERSION",
    "IDENTITY",
    "INDEX_MAX",
    "REGISTERS",
    "REGISTER_WORDS",
    "WORD_BYTES",
    "Access",
    "BusError",
    "Code",
    "Content",
    "Field",
    "Frame",
    "FrameError",
    "Header",
    "Kind",
    "OSid",
    "Refusal",
    "Register",
    "Segment",
    "SegmentKind",
    "Semantics",
    "Verdict",
    "VerdictBody",
    "WordClass",
    "WordType",
    "attach",
    "detach",
    "register",
]

CONTRACT_VERSION = 1

WORD_BYTES = 4
"""Bytes in one parsed word [T 4.4]."""

INDEX_MAX = 15
"""The location l of a word in its token saturates here."""


class _Sentenced(enum.IntEnum):
    """Numbers with a sentence each."""

    sentence: str

    def __new__(cls, value: int, sentence: str = "") -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member


class Verdict(enum.IntEnum):
    """How a document ended; exactly one per document."""

    WELL_FORMED = 0
    NOT_WELL_FORMED = 1
    UNSUPPORTED = 2
    OVER_LIMIT = 3

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


class Code(enum.IntEnum):
    """Why a document is not well-formed, unsupported or over a limit.

    The offset reported with a code is that of the byte that decides it, counted from 0; where the end of the document
    decides, it is the length of the document. A character of several bytes is decided by its last byte, an ill-formed
    UTF-8 sequence by the first byte that cannot continue it. Each sentence names the deciding byte where that is not
    plain. Of several errors the one with the smallest offset is reported, and at one byte the one with the smallest code.
    """

    verdict: Verdict
    sentence: str

    def __new__(cls, value: int, verdict: Verdict = Verdict.WELL_FORMED, sentence: str = "") -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.verdict = verdict
        member.sentence = sentence
        return member

    OK = (0, Verdict.WELL_FORMED, "the document is well-formed")
    UTF16 = (1, Verdict.UNSUPPORTED, "the document looks like UTF-16: its first byte is 00, FE or FF, or its second is 00 after '<'")
    BAD_UTF8 = (2, Verdict.NOT_WELL_FORMED, "the byte is not UTF-8 here")
    BAD_CHAR = (3, Verdict.NOT_WELL_FORMED, "the character is not allowed in XML [XML 2.2]")
    NAME_LENGTH = (4, Verdict.OVER_LIMIT, "a name is longer than the limit; decided by its first byte too many")
    BAD_NAME = (5, Verdict.NOT_WELL_FORMED, "a name must start here, right after '<' or '</'")
    BAD_TAG = (6, Verdict.NOT_WELL_FORMED, "the character cannot stand here in a tag [XML 3.1]")
    LT_IN_VALUE = (7, Verdict.NOT_WELL_FORMED, "'<' in an attribute value [XML 3.1]")
    BAD_REFERENCE = (8, Verdict.NOT_WELL_FORMED, "a malformed reference, or at its ';' one to a forbidden character [XML 4.1]")
    ENTITY = (9, Verdict.UNSUPPORTED, "at the ';', a reference to an entity other than the five predefined ones")
    CDATA_END = (10, Verdict.NOT_WELL_FORMED, "']]>' in text; decided by its '>' [XML 2.4]")
    BAD_MARKUP = (11, Verdict.NOT_WELL_FORMED, "after '<!' none of '--', '[CDATA[' and 'DOCTYPE'")
    BAD_COMMENT = (12, Verdict.NOT_WELL_FORMED, "'--' in a comment; decided by the byte after it [XML 2.5]")
    BAD_PI = (13, Verdict.NOT_WELL_FORMED, "a bad target of a processing instruction, or at the byte after it the target 'xml' [XML 2.6]")
    BAD_DECL = (14, Verdict.NOT_WELL_FORMED, "the character cannot stand here in the XML declaration [XML 2.8]")
    ENCODING = (15, Verdict.UNSUPPORTED, "at its closing quote, an encoding other than UTF-8 and US-ASCII")
    BAD_DOCTYPE = (
        16,
        Verdict.NOT_WELL_FORMED,
        "the character cannot stand here in the DOCTYPE, or at the 'E' a DOCTYPE in the wrong place",
    )
    TEXT_OUTSIDE = (17, Verdict.NOT_WELL_FORMED, "text, a reference (at its '&') or CDATA (at its last '[') outside the root element")
    EXTRA_ROOT = (18, Verdict.NOT_WELL_FORMED, "a second root element; decided by the byte after its '<'")
    UNEXPECTED_END = (19, Verdict.NOT_WELL_FORMED, "an end tag while no element is open; decided by its '/'")
    DEPTH = (20, Verdict.OVER_LIMIT, "elements nest deeper than the limit; decided by the byte after the '<'")
    BAD_QNAME = (21, Verdict.NOT_WELL_FORMED, "not a QName: decided by the byte after the name [Namespaces 3]")
    MISMATCHED_END = (22, Verdict.NOT_WELL_FORMED, "the end tag names another element; decided by the byte after the name")
    ATTRIBUTES = (23, Verdict.OVER_LIMIT, "more attributes in a tag than the limit; decided by the byte after the name")
    DUPLICATE_ATTRIBUTE = (24, Verdict.NOT_WELL_FORMED, "an attribute given twice in a tag; decided by the byte after the name")
    PREFIXES = (25, Verdict.OVER_LIMIT, "more namespace declarations in scope than the limit; decided by the byte after the name")
    BAD_NS_DECL = (
        26,
        Verdict.NOT_WELL_FORMED,
        "a prefix declared as empty (at the closing quote), or 'xmlns' declared (at the byte after the name)",
    )
    UNBOUND_PREFIX = (27, Verdict.NOT_WELL_FORMED, "a prefix without a declaration in scope; decided by the '>' of its tag")
    UNCLOSED = (28, Verdict.NOT_WELL_FORMED, "the document ends inside markup or with elements open; offset is its length")
    NO_ROOT = (29, Verdict.NOT_WELL_FORMED, "the document has no root element; offset is its length")
    NUMBER_DIGITS = (30, Verdict.OVER_LIMIT, "a value compared as a number has more than 15 significant digits")
    NAME_CLASH = (
        31,
        Verdict.OVER_LIMIT,
        "a name has the 32-bit hash of another in the name table, or too many names share rows of it; decided by the byte after the name",
    )

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


class WordType(enum.IntEnum):
    """The type t of a parsed word [T 4.4.6].

    A token's words carry its bytes four at a time, zero-padded at the end, with their location l; a token without
    bytes (an empty value, an end) is one word of length 0. White space between tags is TEXT like any other.
    """

    ELEMENT = 0
    ATTRIBUTE = 1
    VALUE = 2
    TEXT = 3
    END = 4


class WordClass(enum.IntEnum):
    """Classification of a name's words by the skeleton CAM [T 4.4.3]."""

    I = 0  # noqa: E741 - the thesis's letter: ignored, not a name
    U = 1
    V = 2


class Semantics(enum.IntEnum):
    """How a subscription is matched."""

    EXACT = 0
    CONTAINMENT = 1


class Content(enum.IntEnum):
    """What a notification carries: the selected nodes as they stand in the publication, one after the other in the order of the
    document; the whole publication; or its header alone. Nodes are selected by exact subscriptions; one with containment semantics
    selects none. A notification that had to go without the content asked for has HEADER in its own header."""

    SELECTED = 0
    WHOLE = 1
    HEADER = 2


class Refusal(_Sentenced):
    """Why a subscription or a cancellation is refused; nothing is registered then."""

    NONE = (0, "accepted")
    BAD_HEADER = (1, "the frame's header is malformed")
    EMPTY = (2, "the expression is empty")
    TEXT_LENGTH = (3, "the expression is longer than the limit")
    BAD_UTF8 = (4, "the expression is not UTF-8")
    SYNTAX = (5, "this character cannot stand here")
    AXIS = (6, "axes and abbreviated steps other than '/', '//', '@' and '*' are not accepted")
    FUNCTION = (7, "functions and node tests other than 'text()' are not accepted")
    OPERATOR = (8, "only 'and' and the six comparisons are accepted, with the literal on the right")
    POSITION = (9, "positional predicates are not accepted")
    UNTERMINATED = (10, "the expression ends too early")
    TEXT_TEST = (11, "'.' and 'text()' may be compared on the last step only")
    ATTRIBUTE_STEP = (12, "'@name' must be the last step and takes no predicate")
    NAME_LENGTH = (13, "a name is longer than the limit")
    LITERAL_LENGTH = (14, "a string is longer than the limit")
    NUMBER_DIGITS = (15, "a number has more than 15 significant digits")
    STEPS = (16, "more steps and tests than the limit")
    DUPLICATE_SID = (17, "this subscription is registered already")
    UNKNOWN_SID = (18, "no such subscription is registered")
    FULL_SUBSCRIPTIONS = (19, "the subscription table is full")
    FULL_STEPS = (20, "the step table is full")
    FULL_NAMES = (21, "the name table is full")
    FULL_VALUES = (22, "the value table is full")

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


class FrameError(ValueError):
    """Bytes that are not a frame; the message says what is wrong."""


@dataclass(frozen=True)
class OSid:
    """The original subscription identity, 8 bytes {SID, BID, BID, ...} [T 5.4.3.5.1, T-Fig 5.21].

    ``sid`` 0 stands for a sample of many subscriptions; ``path`` are the brokers crossed, in order, never 0.
    """

    sid: int
    path: tuple[int, ...] = ()

    BYTES: ClassVar[int] = 8
    MAX_PATH: ClassVar[int] = 7

    def __post_init__(self) -> None:
        if not 0 <= self.sid <= 255:
            raise FrameError(f"sid must be 0 to 255, not {self.sid!r}")
        if len(self.path) > self.MAX_PATH:
            raise FrameError(f"path must have at most {self.MAX_PATH} brokers, not {len(self.path)}")
        for bid in self.path:
            if not 1 <= bid <= 255:
                raise FrameError(f"a broker identity must be 1 to 255, not {bid!r}")

    @property
    def local(self) -> bool:
        """Whether the subscription never crossed a broker."""
        return not self.path

    def pack(self) -> bytes:
        return bytes([self.sid, *self.path]).ljust(self.BYTES, b"\0")

    @classmethod
    def unpack(cls, data: bytes) -> "OSid":
        if len(data) != cls.BYTES:
            raise FrameError(f"an o-SID must have {cls.BYTES} bytes, not {len(data)}")
        path = data[1:].rstrip(b"\0")
        if 0 in path:
            raise FrameError(f"an o-SID's brokers must come without gaps, not {data.hex()}")
        return cls(data[0], tuple(path))


class Kind(_Sentenced):
    """The first byte of a frame."""

    SUBSCRIBE = (ord("S"), "subscriber to broker: the body is the XPath text [T-Fig 5.7]; also sub(S,F) between brokers")
    UNSUBSCRIBE = (ord("U"), "subscriber to broker: cancels the subscription with this o-SID and reference; no body")
    RESULT = (ord("R"), "broker to subscriber: aux is the refusal code, 0 when accepted; no body")
    PUBLISH = (ord("P"), "publisher to broker: the body is the XML document; with ATTACHED a 4-byte length, the XML, the attachment")
    VERDICT = (ord("V"), "broker to publisher: aux is verdict << 8 | code; the body is offset, bytes, matches, 4 bytes each")
    NOTIFY = (ord("N"), "broker to subscriber: aux counts publications; the body is the content asked for [T 5.3.4]")
    FORWARD = (ord("F"), "broker to broker: a notification on its way back along the o-SID's path [T-Fig 5.22, 5.23]")
    ROUTE = (ord("Q"), "broker to broker: a publication routed to the origin of a null-SID sample [T 5.4.3.5.2.1]")
    SOLICIT = (ord("L"), "broker to broker: asks another scope for publications matching the XPath text [T 5.4.6]")
    TOPOLOGY = (ord("T"), "topology entity to broker: top(X, BID), aux is the BID, the body is X [T 5.4.3.6.1]")
    SKELETON = (ord("K"), "host to broker: the body is a name for the parser to know beforehand [T 4.3]; not answered, counters tell")
    ACCESS = (
        ord("A"),
        "host to broker: a register; bits 12..0 of aux are its word address, bit 15 says write, and the body is the word to write; "
        "back: the same aux, bit 14 says that it failed, and the body is the word read",
    )


@dataclass(frozen=True)
class Header:
    """The 20 bytes in front of every frame's body, most significant byte first.

    ======  =========  ================================================================================
    bytes   field      meaning
    ======  =========  ================================================================================
    0       kind       one of :class:`Kind`
    1       flags      bit 0 containment semantics; bits 2..1 :class:`Content`; bits 4..3 link;
                       bit 5 attached; bit 6 remove (of a topology entry); bit 7 zero
    2-3     aux        by kind
    4-11    osid       :class:`OSid`
    12-15   reference  chosen by the sender, stored with a subscription, returned in every answer to it
    16-19   length     bytes of the body that follows
    ======  =========  ================================================================================
    """

    kind: Kind
    osid: OSid = OSid(0)
    reference: int = 0
    aux: int = 0
    semantics: Semantics = Semantics.EXACT
    content: Content = Content.SELECTED
    link: int = 0
    attached: bool = False
    remove: bool = False
    length: int = 0

    BYTES: ClassVar[int] = 20
    LINKS: ClassVar[int] = 4
    _STRUCT: ClassVar[struct.Struct] = struct.Struct(">BBH8sII")

    def __post_init__(self) -> None:
        for name, limit in (("aux", 1 << 16), ("reference", 1 << 32), ("length", 1 << 32), ("link", self.LINKS)):
            value = getattr(self, name)
            if not 0 <= value < limit:
                raise FrameError(f"{name} must be 0 to {limit - 1}, not {value!r}")

    @property
    def flags(self) -> int:
        return self.semantics | self.content << 1 | self.link << 3 | self.attached << 5 | self.remove << 6

    def pack(self) -> bytes:
        return self._STRUCT.pack(self.kind, self.flags, self.aux, self.osid.pack(), self.reference, self.length)

    @classmethod
    def unpack(cls, data: bytes) -> "Header":
        if len(data) < cls.BYTES:
            raise FrameError(f"a header must have {cls.BYTES} bytes, not {len(data)}")
        kind, flags, aux, osid, reference, length = cls._STRUCT.unpack_from(data)
        if kind not in Kind._value2member_map_:
            raise FrameError(f"kind must be one of {', '.join(k.name for k in Kind)}, not 0x{kind:02x}")
        if flags >> 7 or flags >> 1 & 3 == 3:
            raise FrameError(f"flags must leave bit 7 and content 3 unused, not 0x{flags:02x}")
        return cls(
            kind=Kind(kind),
            osid=OSid.unpack(osid),
            reference=reference,
            aux=aux,
            semantics=Semantics(flags & 1),
            content=Content(flags >> 1 & 3),
            link=flags >> 3 & 3,
            attached=bool(flags >> 5 & 1),
            remove=bool(flags >> 6 & 1),
            length=length,
        )


@dataclass(frozen=True)
class Frame:
    """A header and its body; the header's length is taken from the body."""

    header: Header
    body: bytes = b""

    def pack(self) -> bytes:
        return replace(self.header, length=len(self.body)).pack() + self.body

    @classmethod
    def unpack(cls, data: bytes) -> "Frame":
        header = Header.unpack(data)
        if len(data) != Header.BYTES + header.length:
            raise FrameError(f"a frame must have {Header.BYTES + header.length} bytes as its header says, not {len(data)}")
        return cls(header, data[Header.BYTES :])


@dataclass(frozen=True)
class VerdictBody:
    """The 12 bytes of a VERDICT frame's body: three numbers of 4 bytes, most significant byte first.

    ``offset`` is where the document was decided (0 when it is well-formed), ``length`` its bytes, ``matches`` the subscriptions
    notified; a document that is not well-formed notifies nobody.
    """

    offset: int
    length: int
    matches: int

    BYTES: ClassVar[int] = 12
    _STRUCT: ClassVar[struct.Struct] = struct.Struct(">III")

    def __post_init__(self) -> None:
        for name in ("offset", "length", "matches"):
            value = getattr(self, name)
            if not 0 <= value < 1 << 32:
                raise FrameError(f"{name} must be 0 to {(1 << 32) - 1}, not {value!r}")

    @staticmethod
    def aux(code: Code) -> int:
        """The header's aux beside this body."""
        return code.verdict << 8 | code

    def pack(self) -> bytes:
        return self._STRUCT.pack(self.offset, self.length, self.matches)

    @classmethod
    def unpack(cls, data: bytes) -> "VerdictBody":
        if len(data) != cls.BYTES:
            raise FrameError(f"a verdict's body must have {cls.BYTES} bytes, not {len(data)}")
        return cls(*cls._STRUCT.unpack(data))


class SegmentKind(_Sentenced):
    """What a segment of the host link is; a and b are its third and fourth byte."""

    OPEN = (1, "host: begins a session with this number; the broker is reset and every number begins at 0")
    OPENED = (2, "board: answers OPEN")
    DATA = (3, "either: a is its number, the payload is the next piece of the stream of frames; it is never empty")
    ACK = (4, "either: a is the number of the DATA that is expected next; those before b have left their places")
    REPEAT = (5, "either: like ACK; DATA from a on must be sent again, because one was lost")
    POLL = (6, "host: asks for an ACK")
    CLOSED = (7, "board: the segment before belongs to no session, or to one that has ended")


@dataclass(frozen=True)
class Segment:
    """A piece of what the host link carries: five bytes, the payload, and its check sum, between two flags.

    On the wire a segment is FLAG, then these bytes, then FLAG; one flag may end a segment and begin the next. A byte that is FLAG or ESCAPE
    is sent as ESCAPE and the byte with bit 5 inverted, so that a flag is always a border, whatever was lost before it. The check sum is the
    CRC-32 of Ethernet over the five bytes and the payload, least significant byte first.
    """

    kind: SegmentKind
    session: int
    a: int = 0
    b: int = 0
    payload: bytes = b""

    FLAG: ClassVar[int] = 0x7E
    ESCAPE: ClassVar[int] = 0x7D
    INVERTED: ClassVar[int] = 0x20
    HEADER_BYTES: ClassVar[int] = 5
    CHECK_BYTES: ClassVar[int] = 4
    MAX_PAYLOAD: ClassVar[int] = 255
    WINDOW: ClassVar[int] = 8
    """DATA under way in one direction at most: places that the board has for each."""

    def __post_init__(self) -> None:
        for name in ("session", "a", "b"):
            if not 0 <= getattr(self, name) <= 255:
                raise FrameError(f"{name} must be 0 to 255, not {getattr(self, name)!r}")
        if len(self.payload) > self.MAX_PAYLOAD:
            raise FrameError(f"a payload must have at most {self.MAX_PAYLOAD} bytes, not {len(self.payload)}")

    def pack(self) -> bytes:
        """The bytes on the wire, flags included."""
        raw = bytes([self.kind, self.session, self.a, self.b, len(self.payload)]) + self.payload
        raw += zlib.crc32(raw).to_bytes(self.CHECK_BYTES, "little")
        special = (self.FLAG, self.ESCAPE)
        body = b"".join(bytes([self.ESCAPE, byte ^ self.INVERTED]) if byte in special else bytes([byte]) for byte in raw)
        return bytes([self.FLAG]) + body + bytes([self.FLAG])

    @classmethod
    def unpack(cls, body: bytes) -> "Segment":
        """The segment whose bytes on the wire, without flags, are these."""
        raw, escaped = bytearray(), False
        for byte in body:
            if escaped:
                raw.append(byte ^ cls.INVERTED)
                escaped = False
            elif byte == cls.ESCAPE:
                escaped = True
            else:
                raw.append(byte)
        size = len(raw) - cls.HEADER_BYTES - cls.CHECK_BYTES
        if escaped or size < 0 or raw[4] != size:
            raise FrameError(f"a segment must have the length that it names, not {len(raw)} bytes")
        if zlib.crc32(raw[: -cls.CHECK_BYTES]).to_bytes(cls.CHECK_BYTES, "little") != raw[-cls.CHECK_BYTES :]:
            raise FrameError("a segment must have the check sum of its bytes")
        if raw[0] not in SegmentKind._value2member_map_:
            raise FrameError(f"a segment's kind must be one of {', '.join(k.name for k in SegmentKind)}, not {raw[0]}")
        return cls(SegmentKind(raw[0]), raw[1], raw[2], raw[3], bytes(raw[cls.HEADER_BYTES : -cls.CHECK_BYTES]))


def attach(xml: bytes, attachment: bytes) -> bytes:
    """The body of a PUBLISH frame with ``attached`` set [T 3.2.5]: the document's length in 4 bytes, the document, the attachment."""
    return struct.pack(">I", len(xml)) + xml + attachment


def detach(body: bytes) -> tuple[bytes, bytes]:
    """The document and the attachment in a body made by :func:`attach`."""
    if len(body) < 4:
        raise FrameError(f"a body with an attachment must have at least 4 bytes, not {len(body)}")
    (length,) = struct.unpack_from(">I", body)
    if length > len(body) - 4:
        raise FrameError(f"a document's length must be at most the {len(body) - 4} bytes that follow it, not {length}")
    return body[4 : 4 + length], body[4 + length :]


class BusError(_Sentenced):
    """Why an access to a register was answered with an error; it changed nothing."""

    NONE = (0, "no access has failed")
    ADDRESS = (1, "there is no register at this address")
    PARTIAL = (2, "not all four bytes of the word were selected, or the transfer did not begin as the bus demands")
    DIRECTION = (3, "a register that can only be read was written, or the other way round")
    ROOM = (4, "a stream did not take the word in time")
    EMPTY = (5, "a stream had no word to read")


class Access(enum.Enum):
    """How software may use a field, in the words of SystemRDL."""

    READ = "sw = r"
    READ_WRITE = "sw = rw"
    CLEAR = "sw = rw; onwrite = woclr"
    WRITE = "sw = w"


@dataclass(frozen=True)
class Field:
    """Bits ``low`` to ``low + width - 1`` of a register."""

    name: str
    low: int
    width: int
    access: Access
    sentence: str


@dataclass(frozen=True)
class Register:
    """A word of 32 bits at a word address; with ``count`` that many of them in a row. Bits without a field read as 0."""

    name: str
    offset: int
    sentence: str
    fields: tuple[Field, ...]
    count: int = 1

    @property
    def readable(self) -> bool:
        return any(field.access is not Access.WRITE for field in self.fields)

    @property
    def writable(self) -> bool:
        return any(field.access is not Access.READ for field in self.fields)

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)


REGISTER_WORDS = 1 << 13
"""Words that the address of XAVI reaches [T 7.6.2]."""

IDENTITY = int.from_bytes(b"X2CB", "big")


def _whole(access: Access, sentence: str, name: str = "value") -> tuple[Field, ...]:
    return (Field(name, 0, 32, access, sentence),)


def _counter(name: str, offset: int, sentence: str, count: int = 1) -> Register:
    return Register(name, offset, sentence, _whole(Access.READ, "since the reset, modulo 2**32"), count)


def _bits(access: Access, *named: tuple[str, str]) -> tuple[Field, ...]:
    return tuple(Field(name, bit, 1, access, sentence) for bit, (name, sentence) in enumerate(named))


_EVENTS = (
    ("result", "a word of a result can be read"),
    ("verdict", "a word of a verdict can be read"),
    ("notification", "a word of a notification can be read on some link"),
    ("cleared", "the removal of every subscription is complete"),
    ("error", "an access failed, see error"),
)


def _inbound(name: str, base: int, what: str) -> tuple[Register, ...]:
    room = Field("room", 0, 16, Access.READ, "words that can be written without waiting")
    data = Register(
        f"{name}_data", base + 1, f"Four bytes of {what}; more follow. The first byte is in the low bits.", _whole(Access.WRITE, "bytes")
    )
    ends = [
        Register(f"{name}_end{size}", base + 2 + size, f"The last {size} bytes of {what}, in the low bits.", _whole(Access.WRITE, "bytes"))
        for size in range(5)
    ]
    return (Register(f"{name}_state", base, f"The stream into which {what} is written.", (room,)), data, *ends)


def _outbound(name: str, base: int, what: str, count: int = 1) -> tuple[Register, ...]:
    state = (
        Field("valid", 0, 1, Access.READ, "a word waits"),
        Field("last", 1, 1, Access.READ, "it is the last of its frame"),
        Field("count", 2, 3, Access.READ, "bytes in it"),
    )
    return (
        Register(f"{name}_state", base, f"The word that waits in the stream of {what}; reading it here takes nothing.", state, count),
        Register(
            f"{name}_data",
            base + count,
            f"Takes the next word of {what}; the first byte is in the low bits.",
            _whole(Access.READ, "bytes"),
            count,
        ),
    )


REGISTERS: tuple[Register, ...] = (
    Register("id", 0x00, "Says that this is the broker.", _whole(Access.READ, "`X2CB` in ASCII, 0x58324342")),
    Register("version", 0x01, "What this map is.", (Field("contract", 0, 16, Access.READ, "version of the contract"),)),
    Register(
        "control",
        0x02,
        "Commands; each bit stays 1 until the command is complete.",
        _bits(
            Access.READ_WRITE,
            ("clear", "write 1 to remove every subscription"),
            ("reset", "write 1 to reset the broker and the streams before and after it; counters begin again"),
        ),
    ),
    Register(
        "status",
        0x03,
        "What is the case now.",
        _bits(
            Access.READ,
            *_EVENTS[:3],
            ("full", "the latest subscription was refused for want of room [T-Fig 5.17]"),
            ("hcd", "some name has a high commonality degree [T 5.3.3.4]"),
            ("interrupt", "an interrupt is enabled and flagged"),
        ),
    ),
    Register("interrupt", 0x04, "What has been the case since the flag was cleared by writing 1 to it.", _bits(Access.CLEAR, *_EVENTS)),
    Register("interrupt_enable", 0x05, "Which flags raise the interrupt.", _bits(Access.READ_WRITE, *_EVENTS)),
    Register(
        "error",
        0x06,
        "The first access that failed since this register was written; any value written clears it.",
        (
            Field(
                "cause", 0, 4, Access.CLEAR, "why, 0 when none has failed: " + ", ".join(f"{e.value} {e.name.lower()}" for e in BusError)
            ),
            Field("write", 4, 1, Access.CLEAR, "it was a write"),
            Field("address", 16, 13, Access.CLEAR, "its word address"),
        ),
    ),
    Register("errors", 0x07, "Accesses that failed.", _whole(Access.READ, "since the reset, modulo 2**32")),
    Register("scratch", 0x08, "Holds what is written, for tests of the bus.", _whole(Access.READ_WRITE, "anything")),
    *(
        Register(f"config_{field.name}", 0x10 + place, "A limit that this broker was built with.", _whole(Access.READ, f"`{field.name}`"))
        for place, field in enumerate(fields(BrokerConfig))
    ),
    _counter("clocks", 0x40, "Clocks."),
    Register("registered", 0x41, "Subscriptions held.", _whole(Access.READ, "now")),
    Register("steps_used", 0x42, "Steps and tests that they take, common ones counted once.", _whole(Access.READ, "now")),
    _counter("accepted", 0x43, "SUBSCRIBE frames accepted."),
    _counter("cancelled", 0x44, "UNSUBSCRIBE frames done."),
    _counter("refused", 0x45, "Frames refused."),
    _counter("dropped", 0x46, "Raw frames dropped from the store."),
    _counter("verdicts", 0x47, "Documents by the parser's verdict: well-formed, not well-formed, unsupported, over limit.", 4),
    _counter("forgotten", 0x4B, "How often the learned part of the skeleton was forgotten."),
    _counter("notified", 0x4C, "Notifications by link.", 4),
    _counter("without_content", 0x50, "Notifications that carry less than was asked for."),
    _counter("pinned", 0x51, "Names of a skeleton that were loaded."),
    _counter("unpinned", 0x52, "Names of a skeleton that found no room."),
    _counter("segments", 0x53, "Segments of the host link that were taken."),
    _counter("damaged", 0x54, "Segments of the host link with a wrong check sum or length."),
    _counter("repeated", 0x55, "Segments of the host link that had to be sent again."),
    _counter("misfits", 0x56, "Frames on the host link that no unit takes; each is answered with a refusal."),
    *_inbound("publication", 0x100, "an XML document"),
    *_inbound("subscription", 0x110, "a SUBSCRIBE or UNSUBSCRIBE frame"),
    *_inbound("skeleton", 0x120, "a name of the skeleton [T 4.3]"),
    *_outbound("result", 0x180, "RESULT frames"),
    *_outbound("verdict", 0x182, "VERDICT frames, whose reference counts publications from 0"),
    *_outbound("notification", 0x190, "NOTIFY frames, by link", Header.LINKS),
)
"""The register map, in rising order of the offsets."""


def register(name: str) -> Register:
    """The register of that name."""
    for one in REGISTERS:
        if one.name == name:
            return one
    raise KeyError(f"name must be that of a register, not {name!r}")
