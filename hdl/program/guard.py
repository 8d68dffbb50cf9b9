"""What every compiler must keep to, behind all of them."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Refusal
from hdl.shapes.program import ProgramOp, ProgramOperator, ProgramWord
from hdl.shapes.widths import RefusalCode

__all__ = ["ProgramGuard"]


class ProgramGuard(wiring.Component):
    """Refuses a program that the CRT could not register, whoever made it.

    Words pass in the same clock. The first one that breaks a rule of :class:`hdl.shapes.program.ProgramWord` or a limit becomes the
    program's ABORT, and what comes of the program after that is dropped; the next one is unharmed. That a number has too many digits is
    found where numbers are read, in :class:`hdl.crt.stage.Stage`.

    ==============  ==============================================
    refusal         the word that is refused
    ==============  ==============================================
    STEPS           the first one of a step or test too many
    NAME_LENGTH     the first one that a name cannot have
    LITERAL_LENGTH  the first one that a literal cannot have
    SYNTAX          any other that breaks a rule
    ==============  ==============================================

    Parameters
    ----------
    config : BrokerConfig
        ``subscription_steps``, ``name_bytes`` and ``value_bytes`` are the limits.

    Members
    -------
    i, o : ``In(stream.Signature(ProgramWord))``, ``Out(stream.Signature(ProgramWord))``
    """

    def __init__(self, config):
        self._config = config
        program = stream.Signature(ProgramWord)
        super().__init__({"i": In(program), "o": Out(program)})

    def elaborate(self, platform):
        m = Module()
        config, word = self._config, self.i.payload
        names, values = config.name_bytes // 4, config.value_bytes // 4
        op, operator = Value.cast(word.op), Value.cast(word.operator)
        is_step, is_attribute, is_self, is_text, is_final, is_literal, is_done, is_abort = (op == one.value for one in ProgramOp)
        named = (is_step & ~word.wildcard) | is_attribute | is_final
        spoken = is_self | is_text  # a test without a name
        ends = is_done | is_abort

        # The words of the piece so far, and what they have in common; what has come before the piece.
        count = Signal(range(max(names, values) + 1))
        common = Cat(word.op, word.axis, word.wildcard, word.numeric)
        piece, latest = Signal(), Signal(len(common))
        parts = Signal(range(config.subscription_steps + 1))
        begun, texted, final, owed = Signal(), Signal(), Signal(), Signal.like(operator)
        owes = owed != ProgramOperator.NONE.value
        begins = ~piece
        no_operator = operator == ProgramOperator.NONE.value
        zeros = Cat((word.count > k) | (word.data[8 * k : 8 * k + 8] == 0) for k in range(4)).all()
        bare = word.last & (word.count == 0)
        known = (op <= ProgramOp.ABORT.value) & (operator <= ProgramOperator.GE.value) & (word.count <= 4)

        too_many = begins & (is_step | is_attribute | spoken | is_final) & (parts == config.subscription_steps)
        long_name = named & (count == names)
        long_literal = is_literal & (count == values)
        rules = (
            known,
            begins | (common == latest) | is_abort,
            ends | zeros,
            word.last | (word.count == 4),
            ~word.axis | is_step | is_final,
            ~word.wildcard | (is_step & bare),
            ~word.numeric | is_literal,
            # Names and tests in their places; literals right behind the tests that they belong to.
            ~named | (word.count != 0),
            ~(begins & ~is_literal & ~is_abort) | ~owes,
            ~(is_step | is_final) | (no_operator & (piece | (~final & ~texted))),
            ~(is_attribute | spoken) | (begun & ~final),
            ~is_attribute | word.last | no_operator,
            ~spoken | (bare & ~no_operator),
            ~is_literal | (owes & (operator == owed)),
            ~is_literal | begins | (word.count != 0),
            ~is_done | (bare & begins & (begun | final) & no_operator & (word.data == 0)),
            ~is_abort | bare,
        )
        breaks, dropping, code = Signal(), Signal(), Signal(RefusalCode)
        m.d.comb += [
            breaks.eq(~Cat(rules).all() | too_many | long_name | long_literal),
            code.eq(
                Mux(
                    too_many,
                    Refusal.STEPS.value,
                    Mux(long_name, Refusal.NAME_LENGTH.value, Mux(long_literal, Refusal.LITERAL_LENGTH.value, Refusal.SYNTAX.value)),
                )
            ),
            self.o.valid.eq(self.i.valid & ~dropping),
            self.i.ready.eq(self.o.ready | dropping),
            self.o.payload.eq(word),
        ]
        with m.If(breaks):
            m.d.comb += [
                self.o.payload.eq(0),
                self.o.payload.op.eq(ProgramOp.ABORT),
                self.o.payload.data.eq(code),
                self.o.payload.last.eq(1),
            ]

        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [piece.eq(~word.last), latest.eq(common), count.eq(Mux(word.last, 0, count + 1))]
            with m.If(begins & ~is_literal):
                m.d.sync += parts.eq(parts + 1)
            with m.If(word.last):
                m.d.sync += owed.eq(Mux(is_attribute | spoken, operator, ProgramOperator.NONE.value))
            with m.If(is_step):
                m.d.sync += [begun.eq(1), texted.eq(0)]
            with m.If(spoken):
                m.d.sync += texted.eq(1)
            with m.If(is_final):
                m.d.sync += final.eq(1)
            with m.If(ends | breaks):
                m.d.sync += [one.eq(0) for one in (piece, count, parts, begun, texted, final)]
                m.d.sync += [owed.eq(ProgramOperator.NONE.value), dropping.eq(~ends)]
        with m.Elif(dropping & self.i.valid & ends):
            m.d.sync += dropping.eq(0)
        return m
