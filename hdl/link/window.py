"""The host link: two streams of bytes that lose, repeat and invent nothing, over a line that may."""

from amaranth.hdl import Array, Cat, Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Segment, SegmentKind
from hdl.link.segments import SegmentHead, SegmentReceiver, SegmentSender
from hdl.stream import BlockRam, Register

__all__ = ["Link"]

_WINDOW = Segment.WINDOW
_SLOT = 3
"""Bits of a place's number."""

_PAUSE = 32
"""Clocks without a byte after which a segment that is not full is closed."""

_RESET_CLOCKS = 8


class Link(wiring.Component):
    """The board's end of the host link, see :class:`hdl.contract.Segment` and docs/host-link.md.

    What the host sends is handed on only when its check sum is right, in order and once. What the board sends is kept until the host has
    it, and
    sent again when the host asks for that or is silent for ``patience`` clocks. When either end is slow the other waits. A session begins
    with OPEN, which resets everything behind this component; segments of another session are answered with CLOSED and change nothing.

    Parameters
    ----------
    patience : int
        Clocks without an acknowledgement after which everything not acknowledged is sent again.

    Members
    -------
    rx, tx : In(stream.Signature(8)), Out(stream.Signature(8))
        The line.
    o, i : Out(stream.Signature(8)), In(stream.Signature(8))
        What the host sends, and what is sent to it.
    close : In(1)
        Ends the session; the host hears of it when it sends next.
    reset : Out(1)
        A session begins, or has been closed.
    open : Out(1)
    segments, damaged, repeated : Out(32)
        DATA taken, segments damaged, and how often DATA was sent again.
    """

    def __init__(self, *, patience: int):
        if patience < 1:
            raise ValueError(f"patience must be at least 1, not {patience!r}")
        self._patience = patience
        super().__init__(
            {
                "rx": In(stream.Signature(8)),
                "tx": Out(stream.Signature(8)),
                "o": Out(stream.Signature(8)),
                "i": In(stream.Signature(8)),
                "close": In(1),
                "reset": Out(1),
                "open": Out(1),
                "segments": Out(32),
                "damaged": Out(32),
                "repeated": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = SegmentReceiver()
        m.submodules.sender = sender = SegmentSender()
        m.submodules.inbox = inbox = BlockRam(shape=8, depth=_WINDOW << 8)
        m.submodules.outbox = outbox = BlockRam(shape=8, depth=_WINDOW << 8)
        wiring.connect(m, wiring.flipped(self.rx), receiver.i)
        wiring.connect(m, sender.o, wiring.flipped(self.tx))
        head = receiver.head
        session = Signal(8)
        resetting = Signal(range(_RESET_CLOCKS))
        ours = Signal()
        m.d.comb += [self.reset.eq(resetting != 0), ours.eq(self.open & (head.session == session))]
        with m.If(resetting != 0):
            m.d.sync += resetting.eq(resetting - 1)

        # --- What comes in: the number expected next, and the number whose place is being emptied.
        expected, freed = Signal(8), Signal(8)
        sizes_in = Array(Signal(8, name=f"size_in{place}") for place in range(_WINDOW))
        # A head is complete clocks before its segment's bytes and more before its end: what is compared with it is so from registers.
        in_turn, fits = Signal(), Signal()
        m.d.sync += in_turn.eq((head.kind == SegmentKind.DATA) & ours & (head.a == expected) & ((expected - freed)[:8] < _WINDOW))
        m.d.comb += [
            fits.eq(in_turn & (head.length != 0)),
            inbox.write.addr.eq(Cat(receiver.byte_index, expected[:_SLOT])),
            inbox.write.data.eq(receiver.byte),
            inbox.write.en.eq(receiver.byte_valid & fits),
        ]
        place_in = Signal(8)
        taken = Register(8)
        m.submodules.taken = ResetInserter(self.reset)(taken)
        wiring.connect(m, taken.o, wiring.flipped(self.o))
        m.d.comb += [
            inbox.read[0].addr.eq(Cat(place_in, freed[:_SLOT])),
            inbox.read[0].en.eq(1),
            taken.i.payload.eq(inbox.read[0].data),
        ]

        # --- What goes out: the number being filled, the number sent next, and the number not acknowledged.
        filled, sent, acknowledged = Signal(8), Signal(8), Signal(8)
        sizes_out = Array(Signal(8, name=f"size_out{place}") for place in range(_WINDOW))
        place_out = Signal(8)
        pause = Signal(range(_PAUSE))
        room = Signal()
        closes, closing = Signal(), Signal()
        # Whether there is room is known a clock after the number has changed.
        m.d.sync += room.eq(((filled - acknowledged)[:8] < _WINDOW) & ~closing)
        m.d.comb += [
            closing.eq(closes & ~outbox.write.en),
            self.i.ready.eq(room & self.open & (place_out != Segment.MAX_PAYLOAD)),
            outbox.write.addr.eq(Cat(place_out, filled[:_SLOT])),
            outbox.write.data.eq(self.i.payload),
            outbox.write.en.eq(self.i.valid & self.i.ready),
            closes.eq((place_out == Segment.MAX_PAYLOAD) | (pause == _PAUSE - 1)),
        ]

        # --- What is to be sent besides DATA.
        answer, acknowledges, repeats, asked = Signal(), Signal(), Signal(), Signal()
        answer_kind, answer_session = Signal(8), Signal(8)
        silent = Signal(range(self._patience + 1))
        again = Signal()

        final = Signal(8)
        m.d.sync += final.eq(sizes_in[freed[:_SLOT]] - 1)
        with m.FSM(name="emptying"):
            with m.State("WAIT"):
                m.d.sync += place_in.eq(0)
                with m.If((expected != freed) & (resetting == 0)):
                    m.next = "FETCH"
            with m.State("FETCH"):
                m.next = "OFFER"
                with m.If(self.reset):
                    m.next = "WAIT"
            with m.State("OFFER"):
                m.d.comb += taken.i.valid.eq(1)
                with m.If(taken.i.ready):
                    m.d.sync += place_in.eq(place_in + 1)
                    m.next = "FETCH"
                    with m.If(place_in == final):
                        m.d.sync += [freed.eq(freed + 1), acknowledges.eq(1)]
                        m.next = "WAIT"
                with m.If(self.reset):
                    m.next = "WAIT"

        with m.If(outbox.write.en):
            m.d.sync += [place_out.eq(place_out + 1), pause.eq(0)]
        with m.Elif((place_out != 0) & (pause != _PAUSE - 1)):
            m.d.sync += pause.eq(pause + 1)
        with m.If(closing):
            m.d.sync += [sizes_out[filled[:_SLOT]].eq(place_out), filled.eq(filled + 1), place_out.eq(0), pause.eq(0)]

        # --- Which segment the sender works on; it is chosen when the one before has left.
        busy = Signal()
        outgoing = Signal(SegmentHead)
        slot = Signal(_SLOT)
        m.d.comb += [
            sender.i.valid.eq(busy),
            sender.i.payload.eq(outgoing),
            outbox.read[0].addr.eq(Cat(sender.index, slot)),
            outbox.read[0].en.eq(1),
            sender.byte.eq(outbox.read[0].data),
        ]
        with m.If(busy):
            with m.If(sender.i.ready):
                m.d.sync += [busy.eq(0), silent.eq(0)]
        with m.Elif(resetting == 0):
            m.d.sync += [outgoing.session.eq(session), outgoing.b.eq(0), outgoing.length.eq(0), slot.eq(sent)]
            with m.If(answer):
                m.d.sync += [busy.eq(1), answer.eq(0), outgoing.kind.eq(answer_kind), outgoing.session.eq(answer_session), outgoing.a.eq(0)]
            with m.Elif(self.open & (acknowledges | repeats)):
                m.d.sync += [
                    busy.eq(1),
                    acknowledges.eq(0),
                    repeats.eq(0),
                    outgoing.kind.eq(Mux(repeats, SegmentKind.REPEAT, SegmentKind.ACK)),
                    outgoing.a.eq(expected),
                    outgoing.b.eq(freed),
                ]
            with m.Elif(self.open & (sent != filled)):
                m.d.sync += [
                    busy.eq(1),
                    sent.eq(sent + 1),
                    outgoing.kind.eq(SegmentKind.DATA),
                    outgoing.a.eq(sent),
                    outgoing.length.eq(sizes_out[sent[:_SLOT]]),
                ]
        with m.If((sent == acknowledged) | busy):
            m.d.sync += silent.eq(0)
        with m.Elif(silent == self._patience):
            m.d.sync += silent.eq(0)
            m.d.comb += again.eq(1)
        with m.Else():
            m.d.sync += silent.eq(silent + 1)

        # --- Segments that have come.
        news, known, resent = Signal(8), Signal(), Signal()
        m.d.sync += [
            news.eq(head.a - acknowledged),
            known.eq(news <= (filled - acknowledged)[:8]),
            resent.eq(news > (sent - acknowledged)[:8]),
        ]
        with m.If(receiver.damaged):
            m.d.sync += self.damaged.eq(self.damaged + 1)
        with m.If(receiver.good & (head.kind == SegmentKind.OPEN)):
            m.d.sync += [
                session.eq(head.session),
                self.open.eq(1),
                resetting.eq(_RESET_CLOCKS - 1),
                answer.eq(1),
                answer_kind.eq(SegmentKind.OPENED),
                answer_session.eq(head.session),
            ]
        with m.Elif(receiver.good & ~ours):
            m.d.sync += [answer.eq(1), answer_kind.eq(SegmentKind.CLOSED), answer_session.eq(head.session)]
        with m.Elif(receiver.good):
            with m.Switch(head.kind):
                with m.Case(SegmentKind.DATA):
                    with m.If(fits):
                        m.d.sync += [
                            sizes_in[expected[:_SLOT]].eq(head.length),
                            expected.eq(expected + 1),
                            acknowledges.eq(1),
                            asked.eq(0),
                            self.segments.eq(self.segments + 1),
                        ]
                    # One that came before is acknowledged again; for one that comes too early the missing one is asked for, once.
                    with m.Elif((head.a - expected)[7] | (head.a == expected)):
                        m.d.sync += acknowledges.eq(1)
                    with m.Elif(~asked):
                        m.d.sync += [repeats.eq(1), asked.eq(1)]
                with m.Case(SegmentKind.POLL):
                    m.d.sync += [acknowledges.eq(1), asked.eq(0)]
                with m.Case(SegmentKind.ACK, SegmentKind.REPEAT):
                    with m.If(known):
                        m.d.sync += acknowledged.eq(head.a)
                        with m.If(resent | (head.kind == SegmentKind.REPEAT)):
                            m.d.sync += sent.eq(head.a)
                        with m.If((head.kind == SegmentKind.REPEAT) & (sent != head.a)):
                            m.d.sync += self.repeated.eq(self.repeated + 1)
                        with m.If(news != 0):
                            m.d.sync += silent.eq(0)
        with m.If(again):
            m.d.sync += [sent.eq(acknowledged), self.repeated.eq(self.repeated + 1)]
        with m.If(self.close & self.open):
            m.d.sync += [self.open.eq(0), resetting.eq(_RESET_CLOCKS - 1)]
        with m.If(self.reset):
            for counter in (expected, freed, filled, sent, acknowledged, place_out, pause, silent, acknowledges, repeats, asked):
                m.d.sync += counter.eq(0)
        return m
