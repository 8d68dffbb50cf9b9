"""Classified characters to packer commands: the grammar, the limits and the codes of refusal."""

from collections import defaultdict
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Refusal
from hdl.shapes.program import ProgramOp, ProgramOperator
from hdl.shapes.widths import RefusalCode
from hdl.xpath.characters import Character, CharacterClass
from hdl.xpath.grammar import ACCEPTING, NAME_BEGINS, NAME_GOES_ON, State, outcome
from hdl.xpath.packer import PackerCommand

__all__ = ["Parser"]

_C = CharacterClass
_LETTERS = (_C.START, _C.A, _C.N, _C.D)
_COLONS = (State.NAME_COLON, State.ATTRIBUTE_COLON, State.WORD_COLON, State.TEST_COLON)
_NAMES = tuple(state for state in NAME_GOES_ON if state not in _COLONS)
_STEPS = (State.START, State.FIRST_SLASH, State.FIRST_STEP, State.SLASH, State.STEP)
_NUMBERS = (State.NEGATIVE, State.POINT, State.INTEGER, State.FRACTION)
_LITERAL_DUE = (State.RELATION, State.LITERAL)
_TOGETHER = 5
"""Ways to a refusal that are looked at in one clock."""


class _Number(enum.Enum, shape=3):
    """What a string has been so far as a number [XPath 4.4]."""

    LEADING = 0
    MINUS = 1
    INTEGER = 2
    POINT = 3
    FRACTION = 4
    TRAILING = 5
    NAN = 6


def _any(values):
    values = list(values)
    return reduce(or_, values) if values else Const(0)


class Parser(wiring.Component):
    """Takes a character a clock; its command follows three clocks later.

    The first character that has no way on decides the refusal; the rest of the text is then passed over. After the last
    character the parser wants one clock without a character, in which it tells the packer how the text ended.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i_valid, i : In
        Characters.
    o_valid, o : Out
        Commands for the packer.
    """

    def __init__(self, config):
        self._config = config
        super().__init__({"i_valid": In(1), "i": In(Character), "o_valid": Out(1), "o": Out(PackerCommand)})

    def elaborate(self, platform):
        m = Module()
        config = self._config

        # First clock: one wire for each class.
        valid = Signal()
        byte = Signal(8)
        last = Signal()
        bad = Signal()
        kinds = Signal(len(_C))
        letter, quote, begins = Signal(), Signal(), Signal()
        is_letter = Value.cast(self.i.kind).matches(*_LETTERS)
        m.d.sync += valid.eq(self.i_valid)
        with m.If(self.i_valid):
            m.d.sync += [byte.eq(self.i.byte), last.eq(self.i.last), bad.eq(self.i.bad)]
            m.d.sync += [kinds[kind.value].eq(self.i.kind == kind) for kind in _C]
            m.d.sync += [letter.eq(is_letter), begins.eq(self.i.first & (is_letter | self.i.byte[7]))]
            m.d.sync += quote.eq(Value.cast(self.i.kind).matches(_C.DOUBLE, _C.SINGLE))

        def kind(*wanted):
            return _any(kinds[one.value] for one in wanted)

        def among(wanted):
            """A set of classes, written as its complement where that is smaller."""
            others = [one for one in _C if one not in wanted]
            return kind(*wanted) if len(wanted) <= len(others) else ~kind(*others)

        # Second clock: one wire for each state, and the way on from it.
        states = Signal(len(State), init=1 << State.START.value)

        def state(*wanted):
            return _any(states[one.value] for one in wanted)

        ways = defaultdict(lambda: defaultdict(list))
        for origin in State:
            kinds_to = defaultdict(list)
            for one in _C:
                kinds_to[outcome(origin, one)].append(one)
            for target, members in kinds_to.items():
                ways[target][tuple(members)].append(origin)

        def parts(target):
            return [state(*origins) & among(members) for members, origins in ways[target].items()]

        def hit(target):
            return _any(parts(target))

        wide = Signal()
        m.d.comb += wide.eq(byte[7])

        # What the table leaves to the history of the text.
        colon_seen = Signal()
        text_seen = Signal()
        is_text = Signal()
        second_colon = state(*_NAMES) & kind(_C.COLON) & colon_seen
        not_last_step = state(State.NAME, State.NAME_END, State.STEP_END) & kind(_C.SLASH) & text_seen
        other_function = state(State.WORD, State.WORD_END) & kind(_C.PAREN_OPEN) & ~is_text

        # Names: the bytes beyond ASCII count before their character is known.
        name_begins = Signal()
        name_goes_on = Signal()
        name_count = Signal(range(config.name_bytes + 1))
        name_full = Signal()
        spelt = Signal()
        spelling = Signal()
        m.d.comb += [
            name_begins.eq(state(*NAME_BEGINS) & begins),
            name_goes_on.eq(
                (state(*NAME_GOES_ON) & (wide | letter))
                | (state(*_NAMES) & (kind(_C.NAME, _C.DIGIT, _C.DOT, _C.MINUS) | (kind(_C.COLON) & ~colon_seen)))
            ),
        ]
        with m.Switch(name_count):
            for index, wanted in enumerate(b"ext", start=1):
                with m.Case(index):
                    m.d.comb += spelling.eq(byte == wanted)
        m.d.comb += is_text.eq(spelt & (name_count == 4))
        with m.If(valid):
            with m.If(name_begins):
                m.d.sync += [name_count.eq(1), name_full.eq(0), colon_seen.eq(0), spelt.eq(byte == ord("t"))]
            with m.Elif(name_goes_on | (state(*NAME_BEGINS) & wide)):
                m.d.sync += [
                    name_count.eq(name_count + 1),
                    name_full.eq(name_count == config.name_bytes - 1),
                    colon_seen.eq(colon_seen | kind(_C.COLON)),
                    spelt.eq(spelt & spelling),
                ]

        # Parts: steps, tests and the final attribute.
        part_begins = Signal()
        part_count = Signal(range(config.subscription_steps + 1))
        parts_full = Signal()
        m.d.comb += part_begins.eq(
            (state(*_STEPS) & (begins | kind(_C.STAR)))
            | (state(State.PREDICATE) & (begins | kind(_C.DOT)))
            | (state(State.SLASH, State.STEP, State.PREDICATE, State.AND) & kind(_C.AT))
        )
        with m.If(valid & part_begins):
            m.d.sync += [part_count.eq(part_count + 1), parts_full.eq(part_count == config.subscription_steps - 1)]

        # Literals: their bytes, their digits, and what a string would be as a number.
        operator = Signal(ProgramOperator)
        string = Signal()
        closing = Signal()
        number_byte = Signal()
        literal_byte = Signal()
        literal_count = Signal(range(config.value_bytes + 1))
        literal_full = Signal()
        digit_count = Signal(range(config.digits + 1))
        digits_full = Signal()
        nonzero = Signal()
        too_many = Signal()
        looks = Signal(_Number)
        relational = Signal()
        m.d.comb += [
            string.eq(state(State.DOUBLE, State.SINGLE)),
            closing.eq((state(State.DOUBLE) & kind(_C.DOUBLE)) | (state(State.SINGLE) & kind(_C.SINGLE))),
            number_byte.eq((state(*_NUMBERS) & kind(_C.DIGIT)) | (state(State.NEGATIVE, State.INTEGER) & kind(_C.DOT))),
            literal_byte.eq((string & ~closing) | number_byte),
            nonzero.eq(byte[:4] != 0),
        ]
        with m.If(valid):
            with m.If(state(*_LITERAL_DUE)):
                m.d.sync += [
                    literal_count.eq(~quote),
                    literal_full.eq(0),
                    digit_count.eq(kind(_C.DIGIT) & nonzero),
                    digits_full.eq((config.digits == 1) & kind(_C.DIGIT) & nonzero),
                    too_many.eq(0),
                    looks.eq(_Number.LEADING),
                ]
            with m.Elif(literal_byte):
                m.d.sync += [literal_count.eq(literal_count + 1), literal_full.eq(literal_count == config.value_bytes - 1)]
                with m.If(kind(_C.DIGIT)):
                    with m.If((nonzero | (digit_count != 0)) & ~digits_full):
                        m.d.sync += [digit_count.eq(digit_count + 1), digits_full.eq(digit_count == config.digits - 1)]
                    m.d.sync += too_many.eq(too_many | (digits_full & nonzero))
                with m.Switch(looks):
                    with m.Case(_Number.LEADING):
                        with m.If(kind(_C.MINUS)):
                            m.d.sync += looks.eq(_Number.MINUS)
                        with m.Elif(kind(_C.DIGIT)):
                            m.d.sync += looks.eq(_Number.INTEGER)
                        with m.Elif(kind(_C.DOT)):
                            m.d.sync += looks.eq(_Number.POINT)
                        with m.Elif(~kind(_C.SPACE)):
                            m.d.sync += looks.eq(_Number.NAN)
                    with m.Case(_Number.MINUS):
                        m.d.sync += looks.eq(Mux(kind(_C.DIGIT), _Number.INTEGER, Mux(kind(_C.DOT), _Number.POINT, _Number.NAN)))
                    with m.Case(_Number.INTEGER):
                        with m.If(kind(_C.DOT)):
                            m.d.sync += looks.eq(_Number.FRACTION)
                        with m.Elif(~kind(_C.DIGIT)):
                            m.d.sync += looks.eq(Mux(kind(_C.SPACE), _Number.TRAILING, _Number.NAN))
                    with m.Case(_Number.POINT):
                        m.d.sync += looks.eq(Mux(kind(_C.DIGIT), _Number.FRACTION, _Number.NAN))
                    with m.Case(_Number.FRACTION):
                        with m.If(~kind(_C.DIGIT)):
                            m.d.sync += looks.eq(Mux(kind(_C.SPACE), _Number.TRAILING, _Number.NAN))
                    with m.Case(_Number.TRAILING):
                        with m.If(~kind(_C.SPACE)):
                            m.d.sync += looks.eq(_Number.NAN)

            with m.If(state(State.SUBJECT, State.DOT, State.TEST_NAME, State.TEST_NAME_END)):
                for one, meaning in (
                    (_C.EQUAL, ProgramOperator.EQ),
                    (_C.BANG, ProgramOperator.NE),
                    (_C.LESS, ProgramOperator.LT),
                    (_C.GREATER, ProgramOperator.GT),
                ):
                    with m.If(kind(one)):
                        m.d.sync += operator.eq(meaning)
                m.d.sync += relational.eq(kind(_C.LESS, _C.GREATER))
            with m.If(state(State.RELATION) & kind(_C.EQUAL)):
                m.d.sync += operator.eq(Mux(operator == ProgramOperator.LT, ProgramOperator.LE, ProgramOperator.GE))

        number_like = (looks == _Number.INTEGER) | (looks == _Number.FRACTION) | (looks == _Number.TRAILING)

        # The state after a refusal is none at all. Limits and history refuse too, but there the state goes on as if they had not:
        # the first refusal counts, so that what comes after it does not matter.
        listed = [code for code in Refusal if code in ways]
        with m.If(valid):
            m.d.sync += [states[one.value].eq(hit(one)) for one in State]
            with m.If((state(State.PREDICATE) & kind(_C.DOT)) | (state(State.WORD, State.WORD_END) & kind(_C.PAREN_OPEN))):
                m.d.sync += text_seen.eq(1)

        # Third clock: the decision, in the order of the contract's codes at one byte.
        decisions = {
            Refusal.BAD_UTF8: bad,
            Refusal.STEPS: part_begins & parts_full,
            Refusal.NAME_LENGTH: name_goes_on & name_full,
            Refusal.LITERAL_LENGTH: literal_byte & literal_full,
            Refusal.NUMBER_DIGITS: (number_byte & kind(_C.DIGIT) & digits_full & nonzero) | (closing & relational & number_like & too_many),
            Refusal.TEXT_TEST: not_last_step,
        }
        history = {Refusal.SYNTAX: second_colon, Refusal.FUNCTION: other_function}

        def split(code):
            each = [*parts(code), history.get(code, Const(0))]
            return [_any(each[at : at + _TOGETHER]) for at in range(0, len(each), _TOGETHER)]

        decided = Signal(len(decisions))
        # Where many ways lead to a code, they are taken together a clock later.
        hits = [(one, part) for one in listed for part in split(one)]
        table_hits = Signal(len(hits))
        m.d.sync += decided.eq(Cat(decisions.values()) & valid.replicate(len(decisions)))
        m.d.sync += table_hits.eq(Cat(part for _, part in hits) & valid.replicate(len(hits)))
        code = _any(Mux(table_hits[index], one.value, 0) for index, (one, _) in enumerate(hits))
        for index, one in reversed(list(enumerate(decisions))):
            code = Mux(decided[index], one.value, code)
        refused = Signal()
        refusal = Signal(RefusalCode)
        with m.If(~refused):
            m.d.sync += [refused.eq(decided.any() | table_hits.any()), refusal.eq(code)]

        # And the command, which waits a clock for the decision.
        axis = Signal()
        pieces = {
            ProgramOp.STEP: state(*_STEPS) & (begins | kind(_C.STAR)),
            ProgramOp.ATTRIBUTE_TEST: state(State.TEST) & begins,
            ProgramOp.SELF_TEST: state(State.PREDICATE) & kind(_C.DOT),
            ProgramOp.TEXT_TEST: state(State.WORD, State.WORD_END) & kind(_C.PAREN_OPEN),
            ProgramOp.ATTRIBUTE_STEP: state(State.ATTRIBUTE) & begins,
            ProgramOp.LITERAL: state(*_LITERAL_DUE) & (quote | kind(_C.DIGIT, _C.DOT, _C.MINUS)),
        }
        name_push = (state(*NAME_BEGINS) & ~state(State.PREDICATE) & (begins | wide)) | (
            name_goes_on & ~state(State.WORD, State.WORD_COLON)
        )
        with m.If(valid & kind(_C.SLASH)):
            m.d.sync += axis.eq(state(State.FIRST_SLASH, State.SLASH))

        ended = Signal()
        broken = Signal()
        length = Signal(range(config.xpath_bytes + 1))
        length_full = Signal()
        long = Signal()
        # Whether the operator needs numbers, whatever the literal looks like.
        ordered = Value.cast(operator) >= ProgramOperator.LT.value
        command_valid = Signal()
        command = Signal(PackerCommand)
        m.d.sync += [
            command_valid.eq(valid),
            command.begin.eq(_any(pieces.values())),
            command.op.eq(_any(Mux(holds, op.value, 0) for op, holds in pieces.items())),
            command.axis.eq(axis & (pieces[ProgramOp.STEP] | pieces[ProgramOp.ATTRIBUTE_STEP])),
            command.wildcard.eq(pieces[ProgramOp.STEP] & kind(_C.STAR)),
            command.numeric.eq(pieces[ProgramOp.LITERAL] & (~quote | ordered)),
            command.operator.eq(operator),
            command.push.eq(name_push | literal_byte | (pieces[ProgramOp.LITERAL] & ~quote)),
            command.byte.eq(byte),
        ]

        # The end of the text: its last state stands for a clock, then everything begins anew.
        finish = Signal()
        accepted = Signal()
        empty = Signal()
        over = Signal()
        m.d.sync += [
            finish.eq(ended),
            accepted.eq(state(*ACCEPTING) & ~broken),
            empty.eq(state(State.START) & ~broken),
            over.eq(long),
            self.o_valid.eq(command_valid | finish),
            self.o.eq(command),
            self.o.begin.eq(command.begin & command_valid),
            self.o.push.eq(command.push & command_valid),
            self.o.finish.eq(finish),
            self.o.abort.eq(over | refused | ~accepted),
            self.o.refusal.eq(
                Mux(over, Refusal.TEXT_LENGTH.value, Mux(refused, refusal, Mux(empty, Refusal.EMPTY.value, Refusal.UNTERMINATED.value)))
            ),
        ]
        with m.If(finish):
            m.d.sync += refused.eq(0)
        m.d.sync += ended.eq(valid & last)
        with m.If(valid):
            m.d.sync += [
                broken.eq(kind(_C.PART)),
                length.eq(Mux(length_full, length, length + 1)),
                length_full.eq(length_full | (length == config.xpath_bytes - 1)),
                long.eq(long | length_full),
            ]
        with m.If(ended):
            m.d.sync += [
                states.eq(1 << State.START.value),
                part_count.eq(0),
                parts_full.eq(0),
                text_seen.eq(0),
                axis.eq(0),
                length.eq(0),
                length_full.eq(0),
                long.eq(0),
            ]
        return m
