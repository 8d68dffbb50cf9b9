"""The front end of subscriptions: XPath text to :class:`~sim.golden.query.Query`, or a refusal with its code.

One byte after the other goes through the table below, from left to right and without looking back, because the hardware does
the same and must give the same code:

- more than ``xpath_bytes`` bytes are TEXT_LENGTH whatever they are;
- then the first byte that finds no way on decides the code; a character of several bytes takes its way at its last byte, an
  ill-formed UTF-8 sequence is decided by the first byte that cannot continue it;
- the end of the text decides last: EMPTY while nothing but white space was seen, UNTERMINATED outside an accepting state.

At one byte BAD_UTF8 comes first, then STEPS, then NAME_LENGTH or LITERAL_LENGTH, then NUMBER_DIGITS, then the table.

Limits. Steps, tests and a final attribute step count together, each at the byte that begins it (first byte of a name, ``*``,
``@``, ``.``): STEPS. A name's bytes, prefix and colon included, and every byte from 80 on where a name may begin or go on:
NAME_LENGTH at the first byte too many. The bytes between the quotes of a string, or of a number with its sign:
LITERAL_LENGTH at the first byte too many. Digits of a number from the first non-zero one to the last non-zero one:
NUMBER_DIGITS at the first non-zero digit too many, or, for a string that ``<``, ``<=``, ``>``, ``>=`` convert to a number, at its
closing quote.

Tokens. White space (space, tab, CR, LF) may stand between tokens but not inside ``//``, ``!=``, ``<=``, ``>=``, a QName or a number
(after its sign it may). A name takes every name character it can: ``and.`` and ``andy`` are not the operator. ``and`` is the
operator only after a complete test; everywhere else it is a name. ``*`` is a step and nothing else.
"""

import enum
from decimal import Decimal
from functools import cache
from typing import TypeAlias

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Refusal
from sim.golden.chars import DIGITS, WHITE_SPACE, is_name_char, is_name_start
from sim.golden.constructs import Stop
from sim.golden.number import NumberDigits, from_string
from sim.golden.query import Axis, Operator, Query, Step, Subject, Test
from sim.golden.utf8 import PENDING, Utf8

__all__ = ["Query", "Refused", "State", "TABLE", "compile"]


class Refused(ValueError):
    """The expression is not accepted.

    ``position`` is the byte to point at: that of the deciding character's first byte, of the name's first byte where what
    follows the name decides (FUNCTION, AXIS, a child element as a test), of the opening quote where a string's digits do; the
    length of the text where its end decides.
    """

    def __init__(self, code: Refusal, position: int, message: str | None = None) -> None:
        super().__init__(code.sentence if message is None else message)
        self.code = code
        self.position = position


class State(enum.Enum):
    """Where in the grammar the next byte stands."""

    __hash__ = object.__hash__

    START = enum.auto()
    """At the beginning."""
    SEP1 = enum.auto()
    """Right after a single ``/``."""
    SEP = enum.auto()
    """After ``//``, or ``/`` and white space."""
    NAME = enum.auto()
    """In a step's name."""
    NAME_C = enum.auto()
    """Right after its colon."""
    NAME_END = enum.auto()
    """After it."""
    STEP_END = enum.auto()
    """After ``*`` or ``]``."""
    ATTR = enum.auto()
    """After the ``@`` of the final step."""
    ANAME = enum.auto()
    ANAME_C = enum.auto()
    ANAME_END = enum.auto()
    PRED = enum.auto()
    """After ``[`` or ``and``."""
    TNAME = enum.auto()
    """In a name at the start of a test: ``text`` or a mistake."""
    TNAME_C = enum.auto()
    TNAME_END = enum.auto()
    TEXT = enum.auto()
    """After ``text(``."""
    DOT = enum.auto()
    """Right after a test's ``.``."""
    SUBJECT = enum.auto()
    """After ``.`` or ``text()``."""
    TATTR = enum.auto()
    """After a test's ``@``."""
    TANAME = enum.auto()
    TANAME_C = enum.auto()
    TANAME_END = enum.auto()
    BANG = enum.auto()
    """After ``!``."""
    REL = enum.auto()
    """Right after ``<`` or ``>``."""
    LIT = enum.auto()
    """A literal is due."""
    NEG = enum.auto()
    """After its ``-``."""
    POINT = enum.auto()
    """After a point without a digit in front of it."""
    INT = enum.auto()
    FRAC = enum.auto()
    DQ = enum.auto()
    """In a string."""
    SQ = enum.auto()
    TEST_END = enum.auto()
    """After a complete test."""
    A = enum.auto()
    AN = enum.auto()
    AND = enum.auto()
    """Right after ``and``."""


S, R = State, Refusal
Way: TypeAlias = State | Refusal
Row: TypeAlias = dict[str, Way]

WS, NAME_START, NAME_EXTRA, DIGIT, ILLEGAL, ELSE = "white space", "name start", "other name character", "digit", "illegal", "else"
"""Classes of characters; a row's keys are these and single characters, and a single character goes before its class."""


def _each(keys: str, way: Way) -> Row:
    return dict.fromkeys(keys, way)


def _name(into: State, colon: State, end: Row) -> Row:
    return end | {WS: end[WS], NAME_START: into, NAME_EXTRA: into, DIGIT: into, "-": into, ".": into, ":": colon}


def _colon(into: State) -> Row:
    return {NAME_START: into, ":": R.AXIS, ELSE: R.SYNTAX}


_OPERATORS: Row = _each("=!<>|+-*", R.OPERATOR) | {NAME_START: R.OPERATOR}
_COMPARE: Row = {"=": S.LIT, "!": S.BANG, "<": S.REL, ">": S.REL}
_STEP: Row = {NAME_START: S.NAME, "*": S.STEP_END, ".": R.AXIS, "-": R.OPERATOR, ELSE: R.SYNTAX}
_SEP: Row = _STEP | {WS: S.SEP, "@": S.ATTR}
_STEP_END: Row = _OPERATORS | {WS: S.STEP_END, "/": S.SEP1, "[": S.PRED, ELSE: R.SYNTAX}
_NAME_END: Row = _STEP_END | {WS: S.NAME_END, "(": R.FUNCTION, ":": R.AXIS}
_ANAME_END: Row = _OPERATORS | _each("/[", R.ATTRIBUTE_STEP) | {WS: S.ANAME_END, "(": R.FUNCTION, ":": R.AXIS, ELSE: R.SYNTAX}
_PRED: Row = _each("\"'-", R.OPERATOR) | {
    WS: S.PRED,
    NAME_START: S.TNAME,
    DIGIT: R.POSITION,
    "@": S.TATTR,
    ".": S.DOT,
    ELSE: R.SYNTAX,
}
_TNAME_END: Row = {WS: S.TNAME_END, "(": S.TEXT, ":": R.AXIS, ELSE: R.SYNTAX}
_SUBJECT: Row = _OPERATORS | _COMPARE | {WS: S.SUBJECT, ELSE: R.SYNTAX}
_TEST_END: Row = _OPERATORS | {WS: S.TEST_END, "]": S.STEP_END, "a": S.A, ELSE: R.SYNTAX}
_TANAME_END: Row = _TEST_END | _COMPARE | _each("/[", R.ATTRIBUTE_STEP) | {WS: S.TANAME_END, "(": R.FUNCTION, ":": R.AXIS}
_LIT: Row = _each("@/*($", R.OPERATOR) | {
    WS: S.LIT,
    NAME_START: R.OPERATOR,
    DIGIT: S.INT,
    ".": S.POINT,
    "-": S.NEG,
    '"': S.DQ,
    "'": S.SQ,
    ELSE: R.SYNTAX,
}

TABLE: dict[State, Row] = {
    S.START: _STEP | {WS: S.START, "/": S.SEP1, "@": R.ATTRIBUTE_STEP},
    S.SEP1: _SEP | {"/": S.SEP},
    S.SEP: _SEP,
    S.NAME: _name(S.NAME, S.NAME_C, _NAME_END),
    S.NAME_C: _colon(S.NAME),
    S.NAME_END: _NAME_END,
    S.STEP_END: _STEP_END,
    S.ATTR: {WS: S.ATTR, NAME_START: S.ANAME, "-": R.OPERATOR, ELSE: R.SYNTAX},
    S.ANAME: _name(S.ANAME, S.ANAME_C, _ANAME_END),
    S.ANAME_C: _colon(S.ANAME),
    S.ANAME_END: _ANAME_END,
    S.PRED: _PRED,
    S.TNAME: _name(S.TNAME, S.TNAME_C, _TNAME_END),
    S.TNAME_C: _colon(S.TNAME),
    S.TNAME_END: _TNAME_END,
    S.TEXT: {WS: S.TEXT, ")": S.SUBJECT, ELSE: R.SYNTAX},
    S.DOT: _SUBJECT | {".": R.AXIS, DIGIT: R.POSITION},
    S.SUBJECT: _SUBJECT,
    S.TATTR: {WS: S.TATTR, NAME_START: S.TANAME, "-": R.OPERATOR, ELSE: R.SYNTAX},
    S.TANAME: {key: way for key, way in _name(S.TANAME, S.TANAME_C, _TANAME_END).items() if key != "a"},
    S.TANAME_C: _colon(S.TANAME),
    S.TANAME_END: _TANAME_END,
    S.BANG: {"=": S.LIT, ELSE: R.SYNTAX},
    S.REL: _LIT | {"=": S.LIT},
    S.LIT: _LIT,
    S.NEG: {WS: S.NEG, DIGIT: S.INT, ".": S.POINT, ELSE: R.OPERATOR},
    S.POINT: {DIGIT: S.FRAC, ELSE: R.OPERATOR},
    S.INT: _TEST_END | {DIGIT: S.INT, ".": S.FRAC},
    S.FRAC: _TEST_END | {DIGIT: S.FRAC},
    S.DQ: {'"': S.TEST_END, ILLEGAL: R.SYNTAX, ELSE: S.DQ},
    S.SQ: {"'": S.TEST_END, ILLEGAL: R.SYNTAX, ELSE: S.SQ},
    S.TEST_END: _TEST_END,
    S.A: {"n": S.AN, ELSE: R.OPERATOR},
    S.AN: {"d": S.AND, ELSE: R.OPERATOR},
    S.AND: _PRED | {NAME_START: R.OPERATOR, NAME_EXTRA: R.OPERATOR, DIGIT: R.OPERATOR} | _each("-.:", R.OPERATOR),
}
"""The way on from every state. What depends on more than the state is checked by the scanner: ``@`` needs a step in front of it, a
name has one colon, ``(`` follows ``text`` alone, and ``/`` cannot follow a test of ``.`` or ``text()``."""

_NAMES = {S.NAME, S.ANAME, S.TNAME, S.TANAME}
_COLONS = {S.NAME_C, S.ANAME_C, S.TNAME_C, S.TANAME_C}
_IN_NAME = _NAMES | _COLONS
_AFTER_NAME = {S.NAME_END, S.ANAME_END, S.TNAME_END, S.TANAME_END}
_STRINGS = {S.DQ, S.SQ}
_NUMBERS = {S.NEG, S.POINT, S.INT, S.FRAC}
_ACCEPTING = {S.NAME, S.NAME_END, S.STEP_END, S.ANAME, S.ANAME_END}
_IN_ROWS = frozenset(b":-.")
"""Name characters that rows list by themselves, because they are more than that."""
_OPERATOR = {operator.text: operator for operator in Operator}


def compile(text: str | bytes, config: BrokerConfig = PRESETS["default"]) -> Query:
    """The expression taken apart; raises :class:`Refused` for what is outside the grammar or the limits."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    if len(data) > config.xpath_bytes:
        raise Refused(R.TEXT_LENGTH, config.xpath_bytes)
    return _Scanner(data, config).run()


@cache
def _class(point: int) -> str:
    if point in WHITE_SPACE:
        return WS
    if point in DIGITS:
        return DIGIT
    if point in _IN_ROWS:
        return ELSE
    if is_name_start(point):
        return NAME_START
    return NAME_EXTRA if is_name_char(point) else ELSE


class _Scanner:
    """One scan: the state, the counters, the token being collected, and the parts of the query found so far."""

    def __init__(self, data: bytes, config: BrokerConfig) -> None:
        self.data = data
        self.config = config
        self.state = S.START
        self.parts = 0
        self.text_seen = False
        self.token = bytearray()
        self.token_start = 0
        self.axis = Axis.CHILD
        self.steps: list[tuple[Axis, bytes | None, list[Test]]] = []
        self.attribute: bytes | None = None
        self.test = Test(Subject.ATTRIBUTE)
        self.operator = ""

    def run(self) -> Query:
        utf8 = Utf8()
        first = 0
        for offset, byte in enumerate(self.data):
            if not utf8.pending:
                first = offset
            try:
                point = utf8.push(byte)
            except Stop as stop:
                if stop.code is Code.BAD_UTF8:
                    raise Refused(R.BAD_UTF8, offset) from None
                self._wide(byte, offset, first)
                self._take(ILLEGAL, ILLEGAL, byte, first)
                continue
            self._wide(byte, offset, first)
            if point != PENDING:
                self._take(chr(point), _class(point), byte, first)
        if utf8.pending or self.state not in _ACCEPTING:
            empty = self.state is S.START and not utf8.pending
            raise Refused(R.EMPTY if empty else R.UNTERMINATED, len(self.data))
        if self.state in _NAMES:
            self._name_done()
        steps = tuple(Step(axis, name, tuple(tests)) for axis, name, tests in self.steps)
        return Query(self.data, self.config, steps, self.attribute, Axis.CHILD if self.attribute is None else self.axis)

    def _wide(self, byte: int, offset: int, first: int) -> None:
        """Counts a byte from 80 on as it comes, before its character is known."""
        if byte < 0x80:
            return
        if self.state in _STRINGS:
            self._literal_byte(byte, offset)
        elif self.state in _IN_NAME:
            self._name_byte(byte, offset)
        elif (name := TABLE[self.state].get(NAME_START)) in _NAMES:
            if offset == first:
                self._begin_name(name, offset)
            self._name_byte(byte, offset)

    def _take(self, character: str, kind: str, byte: int, first: int) -> None:
        """Takes the way of a whole character; an ASCII byte is counted once it is known where it leads."""
        state, row = self.state, TABLE[self.state]
        way = self._history(row.get(character) or row.get(kind) or row[ELSE])
        if state in _STRINGS and byte < 0x80 and way is not S.TEST_END:
            self._literal_byte(byte, first)
        if isinstance(way, Refusal):
            raise Refused(way, self.token_start if self._blames_name(way) else first)
        if way in _IN_NAME:
            if byte < 0x80:
                if state not in _IN_NAME:
                    self._begin_name(way, first)
                self._name_byte(byte, first)
        elif state in _NAMES:
            self._name_done()
        if way in _NUMBERS and byte not in WHITE_SPACE:
            self._number_byte(byte, first)
        self._build(way, character, first)
        self.state = way

    def _history(self, way: Way) -> Way:
        """The way, checked for what the table leaves open."""
        if way is S.ATTR and not self.steps:
            return R.ATTRIBUTE_STEP
        if way in _COLONS and b":" in self.token:
            return R.SYNTAX
        if way is S.TEXT and self.state is not S.TEXT and self.token != b"text":
            return R.FUNCTION
        if way is S.SEP1 and self.text_seen:
            return R.TEXT_TEST
        return way

    def _blames_name(self, code: Refusal) -> bool:
        if code in (R.FUNCTION, R.AXIS):
            return self.state in _IN_NAME | _AFTER_NAME
        return code is R.SYNTAX and self.state in (S.TNAME, S.TNAME_END)

    def _build(self, way: State, character: str, first: int) -> None:
        """What entering a state means."""
        state = self.state
        if way is S.SEP1:
            self.axis = Axis.CHILD
        elif way is S.SEP and character == "/":
            self.axis = Axis.DESCENDANT
        elif way is S.STEP_END and character == "*":
            self._begin_part(first)
            self.steps.append((self.axis, None, []))
        elif way in (S.ATTR, S.TATTR) and way is not state:
            self._begin_part(first)
        elif way is S.DOT:
            self._begin_part(first)
            self._begin_text(Subject.SELF)
        elif way is S.TEXT and state is not S.TEXT:
            self._begin_text(Subject.TEXT)
        elif character in "=!<>" and way in (S.LIT, S.BANG, S.REL):
            self.operator += character
            self.token.clear()
        elif way in _STRINGS and state not in _STRINGS:
            self.token_start = first
        elif way in (S.A, S.TEST_END, S.STEP_END) and self._in_test():
            self._test_done()

    def _in_test(self) -> bool:
        return self.state in _STRINGS or self.state in (S.INT, S.FRAC, S.TANAME, S.TANAME_END)

    def _begin_part(self, offset: int) -> None:
        self.parts += 1
        if self.parts > self.config.subscription_steps:
            raise Refused(R.STEPS, offset)

    def _begin_text(self, subject: Subject) -> None:
        self.text_seen = True
        self.test = Test(subject)

    def _begin_name(self, state: Way | None, offset: int) -> None:
        if state in (S.NAME, S.TNAME):
            self._begin_part(offset)
        self.token.clear()
        self.token_start = offset

    def _name_byte(self, byte: int, offset: int) -> None:
        if len(self.token) >= self.config.name_bytes:
            raise Refused(R.NAME_LENGTH, offset)
        self.token.append(byte)

    def _name_done(self) -> None:
        name = bytes(self.token)
        if self.state is S.NAME:
            self.steps.append((self.axis, name, []))
        elif self.state is S.ANAME:
            self.attribute = name
        elif self.state is S.TANAME:
            self.test = Test(Subject.ATTRIBUTE, name)

    def _literal_byte(self, byte: int, offset: int) -> None:
        if len(self.token) >= self.config.value_bytes:
            raise Refused(R.LITERAL_LENGTH, offset)
        self.token.append(byte)

    def _number_byte(self, byte: int, offset: int) -> None:
        self._literal_byte(byte, offset)
        self._number(offset)

    def _number(self, offset: int) -> Decimal | None:
        try:
            return from_string(bytes(self.token), config=self.config)
        except NumberDigits:
            raise Refused(R.NUMBER_DIGITS, offset) from None

    def _test_done(self) -> None:
        """The test just scanned is complete; a string is converted where its operator compares numbers."""
        test = self.test
        if self.operator:
            operator, spelled = _OPERATOR[self.operator], self.state in (S.INT, S.FRAC)
            number = self._number(self.token_start) if spelled or operator.relational else None
            test = Test(test.subject, test.name, operator, bytes(self.token), spelled, number)
        self.operator = ""
        self.steps[-1][2].append(test)
