"""The bounds of the tests that compare numbers, one for each bit."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.tests import BoundKind, NumberAnswer, number_width, point_width
from hdl.shapes.widths import row_width, step_width

__all__ = ["Bound", "BoundChange", "BoundTable", "Sweep"]


class Bound(data.StructLayout):
    """How a test lies to the points of values, see :class:`hdl.shapes.tests.BoundKind`."""

    def __init__(self, config):
        super().__init__({"kind": BoundKind, "bound": point_width(config)})


class BoundChange(data.StructLayout):
    """The bit ``step`` gets a bound."""

    def __init__(self, config):
        super().__init__({"step": step_width(config), "bound": Bound(config)})


class Sweep(data.StructLayout):
    """A number of this ``rank`` has come (``up``) or gone: the bounds of those that were or are above it move by two."""

    def __init__(self, config):
        super().__init__({"rank": number_width(config), "up": 1})


class BoundTable(wiring.Component):
    """Decides all number tests of a slice at once.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    slice, answer, holds : ``In``, ``In(NumberAnswer(config))``, ``Out``
        Two clocks later: the bits whose test holds for the answer, a slice a clock. What a bit without a number test says does not
        count. Not while
        a sweep is under way.
    change : ``In(stream.Signature(BoundChange(config)))``
        A clock each; they wait for a sweep.
    sweep : ``In(stream.Signature(Sweep(config)))``
        Taken when none is under way; one clock for each slice and 2. Bounds of tests on a number that goes may become anything.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "slice": In(ceil_log2(config.slices)),
                "answer": In(NumberAnswer(config)),
                "holds": Out(row_width(config)),
                "change": In(stream.Signature(BoundChange(config))),
                "sweep": In(stream.Signature(Sweep(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        width, slices, bit_bits = row_width(config), config.slices, ceil_log2(row_width(config))
        bounds = data.ArrayLayout(Bound(config), width)
        m.submodules.store = store = memory.Memory(shape=bounds.size, depth=max(slices, 2), init=[])
        read, write = store.read_port(domain="comb"), store.write_port(granularity=Bound(config).size)

        # A slice of bounds, and beside it the point that they are compared with: of a sweep the lowest that the number had.
        word, point, nan = Signal(bounds), Signal(point_width(config)), Signal()
        place, rest = Signal(range(slices + 1)), Signal()
        sweeping, swept, sweep = Signal(), Signal(), Signal(Sweep(config))
        swept_slice = Signal(ceil_log2(slices))
        m.d.comb += [
            read.addr.eq(Mux(sweeping, place, self.slice)),
            rest.eq(place == slices - 1),
            self.sweep.ready.eq(~sweeping & ~swept),
            self.change.ready.eq(~sweeping & ~swept),
        ]
        m.d.sync += [
            word.eq(read.data),
            point.eq(Mux(sweeping, Cat(Const(0, 1), sweep.rank), self.answer.point)),
            nan.eq(self.answer.nan),
            swept.eq(sweeping),
            swept_slice.eq(place),
        ]
        with m.If(sweeping):
            m.d.sync += [place.eq(place + 1), sweeping.eq(~rest)]
        with m.If(self.sweep.valid & self.sweep.ready):
            m.d.sync += [sweeping.eq(1), place.eq(0), sweep.eq(self.sweep.payload)]

        holds, moved = Signal(width), []
        for bit in range(width):
            one = word[bit]
            beyond, same = point >= one.bound, point == one.bound
            with m.Switch(one.kind):
                with m.Case(BoundKind.ABOVE):
                    m.d.comb += holds[bit].eq(beyond)
                with m.Case(BoundKind.BELOW):
                    m.d.comb += holds[bit].eq(~beyond & ~nan)
                with m.Case(BoundKind.EQUAL):
                    m.d.comb += holds[bit].eq(same)
                with m.Case(BoundKind.UNLIKE):
                    m.d.comb += holds[bit].eq(~same)
            half = one.bound[1:]
            moved.append(Cat(one.kind, one.bound[0], Mux(beyond, half, half + Mux(sweep.up, 1, -1))[: len(half)]))
        m.d.sync += self.holds.eq(holds)

        change = self.change.payload
        written = self.change.valid & self.change.ready
        m.d.comb += [
            write.addr.eq(Mux(swept, swept_slice, change.step[bit_bits:])),
            write.data.eq(Mux(swept, Cat(moved), change.bound.as_value().replicate(width))),
            write.en.eq(Mux(swept, ~Const(0, width), Mux(written, Const(1, width) << change.step[:bit_bits], 0))),
        ]
        return m
