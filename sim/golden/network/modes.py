"""The operation modes of the thesis [T 5.4.3.2, 5.4.3.3, T-Fig 5.18], driven by events.

The machine knows numbers only: how many subscriptions are registered (S), may be (Smax) and wait (Sa), how many publications are processed
(P) and available (Pmax). Each event is a method; :meth:`Modes.advance` takes one edge at most.
"""

import enum
from collections import deque
from dataclasses import dataclass

__all__ = ["HISTORY", "Mode", "Modes", "Signals", "following"]

HISTORY = 16
"""Modes that the ring of the latest ones holds."""


class Mode(enum.IntEnum):
    """P and S stand for publications and subscriptions, n for new and o for old."""

    NOP = 0
    NPNS = 1
    NPOS = 2
    OPOS = 3
    OPNS = 4

    @property
    def text(self) -> str:
        """The thesis's spelling."""
        return ("NOP", "nPnS", "nPoS", "oPoS", "oPnS")[self]


@dataclass(frozen=True)
class Signals:
    """What the edges look at; ``gathered`` when Sa has been empty for long enough."""

    s: int = 0
    smax: int = 0
    sa: int = 0
    p: int = 0
    pmax: int = 0
    gathered: bool = True
    timeout: bool = False
    clear_end: bool = False


def following(mode: Mode, now: Signals) -> Mode:
    """The mode after this one; the first edge whose condition holds is taken, and none leads back to NOP."""
    match mode:
        case Mode.NOP:
            return Mode.NPNS if now.sa else mode
        case Mode.NPNS:
            done = now.s == now.smax or (not now.sa and now.gathered)
            return Mode.NPOS if now.s and done else mode
        case Mode.NPOS if now.timeout and now.sa:
            return Mode.OPNS
        case Mode.NPOS:
            return Mode.OPOS if now.p == now.pmax else mode
        case Mode.OPOS if now.p < now.pmax:
            return Mode.NPOS
        case Mode.OPOS:
            return Mode.OPNS if now.sa else mode
        case Mode.OPNS:
            return Mode.NPNS if now.clear_end else mode


class Modes:
    """The mode register with its counters, flags and history; ``subscriptions`` is the Smax of tables that are not full."""

    def __init__(self, subscriptions: int, *, gather: int = 0, timeout: int = 0) -> None:
        self.mode = Mode.NOP
        self.s = self.sa = self.p = self.pmax = 0
        self.full = False
        """Whether a table of the CRT has no room for the next subscription: then Smax is S [T-Fig 5.17]."""
        self.timeout = False
        self.clear_end = False
        self.history: deque[tuple[Mode, int]] = deque([(Mode.NOP, 0)], maxlen=HISTORY)
        """The latest modes with the time of each one's beginning."""
        self._subscriptions = subscriptions
        self._gather = gather
        self._limit = timeout
        self._idle = self._matching = self._now = 0

    @property
    def smax(self) -> int:
        return self.s if self.full else self._subscriptions

    @property
    def signals(self) -> Signals:
        gathered = self._idle >= self._gather
        return Signals(self.s, self.smax, self.sa, self.p, self.pmax, gathered, self.timeout, self.clear_end)

    def buffered(self) -> None:
        """A subscription is buffered whole."""
        self.sa += 1
        self._idle = 0

    def registered(self) -> None:
        """SReA has ended for a subscription."""
        self.sa -= 1
        self.s += 1

    def refused(self) -> None:
        """A subscription that waited is registered nowhere."""
        self.sa -= 1

    def cancelled(self) -> None:
        """A registered subscription is gone before its cycle ends."""
        self.s -= 1
        self.full = False

    def available(self, publications: int) -> None:
        """So many publications are buffered or signalled now, those that are processed included."""
        self.pmax = publications

    def matching_end(self) -> None:
        self.p += 1

    def expire(self) -> None:
        """The timeout of subscriptions has occurred; it stays until the cycle ends."""
        self.timeout = True

    def cleared(self) -> None:
        """S is empty again, P is 0, and the timeout is over."""
        self.s = self.p = 0
        self.full = self.timeout = False
        self.clear_end = True

    def pass_time(self, units: int = 1) -> None:
        """Let time pass for gathering and timeout."""
        self._now += units
        if self.mode is Mode.NPNS and not self.sa:
            self._idle += units
        if self.mode in (Mode.NPOS, Mode.OPOS):
            self._matching += units
            if self._limit and self._matching >= self._limit:
                self.expire()

    def advance(self) -> bool:
        """Take an edge if one is due; whether the mode has changed."""
        after = following(self.mode, self.signals)
        if after is self.mode:
            return False
        if after is Mode.NPNS:
            self._idle, self.clear_end = 0, False
        elif self.mode is Mode.NPNS:
            self._matching = 0
        self.mode = after
        self.history.append((after, self._now))
        return True
