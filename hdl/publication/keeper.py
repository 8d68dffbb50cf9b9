"""Keeps the publication that is being notified in the X-RAM."""

from amaranth.hdl import Cat, Module, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import WORD_BYTES

__all__ = ["Keeper"]


class Keeper(wiring.Component):
    """Says where the current publication lies in the ring, and holds it there until it has been notified.

    Publications are current one after the other, from the first; each begins at the position after the last word of the one before.
    While ``keep`` is 1 the current one is held from its first word on; one that fills the ring before its last word has come is
    given up, because the parser would starve, and the next one is held instead as soon as it begins. With ``keep`` at 0
    nothing is held and loading is never slowed down; what is held when ``keep`` falls stays until the next publication.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    keep : In(1)
    loads, ends : In(1)
        A word is being loaded, and it is the last of its document.
    newest : In
        That of the X-RAM.
    hold_valid, hold : Out
        To the X-RAM.
    advance, words : In
        The next publication becomes current; ``words`` is the length of the one that was. Only in the clock after one with ``ready``.
    ready : Out(1)
    start : Out
        Position of the current publication.
    held : Out(1)
        The current publication, all of it that has been loaded, is in the ring and stays there.
    secure : Out(1)
        Every publication that begins from now on will be held, as long as ``keep`` stays 1, unless it is longer than the ring.
    begun, finished : Out(16)
        Publications begun to load and publications that were current, modulo 65536.
    """

    def __init__(self, config):
        self._words = config.xram_bytes // WORD_BYTES
        position = unsigned(32)
        super().__init__(
            {
                "keep": In(1),
                "loads": In(1),
                "ends": In(1),
                "newest": In(position),
                "hold_valid": Out(1),
                "hold": Out(position),
                "advance": In(1),
                "words": In(position),
                "ready": Out(1),
                "start": Out(position),
                "held": Out(1),
                "secure": Out(1),
                "begun": Out(16),
                "finished": Out(16),
            }
        )

    def elaborate(self, platform):
        m = Module()
        inside = Signal()
        # Publications whose last word has come, from the current one on, and whether there is any.
        ahead, whole = Signal(16), Signal()
        span = Signal(32)
        last = Signal()
        loads, ends = Signal(), Signal()
        m.d.sync += [loads.eq(self.loads), ends.eq(self.ends)]
        fills, gone = Signal(), Signal()
        m.d.comb += [
            last.eq(loads & ends),
            span.eq(self.newest - self.hold),
        ]
        m.d.sync += [fills.eq(span == self._words), gone.eq(span > self._words)]
        with m.If(loads):
            m.d.sync += inside.eq(~ends)
            with m.If(~inside):
                m.d.sync += self.begun.eq(self.begun + 1)
        m.d.sync += ahead.eq(ahead + Cat(last ^ self.advance, (self.advance & ~last).replicate(15)))
        with m.If(last ^ self.advance):
            m.d.sync += whole.eq(last | (ahead != 1))
        with m.If(self.advance):
            m.d.sync += [self.start.eq(self.start + self.words), self.finished.eq(self.finished + 1)]

        def move_on():
            with m.If(self.advance):
                m.next = "HOLD"
                with m.If(~self.keep):
                    m.d.sync += self.hold_valid.eq(0)
                    m.next = "FREE"

        m.d.comb += self.ready.eq(1)
        with m.FSM():
            # Nothing is asked for.
            with m.State("FREE"):
                with m.If(self.keep):
                    m.next = "HOLD"

            # Holds the current publication; what was held before, if anything, is let go only now.
            with m.State("HOLD"):
                m.d.comb += self.ready.eq(0)
                m.d.sync += [self.hold.eq(self.start), self.hold_valid.eq(1)]
                with m.If(~self.advance):
                    m.next = "CHECK"

            # Is all of it still there? The hold is in force already, so that this cannot change any more.
            with m.State("CHECK"):
                m.d.comb += self.ready.eq(0)
                m.next = "CHECKED"
            with m.State("CHECKED"):
                m.d.comb += self.ready.eq(0)
                m.next = "HELD"
                with m.If(gone):
                    m.d.sync += self.hold_valid.eq(0)
                    m.next = "LOST"

            with m.State("HELD"):
                m.d.comb += [self.held.eq(1), self.secure.eq(1)]
                with m.If(fills & ~whole):
                    m.d.sync += self.hold_valid.eq(0)
                    m.next = "LOST"
                move_on()

            # The current publication is not whole in the ring; waits for the next one to begin.
            with m.State("LOST"):
                m.d.sync += self.hold.eq(self.newest)
                with m.If(last & ~whole):
                    m.d.sync += self.hold_valid.eq(1)
                    m.next = "NEXT"
                move_on()

            # The next publication is held although it is not current yet.
            with m.State("NEXT"):
                m.d.comb += self.secure.eq(1)
                with m.If(self.advance):
                    m.next = "HELD"
        return m
