"""The SID-visiting RAM: a row of bits per name [T 5.3.3.3]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import row_width, step_width

__all__ = ["VisitorRows"]

_LANE = 8


class VisitorRows(wiring.Component):
    """For each name the bits of the steps and tests that name it.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    read_en, read_name, read_slice, read_data :
        The matching engine's port: the slice of a row, two clocks after its address.
    start, name, step, value :
        Sets the bit ``step`` of a row to ``value``; ``start`` is taken when ``busy`` is 0. It waits for a clock in which the
        engine does not read, then takes five.
    busy : ``Out(1)``
    clear, clear_address :
        Forgets the slice of a row at this address, in this clock; not while ``busy``.
    """

    def __init__(self, config):
        self.config = config
        names, slices = ceil_log2(config.names), ceil_log2(config.slices)
        super().__init__(
            {
                "read_en": In(1),
                "read_name": In(names),
                "read_slice": In(slices),
                "read_data": Out(row_width(config)),
                "start": In(1),
                "name": In(names),
                "step": In(step_width(config)),
                "value": In(1),
                "busy": Out(1),
                "clear": In(1),
                "clear_address": In(names + slices),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = row_width(self.config)
        lanes = width // _LANE
        bit_bits = ceil_log2(width)
        m.submodules.storage = storage = memory.Memory(
            shape=width, depth=self.config.names << ceil_log2(self.config.slices), init=[], attrs={"no_rw_check": 1, "ram_style": "block"}
        )
        read = storage.read_port(domain="comb")
        write = storage.write_port(granularity=_LANE)
        word = Signal(width, reset_less=True)
        out = Signal(width, reset_less=True)
        m.d.sync += [word.eq(read.data), out.eq(word)]
        m.d.comb += self.read_data.eq(out)

        name = Signal(ceil_log2(self.config.names))
        step = Signal(step_width(self.config))
        value = Signal()
        lane = step[3:bit_bits]
        old = Signal(_LANE)
        address = Cat(step[bit_bits:], name)
        bits = (Const(1, _LANE) << step[:3])[:_LANE]
        enables = Signal(lanes)
        merged = Signal(_LANE)
        writes = Signal()
        m.d.comb += [
            self.busy.eq(1),
            read.addr.eq(Mux(self.read_en, Cat(self.read_slice, self.read_name), address)),
        ]
        # The write bus is wide: it starts at flip-flops.
        write_address = Signal(len(self.clear_address), reset_less=True)
        m.d.sync += [
            enables.eq(Mux(self.clear, ~Const(0, lanes), Mux(writes, Const(1, lanes) << lane, 0))),
            merged.eq(Mux(self.clear, 0, (old & ~bits) | Mux(value, bits, 0))),
            write_address.eq(Mux(self.clear, self.clear_address, address)),
        ]
        m.d.comb += [write.addr.eq(write_address), write.data.eq(merged.replicate(lanes)), write.en.eq(enables)]

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.busy.eq(0)
                m.d.sync += [name.eq(self.name), step.eq(self.step), value.eq(self.value)]
                with m.If(self.start):
                    m.next = "READ"
            with m.State("READ"):
                # a clock in which the engine leaves the port alone
                with m.If(~self.read_en):
                    m.next = "WORD"
            with m.State("WORD"):
                m.next = "LANE"
            with m.State("LANE"):
                m.d.sync += old.eq(out.word_select(lane, _LANE))
                m.next = "WRITE"
            with m.State("WRITE"):
                m.d.comb += writes.eq(1)
                m.next = "IDLE"
        return m
