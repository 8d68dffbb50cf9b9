"""First-in first-out queue of a stream."""

from amaranth.hdl import Cat, Module, Mux, Shape, ShapeCastable, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.stream.block_ram import BlockRam
from hdl.stream.register import Register

__all__ = ["StreamFifo"]


class StreamFifo(wiring.Component):
    """A stream through a queue.

    It takes and gives one payload a clock at the same time, also when full or nearly empty. The payload at the head is offered
    without being asked for. ``o`` comes from flip-flops, unless it is ``direct``; ``i.ready`` depends on flip-flops alone. A payload
    written to an empty queue is offered after :attr:`latency` clocks.

    Parameters
    ----------
    shape : ShapeLike
        Shape of the payload.
    depth : int
        Payloads that the queue holds, at least 2.
    lut_depth : int
        Queues up to this depth are kept in look-up tables, deeper ones in block RAM; :attr:`LUT_DEPTH` by default.
    promised : bool
        The writer sees to it that a queue in look-up tables is never full when it offers a payload: ``i.ready`` is always 1.
    direct : bool
        ``o.payload`` comes straight from the look-up tables, for a reader that registers it: a clock less.

    Members
    -------
    i : ``In(stream.Signature(shape))``
    o : ``Out(stream.Signature(shape))``
    level : ``Out(range(depth + 1))``
        Payloads held, those in the output stages included.
    """

    LUT_DEPTH = 32

    def __init__(self, shape, depth: int, *, lut_depth: int | None = None, promised: bool = False, direct: bool = False):
        if not isinstance(depth, int) or isinstance(depth, bool) or depth < 2:
            raise ValueError(f"depth must be an integer of at least 2, not {depth!r}")
        self.shape = shape if isinstance(shape, ShapeCastable) else Shape.cast(shape)
        self.depth = depth
        self.lut_depth = self.LUT_DEPTH if lut_depth is None else lut_depth
        self.promised = promised
        if direct and not 2 < depth <= self.lut_depth:
            raise ValueError(f"depth must be 3 to {self.lut_depth} for a direct queue, not {depth!r}")
        self.direct = direct
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)), "level": Out(range(depth + 1))})

    @property
    def latency(self) -> int:
        """Clocks from a write to an empty queue until the payload is offered."""
        if self.depth == 2:
            return 1
        return 2 - self.direct if self.depth <= self.lut_depth else 3

    def elaborate(self, platform):
        m = Module()
        level = Signal(range(self.depth + 1))
        m.d.comb += self.level.eq(level)
        put, got = Signal(), Signal()
        m.d.comb += [put.eq(self.i.valid & self.i.ready), got.eq(self.o.valid & self.o.ready)]
        m.d.sync += level.eq(level + Cat(put ^ got, (got & ~put).replicate(len(level) - 1)))
        if self.depth == 2:
            m.submodules.register = register = Register(self.shape)
            wiring.connect(m, wiring.flipped(self.i), register.i)
            wiring.connect(m, register.o, wiring.flipped(self.o))
            return m

        inner_valid = Signal()
        inner_payload = Signal(self.shape)
        inner_ready = Signal()
        if self.direct:
            m.d.comb += [inner_ready.eq(self.o.ready), self.o.valid.eq(inner_valid), self.o.payload.eq(inner_payload)]
        else:
            valid = Signal()
            # behind block RAM it is the output register of that, which has no reset
            payload = Signal(self.shape, reset_less=self.depth > self.lut_depth)
            m.d.comb += [inner_ready.eq(self.o.ready | ~valid), self.o.valid.eq(valid), self.o.payload.eq(payload)]
            with m.If(inner_ready):
                m.d.sync += [valid.eq(inner_valid), payload.eq(inner_payload)]

        if self.depth <= self.lut_depth:
            # How much is stored follows from the pointers, and from whether there is something: nothing has to be counted.
            places = self.depth - (not self.direct)
            bits = ceil_log2(places)
            m.submodules.queue = queue = memory.Memory(shape=self.shape, depth=1 << bits, init=[])
            write, read = queue.write_port(), queue.read_port(domain="comb")
            produce, consume, consume_next = Signal(bits), Signal(bits), Signal(bits)
            # Whether none or all places are taken is known beforehand: nobody waits for a comparison.
            full, some = Signal(), Signal()
            writes, reads = Signal(), Signal()
            m.d.comb += [
                writes.eq(self.i.valid & self.i.ready),
                reads.eq(some & inner_ready),
                write.addr.eq(produce),
                write.data.eq(self.i.payload),
                write.en.eq(writes),
                self.i.ready.eq(~full),
                read.addr.eq(consume),
                inner_payload.eq(read.data),
                inner_valid.eq(some),
            ]
            with m.If(writes):
                m.d.sync += produce.eq(produce + 1)
            with m.If(reads):
                m.d.sync += consume.eq(consume_next)
            # A reader that decides late finds short ways here.
            lone, nears = Signal(), Signal()  # one is stored; all places but one are taken
            m.d.comb += [
                consume_next.eq(consume + 1),
                lone.eq(consume_next == produce),
                nears.eq((produce + (1 + (1 << bits) - places))[:bits] == consume),
            ]
            m.d.sync += some.eq(writes | (some & ~(lone & inner_ready)))
            if not self.promised:
                m.d.sync += full.eq((full | (self.i.valid & nears)) & ~(some & inner_ready))
            return m

        # Beyond the look-up tables the word read from block RAM waits in the memory's own output, then in ``payload``.
        places = self.depth - 2
        m.submodules.storage = storage = BlockRam(shape=self.shape, depth=places)
        read = storage.read[0]
        produce = Signal(range(places))
        consume = Signal(range(places))
        stored = Signal(range(places + 1))
        full, some = Signal(), Signal()
        writes = Signal()
        reads = Signal()

        def advance(pointer):
            with m.If(pointer == places - 1):
                m.d.sync += pointer.eq(0)
            with m.Else():
                m.d.sync += pointer.eq(pointer + 1)

        m.d.comb += [
            self.i.ready.eq(~full),
            writes.eq(self.i.valid & self.i.ready),
            reads.eq(some & (inner_ready | ~inner_valid)),
            storage.write.addr.eq(produce),
            storage.write.data.eq(self.i.payload),
            storage.write.en.eq(writes),
            read.addr.eq(consume),
            read.en.eq(reads),
            inner_payload.eq(read.data),
        ]
        with m.If(writes):
            advance(produce)
        with m.If(reads):
            advance(consume)
        with m.If(reads | inner_ready):
            m.d.sync += inner_valid.eq(reads)
        with m.If(writes ^ reads):
            m.d.sync += [
                stored.eq(stored + Mux(reads, -1, 1)),
                full.eq(~reads & (stored == places - 1)),
                some.eq(writes | (stored != 1)),
            ]
        return m
