"""One link's queue and the frames on it."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Header, Kind
from hdl.layouts import DocumentWord, SmtEntry
from hdl.stream import StreamFifo

__all__ = ["Job", "LinkSender"]

HEADER_WORDS = Header.BYTES // 4


class Job(data.Struct):
    """A notification to send: the subscription's entry, the publication's number, and whether its bytes follow."""

    entry: SmtEntry
    number: unsigned(16)
    body: unsigned(1)


def _swapped(value):
    """A number's bytes, most significant first, as they lie in a word."""
    return Cat(value[at : at + 8] for at in reversed(range(0, len(value), 8)))


class LinkSender(wiring.Component):
    """Turns jobs into NOTIFY frames, one word a clock, while its taker follows.

    The header's content field says what the frame really carries: WHOLE with a body, HEADER without one. The body is
    read word by word through a port that several senders share.

    Parameters
    ----------
    jobs, words : int
        Jobs and words of frames that wait.

    Members
    -------
    i : In(stream.Signature(Job))
    o : Out(stream.Signature(DocumentWord))
        Frames, a packet each.
    start, length : In(32)
        Position and bytes of the publication that jobs with ``body`` are about; they stay while such a job is under way.
    read_valid, read_position, read_grant : Out(1), Out(32), In(1)
        Asks for the word at a position, and is granted it in the same clock.
    word_valid, word : In(1), In(DocumentWord)
        The words granted, in order, a fixed time later.
    done : Out(1)
        All words of a body have been read.
    """

    def __init__(self, *, jobs: int = 16, words: int = 16):
        self._jobs, self._words = jobs, words
        super().__init__(
            {
                "i": In(stream.Signature(Job)),
                "o": Out(stream.Signature(DocumentWord)),
                "start": In(32),
                "length": In(32),
                "read_valid": Out(1),
                "read_position": Out(32),
                "read_grant": In(1),
                "word_valid": In(1),
                "word": In(DocumentWord),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.jobs = jobs = StreamFifo(Job, self._jobs)
        m.submodules.frames = frames = StreamFifo(DocumentWord, self._words)
        wiring.connect(m, wiring.flipped(self.i), jobs.i)
        wiring.connect(m, frames.o, wiring.flipped(self.o))
        job = jobs.o.payload
        word = frames.i.payload

        index = Signal(range(HEADER_WORDS))
        left = Signal(30)
        flying = Signal(range(self._words + 1))
        flags = Cat(job.entry.semantics, Mux(job.body, Content.WHOLE, Content.HEADER)[:2], job.entry.link, Const(0, 3))
        fields = [
            Cat(Const(Kind.NOTIFY, 8), flags, _swapped(job.number)),
            job.entry.key.osid[:32],
            job.entry.key.osid[32:],
            job.entry.key.reference,
            _swapped(Mux(job.body, self.length, 0)),
        ]
        # Whether words are left, and whether there is room for those that have not come yet; a clock behind, with room for that.
        rest, room = Signal(), Signal()
        m.d.sync += [
            flying.eq(flying + self.read_grant - self.word_valid),
            room.eq(frames.level + flying < self._words - 4),
            self.done.eq(0),
        ]
        with m.FSM():
            with m.State("HEADER"):
                with m.Switch(index):
                    for number, field in enumerate(fields):
                        with m.Case(number):
                            m.d.comb += word.data.eq(field)
                m.d.comb += [
                    word.count.eq(4),
                    word.last.eq((index == HEADER_WORDS - 1) & ~job.body),
                    frames.i.valid.eq(jobs.o.valid),
                ]
                m.d.sync += [left.eq((self.length + 3)[2:32]), rest.eq(left != 0), self.read_position.eq(self.start)]
                with m.If(jobs.o.valid & frames.i.ready):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == HEADER_WORDS - 1):
                        m.d.sync += index.eq(0)
                        m.d.comb += jobs.o.ready.eq(1)
                        with m.If(job.body):
                            m.next = "BODY"

            # Words are asked for one after the other.
            with m.State("BODY"):
                m.d.comb += [
                    self.read_valid.eq(rest & room),
                    word.eq(self.word),
                    frames.i.valid.eq(self.word_valid),
                ]
                with m.If(self.read_grant):
                    m.d.sync += [left.eq(left - 1), rest.eq(left != 1), self.read_position.eq(self.read_position + 1)]
                with m.If(~rest & (flying == 1) & self.word_valid):
                    m.d.sync += self.done.eq(1)
                    m.next = "HEADER"
        return m
