"""X-RAM: the ring that a publication streams through on its way to the parser [T 4.4.1]."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.contract import WORD_BYTES
from hdl.shapes.publication import POSITION_WIDTH, DocumentWord
from hdl.stream.block_ram import BlockRam

__all__ = ["Xram"]


class Xram(wiring.Component):
    """A ring of words between the loader and the parser, with a second look at the words that have passed.

    Loading and parsing run at the same time, each at up to a word a clock; the writer may run ahead by the whole ring or trail, and
    documents follow each other without a gap and may be of any length. A word written to an empty ring is offered three clocks later.

    Every word has an *absolute position*, counted from 0 at reset; it lies in the ring at the position modulo :attr:`words`. A word
    stays readable through ``read`` until another one overwrites it: the ring holds the positions from ``oldest`` to ``newest``
    (excluded). A word is overwritten only when the parser has taken it and, while ``hold_valid``, only if it is older than ``hold``.

    Parameters
    ----------
    config : BrokerConfig
        ``xram_bytes`` is the size of the ring.

    Members
    -------
    i, o : stream of DocumentWord
        From the loader, to the parser; the same words in the same order.
    read : ``Out(memory.ReadPort.Signature(...))``
        Second port: the word at ring address ``addr`` in clock n is on ``data`` in clock n + :attr:`READ_LATENCY`. It is the word of a
        position that was below ``newest`` in clock n and is not below ``oldest`` in clock n + 1. ``en`` is not needed.
    hold_valid, hold : In
        Absolute position of the oldest word that somebody still needs. ``hold`` must lie between ``oldest`` and ``newest`` (included), and
        only move forward while ``hold_valid``. While a hold keeps the ring full, ``i`` waits: the one who holds must not itself
        wait for a word that lies ``words`` or more beyond its position.
    oldest, newest : Out
        The absolute positions held.
    taken : Out
        Absolute position of the next word that ``o`` hands over; the words from there to ``newest`` are still to be parsed.
    """

    READ_LATENCY = 2

    def __init__(self, config):
        self.words = config.xram_bytes // WORD_BYTES
        self.address_width = exact_log2(self.words)
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "o": Out(stream.Signature(DocumentWord)),
                "read": Out(memory.ReadPort.Signature(addr_width=self.address_width, shape=DocumentWord)),
                "hold_valid": In(1),
                "hold": In(unsigned(POSITION_WIDTH)),
                "oldest": Out(unsigned(POSITION_WIDTH)),
                "newest": Out(unsigned(POSITION_WIDTH)),
                "taken": Out(unsigned(POSITION_WIDTH)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.storage = storage = BlockRam(shape=DocumentWord, depth=self.words, read_ports=2)
        write, stream_read, second_read = storage.write, storage.read[0], storage.read[1]

        # The second port, registered once more behind the memory.
        word = Signal(DocumentWord, reset_less=True)
        m.d.sync += word.eq(second_read.data)
        m.d.comb += [second_read.addr.eq(self.read.addr), second_read.en.eq(1), self.read.data.eq(word)]

        # The writer waits when the next word would fall on one that is not taken yet or is held.
        # The distances are those of the clock before, when neither was further on.
        level = Signal(range(self.words + 1))
        held = Signal(self.address_width + 1)
        was_held, wrote = Signal(), Signal()
        writes = Signal()
        m.d.comb += held.eq(self.newest - self.hold)
        m.d.sync += [was_held.eq(self.hold_valid), wrote.eq(writes)]

        def blocked(distance, name):
            none_left, one_left = Signal(name=f"none_left_{name}"), Signal(name=f"one_left_{name}")
            m.d.sync += [none_left.eq(distance[-1]), one_left.eq(distance == self.words - 1)]
            return none_left | (one_left & wrote)

        m.d.comb += [
            self.i.ready.eq(~blocked(level, "taken") & ~(self.hold_valid & (~was_held | blocked(held, "held")))),
            writes.eq(self.i.valid & self.i.ready),
            write.addr.eq(self.newest),
            write.data.eq(self.i.payload),
            write.en.eq(writes),
        ]
        full = Signal()
        with m.If(writes):
            m.d.sync += [self.newest.eq(self.newest + 1), full.eq(full | self.newest[: self.address_width].all())]
            with m.If(full):
                m.d.sync += self.oldest.eq(self.oldest + 1)

        # The reader: a word waits in the memory's output, then in ``payload``.
        fetch = Signal(self.address_width)
        waiting = Signal(range(self.words + 1))
        fetches = Signal()
        fetched = Signal()
        valid = Signal()
        payload = Signal(DocumentWord, reset_less=True)
        forward = Signal()
        takes = Signal()
        m.d.comb += [
            forward.eq(~valid | self.o.ready),
            fetches.eq((waiting != 0) & (forward | ~fetched)),
            takes.eq(valid & self.o.ready),
            stream_read.addr.eq(fetch),
            stream_read.en.eq(fetches),
            self.o.valid.eq(valid),
            self.o.payload.eq(payload),
        ]
        with m.If(fetches):
            m.d.sync += fetch.eq(fetch + 1)
        with m.If(fetches | forward):
            m.d.sync += fetched.eq(fetches)
        with m.If(forward):
            m.d.sync += [valid.eq(fetched), payload.eq(stream_read.data)]
        with m.If(takes):
            m.d.sync += self.taken.eq(self.taken + 1)
        # Which way to count does not wait for the writer.
        for count, leaves in ((level, takes), (waiting, fetches)):
            with m.If(writes ^ leaves):
                m.d.sync += count.eq(count + Mux(leaves, -1, 1))
        return m
