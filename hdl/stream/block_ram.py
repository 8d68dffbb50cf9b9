"""Block RAM with synchronous read ports."""

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Const, Module, Shape, ShapeCastable, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

__all__ = ["BankedRam", "BlockRam", "PairedRam"]

_BLOCK, _WORDS = 16384, 2048
"""Bits of a block RAM beyond this number of words, where it has no ninth bit of each byte."""


class BlockRam(wiring.Component):
    """A memory that synthesis puts in block RAM without any logic around it.

    A word read in the very clock in which it is written is undefined: the block RAM of an ECP5 gives no promise for it, and
    a memory that promises the old word there costs a bypass of flip-flops as wide as the word. Users must not depend on it.

    Parameters
    ----------
    shape : ShapeLike
        Shape of a word.
    depth : int
        Number of words.
    read_ports : int
        Number of read ports; each beyond the first costs another copy of the memory.
    output_register : bool
        Registers the words once more, so that the slow output of a block RAM is followed by no logic: a read then takes two
        clocks instead of one. ``en`` holds the first stage only; the second follows in every clock.
    attrs : dict
        Attributes of the memory in addition to those set here.

    Members
    -------
    write : ``Out(memory.WritePort.Signature(...))``
    read : ``Out(memory.ReadPort.Signature(...)).array(read_ports)``
        Contents are zero after configuration and are kept over a reset.
    """

    def __init__(self, *, shape, depth: int, read_ports: int = 1, output_register: bool = False, attrs: dict | None = None):
        if not isinstance(depth, int) or depth < 2:
            raise ValueError(f"depth must be an integer of at least 2, not {depth!r}")
        if not isinstance(read_ports, int) or read_ports < 1:
            raise ValueError(f"read_ports must be an integer of at least 1, not {read_ports!r}")
        self.shape = shape if isinstance(shape, ShapeCastable) else Shape.cast(shape)
        self.depth = depth
        self.output_register = output_register
        self._attrs = {"no_rw_check": 1} | (attrs or {})
        width = ceil_log2(depth)
        super().__init__(
            {
                "write": Out(memory.WritePort.Signature(addr_width=width, shape=self.shape)),
                "read": Out(memory.ReadPort.Signature(addr_width=width, shape=self.shape)).array(read_ports),
            }
        )

    @property
    def _strip(self) -> int:
        """Bits of a word in each memory: with an output register, as many as a block holds of all words, so that nothing stands between a
        block and its own register. Blocks of up to 2048 words need no help."""
        width = max(1, Shape.cast(self.shape).width)
        return max(1, _BLOCK // (1 << ceil_log2(self.depth))) if self.output_register and self.depth > _WORDS else width

    @property
    def latency(self) -> int:
        """Clocks from an address to its word."""
        return 2 if self.output_register else 1

    def elaborate(self, platform):
        m = Module()
        width = Shape.cast(self.shape).width
        strips = [(at, min(self._strip, width - at)) for at in range(0, width, self._strip)]
        stores = []
        for number, (at, size) in enumerate(strips):
            store = memory.Memory(shape=size, depth=self.depth, init=[], attrs=self._attrs)
            m.submodules[f"storage{number}" if number else "storage"] = store
            write = store.write_port()
            m.d.comb += [
                write.addr.eq(self.write.addr),
                write.data.eq(Value.cast(self.write.data)[at : at + size]),
                write.en.eq(self.write.en),
            ]
            stores.append(store)
        for index, port in enumerate(self.read):
            # An asynchronous port and its register: synthesis merges the two into the block RAM, and only in this form
            # does it heed ``no_rw_check``.
            inner = [store.read_port(domain="comb") for store in stores]
            word = Signal(self.shape, name=f"word{index}", reset_less=True)
            m.d.comb += [one.addr.eq(port.addr) for one in inner]
            with m.If(port.en):
                m.d.sync += Value.cast(word).eq(Cat(one.data for one in inner))
            if self.output_register:
                out = Signal(self.shape, name=f"out{index}", reset_less=True)
                m.d.sync += out.eq(word)
                m.d.comb += port.data.eq(out)
            else:
                m.d.comb += port.data.eq(word)
        return m


class PairedRam(wiring.Component):
    """Two tables in one block RAM, each with a port of its own that reads or writes a word in each clock.

    A block of an ECP5 has two such ports for words of up to 18 bits; that is half of one for each table. What a table gives in
    the clock after it was written is undefined.

    Parameters
    ----------
    shape : ShapeLike
        Shape of a word.
    depth : int
        Number of words of each table, a power of two.
    output_registers : tuple of two bool
        For each table: registers the words once more, so that the slow output of a block RAM is followed by no logic.

    Members
    -------
    ports : ``Out(...).array(2)``
        Address ``addr``; ``write`` is stored there with ``write_en``. ``data`` is the word at an address one clock earlier, or two with an
        output register; clocks in which ``en`` is 0 do not count: nothing is read and the word stays.
        Contents are zero after configuration and are kept over a reset.
    """

    def __init__(self, *, shape, depth: int, output_registers: tuple[bool, bool] = (True, True)):
        if not isinstance(depth, int) or depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth must be a power of two of at least 2, not {depth!r}")
        self.shape = shape if isinstance(shape, ShapeCastable) else Shape.cast(shape)
        self.depth = depth
        self.output_registers = output_registers
        port = wiring.Signature(
            {"addr": In(ceil_log2(depth)), "write": In(self.shape), "write_en": In(1), "en": In(1), "data": Out(self.shape)}
        )
        super().__init__({"ports": Out(port).array(2)})

    def elaborate(self, platform):
        m = Module()
        attrs = {"no_rw_check": 1, "ram_style": "block"}
        m.submodules.storage = storage = memory.Memory(shape=self.shape, depth=2 * self.depth, init=[], attrs=attrs)
        for table, port in enumerate(self.ports):
            write, read = storage.write_port(), storage.read_port(domain="comb")
            word = Signal(self.shape, name=f"word{table}", reset_less=True)
            m.d.comb += [
                read.addr.eq(Cat(port.addr, Const(table, 1))),
                write.addr.eq(read.addr),
                write.data.eq(port.write),
                write.en.eq(port.write_en),
            ]
            with m.If(port.en):
                m.d.sync += word.eq(read.data)
            if self.output_registers[table]:
                out = Signal(self.shape, name=f"out{table}", reset_less=True)
                with m.If(port.en):
                    m.d.sync += out.eq(word)
                m.d.comb += port.data.eq(out)
            else:
                m.d.comb += port.data.eq(word)
        return m


class BankedRam(wiring.Component):
    """A memory deeper than a block RAM, one write and one read port: no logic follows the slow output of a block, because the words of
    the blocks are registered, and those of all but one cleared, before they are joined.

    As for :class:`BlockRam`, a word read in the very clock in which it is written is undefined.

    Parameters
    ----------
    shape : ShapeLike
        Shape of a word.
    depth : int
        Number of words.

    Members
    -------
    write : ``Out(memory.WritePort.Signature(...))``
    read : ``Out(memory.ReadPort.Signature(...))``
        The word of an address is given :attr:`LATENCY` clocks later; ``en`` is not needed.
    """

    LATENCY = 3
    _BANKS = (2048, 1024, 512)
    """Words of a bank: as many of the first as fit, then of the next, and of the last what is left. Blocks of 2048 x 9, 1024 x 18 and
    512 x 36 bits need nothing between them."""

    def __init__(self, *, shape, depth: int):
        if not isinstance(depth, int) or depth < 2:
            raise ValueError(f"depth must be an integer of at least 2, not {depth!r}")
        self.shape = shape if isinstance(shape, ShapeCastable) else Shape.cast(shape)
        self.depth = depth
        width = ceil_log2(depth)
        super().__init__(
            {
                "write": Out(memory.WritePort.Signature(addr_width=width, shape=self.shape)),
                "read": Out(memory.ReadPort.Signature(addr_width=width, shape=self.shape)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        small = self._BANKS[-1]
        starts, end = [], 0
        while end < self.depth:
            starts.append(end)
            end += next((size for size in self._BANKS if end + size <= self.depth), small)
        sizes = [end - start for start, end in zip(starts, [*starts[1:], self.depth], strict=True)]
        words = []
        # Each address of ``small`` words belongs to one bank.
        groups = [max(index for index, start in enumerate(starts) if start <= group * small) for group in range(-(-self.depth // small))]
        bank_of = Array(groups)
        group_bits = range(len(groups))
        bank_shape = range(max(2, len(starts)))
        chosen = Signal(bank_shape)
        write_bank = Signal(bank_shape)
        if len(groups) > 1:
            shift = ceil_log2(small)
            m.d.comb += write_bank.eq(bank_of[self.write.addr[shift : shift + len(Signal(group_bits))]])
            m.d.sync += chosen.eq(bank_of[self.read.addr[shift : shift + len(Signal(group_bits))]])
        for index, size in enumerate(sizes):
            bank = BlockRam(shape=self.shape, depth=max(2, size))
            m.submodules[f"bank{index}"] = bank
            m.d.comb += [
                bank.write.addr.eq(self.write.addr),
                bank.write.data.eq(self.write.data),
                bank.write.en.eq(self.write.en & (write_bank == index)),
                bank.read[0].addr.eq(self.read.addr),
                bank.read[0].en.eq(1),
            ]
            word = Signal(Shape.cast(self.shape).width, name=f"word{index}", reset_less=True)
            m.d.sync += word.eq(bank.read[0].data)
            with m.If(chosen != index):
                m.d.sync += word.eq(0)
            words.append(word)
        word = Signal(self.shape, reset_less=True)
        m.d.sync += Value.cast(word).eq(reduce(or_, words))
        m.d.comb += self.read.data.eq(word)
        return m
