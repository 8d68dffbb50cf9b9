"""The identity of a subscription and of the brokers that it crossed, byte by byte."""

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["FrameError", "OSid", "VersionError"]


class FrameError(ValueError):
    """Bytes that are not a frame; the message says what is wrong."""


class VersionError(FrameError):
    """The frame is of another version of the contract."""


@dataclass(frozen=True)
class OSid:
    """The original subscription identity, 8 bytes {SID, BID, BID, ...} [T 5.4.3.5.1, T-Fig 5.21].

    ``sid`` 0 stands for a sample of many subscriptions; ``path`` are the brokers crossed, in order, never 0. An identity of a broker
    has ``bits`` bits, the same in a whole network; fields fill the seven bytes behind the SID from the most significant bit on.
    """

    sid: int
    path: tuple[int, ...] = ()
    bits: int = 8

    BYTES: ClassVar[int] = 8
    WIDTHS: ClassVar[tuple[int, ...]] = (2, 4, 7, 8)
    """Widths of a BID that fill the seven bytes."""

    def __post_init__(self) -> None:
        if not 0 <= self.sid <= 255:
            raise FrameError(f"sid must be 0 to 255, not {self.sid!r}")
        if self.bits not in self.WIDTHS:
            raise FrameError(f"bits must be one of {', '.join(map(str, self.WIDTHS))}, not {self.bits!r}")
        if len(self.path) > self.most(self.bits):
            raise FrameError(f"path must have at most {self.most(self.bits)} brokers, not {len(self.path)}")
        for bid in self.path:
            if not 1 <= bid < 1 << self.bits:
                raise FrameError(f"a broker identity must be 1 to {(1 << self.bits) - 1}, not {bid!r}")

    @classmethod
    def most(cls, bits: int = 8) -> int:
        """Brokers on a path at most, the one that answers included: a subscription that can still be answered has one fewer."""
        return 8 * (cls.BYTES - 1) // bits

    @property
    def local(self) -> bool:
        """Whether the subscription never crossed a broker."""
        return not self.path

    def pack(self) -> bytes:
        value = 0
        for place, bid in enumerate(self.path, start=1):
            value |= bid << 8 * (self.BYTES - 1) - place * self.bits
        return bytes([self.sid]) + value.to_bytes(self.BYTES - 1, "big")

    @classmethod
    def unpack(cls, data: bytes, bits: int = 8) -> "OSid":
        if len(data) != cls.BYTES:
            raise FrameError(f"an o-SID must have {cls.BYTES} bytes, not {len(data)}")
        value, most = int.from_bytes(data[1:], "big"), cls.most(bits)
        fields = [value >> bits * (most - place) & (1 << bits) - 1 for place in range(1, most + 1)]
        path = fields[: fields.index(0)] if 0 in fields else fields
        if any(fields[len(path) :]):
            raise FrameError(f"an o-SID's brokers must come without gaps, not {data.hex()}")
        return cls(data[0], tuple(path), bits)
