"""What each bit of the rows stands for."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.tables import MaskView, RowMasks
from hdl.shapes.widths import row_width, step_width
from hdl.stream import BlockRam

__all__ = ["MaskChange", "MaskTable"]

_LANE = 4


class MaskChange(data.StructLayout):
    """The bit ``step`` of each mask becomes its bit of ``value``, in the order of ``RowMasks.names``."""

    def __init__(self, config):
        super().__init__({"step": step_width(config), "value": len(RowMasks.names)})


class MaskTable(wiring.Component):
    """The masks of every slice, read a slice at a time and written a bit at a time.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    view : ``Out(MaskView(config))``
    change : ``In(stream.Signature(MaskChange(config)))``
        Taken when nothing is under way; it is made when ``ready`` is 1 again, four clocks later.
    clear, clear_address :
        Forgets the four steps at this address, in this clock, while nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "view": Out(MaskView(config)),
                "change": In(stream.Signature(MaskChange(config))),
                "clear": In(1),
                "clear_address": In(step_width(config) - 2),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        width = row_width(config)
        lanes = width // _LANE
        kinds = len(RowMasks.names)
        m.submodules.shadow = shadow = BlockRam(shape=kinds * _LANE, depth=(1 << step_width(config)) // _LANE, output_register=True)

        step = Signal(step_width(config))
        value = Signal(kinds)
        word = Signal(kinds * _LANE)
        writes = Signal()
        address = Signal(step_width(config) - 2)
        enable = Signal()
        bits = (Const(1, _LANE) << step[:2])[:_LANE]
        merged = Cat((shadow.read[0].data.word_select(kind, _LANE) & ~bits) | Mux(value[kind], bits, 0) for kind in range(kinds))
        m.d.sync += [
            word.eq(Mux(self.clear, 0, merged)),
            address.eq(Mux(self.clear, self.clear_address, step[2:])),
            enable.eq(self.clear | writes),
        ]
        m.d.comb += [
            shadow.read[0].addr.eq(step[2:]),
            shadow.read[0].en.eq(1),
            shadow.write.addr.eq(address),
            shadow.write.data.eq(word),
            shadow.write.en.eq(enable),
        ]
        lane_bits = ceil_log2(lanes)
        for kind, name in enumerate(RowMasks.names):
            m.submodules[name] = store = memory.Memory(shape=width, depth=max(config.slices, 2), init=[])
            read, write = store.read_port(domain="comb"), store.write_port(granularity=_LANE)
            m.d.comb += [
                read.addr.eq(self.view.slice),
                self.view.masks[name].eq(read.data),
                write.addr.eq(address[lane_bits:]),
                write.data.eq(word.word_select(kind, _LANE).replicate(lanes)),
                write.en.eq(Mux(enable, Const(1, lanes) << address[:lane_bits], 0)),
            ]

        given = self.change.payload
        with m.FSM():
            with m.State("IDLE"):
                # Waits for a change.
                m.d.comb += self.change.ready.eq(1)
                m.d.sync += [step.eq(given.step), value.eq(given.value)]
                with m.If(self.change.valid):
                    m.next = "READ"
            with m.State("READ"):
                # Reads the word with the bit.
                m.next = "WORD"
            with m.State("WORD"):
                # The word passes its second register.
                m.next = "MERGE"
            with m.State("MERGE"):
                # The bit is put into the word.
                m.d.comb += writes.eq(1)
                m.next = "WRITE"
            with m.State("WRITE"):
                # The memories take the word.
                m.next = "IDLE"
        return m
