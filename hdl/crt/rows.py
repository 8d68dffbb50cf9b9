"""The SID-visiting RAM: a row of bits per name [T 5.3.3.3]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.widths import row_width, step_width

__all__ = ["VisitorRows"]

_LANE = 8
_GROUP = 8
"""Lanes that are chosen from at once."""


class VisitorRows(wiring.Component):
    """For each name the bits of the steps and tests that name it.

    A bit names at most one name. So it is kept once by each of the two halves of the name's number, and a row is what the rows of
    both halves have in common: 2 x 16 rows stand for 256.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    read_en, read_name, read_slice, read_data :
        The matching engine's port: the slice of a row, two clocks after its address.
    start, name, step, value :
        Sets the bit ``step`` of a row to ``value``; ``start`` is taken when ``busy`` is 0. It waits for a clock in which the
        engine does not read, then takes five. A bit that is 1 in a row must be set to 0 there before it is set in another.
    busy : ``Out(1)``
    hold : ``Out(1)``
        Nothing may be read in the clock after the next.
    clear, clear_address :
        Forgets the bits at this address, in this clock; not while ``busy``. :attr:`clear_depth` addresses from 0 up are all.
    """

    def __init__(self, config):
        self.config = config
        names, slices = ceil_log2(config.names), ceil_log2(config.slices)
        self._digits = (names // 2, names - names // 2)
        self.clear_depth = 1 << (max(self._digits) + slices)
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
                "hold": Out(1),
                "clear": In(1),
                "clear_address": In(range(self.clear_depth)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = row_width(self.config)
        lanes = width // _LANE
        bit_bits = ceil_log2(width)

        name = Signal(ceil_log2(self.config.names))
        step = Signal(step_width(self.config))
        value = Signal()
        lane = step[3:bit_bits]
        # The old lane is chosen in two clocks: of each group of lanes first.
        groups = max(1, lanes // _GROUP)
        in_group, group = lane[: ceil_log2(_GROUP)], lane[ceil_log2(_GROUP) :]
        bits = (Const(1, _LANE) << step[:3])[:_LANE]
        # The write bus is wide: it starts at flip-flops.
        enables = Signal(lanes)
        writes = Signal()
        old_taken = Signal()
        m.d.sync += enables.eq(Mux(self.clear, ~Const(0, lanes), Mux(writes, Const(1, lanes) << lane, 0)))

        words = []
        start = 0
        for number, digit_bits in enumerate(self._digits):
            depth = 1 << (digit_bits + ceil_log2(self.config.slices))
            storage = memory.Memory(shape=width, depth=max(depth, 2), init=[], attrs={"no_rw_check": 1, "ram_style": "block"})
            m.submodules[f"half{number}"] = storage
            read = storage.read_port(domain="comb")
            write = storage.write_port(granularity=_LANE)
            word = Signal(width, name=f"word{number}", reset_less=True)
            out = Signal(width, name=f"out{number}", reset_less=True)
            old = Signal(groups * _LANE, name=f"old{number}")
            merged = Signal(_LANE, name=f"merged{number}")
            write_address = Signal(len(write.addr), name=f"write_address{number}")
            digit = slice(start, start + digit_bits)
            address = Cat(step[bit_bits:], name[digit])
            m.d.comb += [
                read.addr.eq(Mux(self.read_en, Cat(self.read_slice, self.read_name[digit]), address)),
                write.addr.eq(write_address),
                write.data.eq(merged.replicate(lanes)),
                write.en.eq(enables),
            ]
            m.d.sync += [
                word.eq(read.data),
                out.eq(word),
                merged.eq(Mux(self.clear, 0, (old.word_select(group, _LANE) & ~bits) | Mux(value, bits, 0))),
                write_address.eq(Mux(self.clear, self.clear_address, address)),
            ]
            with m.If(old_taken):
                m.d.sync += old.eq(Cat(out.word_select(at, _GROUP * _LANE).word_select(in_group, _LANE) for at in range(groups)))
            words.append(out)
            start += digit_bits
        m.d.comb += [self.read_data.eq(words[0] & words[1]), self.busy.eq(1)]

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
                m.d.comb += [old_taken.eq(1), self.hold.eq(1)]
                m.next = "WRITE"
            with m.State("WRITE"):
                m.d.comb += writes.eq(1)
                m.next = "IDLE"
        return m
