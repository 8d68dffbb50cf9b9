"""Filters on properties [P 2, G 3]: ``area = "area1" and temp > 30 or area = "area2" and wind > 20``.

::

    Predicate  := Filter ("or" Filter)*
    Filter     := Constraint ("and" Constraint)*
    Constraint := Name Operator Literal | Name "exists"
    Operator   := "=" | "!=" | "<" | "<=" | ">" | ">=" | "prefix" | "substring" | "suffix"
    Name       := word | '"' [^"]+ '"'
    Literal    := "-"? (Digits ("." Digits?)? | "." Digits) | '"' [^"]* '"' | "'" [^']* "'" | "true" | "false"

A word is a name of XML without a colon, any word where a name is due. White space (space, tab, CR, LF) may stand between tokens, and after
the sign of a number. A constraint holds when the property is there, has the literal's type and compares so; ``!=`` is no exception.
Numbers have all six comparisons, strings ``=``, ``!=`` and the three words, booleans ``=`` and ``!=``.
"""

import enum
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn

from hdl.contract import Refusal
from sim.golden.chars import is_name_char, is_name_start
from sim.golden.languages.message import Message, Value
from sim.golden.languages.refusal import AnyRefusal, LanguageRefusal, Limits, Refused, check_length
from sim.golden.number import significant_digits

__all__ = ["Constraint", "Filter", "Operator", "Predicate", "compile"]


class Operator(enum.StrEnum):
    """How a constraint compares, as it is spelled."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    PREFIX = "prefix"
    SUBSTRING = "substring"
    SUFFIX = "suffix"
    EXISTS = "exists"


_EQUALITIES = frozenset({Operator.EQ, Operator.NE})
_ORDERS = frozenset({Operator.LT, Operator.LE, Operator.GT, Operator.GE})
_PATTERNS = frozenset({Operator.PREFIX, Operator.SUBSTRING, Operator.SUFFIX})
_OF_TYPE: Mapping[type[Value], frozenset[Operator]] = {
    Decimal: _EQUALITIES | _ORDERS,
    str: _EQUALITIES | _PATTERNS,
    bool: _EQUALITIES,
}

_COMPARE: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
    Operator.PREFIX: str.startswith,
    Operator.SUBSTRING: operator.contains,
    Operator.SUFFIX: str.endswith,
}


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint; the literal is None where presence is asked for."""

    name: str
    operator: Operator
    literal: Value | None = None

    def holds(self, value: Value) -> bool:
        """Whether a property with that value satisfies it."""
        if self.literal is None:
            return True
        return type(value) is type(self.literal) and _COMPARE[self.operator](value, self.literal)


Filter = tuple[Constraint, ...]
"""Constraints that must hold together."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """Filters of which one must match."""

    filters: tuple[Filter, ...]

    def matches(self, message: Message) -> bool:
        given = message.properties
        return any(all(one.name in given and one.holds(given[one.name]) for one in each) for each in self.filters)


def compile(text: str, limits: Limits) -> Predicate:
    return _Scanner(text, limits).predicate()


_SPACE = re.compile(r"[ \t\r\n]*")
_SIGN = re.compile(r"!=|<=|>=|=|<|>")
_NUMBER = re.compile(r"(-?)[ \t\r\n]*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_STRING = re.compile(r"\"([^\"]*)\"|'([^']*)'")


class _Scanner:
    """One reading of a text, from left to right."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.place = 0
        self.count = 0

    def refuse(self, code: AnyRefusal, place: int) -> NoReturn:
        raise Refused.at(code, self.text, place)

    def wrong(self) -> NoReturn:
        """Refuses the character that cannot stand here, or the end."""
        self.refuse(Refusal.UNTERMINATED if self.place == len(self.text) else Refusal.SYNTAX, self.place)

    def skip(self) -> None:
        found = _SPACE.match(self.text, self.place)
        assert found is not None
        self.place = found.end()

    def word(self) -> str:
        """The word that begins here, empty where none does; it is not taken."""
        end = self.place
        while end < len(self.text) and (character := self.text[end]) != ":":
            if not (is_name_char if end > self.place else is_name_start)(ord(character)):
                break
            end += 1
        return self.text[self.place : end]

    def predicate(self) -> Predicate:
        self.skip()
        if self.place == len(self.text):
            self.refuse(Refusal.EMPTY, self.place)
        filters = [[self.constraint()]]
        while self.place < len(self.text):
            joint = self.word()
            if joint not in ("and", "or"):
                self.wrong()
            self.place += len(joint)
            if joint == "or":
                filters.append([])
            filters[-1].append(self.constraint())
        return Predicate(tuple(map(tuple, filters)))

    def constraint(self) -> Constraint:
        self.skip()
        begin = self.place
        name = self.name()
        if self.count == self.limits.steps:
            self.refuse(Refusal.STEPS, begin)
        self.count += 1
        self.skip()
        at = self.place
        how = self.operator()
        if how is Operator.EXISTS:
            self.skip()
            return Constraint(name, how)
        self.skip()
        literal = self.literal()
        if how not in _OF_TYPE[type(literal)]:
            self.refuse(LanguageRefusal.OPERAND, at)
        self.skip()
        return Constraint(name, how, literal)

    def name(self) -> str:
        begin = self.place
        if self.text[begin : begin + 1] == '"':
            name = self.string()
            if not name:
                self.refuse(Refusal.SYNTAX, begin + 1)
            begin += 1
        else:
            name = self.word()
            if not name:
                self.wrong()
            self.place += len(name)
        check_length(Refusal.NAME_LENGTH, name, self.limits.name_bytes, self.text, begin)
        return name

    def string(self) -> str:
        """The string that begins here with its quote."""
        found = _STRING.match(self.text, self.place)
        if not found:
            self.refuse(Refusal.UNTERMINATED, len(self.text))
        self.place = found.end()
        return found[1] if found[1] is not None else found[2]

    def operator(self) -> Operator:
        if sign := _SIGN.match(self.text, self.place):
            self.place = sign.end()
            return Operator(sign[0])
        word = self.word()
        if word not in (*_PATTERNS, Operator.EXISTS):
            if self.text[self.place :] == "!":
                self.place += 1
            self.wrong()
        self.place += len(word)
        return Operator(word)

    def literal(self) -> Value:
        begin = self.place
        if self.text[begin : begin + 1] in ('"', "'"):
            value = self.string()
            check_length(Refusal.LITERAL_LENGTH, value, self.limits.value_bytes, self.text, begin + 1)
            return value
        word = self.word()
        if word in ("true", "false"):
            self.place += len(word)
            return word == "true"
        return self.number()

    def number(self) -> Decimal:
        """The number that begins here; a name may not follow it without white space."""
        found = _NUMBER.match(self.text, self.place)
        if not found:
            if self.text[self.place : self.place + 1] in ("-", "."):
                self.place += 1
            self.wrong()
        spelling = found[1] + found[2]
        if len(spelling) > self.limits.value_bytes:
            self.refuse(Refusal.LITERAL_LENGTH, found.end() - len(spelling) + self.limits.value_bytes)
        if significant_digits(spelling.encode()) > self.limits.digits:
            self.refuse(Refusal.NUMBER_DIGITS, self.place)
        self.place = found.end()
        if self.word() or self.text[self.place : self.place + 1] in ("-", "."):
            self.wrong()
        number = Decimal(spelling)
        return number if number else Decimal(0)
