"""P-RAM: the parsed words of the latest documents, readable while they are written [T 4.4.4]."""

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.shapes.publication import ParsedBeat
from hdl.stream import BlockRam, StreamFifo

__all__ = ["PARSED_POSITION_WIDTH", "ParsedDocument", "Pram"]

PARSED_POSITION_WIDTH = 32
"""Width of an absolute beat position; positions count every beat since reset and wrap."""

_LOST_WIDTH = 16


class ParsedDocument(data.Struct):
    """A complete document: the positions of its first beat and of its last, the one with ``done``; ``good`` is that beat's.

    ``overrun`` says that the document was longer than the ring, so that its first beats were gone before it ended.
    """

    first: unsigned(PARSED_POSITION_WIDTH)
    last: unsigned(PARSED_POSITION_WIDTH)
    good: unsigned(1)
    overrun: unsigned(1)


class Pram(wiring.Component):
    """A tap on the parser's output that keeps the latest beats in a ring.

    The stream passes through unchanged, in the same clock, and the tap never stalls it. Every beat that passes is stored under its
    *absolute position*, counted from 0 at reset. The ring wraps: a new beat overwrites the oldest one. The positions held are ``oldest``
    to ``newest`` (excluded), so that ``oldest`` is also the number of beats overwritten since reset.

    Parameters
    ----------
    config : BrokerConfig
        ``pram_words`` is the number of beats held.

    Members
    -------
    i, o : stream of ParsedBeat
        Through the tap.
    documents : ``Out(stream.Signature(ParsedDocument))``
        One for each document that has ended, in order, offered from two clocks after its last beat on; up to :attr:`DOCUMENTS` wait. When
        they are not taken in time, further ones are dropped and counted in ``lost``, which stays at its largest value.
    read_position : In
        Beat to read, taken in every clock. The answer comes :attr:`READ_LATENCY` clocks later ...
    read_beat, read_valid : Out
        ... and ``read_valid`` is 1 exactly when the beat at that position was in the ring and is given here; otherwise it was not yet
        written or already overwritten.
    first : Out
        Position of the first beat of the document that is being written, or will be.
    oldest, newest : Out
        Positions held.
    lost : Out
        Documents that were not reported.
    """

    READ_LATENCY = 2
    DOCUMENTS = 4

    def __init__(self, config):
        self.beats = config.pram_words
        self.address_width = exact_log2(self.beats)
        self.shape = ParsedBeat(config)
        super().__init__(
            {
                "i": In(stream.Signature(self.shape)),
                "o": Out(stream.Signature(self.shape)),
                "documents": Out(stream.Signature(ParsedDocument)),
                "read_position": In(PARSED_POSITION_WIDTH),
                "read_beat": Out(self.shape),
                "read_valid": Out(1),
                "first": Out(PARSED_POSITION_WIDTH),
                "oldest": Out(PARSED_POSITION_WIDTH),
                "newest": Out(PARSED_POSITION_WIDTH),
                "lost": Out(_LOST_WIDTH),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.storage = storage = BlockRam(shape=self.shape, depth=self.beats, output_register=True)
        m.submodules.summaries = summaries = StreamFifo(ParsedDocument, self.DOCUMENTS)
        wiring.connect(m, wiring.flipped(self.i), wiring.flipped(self.o))
        wiring.connect(m, summaries.o, wiring.flipped(self.documents))

        writes = Signal()
        full = Signal()
        overrun = Signal()
        ends = Signal()
        m.d.comb += [
            writes.eq(self.i.valid & self.o.ready),
            ends.eq(writes & self.i.p.done),
            storage.write.addr.eq(self.newest),
            storage.write.data.eq(self.i.p),
            storage.write.en.eq(writes),
        ]
        with m.If(writes):
            m.d.sync += [self.newest.eq(self.newest + 1), full.eq(full | self.newest[: self.address_width].all())]
            with m.If(full):
                m.d.sync += [self.oldest.eq(self.oldest + 1), overrun.eq(overrun | (self.oldest == self.first))]
        with m.If(ends):
            m.d.sync += [self.first.eq(self.newest + 1), overrun.eq(0)]

        # A summary is put together in the clock after the last beat, when the overrun is known.
        ended = Signal()
        summary = Signal(ParsedDocument)
        m.d.sync += ended.eq(ends)
        m.d.sync += [
            summary.first.eq(self.first),
            summary.last.eq(self.newest),
            summary.good.eq(self.i.p.good),
            summary.overrun.eq(overrun | (full & (self.oldest == self.first))),
        ]
        m.d.comb += [summaries.i.valid.eq(ended), summaries.i.p.eq(summary)]
        with m.If(ended & ~summaries.i.ready & ~self.lost.all()):
            m.d.sync += self.lost.eq(self.lost + 1)

        # A beat is good when it was written before the read and not overwritten up to it; the distances take a clock of their own.
        position = Signal(PARSED_POSITION_WIDTH)
        limit = Signal(PARSED_POSITION_WIDTH)
        behind = Signal(PARSED_POSITION_WIDTH, init=-1)
        ahead = Signal(PARSED_POSITION_WIDTH, init=-1)
        m.d.sync += [
            position.eq(self.read_position),
            limit.eq(self.newest),
            behind.eq(limit - position - 1),
            ahead.eq(position - self.oldest),
        ]
        read = storage.read[0]
        m.d.comb += [
            read.addr.eq(self.read_position),
            read.en.eq(1),
            self.read_beat.eq(read.data),
            self.read_valid.eq(~behind[self.address_width :].any() & ~ahead[self.address_width :].any()),
        ]
        return m
