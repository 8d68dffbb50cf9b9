"""The o-SID with BIDs of any legal width [T 5.4.3.5.1, T-Fig 5.21].

The fields {SID, BID, BID, ...} fill the o-SID from its most significant end, the SID with 8 bits, each BID with ``bid_bits``; a
field without a BID is null. *Push* writes the first null field, *last* is the least significant one that is not null.
"""

from dataclasses import dataclass

from hdl.contract import FrameError

__all__ = ["Layout", "OSid"]

_SID_BITS = 8


@dataclass(frozen=True)
class OSid:
    """Who subscribed, and the brokers crossed since; ``sid`` 0 is a sample of many."""

    sid: int
    path: tuple[int, ...] = ()

    @property
    def local(self) -> bool:
        """Whether no broker was crossed."""
        return not self.path

    @property
    def sample(self) -> bool:
        return self.sid == 0

    @property
    def last(self) -> int:
        """The broker crossed last, 0 when there is none."""
        return self.path[-1] if self.path else 0

    @property
    def origin(self) -> int:
        """The broker crossed first, 0 when there is none."""
        return self.path[0] if self.path else 0

    def push(self, bid: int) -> "OSid":
        return OSid(self.sid, (*self.path, bid))

    def strip(self) -> "OSid":
        """Without the broker crossed last."""
        return OSid(self.sid, self.path[:-1])

    def __str__(self) -> str:
        return f"{{{self.sid}|{','.join(map(str, self.path))}}}"


@dataclass(frozen=True)
class Layout:
    """How o-SIDs of a network are laid out: BIDs of ``bid_bits`` in an o-SID of ``bits``.

    ``brokers`` is how many fit, (bits - 8) / bid_bits. The broker that matches pushes itself as well, so that a subscription that arrives
    with all fields full cannot be answered: ``carried`` is the longest path that may be sent.
    """

    bid_bits: int = 8
    bits: int = 64

    def __post_init__(self) -> None:
        if not 2 <= self.bid_bits <= 8:
            raise ValueError(f"bid_bits must be 2 to 8, not {self.bid_bits!r}")
        if not 10 <= self.bits <= 64:
            raise ValueError(f"bits must be 10 to 64, not {self.bits!r}")
        if (self.bits - _SID_BITS) % self.bid_bits:
            raise ValueError(f"bits must be 8 more than a multiple of the {self.bid_bits} bits of a BID, not {self.bits!r}")

    @property
    def brokers(self) -> int:
        return (self.bits - _SID_BITS) // self.bid_bits

    @property
    def carried(self) -> int:
        return self.brokers - 1

    @property
    def highest(self) -> int:
        """The highest BID, and so the most neighbours."""
        return (1 << self.bid_bits) - 1

    @property
    def size(self) -> int:
        """Bytes of an o-SID."""
        return -(-self.bits // 8)

    def pack(self, osid: OSid) -> bytes:
        """The bytes, most significant first; raises :class:`hdl.contract.FrameError` for what does not fit."""
        if not 0 <= osid.sid <= 255:
            raise FrameError(f"sid must be 0 to 255, not {osid.sid!r}")
        if len(osid.path) > self.brokers:
            raise FrameError(f"path must have at most {self.brokers} brokers, not {len(osid.path)}")
        value, place = osid.sid << self.bits - _SID_BITS, self.bits - _SID_BITS
        for bid in osid.path:
            if not 1 <= bid <= self.highest:
                raise FrameError(f"a broker identity must be 1 to {self.highest}, not {bid!r}")
            place -= self.bid_bits
            value |= bid << place
        return (value << 8 * self.size - self.bits).to_bytes(self.size, "big")

    def unpack(self, data: bytes) -> OSid:
        """The o-SID in the bytes; raises :class:`hdl.contract.FrameError` for a gap between BIDs."""
        if len(data) != self.size:
            raise FrameError(f"an o-SID must have {self.size} bytes, not {len(data)}")
        value = int.from_bytes(data, "big") >> 8 * self.size - self.bits
        places = range(self.bits - _SID_BITS - self.bid_bits, -1, -self.bid_bits)
        fields = [value >> place & self.highest for place in places]
        while fields and not fields[-1]:
            fields.pop()
        if 0 in fields:
            raise FrameError(f"an o-SID's brokers must come without gaps, not {data.hex()}")
        return OSid(value >> self.bits - _SID_BITS, tuple(fields))
