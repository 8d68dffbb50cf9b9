"""The frames on one link."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Format, Header, Kind
from hdl.framers import swapped
from hdl.npu.finder import body_width
from hdl.npu.jobs import Job
from hdl.shapes.publication import DocumentWord
from hdl.stream import StreamFifo, counted

__all__ = ["LinkSender"]

HEADER_WORDS = Header.BYTES // 4


class LinkSender(wiring.Component):
    """Turns jobs into NOTIFY frames, one word a clock, while its taker follows.

    The header's content field says what the frame really carries: SELECTED or WHOLE with a body, HEADER without one. The length of a body
    is asked for before its header is sent.

    Parameters
    ----------
    config : BrokerConfig
    words : int
        Words of frames that wait.

    Members
    -------
    i : In(stream.Signature(Job(config)))
        Taken when its frame is complete, or with the last word but one of a header without a body: one that is offered in the second
        clock after that follows without a gap.
    o : Out(stream.Signature(DocumentWord))
        Frames, a packet each.
    asks, measured, total : Out(1), In(1), In
        The length of the job's body, see :class:`hdl.npu.finder.NodeFinder`.
    begin, room, granted, idle, word_valid, word : Out(1), Out(1), In(1), In(1), In(1), In(DocumentWord)
        The job's body, see :class:`hdl.npu.bodies.BodyReader`.
    done : Out(1)
        The publication's bytes are not needed any more.
    """

    def __init__(self, config, *, words: int = 16):
        self._config = config
        self._words = words
        super().__init__(
            {
                "i": In(stream.Signature(Job(config))),
                "o": Out(stream.Signature(DocumentWord)),
                "asks": Out(1),
                "measured": In(1),
                "total": In(body_width(config)),
                "begin": Out(1),
                "room": Out(1),
                "granted": In(1),
                "idle": In(1),
                "word_valid": In(1),
                "word": In(DocumentWord),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.frames = frames = StreamFifo(DocumentWord, self._words)
        wiring.connect(m, frames.o, wiring.flipped(self.o))
        job = self.i.payload
        word = frames.i.payload

        # Words that are in the queue or may come; known a clock late, and granted two clocks after that.
        claimed = Signal(range(self._words + 1))
        sends, heads = Signal(), Signal()
        m.d.sync += [
            claimed.eq(counted(claimed, heads | self.granted, frames.o.valid & frames.o.ready, self.idle)),
            self.room.eq(claimed <= self._words - 3),
        ]

        rest = Signal(body_width(config))
        bare, known = Signal(init=1), Signal()
        with m.If(self.measured):
            m.d.sync += [rest.eq(self.total), bare.eq(self.total == 0), known.eq(1)]

        # Which word of the header is next, a flip-flop for each; none is while a body is sent.
        turn = Signal(HEADER_WORDS, init=1)
        # The last word but one, and the last.
        nears, final = turn[-2], turn[-1]
        carries = Mux(job.selected, Content.SELECTED, Content.WHOLE) if config.selected else Const(Content.WHOLE, 2)
        options = Cat(Const(Format.XML, 1), Mux(job.body, carries, Content.HEADER)[:2], Const(0, 1), job.entry.link)
        fields = [
            Cat(Const(Kind.NOTIFY, 8), options, swapped(job.number)),
            job.entry.key.osid[:32],
            job.entry.key.osid[32:],
            job.entry.key.reference,
        ]
        length = swapped(Cat(rest, Const(0, 32 - len(rest))))
        choices = [*zip(turn[:-1], fields, strict=True), (final & ~bare, length), (self.word_valid, self.word.data)]
        m.d.comb += [
            word.data.eq(reduce(or_, (value & this.replicate(32) for this, value in choices))),
            word.count.eq(Mux(self.word_valid, self.word.count, 4)),
            word.last.eq((final & bare) | (self.word_valid & self.word.last)),
            heads.eq(sends & frames.i.ready),
            frames.i.valid.eq(sends | self.word_valid),
        ]

        def finish():
            m.d.comb += [self.i.ready.eq(1), self.done.eq(job.body)]
            m.d.sync += [bare.eq(1), known.eq(0)]

        with m.FSM():
            # Sends the header, once the bytes that follow it are known. Nothing of its last word is the job's.
            with m.State("HEADER"):
                m.d.comb += [
                    self.asks.eq(self.i.valid & job.body & ~known & ~final),
                    sends.eq(final | (self.i.valid & (~job.body | known))),
                ]
                with m.If(heads):
                    m.d.sync += turn.eq(Cat(final & bare, turn))
                with m.If(heads & nears & bare):
                    finish()
                with m.If(final & frames.i.ready & ~bare):
                    m.d.comb += self.begin.eq(1)
                    m.next = "BODY"

            # Waits for the last word of the body.
            with m.State("BODY"):
                with m.If(self.word_valid & self.word.last):
                    finish()
                    m.d.sync += turn.eq(1)
                    m.next = "HEADER"
        return m
