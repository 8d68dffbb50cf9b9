"""Selectors [N 7.1.2, JMS 3.8.1]: ``home temp > 20 AND room LIKE 'k%'``.

The topic goes up to the first white space and must be equal. What follows is a condition that must be true, or nothing::

    Or         := And ("OR" And)*
    And        := Not ("AND" Not)*
    Not        := "NOT"* Comparison
    Comparison := Sum (Sign Sum | "NOT"? "BETWEEN" Sum "AND" Sum | "NOT"? "IN" "(" String ("," String)* ")"
                       | "NOT"? "LIKE" String ("ESCAPE" String)? | "IS" "NOT"? "NULL")?
    Sum        := Product (("+" | "-") Product)*
    Product    := Unary (("*" | "/") Unary)*
    Unary      := ("+" | "-")* (Number | String | "TRUE" | "FALSE" | Name | "(" Or ")")
    Sign       := "=" | "<>" | "<" | "<=" | ">" | ">="

Keywords are written in any case. Arithmetic is exact, on constants only; integers divide to an integer, towards 0. A comparison has a
constant on one side at least; strings and booleans compare by ``=`` and ``<>``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import NoReturn, TypeAlias

from hdl.contract import Refusal
from sim.golden.languages import like
from sim.golden.languages.conditions import And, Comparison, Condition, Constant, Flag, In, IsNull, Like, Not, Or, compare
from sim.golden.languages.message import Message
from sim.golden.languages.numbers import TooLong, TooManyDigits, calculated
from sim.golden.languages.refusal import AnyRefusal, LanguageRefusal, Limits, Refused, check_length
from sim.golden.languages.selector_tokens import WHITE_SPACE, Kind, Tokens

__all__ = ["Selector", "compile"]


@dataclass(frozen=True, slots=True)
class Selector:
    """The topic, and the condition unless there is none."""

    topic: str
    condition: Condition | None = None

    def matches(self, message: Message) -> bool:
        if message.topic != self.topic:
            return False
        return self.condition is None or self.condition.evaluate(message.properties) is True


def compile(text: str, limits: Limits) -> Selector:
    end = next((index for index, character in enumerate(text) if character in WHITE_SPACE), len(text))
    check_length(Refusal.LITERAL_LENGTH, text[:end], limits.value_bytes, text, 0)
    return Selector(text[:end], _Parser(text, end, limits).whole())


@dataclass(frozen=True, slots=True)
class _Name:
    """A property as an operand."""

    name: str


@dataclass(frozen=True, slots=True)
class _Literal:
    """A string or a boolean as an operand."""

    value: str | bool


@dataclass(frozen=True, slots=True)
class _Number:
    """A number as an operand; ``integer`` tells those that divide as integers do."""

    value: Decimal
    integer: bool


_Constant: TypeAlias = _Literal | _Number
_Part: TypeAlias = _Name | _Constant | Condition
"""What a part of the text is; an operand becomes a condition where one is due."""

_RESULTS: Mapping[type[Exception], AnyRefusal] = {
    ZeroDivisionError: LanguageRefusal.DIVISION,
    TooManyDigits: Refusal.NUMBER_DIGITS,
    TooLong: LanguageRefusal.NUMBER_RANGE,
}
"""What becomes of arithmetic without a result."""

_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class _Parser:
    """One reading of a condition, from left to right."""

    def __init__(self, text: str, begin: int, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.tokens = Tokens(text, begin, limits)
        self.open = 0

    def whole(self) -> Condition | None:
        begin = self.at
        if begin == len(self.text):
            return None
        condition = self.condition(self.disjunction)
        if self.at != len(self.text):
            self.wrong()
        if condition.size(negated=False)[1] > self.limits.normal_form:
            self.refuse(LanguageRefusal.NORMAL_FORM, begin)
        return condition

    # Tokens

    @property
    def at(self) -> int:
        return self.tokens.token.place

    def refuse(self, code: AnyRefusal, place: int) -> NoReturn:
        raise Refused.at(code, self.text, place)

    def wrong(self) -> NoReturn:
        """Refuses the token that is looked at, or the end."""
        self.refuse(Refusal.UNTERMINATED if self.tokens.token.kind is Kind.END else Refusal.SYNTAX, self.at)

    def found(self, *wanted: str) -> str:
        """The keyword or sign that is looked at if it is among those, which is taken; empty if not."""
        token = self.tokens.token
        if token.kind not in (Kind.KEYWORD, Kind.SIGN) or token.text not in wanted:
            return ""
        return self.tokens.take().text

    def due(self, wanted: str) -> None:
        if not self.found(wanted):
            self.wrong()

    def string(self) -> str:
        if self.tokens.token.kind is not Kind.STRING:
            self.wrong()
        return self.tokens.take().text

    # Conditions

    def condition(self, parse: Callable[[], _Part]) -> Condition:
        begin = self.at
        return self.as_condition(parse(), begin)

    def as_condition(self, part: _Part, begin: int) -> Condition:
        if isinstance(part, _Name):
            return Flag(part.name)
        if isinstance(part, _Literal) and isinstance(part.value, bool):
            return Constant(part.value)
        if isinstance(part, _Literal | _Number):
            self.refuse(LanguageRefusal.OPERAND, begin)
        return part

    def disjunction(self) -> _Part:
        begin = self.at
        left = self.conjunction()
        while self.found("OR"):
            left = Or(self.as_condition(left, begin), self.condition(self.conjunction))
        return left

    def conjunction(self) -> _Part:
        begin = self.at
        left = self.negation()
        while self.found("AND"):
            left = And(self.as_condition(left, begin), self.condition(self.negation))
        return left

    def negation(self) -> _Part:
        if not self.found("NOT"):
            return self.comparison()
        negated = True
        while self.found("NOT"):
            negated = not negated
        condition = self.condition(self.comparison)
        return Not(condition) if negated else condition

    def comparison(self) -> _Part:
        begin = self.at
        left = self.sum()
        if sign := self.found(*_FLIPPED):
            return self.compared(left, begin, sign, self.at, self.sum())
        negated = bool(self.found("NOT"))
        if self.found("BETWEEN"):
            condition: Condition = self.between(left, begin, negated=negated)
            negated = False
        elif self.found("IN"):
            condition = self.among(self.name(left, begin))
        elif self.found("LIKE"):
            condition = self.like(self.name(left, begin))
        elif negated:
            self.wrong()
        elif self.found("IS"):
            negated = bool(self.found("NOT"))
            self.due("NULL")
            condition = IsNull(self.name(left, begin))
        else:
            return left
        return Not(condition) if negated else condition

    def name(self, part: _Part, begin: int) -> str:
        if not isinstance(part, _Name):
            self.refuse(LanguageRefusal.OPERAND, begin)
        return part.name

    def compared(self, left: _Part, begin: int, sign: str, right_begin: int, right: _Part) -> Condition:
        for part, place in ((left, begin), (right, right_begin)):
            if not isinstance(part, _Name | _Number) and (not isinstance(part, _Literal) or sign not in ("=", "<>")):
                self.refuse(LanguageRefusal.OPERAND, place)
        if isinstance(left, _Name) and isinstance(right, _Literal | _Number):
            return Comparison(left.name, sign, right.value)
        if isinstance(left, _Literal | _Number) and isinstance(right, _Name):
            return Comparison(right.name, _FLIPPED[sign], left.value)
        if not isinstance(left, _Literal | _Number) or not isinstance(right, _Literal | _Number):
            self.refuse(LanguageRefusal.IDENTIFIERS, right_begin)
        return Constant(compare(left.value, sign, right.value))

    def between(self, part: _Part, begin: int, *, negated: bool) -> Condition:
        """``x BETWEEN a AND b`` is ``x >= a AND x <= b``, and with NOT it is ``x < a OR x > b``."""
        low = self.compared(part, begin, "<" if negated else ">=", self.at, self.sum())
        self.due("AND")
        high = self.compared(part, begin, ">" if negated else "<=", self.at, self.sum())
        return Or(low, high) if negated else And(low, high)

    def among(self, name: str) -> Condition:
        self.due("(")
        strings = {self.string()}
        while self.found(","):
            strings.add(self.string())
        self.due(")")
        return In(name, frozenset(strings))

    def like(self, name: str) -> Condition:
        begin = self.at
        text, escape = self.string(), None
        if self.found("ESCAPE"):
            escape_begin = self.at
            escape = self.string()
            if len(escape) != 1:
                self.refuse(LanguageRefusal.ESCAPE, escape_begin)
        pattern = like.compile(text, escape)
        if pattern is None:
            self.refuse(LanguageRefusal.ESCAPE, begin)
        return Like(name, pattern)

    # Operands

    def sum(self) -> _Part:
        return self.arithmetic(self.product, "+", "-")

    def product(self) -> _Part:
        return self.arithmetic(self.unary, "*", "/")

    def arithmetic(self, parse: Callable[[], _Part], *signs: str) -> _Part:
        begin = self.at
        left = parse()
        while True:
            place = self.at
            sign = self.found(*signs)
            if not sign:
                return left
            first = self.number(left, begin)
            second_begin = self.at
            left = self.result(first, sign, self.number(parse(), second_begin), place)

    def number(self, part: _Part, begin: int) -> _Number:
        if not isinstance(part, _Number):
            self.refuse(LanguageRefusal.IDENTIFIERS if isinstance(part, _Name) else LanguageRefusal.OPERAND, begin)
        return part

    def result(self, left: _Number, sign: str, right: _Number, place: int) -> _Number:
        """The exact result; one that takes more digits than the limit is refused at the sign."""
        integer = left.integer and right.integer
        try:
            return _Number(calculated(left.value, sign, right.value, integer=integer, limits=self.limits), integer)
        except (ZeroDivisionError, TooManyDigits, TooLong) as reason:
            self.refuse(_RESULTS[type(reason)], place)

    def unary(self) -> _Part:
        begin, signed, negative = self.at, False, False
        while sign := self.found("+", "-"):
            signed, negative = True, negative is not (sign == "-")
        part_begin = self.at
        part = self.primary()
        if not signed:
            return part
        number = self.number(part, begin if isinstance(part, _Name) else part_begin)
        return _Number(-number.value, number.integer) if negative else number

    def primary(self) -> _Part:
        token = self.tokens.token
        if self.found("("):
            self.open += 1
            if self.open > self.limits.nesting:
                self.refuse(LanguageRefusal.NESTING, token.place)
            part = self.disjunction()
            self.due(")")
            self.open -= 1
            return part
        if word := self.found("TRUE", "FALSE"):
            return _Literal(word == "TRUE")
        if token.kind not in (Kind.NAME, Kind.STRING, Kind.INTEGER, Kind.DECIMAL):
            self.wrong()
        self.tokens.take()
        if token.kind is Kind.NAME:
            return _Name(token.text)
        return _Literal(token.text) if token.kind is Kind.STRING else _Number(token.number, token.kind is Kind.INTEGER)
