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

        # The bytes meant, moved to the front.
        valid = Signal()
        link = Signal(range(max(links, 2)))
        bytes_ = Signal(32)
        piece = Signal(Piece)
        m.d.sync += [
            valid.eq(self.valid),
            link.eq(self.link),
            piece.eq(self.piece),
            bytes_.eq(self.data >> (self.piece.skip << 3)),
        ]

        # Behind those in hand.
        m.submodules.hands = hands = memory.Memory(shape=24, depth=max(links, 2), init=[])
        read, write = hands.read_port(domain="comb"), hands.write_port()
        counts = Array(Signal(2, name=f"count{n}") for n in range(links))
        count = Signal(2)
        total = Signal(3)
        full = Signal()
        joined = Signal(56)
        m.d.comb += [
            count.eq(counts[link]),
            total.eq(count + piece.bytes),
            full.eq(total[2]),
            read.addr.eq(link),
            write.addr.eq(link),
            write.en.eq(valid),
            write.data.eq(Mux(full, joined[32:], joined[:24])),
        ]
        with m.Switch(count):
            for held in range(4):
                with m.Case(held):
                    m.d.comb += joined.eq(Cat(read.data[: 8 * held], bytes_))
        with m.If(valid):
            m.d.sync += counts[link].eq(Mux(piece.last, 0, total[:2]))
        keep = [(full | (total[:2] > n)) for n in range(3)] + [full]
        m.d.sync += [
            self.done.eq(Mux(valid, Const(1, links) << link, 0)),
            self.put.eq(Mux(valid & (full | piece.last), Const(1, links) << link, 0)),
            self.word.data.eq(joined[:32] & Cat(flag.replicate(8) for flag in keep)),
            self.word.count.eq(Mux(full, 4, total[:2])),
            self.word.last.eq(piece.last),
        ]
        return m
