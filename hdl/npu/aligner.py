"""Pieces of words, put together into words again."""

from amaranth.hdl import Array, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.publication import DocumentWord
from hdl.shapes.widths import ByteCount

__all__ = ["Aligner", "Piece"]


class Piece(data.Struct):
    """Which bytes of a word are meant: ``bytes`` of them after the first ``skip``. ``last`` is the end of a body; what is in hand
    then, up to four bytes, is its last word."""

    skip: unsigned(2)
    bytes: ByteCount
    last: unsigned(1)


class Aligner(wiring.Component):
    """Joins the pieces of each link's bodies without gaps. A piece a clock, of any link; two clocks later it is ``done`` and may have
    completed a word. The pieces of a body must not hold more than four bytes with the last one.

    Parameters
    ----------
    links : int

    Members
    -------
    valid, link, piece, data : In
        A piece of a link's body.
    done : Out(links)
        A piece of that link has been taken in.
    put : Out(links)
        And has completed ``word``.
    word : Out(DocumentWord)
    """

    def __init__(self, *, links: int):
        self._links = links
        super().__init__(
            {
                "valid": In(1),
                "link": In(range(links)),
                "piece": In(Piece),
                "data": In(32),
                "done": Out(links),
                "put": Out(links),
                "word": Out(DocumentWord),
            }
        )

    def elaborate(self, platform):
        m = Module()
        links = self._links

        # The bytes meant, each turned to its place in a word behind those in hand, or in the word after it, and nothing else.
        valid = Signal()
        link = Signal(range(max(links, 2)))
        bytes_ = Signal(32)
        last, full = Signal(), Signal()
        counts = Array(Signal(2, name=f"count{n}") for n in range(links))
        held, count, total = Signal(2), Signal(2), Signal(3)
        before, turn = Signal(2), Signal(2)
        m.d.comb += [before.eq(counts[self.link]), turn.eq(before - self.piece.skip), total.eq(before + self.piece.bytes)]
        m.d.sync += [
            valid.eq(self.valid),
            link.eq(self.link),
            last.eq(self.piece.last),
            bytes_.eq(self.data),
            held.eq(before),
            count.eq(total),
            full.eq(total[2]),
        ]
        with m.Switch(turn):
            for number in range(1, 4):
                with m.Case(number):
                    m.d.sync += bytes_.eq(self.data.rotate_left(8 * number))
        for place in range(4):
            with m.If((place - before)[:2] >= self.piece.bytes):
                m.d.sync += bytes_.word_select(place, 8).eq(0)
        with m.If(self.valid):
            m.d.sync += counts[self.link].eq(Mux(self.piece.last, 0, total[:2]))

        # Joined with those in hand; what has no room is in hand then.
        m.submodules.hands = hands = memory.Memory(shape=24, depth=max(links, 2), init=[])
        read, write = hands.read_port(domain="comb"), hands.write_port()
        joined = Signal(32)
        for place in range(4):
            own = slice(8 * place, 8 * place + 8)
            m.d.comb += joined[own].eq(Mux(held > place, read.data[own], bytes_[own]) if place < 3 else bytes_[own])
        m.d.comb += [
            read.addr.eq(link),
            write.addr.eq(link),
            write.en.eq(valid),
            write.data.eq(Mux(full, bytes_, joined)),
        ]
        m.d.sync += [
            self.done.eq(Mux(valid, Const(1, links) << link, 0)),
            self.put.eq(Mux(valid & (full | last), Const(1, links) << link, 0)),
            self.word.data.eq(joined),
            self.word.count.eq(Mux(full, 4, count)),
            self.word.last.eq(last),
        ]
        return m
