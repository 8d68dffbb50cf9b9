"""Search of values among the stored numbers, by halving."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.tests import NumberKey, number_width
from hdl.shapes.widths import number_shape
from hdl.values import Comparison, compare, ordered

__all__ = ["Halving", "SearchAnswer", "SearchRequest"]

_STAGES = 5


class SearchRequest(data.StructLayout):
    """A value to search for; ``own`` comes back with the answer."""

    def __init__(self, config):
        super().__init__({"value": NumberKey(config), "own": 1})


class SearchAnswer(data.StructLayout):
    """How many numbers are ``below`` the value, and whether the next one is ``equal`` to it and then its ``identity``; ``nan`` and
    ``excess`` of the
    value. Of a value that is no number nothing else counts."""

    def __init__(self, config):
        super().__init__(
            {"below": range(config.numbers + 1), "equal": 1, "identity": number_width(config), "nan": 1, "excess": 1, "own": 1}
        )


class Halving(wiring.Component):
    """Five searches at a time, each in a stage of a ring: rank, identity, two clocks of the memory, comparison.

    A search takes 5 clocks for each halving and 2 more; n numbers are halved ceil(log2(n + 1)) times, at least once.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(SearchRequest(config)))``
    o : ``Out(stream.Signature(SearchAnswer(config), always_ready=True))``
        One for each, in order.
    idle : ``Out(1)``
        No search is under way.
    used : ``In``
        Numbers in use; they and their order change only while ``idle`` and nothing is offered.
    rank, identity : ``Out``, ``In``
        The identity of the number of a rank, in the same clock.
    number, key : ``Out``, ``In``
        The number of an identity, two clocks later.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(SearchRequest(config))),
                "o": Out(stream.Signature(SearchAnswer(config), always_ready=True)),
                "idle": Out(1),
                "used": In(range(config.numbers + 1)),
                "rank": Out(number_width(config)),
                "identity": In(number_width(config)),
                "number": Out(number_width(config)),
                "key": In(number_shape(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        levels = (config.numbers).bit_length()
        token = data.StructLayout(
            {
                "valid": 1,
                "slot": range(_STAGES),
                "step": levels,
                "below": range(config.numbers + 1),
                "equal": 1,
                "there": 1,
                "probed": number_width(config),
                "identity": number_width(config),
            }
        )
        ring = [Signal(token, name=f"ring{n}") for n in range(_STAGES)]
        for stage in range(1, _STAGES):
            m.d.sync += ring[stage].eq(ring[stage - 1])

        # The values that are searched for, by slot.
        m.submodules.values = values = memory.Memory(shape=SearchRequest(config), depth=1 << ceil_log2(_STAGES), init=[])
        keep, value = values.write_port(), values.read_port(domain="comb")
        slot = Signal(range(_STAGES))
        m.d.comb += [keep.addr.eq(slot), keep.data.eq(self.i.payload), keep.en.eq(self.i.valid & self.i.ready), value.addr.eq(ring[3].slot)]

        # The number in the middle of what is left.
        first, last = ring[0], ring[-1]
        middle = first.below | Cat(first.step[bit + 1 :].any() for bit in range(levels))  # what is below is a multiple of twice the step
        m.d.comb += [self.rank.eq(middle), self.number.eq(ring[1].probed)]
        m.d.sync += [ring[1].probed.eq(self.identity), ring[1].there.eq(middle < self.used)]
        parts, outside = Signal(Comparison), Signal(data.StructLayout({"nan": 1, "excess": 1, "own": 1}))
        given = value.data.value
        m.d.sync += [
            parts.eq(compare(given.key, self.key)),
            outside.nan.eq(given.key.nan),
            outside.excess.eq(given.excess),
            outside.own.eq(value.data.own),
        ]
        same, smaller = ordered(parts)
        equals, passes = Signal(), Signal()
        m.d.comb += [equals.eq(last.there & same), passes.eq(last.there & ~same & ~smaller)]

        # The greatest power of two that is no more than the numbers in use, at least 1.
        begin = Signal(levels)
        m.d.sync += begin.eq(Cat(self.used[bit] & ~self.used[bit + 1 :].any() for bit in range(levels)) | (self.used == 0))
        found = Signal(token)
        ends = Signal()
        m.d.comb += [
            found.eq(last),
            found.below.eq(last.below + Mux(passes, last.step, 0)),
            found.equal.eq(last.equal | equals),
            found.identity.eq(Mux(equals, last.probed, last.identity)),
            found.step.eq(last.step >> 1),
            ends.eq(last.valid & last.step[0]),
            self.i.ready.eq(~last.valid | ends),
            self.idle.eq(~Cat(stage.valid for stage in ring).any()),
        ]
        m.d.sync += [
            first.eq(found),
            first.valid.eq(last.valid & ~ends),
            self.o.valid.eq(ends),
            self.o.payload.below.eq(found.below),
            self.o.payload.equal.eq(found.equal),
            self.o.payload.identity.eq(found.identity),
            *(self.o.payload[name].eq(outside[name]) for name in ("nan", "excess", "own")),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [first.eq(0), first.valid.eq(1), first.slot.eq(slot), first.step.eq(begin)]
            m.d.sync += slot.eq(Mux(slot == _STAGES - 1, 0, slot + 1))
        return m
