"""Segments of the host link, byte by byte."""

import zlib
from dataclasses import dataclass
from typing import ClassVar

from hdl.contract.identity import FrameError
from hdl.contract.sentences import Sentenced

__all__ = ["Segment", "SegmentKind"]


class SegmentKind(Sentenced):
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
