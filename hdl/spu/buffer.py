"""The double subscription buffer [T 5.3.2.1, T-Fig 5.6]."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.layouts import DocumentWord
from hdl.stream import BlockRam

__all__ = ["DoubleBuffer", "FrameSize"]


class FrameSize(data.StructLayout):
    """Size of a buffered frame: ``bytes`` in all, of which the first ``words`` words are held; ``long`` when that is not all."""

    def __init__(self, words):
        super().__init__({"bytes": 32, "words": range(words + 1), "long": 1})


class DoubleBuffer(wiring.Component):
    """Two halves of block RAM: one takes a frame in while the other one is in use.

    Parameters
    ----------
    words : int
        Words that a half can hold. The rest of a longer frame is taken and dropped.

    Members
    -------
    i : In(stream)
        Frames, one packet each. A word a clock is taken as long as a half is free; none is after the last word of a frame
        while the other half is in use.
    valid : Out(1)
        A whole frame is in the half in use; ``size`` says how much of it.
    release : In(1)
        Done with the half in use; the other one follows when it is full.
    address : In(range(words))
        A word of the half in use.
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
        depth = 1 << (self._words - 1).bit_length()
        m.submodules.halves = halves = BlockRam(shape=32, depth=2 * depth, output_register=True)
        write = halves.write
        read = halves.read[0]

        full = Signal(2)
        sizes = Array(Signal(FrameSize(self._words), name=f"size{half}") for half in range(2))

        # Loading.
        loading = Signal()
        index = Signal(range(self._words + 1))
        length = Signal(32)
        word = self.i.payload
        long = Signal()
        used = Signal()
        fits = Signal()
        drops = Signal()
        m.d.comb += [
            self.i.ready.eq(~Mux(loading, full[1], full[0])),
            used.eq(self.i.valid & self.i.ready),
            fits.eq((index != self._words) & (word.count != 0)),
            drops.eq((index == self._words) & (word.count != 0)),
            write.addr.eq(Cat(index[: (depth - 1).bit_length()], loading)),
            write.data.eq(Cat(*(Mux(word.count > byte, word.data[8 * byte : 8 * byte + 8], 0) for byte in range(4)))),
            write.en.eq(used & fits),
        ]
        with m.If(used):
            m.d.sync += [index.eq(index + fits), length.eq(length + word.count), long.eq(long | drops)]
            with m.If(word.last):
                m.d.sync += [
                    index.eq(0),
                    length.eq(0),
                    loading.eq(~loading),
                    full.bit_select(loading, 1).eq(1),
                    sizes[loading].bytes.eq(length + word.count),
                    sizes[loading].words.eq(index + fits),
                    sizes[loading].long.eq(long | drops),
                    long.eq(0),
                ]

        # In use.
        using = Signal()
        m.d.comb += [
            self.valid.eq(Mux(using, full[1], full[0])),
            self.size.eq(sizes[using]),
            read.addr.eq(Cat(self.address, Const(0, (depth - 1).bit_length() - len(self.address)), using)),
            read.en.eq(1),
            self.word.eq(read.data),
        ]
        with m.If(self.release):
            m.d.sync += [using.eq(~using), full.bit_select(using, 1).eq(0)]
        return m
