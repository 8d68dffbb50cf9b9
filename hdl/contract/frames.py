"""Frames: a header of 20 bytes and a body, byte by byte."""

import struct
from dataclasses import dataclass, replace
from typing import ClassVar

from hdl.contract.codes import Code, Content, Semantics
from hdl.contract.sentences import Sentenced

__all__ = ["Frame", "FrameError", "Header", "Kind", "OSid", "VerdictBody", "attach", "detach"]


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


class Kind(Sentenced):
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
