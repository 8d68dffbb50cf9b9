"""Frames: a header of 20 bytes and a body, byte by byte."""

import struct
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hdl.contract.codes import CONTRACT_VERSION, Code, Content, Format, Language, Semantics
from hdl.contract.identity import FrameError, OSid, VersionError
from hdl.contract.sentences import Sentenced

__all__ = ["PARTS", "VERSION_BITS", "Frame", "Header", "Kind", "Part", "VerdictBody", "attach", "detach"]


class Kind(Sentenced):
    """The first byte of a frame: a letter, whose three high bits are one more than the version of the contract."""

    SUBSCRIBE = (
        ord("s"),
        "subscriber to broker: the body is the text in its language [T-Fig 5.7]; also sub(S,F) between brokers",
    )
    UNSUBSCRIBE = (ord("u"), "subscriber to broker: cancels the subscription with this o-SID and reference; no body; also between brokers")
    RESULT = (ord("r"), "broker to subscriber, topology entity or neighbour: aux is the refusal code, 0 when accepted; no body")
    PUBLISH = (ord("p"), "publisher to broker: the body is the publication, an XML document or a message")
    VERDICT = (ord("v"), "broker to publisher: aux is verdict << 8 | code; the body is offset, bytes, matches, 4 bytes each")
    NOTIFY = (
        ord("n"),
        "broker to subscriber: aux counts publications where it matched; the body is the content asked for [T 5.3.4]",
    )
    FORWARD = (ord("f"), "broker to broker: a notification on its way back along the o-SID's path [T-Fig 5.22, 5.23]")
    ROUTE = (ord("q"), "broker to broker: a publication, whose number at its origin is the reference [T 5.4.3.5.2.1]")
    SOLICIT = (ord("l"), "broker to broker: asks another scope for publications matching the text [T 5.4.6]")
    TOPOLOGY = (
        ord("t"),
        "topology entity to broker: top(X, BID), aux has the BID, the body is X; answered by RESULT [T 5.4.3.6.1]",
    )
    HELLO = (ord("h"), "broker to broker: the sender, alone in the o-SID's path, is alive")
    SKELETON = (ord("k"), "host to broker: the body is a name for the parser to know beforehand [T 4.3]; not answered, counters tell")
    ACCESS = (
        ord("a"),
        "host to broker: a register; bits 12..0 of aux are its word address, bit 15 says write, and the body is the word to write; "
        "back: the same aux, bit 14 says that it failed, and the body is the word read",
    )


VERSION_BITS = CONTRACT_VERSION + 1
"""The three high bits of a frame's first byte."""


@dataclass(frozen=True)
class Part:
    """Bits of byte 1 (23 to 16 here) and of aux (15 to 0) that hold a field of :class:`Header`."""

    name: str
    low: int
    width: int

    @property
    def most(self) -> int:
        return (1 << self.width) - 1


_CONTENT, _ATTACHED, _LINK = Part("content", 17, 2), Part("attached", 19, 1), Part("link", 20, 4)
_SEMANTICS, _FORMAT, _REMOVE, _SETTLED = (Part(name, 16, 1) for name in ("semantics", "format", "remove", "settled"))
_NEIGHBOUR, _LEASE, _LANGUAGE = Part("neighbour", 8, 8), Part("lease", 4, 4), Part("language", 0, 4)
_AUX = Part("aux", 0, 16)
_NOBODY = OSid(0)

PARTS: dict[Kind, tuple[Part, ...]] = {
    Kind.SUBSCRIBE: (_SEMANTICS, _CONTENT, _ATTACHED, _LINK, _LANGUAGE, _LEASE, _NEIGHBOUR),
    Kind.UNSUBSCRIBE: (_LINK, _NEIGHBOUR),
    Kind.RESULT: (_LINK, Part("aux", 0, 8)),
    Kind.PUBLISH: (_FORMAT, _ATTACHED),
    Kind.VERDICT: (_AUX,),
    Kind.NOTIFY: (_FORMAT, _CONTENT, _ATTACHED, _LINK, _AUX),
    Kind.FORWARD: (_FORMAT, _CONTENT, _ATTACHED, _LINK, _AUX),
    Kind.ROUTE: (_FORMAT, _ATTACHED, Part("hops", 0, 8), Part("origin", 8, 8)),
    Kind.SOLICIT: (_SEMANTICS, _LANGUAGE, _NEIGHBOUR),
    Kind.TOPOLOGY: (_REMOVE, Part("aux", 0, 8), Part("solicit", 8, 1), Part("more", 9, 1)),
    Kind.HELLO: (_SETTLED, _NEIGHBOUR),
    Kind.SKELETON: (),
    Kind.ACCESS: (_AUX,),
}
"""Which fields a kind has in bytes 1 to 3; all other bits are zero."""


@dataclass(frozen=True)
class Header:
    """The 20 bytes in front of every frame's body, most significant byte first.

    ======  =========  ================================================================================
    bytes   field      meaning
    ======  =========  ================================================================================
    0       kind       one of :class:`Kind`, with the version of the contract
    1       options    :data:`PARTS` of the kind
    2-3     aux        :data:`PARTS` of the kind
    4-11    osid       :class:`OSid`
    12-15   reference  chosen by the sender, stored with a subscription, returned in every answer to it
    16-19   length     bytes of the body that follows
    ======  =========  ================================================================================
    """

    kind: Kind
    osid: OSid = _NOBODY
    reference: int = 0
    aux: int = 0
    semantics: Semantics = Semantics.EXACT
    content: Content = Content.SELECTED
    link: int = 0
    attached: bool = False
    remove: bool = False
    length: int = 0
    language: Language = Language.XPATH
    lease: int = 0
    neighbour: int = 0
    format: Format = Format.XML
    origin: int = 0
    hops: int = 0
    solicit: bool = False
    more: bool = False
    settled: bool = False

    BYTES: ClassVar[int] = 20
    LINKS: ClassVar[int] = _LINK.most + 1
    _STRUCT: ClassVar[struct.Struct] = struct.Struct(">B3s8sII")
    _TYPES: ClassVar[dict[str, type]] = {
        "semantics": Semantics,
        "content": Content,
        "language": Language,
        "format": Format,
        **dict.fromkeys(("attached", "remove", "solicit", "more", "settled"), bool),
    }

    def __post_init__(self) -> None:
        for name in ("reference", "length"):
            if not 0 <= getattr(self, name) < 1 << 32:
                raise FrameError(f"{name} must be 0 to {(1 << 32) - 1}, not {getattr(self, name)!r}")
        mine = {part.name: part.most for part in PARTS[self.kind]}
        for name in _PART_NAMES:
            most, value = mine.get(name, 0), getattr(self, name)
            if not 0 <= value <= most:
                says = f"0 to {most}" if most else f"0 in a frame of kind {self.kind.name}"
                raise FrameError(f"{name} must be {says}, not {value!r}")

    @property
    def destination(self) -> int:
        """The neighbour that a frame between brokers is for, as far as the frame says; 0 when it leaves for none."""
        path = self.osid.path
        if self.kind in (Kind.FORWARD, Kind.ROUTE):
            return path[-2] if len(path) > 1 else 0
        if self.kind is Kind.RESULT:
            return path[-1] if path else 0
        return self.neighbour

    def pack(self) -> bytes:
        bits = sum(int(getattr(self, part.name)) << part.low for part in PARTS[self.kind])
        return self._STRUCT.pack(self.kind, bits.to_bytes(3, "big"), self.osid.pack(), self.reference, self.length)

    @classmethod
    def unpack(cls, data: bytes, *, bits: int = 8) -> "Header":
        """The header in front of these bytes, in a network whose BIDs have so many ``bits``."""
        if len(data) < cls.BYTES:
            raise FrameError(f"a header must have {cls.BYTES} bytes, not {len(data)}")
        kind, raw, osid, reference, length = cls._STRUCT.unpack_from(data)
        if kind >> 5 != VERSION_BITS:
            raise VersionError(f"a frame must be of contract version {CONTRACT_VERSION}, not begin with 0x{kind:02x}")
        if kind not in Kind._value2member_map_:
            raise FrameError(f"kind must be one of {', '.join(k.name for k in Kind)}, not 0x{kind:02x}")
        left, found = int.from_bytes(raw, "big"), {}
        for part in PARTS[Kind(kind)]:
            value = left >> part.low & part.most
            left -= value << part.low
            found[part.name] = cls._value(part.name, value)
        if left:
            raise FrameError(f"a frame of kind {Kind(kind).name} must have zeros in bits that it does not use, not {left:06x}")
        return cls(kind=Kind(kind), osid=OSid.unpack(osid, bits), reference=reference, length=length, **found)

    @classmethod
    def _value(cls, name: str, value: int) -> Any:
        try:
            return cls._TYPES.get(name, int)(value)
        except ValueError:
            raise FrameError(f"{name} must be one of {', '.join(one.name for one in cls._TYPES[name])}, not {value}") from None  # type: ignore[attr-defined]


_PART_NAMES = tuple({part.name: None for parts in PARTS.values() for part in parts})


@dataclass(frozen=True)
class Frame:
    """A header and its body; the header's length is taken from the body."""

    header: Header
    body: bytes = b""

    def pack(self) -> bytes:
        return replace(self.header, length=len(self.body)).pack() + self.body

    @classmethod
    def unpack(cls, data: bytes, *, bits: int = 8) -> "Frame":
        header = Header.unpack(data, bits=bits)
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


def attach(publication: bytes, attachment: bytes) -> bytes:
    """The body of a frame with ``attached`` set [T 3.2.5]: the publication's or the content's length in 4 bytes, that, the attachment.

    The whole is at most 2**32 - 1 bytes. An attachment without bytes says that there was one which had no room on its way.
    """
    return struct.pack(">I", len(publication)) + publication + attachment


def detach(body: bytes) -> tuple[bytes, bytes]:
    """The publication or the content, and the attachment, in a body made by :func:`attach`."""
    if len(body) < 4:
        raise FrameError(f"a body with an attachment must have at least 4 bytes, not {len(body)}")
    (length,) = struct.unpack_from(">I", body)
    if length > len(body) - 4:
        raise FrameError(f"a publication's length must be at most the {len(body) - 4} bytes that follow it, not {length}")
    return body[4 : 4 + length], body[4 + length :]
