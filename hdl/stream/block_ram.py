"""Block RAM with one write port and synchronous read ports."""

from amaranth.hdl import Module, Shape, ShapeCastable, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import Out
from amaranth.utils import ceil_log2

__all__ = ["BlockRam"]


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
    def latency(self) -> int:
        """Clocks from an address to its word."""
        return 2 if self.output_register else 1

    def elaborate(self, platform):
        m = Module()
        m.submodules.storage = storage = memory.Memory(shape=self.shape, depth=self.depth, init=[], attrs=self._attrs)
        wiring.connect(m, storage.write_port(), wiring.flipped(self.write))
        for index, port in enumerate(self.read):
            # An asynchronous port and its register: synthesis merges the two into the block RAM, and only in this form
            # does it heed ``no_rw_check``.
            inner = storage.read_port(domain="comb")
            word = Signal(self.shape, name=f"word{index}", reset_less=True)
            m.d.comb += inner.addr.eq(port.addr)
            with m.If(port.en):
                m.d.sync += word.eq(inner.data)
            if self.output_register:
                out = Signal(self.shape, name=f"out{index}", reset_less=True)
                m.d.sync += out.eq(word)
                m.d.comb += port.data.eq(out)
            else:
                m.d.comb += port.data.eq(word)
        return m
