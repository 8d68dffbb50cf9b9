"""The host's end of the host link: see :class:`hdl.contract.Segment` and docs/host-link.md."""

from dataclasses import dataclass

from fpga.host.transport import Transport
from hdl.contract import FrameError, Segment, SegmentKind

__all__ = ["HostLink", "LinkClosed", "LinkError", "LinkStatistics"]

_ATTEMPTS = 20
"""Silences in a row after which the board is taken to be gone."""


class LinkError(Exception):
    """The board cannot be reached; the message is one sentence."""


class LinkClosed(LinkError):
    """The board was reset: what was under way is lost, and the broker is empty."""


@dataclass
class LinkStatistics:
    """What the link has done so far."""

    segments: int = 0
    damaged: int = 0
    repeated: int = 0
    polls: int = 0


class HostLink:
    """Two streams of bytes that lose, repeat and invent nothing, or end with an error.

    Nothing happens between calls. The only measure of time is a transport's ``read`` that comes back empty, so that a recorded trace can be
    replayed.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.statistics = LinkStatistics()
        self._line = bytearray()
        self._session: int | None = None
        self._start()

    def _start(self) -> None:
        self._waiting = bytearray()
        self._under_way: dict[int, bytes] = {}
        self._next = self._free = self._expected = 0
        self._arrived = bytearray()
        self._acknowledges = self._asks = self._asked = self._polled = False
        self._silences = 0

    def open(self) -> None:
        """Begin a session; the broker is empty then."""
        self._session = session = self._transport.session()
        self._start()
        for _ in range(_ATTEMPTS):
            self._put(SegmentKind.OPEN)
            for segment in self._segments(self._transport.patience):
                if segment.kind is SegmentKind.OPENED and segment.session == session:
                    return
        self._session = None
        raise LinkError("the board does not answer")

    def send(self, data: bytes) -> None:
        """Queue bytes; :meth:`pump` carries them."""
        self._waiting += data

    @property
    def idle(self) -> bool:
        """Everything sent has been taken by the broker."""
        return not self._waiting and not self._under_way

    def received(self) -> bytes:
        """What has come since the last call."""
        data = bytes(self._arrived)
        self._arrived.clear()
        return data

    def pump(self, timeout: float | None = None) -> bool:
        """Send what may be sent, take what has come, waiting for it at most ``timeout`` seconds; whether anything came."""
        if self._session is None:
            raise LinkError("there is no session")
        self._fill()
        heard = False
        patience = self._transport.patience
        for segment in self._segments(patience if timeout is None else timeout):
            heard = True
            self._take(segment)
        if heard:
            self._silences = 0
        elif timeout is None or timeout >= patience:
            self._silence()
        self._answer()
        self._fill()
        return heard

    def _put(self, kind: SegmentKind, a: int = 0, b: int = 0, payload: bytes = b"") -> None:
        assert self._session is not None
        self._transport.write(Segment(kind, self._session, a, b, payload).pack())

    def _fill(self) -> None:
        """Send new DATA while the board has places for it."""
        while self._waiting and len(self._under_way) < Segment.WINDOW:
            payload = bytes(self._waiting[: Segment.MAX_PAYLOAD])
            del self._waiting[: Segment.MAX_PAYLOAD]
            self._under_way[self._next] = payload
            self._put(SegmentKind.DATA, self._next, payload=payload)
            self._next = (self._next + 1) % 256

    def _segments(self, timeout: float) -> list[Segment]:
        """The whole, good segments that have come."""
        self._line += self._transport.read(timeout)
        *bodies, rest = bytes(self._line).split(bytes([Segment.FLAG]))
        self._line = bytearray(rest[-2 * (Segment.MAX_PAYLOAD + 16) :])
        found = []
        for body in bodies:
            if not body:
                continue
            try:
                found.append(Segment.unpack(body))
            except FrameError:
                self.statistics.damaged += 1
                self._asks = not self._asked
                self._asked = True
        return found

    def _take(self, segment: Segment) -> None:
        if segment.session != self._session:
            return
        if segment.kind is SegmentKind.CLOSED:
            self._session = None
            raise LinkClosed("the board was reset: the session has ended")
        if segment.kind is SegmentKind.DATA:
            ahead = (segment.a - self._expected) % 256
            if ahead == 0:
                self.statistics.segments += 1
                self._arrived += segment.payload
                self._expected = (self._expected + 1) % 256
                self._acknowledges, self._asked = True, False
            elif ahead >= 128:
                self._acknowledges = True
            elif not self._asked:
                self._asks = self._asked = True
        elif segment.kind in (SegmentKind.ACK, SegmentKind.REPEAT):
            self._acknowledged(segment)

    def _acknowledged(self, segment: Segment) -> None:
        under_way = (self._next - self._free) % 256
        gone = (segment.b - self._free) % 256
        have = (segment.a - self._free) % 256
        if gone > under_way or have > under_way or gone > have:
            return
        for _ in range(gone):
            del self._under_way[self._free]
            self._free = (self._free + 1) % 256
        if segment.kind is SegmentKind.REPEAT or self._polled:
            number = segment.a
            while number != self._next:
                self.statistics.repeated += 1
                self._put(SegmentKind.DATA, number, payload=self._under_way[number])
                number = (number + 1) % 256
        self._polled = False

    def _silence(self) -> None:
        self._silences += 1
        if self._silences > _ATTEMPTS:
            raise LinkError("the board does not answer")
        self.statistics.polls += 1
        self._polled = True
        self._put(SegmentKind.POLL)
        self._acknowledges, self._asked = True, False

    def _answer(self) -> None:
        if self._asks:
            self._put(SegmentKind.REPEAT, self._expected, self._expected)
        elif self._acknowledges:
            self._put(SegmentKind.ACK, self._expected, self._expected)
        self._asks = self._acknowledges = False
