"""What is looked up for a subscription, and in which order [T 5.4.3.6.1]."""

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.program import ProgramOp, ProgramOperator, ProgramWord
from hdl.shapes.routing import RoutePart, RouteWord
from hdl.shapes.widths import ByteCount, RefusalCode
from hdl.stream import BlockRam

__all__ = ["CriteriaReader"]


class _Word(data.Struct):
    value: unsigned(1)
    data: unsigned(32)
    count: ByteCount


class CriteriaReader(wiring.Component):
    """The criteria of each program that comes, in the order of preference:

    1. ``@name=value`` of each test for an equal value: the tests of the last step first, those of one step as they stand in it;
    2. the name of a final attribute, then those of the steps, the last one first;
    3. ``*``, which is ``final``.

    A program that ends in ABORT gives ``*`` with its refusal alone. A program is taken at a word a clock and kept until its criteria have
    left; a word of a criterion takes two clocks.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : In(stream.Signature(ProgramWord))
    o : Out(stream.Signature(RouteWord))
    """

    def __init__(self, config):
        self._config = config
        super().__init__({"i": In(stream.Signature(ProgramWord)), "o": Out(stream.Signature(RouteWord))})

    def elaborate(self, platform):
        m = Module()
        config = self._config
        pieces = config.subscription_steps + 1
        # Each piece has one word that is not full at most.
        depth = 1 << ceil_log2(config.xpath_bytes // 4 + 2 * pieces)
        m.submodules.texts = texts = BlockRam(shape=_Word, depth=depth)
        extent = data.StructLayout({"start": range(depth), "last": range(depth), "step": range(pieces + 1)})
        attrs = {"ram_style": "distributed"}
        places = 1 << ceil_log2(pieces)
        m.submodules.values = values = memory.Memory(shape=extent, depth=places, init=[], attrs=attrs)
        m.submodules.names = names = memory.Memory(shape=extent, depth=places, init=[], attrs=attrs)
        ports = [(store.write_port(), store.read_port(domain="comb")) for store in (values, names)]
        (value_write, value_read), (name_write, name_read) = ports
        held_values, held_names, steps = (Signal(range(places + 1), name=name) for name in ("held_values", "held_names", "steps"))
        word = self.i.payload
        end, start = Signal(range(depth)), Signal(range(depth))
        pending, refusal = Signal(), Signal(RefusalCode)
        keeps, closes = Signal(), Signal()

        new = Signal(extent)
        m.d.comb += [
            texts.write.addr.eq(end),
            texts.write.data.value.eq(word.op == ProgramOp.LITERAL),
            texts.write.data.data.eq(word.data),
            texts.write.data.count.eq(word.count),
            new.start.eq(start),
            new.last.eq(end),
            new.step.eq(steps),
            value_write.addr.eq(held_values),
            value_write.data.eq(new),
            name_write.addr.eq(held_names),
            name_write.data.eq(new),
        ]
        index, step = Signal(range(places + 1)), Signal(range(places + 1))
        chosen, at = Signal(extent), Signal(range(depth))
        back = Signal(range(places + 1))
        m.d.comb += [
            value_read.addr.eq(index),
            name_read.addr.eq(back),
            texts.read[0].addr.eq(at),
            texts.read[0].en.eq(1),
            self.o.payload.data.eq(texts.read[0].data.data),
            self.o.payload.count.eq(texts.read[0].data.count),
        ]
        of_names = Signal()

        with m.FSM():
            # Takes a program and keeps the names, and the values of tests for an equal one.
            with m.State("TAKE"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(self.i.valid):
                    with m.Switch(word.op):
                        with m.Case(ProgramOp.STEP, ProgramOp.ATTRIBUTE_STEP):
                            m.d.comb += [keeps.eq(~word.wildcard), closes.eq(word.last & ~word.wildcard), name_write.en.eq(closes)]
                            with m.If(word.last):
                                m.d.sync += [steps.eq(steps + (word.op == ProgramOp.STEP)), held_names.eq(held_names + closes)]
                        with m.Case(ProgramOp.ATTRIBUTE_TEST):
                            m.d.comb += keeps.eq(1)
                            with m.If(word.last):
                                m.d.sync += pending.eq(word.operator == ProgramOperator.EQ)
                        with m.Case(ProgramOp.LITERAL):
                            m.d.comb += [keeps.eq(pending), closes.eq(word.last & pending), value_write.en.eq(closes)]
                            with m.If(word.last):
                                m.d.sync += [pending.eq(0), held_values.eq(held_values + closes)]
                        with m.Case(ProgramOp.DONE, ProgramOp.ABORT):
                            m.d.sync += [step.eq(steps), index.eq(0), back.eq(held_names - 1)]
                            m.next = "VALUES"
                            with m.If(word.op == ProgramOp.ABORT):
                                m.d.sync += refusal.eq(word.data)
                                m.next = "ALL"
                    with m.If(keeps):
                        m.d.comb += texts.write.en.eq(1)
                        m.d.sync += end.eq(end + 1)
                    with m.If(closes):
                        m.d.sync += start.eq(end + 1)
                    # A test without a value, or for another comparison, leaves nothing.
                    with m.If((word.op == ProgramOp.ATTRIBUTE_TEST) & word.last & (word.operator != ProgramOperator.EQ)):
                        m.d.sync += end.eq(start)

            # Looks for the values of a step; the steps from the last one on.
            with m.State("VALUES"):
                m.d.sync += of_names.eq(0)
                with m.If((step == 0) | (held_values == 0)):
                    m.next = "NAMES"
                with m.Elif(index == held_values):
                    m.d.sync += [index.eq(0), step.eq(step - 1)]
                with m.Else():
                    m.d.sync += [index.eq(index + 1), chosen.eq(value_read.data), at.eq(value_read.data.start)]
                    with m.If(value_read.data.step == step):
                        m.next = "READ"

            # The names from the last one on.
            with m.State("NAMES"):
                m.d.sync += [of_names.eq(1), chosen.eq(name_read.data), at.eq(name_read.data.start), held_names.eq(held_names - 1)]
                m.d.sync += back.eq(back - 1)
                m.next = "READ"
                with m.If(held_names == 0):
                    m.next = "ALL"

            with m.State("READ"):
                m.next = "GIVE"
            with m.State("GIVE"):
                m.d.comb += [
                    self.o.valid.eq(1),
                    self.o.payload.part.eq(RoutePart.NAME),
                    self.o.payload.last.eq(at == chosen.last),
                ]
                with m.If(texts.read[0].data.value):
                    m.d.comb += self.o.payload.part.eq(RoutePart.VALUE)
                with m.If(self.o.ready):
                    m.d.sync += at.eq(at + 1)
                    m.next = "READ"
                    with m.If(at == chosen.last):
                        m.next = "VALUES"
                        with m.If(of_names):
                            m.next = "NAMES"

            with m.State("ALL"):
                m.d.comb += [
                    self.o.valid.eq(1),
                    self.o.payload.eq(0),
                    self.o.payload.part.eq(RoutePart.ALL),
                    self.o.payload.last.eq(1),
                    self.o.payload.final.eq(1),
                    self.o.payload.refusal.eq(refusal),
                ]
                with m.If(self.o.ready):
                    m.d.sync += [held_values.eq(0), held_names.eq(0), steps.eq(0), end.eq(0), start.eq(0), pending.eq(0), refusal.eq(0)]
                    m.next = "TAKE"
        return m
