"""The SID-visiting RAM: a row of bits per name [T 5.3.3.3]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.tables import RowView
from hdl.shapes.widths import row_width, step_width

__all__ = ["RowChange", "VisitorRows"]

_LANE = 8
_GROUP = 8
"""Lanes that are chosen from at once."""


class RowChange(data.StructLayout):
    """The bit ``step`` of the row of a ``name``, which is of any ``rows``, becomes ``value``."""

    def __init__(self, config, rows=None):
        super().__init__({"name": ceil_log2(rows or config.names), "step": step_width(config), "value": 1})


class VisitorRows(wiring.Component):
    """For each name the bits of the steps and tests that name it.

    A bit names at most one name. So it is kept once by each of the two halves of the name's number, and a row is what the rows of
    both halves have in common: 2 x 16 rows stand for 256.

    Parameters
    ----------
    config : BrokerConfig
    rows : int
        Rows, a power of two of at least 4; without it one for each name of the configuration. A row may stand for anything of which a
        bit has at
        most one.

    Members
    -------
    view : ``Out(RowView(config, rows))``
    change : ``In(stream.Signature(RowChange(config, rows)))``
        Taken when nothing is under way. It waits for a clock in which the engine does not read, then takes five; it is made when
        ``ready`` is 1 again. A bit that is 1 in a row must be set to 0 there before it is set in another.
    clear, clear_address :
        Forgets the bits at this address, in this clock, while nothing is under way. :attr:`clear_depth` addresses from 0 up are all.
    """

    def __init__(self, config, rows=None):
        self.config = config
        self._rows = rows or config.names
        names, slices = ceil_log2(self._rows), ceil_log2(config.slices)
        self._digits = (names // 2, names - names // 2)
        self.clear_depth = 1 << (max(self._digits) + slices)
        super().__init__(
            {
                "view": Out(RowView(config, rows)),
                "change": In(stream.Signature(RowChange(config, rows))),
                "clear": In(1),
                "clear_address": In(range(self.clear_depth)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        view, given = self.view, self.change.payload
        width = row_width(self.config)
        lanes = width // _LANE
        bit_bits = ceil_log2(width)

        name = Signal(ceil_log2(self._rows))
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
                read.addr.eq(Mux(view.en, Cat(view.slice, view.name[digit]), address)),
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
        m.d.comb += view.row.eq(words[0] & words[1])

        with m.FSM():
            with m.State("IDLE"):
                # Waits for a change.
                m.d.comb += self.change.ready.eq(1)
                m.d.sync += [name.eq(given.name), step.eq(given.step), value.eq(given.value)]
                with m.If(self.change.valid):
                    m.next = "READ"
            with m.State("READ"):
                # Waits for a clock in which the engine leaves the port alone.
                with m.If(~view.en):
                    m.next = "WORD"
            with m.State("WORD"):
                # The word passes its second register.
                m.next = "LANE"
            with m.State("LANE"):
                # The old lane is taken; the engine may not read when it is written.
                m.d.comb += [old_taken.eq(1), view.hold.eq(1)]
                m.next = "WRITE"
            with m.State("WRITE"):
                # The lane with the bit goes to the write port, and to the memory in the next clock.
                m.d.comb += writes.eq(1)
                m.next = "IDLE"
        return m
