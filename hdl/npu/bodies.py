"""Reads the bodies of all links' notifications through one port, piece by piece."""

from itertools import pairwise

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.npu.aligner import Aligner, Piece
from hdl.npu.finder import Span
from hdl.shapes.publication import DocumentWord
from hdl.shapes.widths import node_width

__all__ = ["BodyReader"]

_READ_LATENCY = 3
"""From a grant to the word: the registered address and the two clocks of the X-RAM."""


class BodyReader(wiring.Component):
    """Turns the spans of bodies into words. A piece of a word a clock is read, for links by turns.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    begin : In(links)
        A body of at least one byte begins on that link.
    room : In(links)
        That link had room for three words in the clock before.
    asks, found, span : Out(links), In(links), In(Span(config))
        Asks for the next span of a body, see :class:`hdl.npu.finder.NodeFinder`.
    xram : In(memory.ReadPort.Signature(...))
    granted : Out(links)
        A piece is being read, which makes at most a word.
    idle : Out(links)
        A piece made none.
    put, word : Out(links), Out(DocumentWord)
        A word of that link's body; ``last`` ends the body.
    """

    def __init__(self, config):
        self._config = config
        links = config.links
        super().__init__(
            {
                "begin": In(links),
                "room": In(links),
                "asks": Out(links),
                "found": In(links),
                "span": In(Span(config)),
                "xram": In(memory.ReadPort.Signature(addr_width=node_width(config), shape=DocumentWord)),
                "granted": Out(links),
                "idle": Out(links),
                "put": Out(links),
                "word": Out(DocumentWord),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, links = self._config, self._config.links
        m.submodules.aligner = aligner = Aligner(links=links)
        number = range(max(links, 2))

        # Where each link is in its span, and the bytes to take of the next word; ``flush`` when the span is through but its last bytes did
        # not fit the word before.
        width = node_width(config)
        place = data.StructLayout({"position": width, "left": width, "single": 1, "skip": 2, "bytes": 3, "tail": 2, "final": 1, "flush": 1})
        m.submodules.places = places = memory.Memory(shape=place, depth=max(links, 2), init=[])
        read, write = places.read_port(domain="comb"), places.write_port()
        active = Signal(links)

        # The next link by turns; that it is still active is seen in the clock after.
        turn, chosen = Signal(number), Signal(number)
        some = Signal()
        candidates = Signal(links)
        m.d.comb += [candidates.eq(active & self.room), chosen.eq(turn)]
        with m.Switch(turn):
            for first in range(links):
                with m.Case(first):
                    for offset in reversed(range(1, links + 1)):
                        link = (first + offset) % links
                        with m.If(candidates[link]):
                            m.d.comb += chosen.eq(link)
        m.d.sync += [turn.eq(chosen), some.eq(candidates.any())]

        # A span that has been found goes first.
        starts, start_link, final = Signal(), Signal(number), Signal()
        m.d.sync += [starts.eq(self.found.any()), final.eq(self.span.final)]
        for link in range(links):
            with m.If(self.found[link]):
                m.d.sync += [start_link.eq(link), self.asks[link].eq(0)]

        now, following = read.data, write.data
        steps = Signal()
        span = self.span
        phases = Array(Signal(2, name=f"phase{n}") for n in range(links))
        phase = Signal(2)
        overflow, last, through = Signal(), Signal(), Signal()
        piece = Signal(Piece)
        m.d.comb += [
            steps.eq(some & active.bit_select(turn, 1) & ~starts),
            read.addr.eq(turn),
            phase.eq(phases[turn]),
            overflow.eq(now.single & now.final & (phase + now.bytes > 4)),
            last.eq(now.flush | (now.single & now.final & ~overflow)),
            through.eq(now.flush | (now.single & ~overflow)),
            piece.skip.eq(now.skip),
            piece.bytes.eq(now.bytes),
            piece.last.eq(last),
            write.addr.eq(Mux(starts, start_link, turn)),
            write.en.eq(starts | steps),
            following.position.eq(Mux(starts, span.position, now.position + 1)),
            following.left.eq(Mux(starts, span.left, now.left - 1)),
            following.single.eq(Mux(starts, span.single, now.single | (now.left == 1))),
            following.skip.eq(Mux(starts, span.skip, 0)),
            following.bytes.eq(Mux(overflow, 0, Mux(now.left == 1, now.tail + 1, 4))),
            following.tail.eq(Mux(starts, span.tail, now.tail)),
            following.final.eq(Mux(starts, final, now.final)),
            following.flush.eq(~starts & overflow),
        ]
        with m.If(starts):
            m.d.comb += following.bytes.eq(Mux(span.single, span.tail, 3) - span.skip + 1)
            m.d.sync += active.bit_select(start_link, 1).eq(1)
        with m.If(steps):
            m.d.sync += phases[turn].eq(phase + now.bytes)
            with m.If(through):
                m.d.sync += active.bit_select(turn, 1).eq(0)
            with m.If(now.single & ~now.final):
                m.d.sync += self.asks.bit_select(turn, 1).eq(1)

        for link in range(links):
            with m.If(self.begin[link]):
                m.d.sync += [self.asks[link].eq(1), phases[link].eq(0)]

        position = Signal(width)
        flight = data.StructLayout({"valid": 1, "link": number, "piece": Piece})
        flights = [Signal(flight, name=f"flight{stage}") for stage in range(_READ_LATENCY)]
        m.d.sync += [position.eq(now.position), flights[0].valid.eq(steps), flights[0].link.eq(turn), flights[0].piece.eq(piece)]
        for earlier, later in pairwise(flights):
            m.d.sync += later.eq(earlier)
        m.d.comb += [
            self.xram.en.eq(1),
            self.xram.addr.eq(position),
            aligner.valid.eq(flights[-1].valid),
            aligner.link.eq(flights[-1].link),
            aligner.piece.eq(flights[-1].piece),
            aligner.data.eq(self.xram.data.data),
            self.idle.eq(aligner.done & ~aligner.put),
            self.put.eq(aligner.put),
            self.word.eq(aligner.word),
        ]
        for link in range(links):
            m.d.comb += self.granted[link].eq(steps & (turn == link))
        return m
