"""The tests on strings and those on numbers, slice by slice."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.crt.bounds import BoundChange, BoundTable
from hdl.crt.numbers import NumberReply, NumberRequest, NumberStore
from hdl.crt.rows import RowChange, VisitorRows
from hdl.shapes.tests import NumberAnswer, NumberPort, StringAnswer, TestRowView, test_key_width
from hdl.shapes.widths import row_width, value_width

__all__ = ["NumberTests", "StringTests", "ValuedChange"]


class ValuedChange(data.StructLayout):
    """A change of the row of a string; with ``unlike`` the bit's test asks for another string than that."""

    def __init__(self, config):
        super().__init__({"row": RowChange(config, 1 << value_width(config)), "unlike": 1})


class StringTests(wiring.Component):
    """The tests on strings: a row for each name and subject, a row for each string, and which tests ask for another one.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    view : ``Out(TestRowView(config, StringAnswer(config)))``
    named : ``In(stream.Signature(RowChange(config, rows)))``
        Changes of the rows of names and subjects, see :class:`hdl.crt.rows.VisitorRows`; ``name`` is a :class:`hdl.shapes.tests.TestKey`.
    valued : ``In(stream.Signature(ValuedChange(config)))``
        Changes of the rows of strings, as soon as the bit is in no row of a name.
    clear, clear_address : ``In``
        As :class:`hdl.crt.rows.VisitorRows`; :attr:`clear_depth` addresses are all.
    """

    def __init__(self, config):
        self.config = config
        rows = 1 << test_key_width(config)
        self._keys, self._values = VisitorRows(config, rows), VisitorRows(config, 1 << value_width(config))
        self.clear_depth = max(self._keys.clear_depth, self._values.clear_depth)
        super().__init__(
            {
                "view": Out(TestRowView(config, StringAnswer(config))),
                "named": In(stream.Signature(RowChange(config, rows))),
                "valued": In(stream.Signature(ValuedChange(config))),
                "clear": In(1),
                "clear_address": In(range(self.clear_depth)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        view, valued = self.view, self.valued.payload
        width, bit_bits = row_width(self.config), ceil_log2(row_width(self.config))
        m.submodules.keys, m.submodules.values = keys, values = self._keys, self._values
        wiring.connect(m, wiring.flipped(self.named), keys.change)
        m.submodules.unlike = unlike = memory.Memory(shape=width, depth=max(self.config.slices, 2), init=[])
        read, old, write = unlike.read_port(domain="comb"), unlike.read_port(domain="comb"), unlike.write_port()
        bit = Const(1, width) << valued.row.step[:bit_bits]
        m.d.comb += [
            *(part.clear.eq(self.clear) for part in (keys, values)),
            *(part.clear_address.eq(self.clear_address) for part in (keys, values)),
            values.change.valid.eq(self.valued.valid),
            values.change.payload.eq(valued.row),
            self.valued.ready.eq(values.change.ready),
            old.addr.eq(valued.row.step[bit_bits:]),
            write.addr.eq(valued.row.step[bit_bits:]),
            write.data.eq(Mux(valued.unlike, old.data | bit, old.data & ~bit)),
            write.en.eq(self.valued.valid & self.valued.ready),
        ]
        # The answer, two clocks behind.
        found, at = Signal(2), Signal(len(view.slice))
        others = Signal(width)
        m.d.sync += [found.eq(found << 1 | view.answer.found), at.eq(view.slice), others.eq(read.data)]
        m.d.comb += [
            read.addr.eq(at),
            *(part.view.en.eq(view.en) for part in (keys, values)),
            *(part.view.slice.eq(view.slice) for part in (keys, values)),
            keys.view.name.eq(view.key),
            values.view.name.eq(view.answer.value),
            view.row.eq(keys.view.row),
            view.holds.eq((values.view.row & found[1].replicate(width)) ^ others),
            view.hold.eq(keys.view.hold | values.view.hold),
        ]
        return m


class NumberTests(wiring.Component):
    """The tests on numbers: a row for each name and subject, a bound for each bit, and the stored numbers.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    view : ``Out(TestRowView(config, NumberAnswer(config)))``
    port : ``Out(NumberPort(config))``
    request, reply :
        Those of :class:`hdl.crt.numbers.NumberStore`.
    named : ``In(stream.Signature(RowChange(config, rows)))``
        As of :class:`StringTests`.
    bound : ``In(stream.Signature(BoundChange(config)))``
        The bound of a bit that is in no row of a name.
    clear, clear_address : ``In``
        Forgets rows and numbers; :attr:`clear_depth` addresses are all.
    """

    def __init__(self, config):
        self.config = config
        rows = 1 << test_key_width(config)
        self._keys, self._store = VisitorRows(config, rows), NumberStore(config)
        self.clear_depth = max(self._keys.clear_depth, self._store.clear_depth)
        super().__init__(
            {
                "view": Out(TestRowView(config, NumberAnswer(config))),
                "port": Out(NumberPort(config)),
                "request": In(stream.Signature(NumberRequest(config))),
                "reply": Out(stream.Signature(NumberReply(config), always_ready=True)),
                "named": In(stream.Signature(RowChange(config, rows))),
                "bound": In(stream.Signature(BoundChange(config))),
                "clear": In(1),
                "clear_address": In(range(self.clear_depth)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        view = self.view
        m.submodules.keys, m.submodules.store = keys, store = self._keys, self._store
        m.submodules.bounds = bounds = BoundTable(self.config)
        wiring.connect(m, store.sweep, bounds.sweep)
        wiring.connect(m, wiring.flipped(self.request), store.request)
        wiring.connect(m, store.reply, wiring.flipped(self.reply))
        wiring.connect(m, store.port, wiring.flipped(self.port))
        wiring.connect(m, wiring.flipped(self.named), keys.change)
        wiring.connect(m, wiring.flipped(self.bound), bounds.change)
        m.d.comb += [
            *(part.clear.eq(self.clear) for part in (keys, store)),
            *(part.clear_address.eq(self.clear_address) for part in (keys, store)),
            keys.view.en.eq(view.en),
            keys.view.name.eq(view.key),
            keys.view.slice.eq(view.slice),
            bounds.slice.eq(view.slice),
            bounds.answer.eq(view.answer),
            view.row.eq(keys.view.row),
            view.holds.eq(bounds.holds),
            view.hold.eq(keys.view.hold),
        ]
        return m
