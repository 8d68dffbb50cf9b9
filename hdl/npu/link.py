"""The frames on one link."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Header, Kind
from hdl.layouts import DocumentWord, node_width
from hdl.npu.aligner import Piece
from hdl.npu.finder import Found, Search
from hdl.npu.jobs import Job
from hdl.stream import StreamFifo

__all__ = ["LinkSender"]

HEADER_WORDS = Header.BYTES // 4


def _swapped(value):
    """A number's bytes, most significant first, as they lie in a word."""
    return Cat(value[at : at + 8] for at in reversed(range(0, len(value), 8)))


class LinkSender(wiring.Component):
    """Turns jobs into NOTIFY frames, one word a clock, while its taker follows.

    The header's content field says what the frame really carries: SELECTED or WHOLE with a body, HEADER without one. A body is read
    piece by piece through a port that several senders share. The nodes of a SELECTED body are found one by one, first for its
    length and then for its bytes.

    Parameters
    ----------
    config : BrokerConfig
    words : int
        Words of frames that wait.

    Members
    -------
    i : In(stream.Signature(Job(config)))
        Taken when its header has been sent.
    o : Out(stream.Signature(DocumentWord))
        Frames, a packet each.
    start, length : In
        Position and bytes of the publication that jobs with ``body`` are about; they stay while such a job is under way.
    asks, search, answers, found : Out(1), Out(Search(config)), In(1), In(Found(config))
        The next selected node, see :class:`hdl.npu.finder.NodeFinder`.
    read_valid, read_position, read_piece, read_grant : Out(1), Out, Out(Piece), In(1)
        Asks for a piece of the word at a position, and is granted it in the same clock.
    piece_done : In(1)
        A piece granted has been taken in, in order and a fixed time later, ...
    word_valid, word : In(1), In(DocumentWord)
        ... and has completed a word of the body.
    done : Out(1)
        The publication's bytes are not needed any more.
    """

    def __init__(self, config, *, words: int = 16):
        self._config = config
        self._words = words
        width = node_width(config)
        super().__init__(
            {
                "i": In(stream.Signature(Job(config))),
                "o": Out(stream.Signature(DocumentWord)),
                "start": In(width),
                "length": In(width + 3),
                "asks": Out(1),
                "search": Out(Search(config)),
                "answers": In(1),
                "found": In(Found(config)),
                "read_valid": Out(1),
                "read_position": Out(width),
                "read_piece": Out(Piece),
                "read_grant": In(1),
                "piece_done": In(1),
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
        selected = job.selected if config.selected else Const(0)
        word = frames.i.payload

        # A byte is in at most one attribute and all elements round it.
        rest = Signal(range(config.xram_bytes * (config.depth + 1) + 1))
        fresh = Signal()
        m.d.comb += self.search.fresh.eq(fresh)
        with m.If(self.answers):
            m.d.sync += [self.search.node.eq(self.found.node), self.search.index.eq(self.found.index), fresh.eq(0)]

        # The span that is being read: its first word, the bytes to leave out of that, and the bytes left.
        left = Signal(node_width(config) + 3)
        more = Signal()
        skip = Signal(2)
        phase = Signal(2)
        few = Signal(3)
        taken = Signal(3)
        flush = Signal()
        ending = Signal()
        overflow = Signal()
        flying = Signal(range(self._words + 1))
        m.d.comb += [
            few.eq(4 - skip),
            taken.eq(Mux(flush, 0, Mux(left < few, left, few))),
            ending.eq(rest == taken),
            overflow.eq(phase + taken > 4),
            self.read_piece.skip.eq(skip),
            self.read_piece.bytes.eq(taken),
            self.read_piece.last.eq(ending & ~overflow),
        ]
        # Known a clock late: one more piece may have been granted, and a word of the header written.
        roomy = Signal()
        m.d.sync += [
            flying.eq(flying + self.read_grant - self.piece_done),
            roomy.eq(frames.level + flying < self._words - 4),
        ]
        with m.If(self.read_grant):
            m.d.sync += [
                left.eq(left - taken),
                more.eq(left > few),
                rest.eq(rest - taken),
                phase.eq(phase + taken),
                skip.eq(0),
                self.read_position.eq(self.read_position + 1),
                flush.eq(ending & overflow),
            ]

        index = Signal(range(HEADER_WORDS))
        carries = Mux(selected, Content.SELECTED, Content.WHOLE)
        flags = Cat(job.entry.semantics, Mux(job.body, carries, Content.HEADER)[:2], job.entry.link, Const(0, 3))
        fields = [
            Cat(Const(Kind.NOTIFY, 8), flags, _swapped(job.number)),
            job.entry.key.osid[:32],
            job.entry.key.osid[32:],
            job.entry.key.reference,
            _swapped(Cat(rest, Const(0, 32 - len(rest)))),
        ]
        measured = Signal()
        nodes = Signal()
        m.d.comb += nodes.eq(job.body & selected)
        with m.FSM():
            # Sends the header, once the bytes that follow it are known.
            with m.State("HEADER"):
                with m.Switch(index):
                    for number, field in enumerate(fields):
                        with m.Case(number):
                            m.d.comb += word.data.eq(field)
                m.d.comb += [
                    word.count.eq(4),
                    word.last.eq((index == HEADER_WORDS - 1) & (rest == 0)),
                    frames.i.valid.eq(self.i.valid & (~nodes | measured)),
                ]
                m.d.sync += [left.eq(self.length), more.eq(1), self.read_position.eq(self.start), skip.eq(0), phase.eq(0), flush.eq(0)]
                m.d.sync += [self.search.step.eq(job.step), self.search.attribute.eq(job.attribute), fresh.eq(1)]
                with m.If((index == 0) & ~measured):
                    m.d.sync += rest.eq(Mux(job.body & ~selected, self.length, 0))
                with m.If(self.i.valid & nodes & ~measured):
                    m.next = "MEASURE"
                with m.If(frames.i.valid & frames.i.ready):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == HEADER_WORDS - 1):
                        m.d.sync += [index.eq(0), measured.eq(0)]
                        m.d.comb += self.i.ready.eq(1)
                        with m.If(rest == 0):
                            m.d.comb += self.done.eq(job.body)
                        with m.Elif(selected):
                            m.next = "NODE"
                        with m.Else():
                            m.next = "BODY"

            # Adds the lengths of all nodes.
            with m.State("MEASURE"):
                m.d.comb += self.asks.eq(1)
                with m.If(self.answers):
                    m.d.sync += rest.eq(rest + Mux(self.found.none, 0, self.found.bytes))
                    with m.If(self.found.none):
                        m.d.sync += measured.eq(1)
                        m.next = "HEADER"

            # Asks for the next node.
            with m.State("NODE"):
                m.d.comb += self.asks.eq(1)
                m.d.sync += [
                    left.eq(self.found.bytes),
                    more.eq(1),
                    skip.eq(self.found.start[:2]),
                    self.read_position.eq(self.found.start[2:]),
                ]
                with m.If(self.answers):
                    m.next = "BODY"

            # Pieces are asked for while there is room for the words of those that have not come yet.
            with m.State("BODY"):
                m.d.comb += self.read_valid.eq((more | flush) & roomy)
                with m.If(~more & ~flush):
                    with m.If(rest != 0):
                        m.next = "NODE"
                    with m.Elif((flying == 1) & self.piece_done):
                        m.d.comb += self.done.eq(1)
                        m.next = "HEADER"
        with m.If(self.word_valid):
            m.d.comb += [word.eq(self.word), frames.i.valid.eq(1)]
        return m
