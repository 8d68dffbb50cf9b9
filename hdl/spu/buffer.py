"""The double subscription buffer [T 5.3.2.1, T-Fig 5.6]."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Header
from hdl.shapes.publication import DocumentWord
from hdl.stream import BlockRam

__all__ = ["DoubleBuffer", "FrameSize"]

_GROUP = 2
"""Bits of an address within the words that are kept apart from each other."""


class FrameSize(data.StructLayout):
    """Size of a buffered frame: bytes beyond a header, negative if it is shorter than that; the first ``words`` words are held."""

    def __init__(self, words):
        super().__init__({"body": signed(33), "words": range(words + 1)})


class DoubleBuffer(wiring.Component):
    """A ring of block RAM for two frames: one is taken in while the other one is in use.

    Parameters
    ----------
    words : int
        Words of a frame that are held. The rest of a longer frame is taken and dropped.

    Members
    -------
    i : In(stream)
        Frames, one packet each. A word a clock is taken, but for one clock after each frame, as long as there is room for it
        beside the frame in use; none is after the last word of a frame until no other one is in use.
    valid : Out(1)
        A whole frame is in use; ``size`` says how much of it is held.
    release : In(1)
        Done with the frame in use; the other one follows two clocks later, when it is complete.
    address : In(range(words))
        A word of the frame in use.
    word : Out(32)
        The word at ``address`` two clocks earlier, first byte in the low bits; bytes beyond the end of the frame are zero.
    """

    def __init__(self, *, words):
        if words < 8:
            raise ValueError(f"words must be at least 8, not {words!r}")
        self._words = words
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "valid": Out(1),
                "size": Out(FrameSize(words)),
                "release": In(1),
                "address": In(range(words)),
                "word": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        depth = 1 << (self._words + (2 << _GROUP)).bit_length()
        m.submodules.ring = ring = BlockRam(shape=32, depth=depth, output_register=True)
        write, read = ring.write, ring.read[0]

        # Loading. What is written stays away from the group of words in front of the frame in use, whatever is seen a clock late.
        place, start, base = (Signal(range(depth), name=name) for name in ("place", "start", "base"))
        guard = Signal(len(place) - _GROUP)
        blocked, loaded = Signal(), Signal()
        size = Signal(FrameSize(self._words), init={"body": -Header.BYTES})
        word = self.i.payload
        used = Signal()
        fits = Signal()
        m.d.sync += blocked.eq(self.valid & (place[_GROUP:] == guard))
        m.d.comb += [
            self.i.ready.eq(~loaded & ~blocked),
            used.eq(self.i.valid & self.i.ready),
            fits.eq((size.words != self._words) & (word.count != 0)),
            write.addr.eq(place),
            write.data.eq(Cat(*(Mux(word.count > byte, word.data[8 * byte : 8 * byte + 8], 0) for byte in range(4)))),
            write.en.eq(used & fits),
        ]
        with m.If(used):
            m.d.sync += [place.eq(place + fits), size.words.eq(size.words + fits), size.body.eq(size.body + word.count)]
            m.d.sync += loaded.eq(word.last)

        # In use.
        m.d.comb += [read.addr.eq(base + self.address), read.en.eq(1), self.word.eq(read.data)]
        with m.If(self.release):
            m.d.sync += self.valid.eq(0)
        with m.If(loaded & ~self.valid):
            m.d.sync += [
                self.valid.eq(1),
                self.size.eq(size),
                base.eq(start),
                guard.eq(start[_GROUP:] - 1),
                start.eq(place),
                loaded.eq(0),
                size.body.eq(-Header.BYTES),
                size.words.eq(0),
            ]
        return m
