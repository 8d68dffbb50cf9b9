"""Pieces of words, put together into words again."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.layouts import ByteCount, DocumentWord

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

        # The bytes meant, moved to the front, and how many were in hand.
        valid = Signal()
        link = Signal(range(max(links, 2)))
        bytes_ = Signal(32)
        last, full = Signal(), Signal()
        counts = Array(Signal(2, name=f"count{n}") for n in range(links))
        held, count, total = Signal(2), Signal(2), Signal(3)
        m.d.comb += total.eq(counts[self.link] + self.piece.bytes)
        m.d.sync += [
            valid.eq(self.valid),
            link.eq(self.link),
            last.eq(self.piece.last),
            bytes_.eq(self.data >> (self.piece.skip << 3)),
            held.eq(counts[self.link]),
            count.eq(total),
            full.eq(total[2]),
        ]
        with m.If(self.valid):
            m.d.sync += counts[self.link].eq(Mux(self.piece.last, 0, total[:2]))

        # Behind those in hand.
        m.submodules.hands = hands = memory.Memory(shape=24, depth=max(links, 2), init=[])
        read, write = hands.read_port(domain="comb"), hands.write_port()
        joined = Signal(56)
        m.d.comb += [
            read.addr.eq(link),
            write.addr.eq(link),
            write.en.eq(valid),
            write.data.eq(Mux(full, joined[32:], joined[:24])),
        ]
        with m.Switch(held):
            for number in range(4):
                with m.Case(number):
                    m.d.comb += joined.eq(Cat(read.data[: 8 * number], bytes_))
        keep = [(full | (count > n)) for n in range(3)] + [full]
        m.d.sync += [
            self.done.eq(Mux(valid, Const(1, links) << link, 0)),
            self.put.eq(Mux(valid & (full | last), Const(1, links) << link, 0)),
            self.word.data.eq(joined[:32] & Cat(flag.replicate(8) for flag in keep)),
            self.word.count.eq(Mux(full, 4, count)),
            self.word.last.eq(last),
        ]
        return m
