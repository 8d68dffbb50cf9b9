"""The words of selectors [JMS 3.8.1.1]: keywords, identifiers, strings, numbers and signs."""

import enum
import re
import unicodedata
from decimal import Decimal
from typing import NamedTuple

from hdl.contract import Refusal
from sim.golden.languages.numbers import TooLong, TooManyDigits, checked, read
from sim.golden.languages.refusal import LanguageRefusal, Limits, Refused, check_length

__all__ = ["WHITE_SPACE", "Kind", "Token", "Tokens"]

WHITE_SPACE = " \t\f\r\n"

KEYWORDS = frozenset(("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"))
"""Reserved in any case [JMS 3.8.1.1]."""


class Kind(enum.Enum):
    """What a token is."""

    KEYWORD = enum.auto()
    NAME = enum.auto()
    STRING = enum.auto()
    INTEGER = enum.auto()
    DECIMAL = enum.auto()
    SIGN = enum.auto()
    END = enum.auto()


class Token(NamedTuple):
    """A token with its place; ``text`` is a keyword in capitals, a name, a string's characters or a sign."""

    kind: Kind
    text: str
    place: int
    number: Decimal = Decimal(0)


_SPACE = re.compile(f"[{WHITE_SPACE}]*")
_STRING = re.compile(r"'((?:[^']|'')*)'")
_SIGN = re.compile(r"<>|<=|>=|[=<>()+\-*/,]")
_DECIMAL = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")
_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)[lL]?")


def _begins_name(character: str) -> bool:
    """What Java lets an identifier begin with: letters, letter numbers, currency signs and connectors."""
    return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "Pc")


def _goes_on(character: str) -> bool:
    return _begins_name(character) or unicodedata.category(character) in ("Nd", "Mn", "Mc")


class Tokens:
    """The tokens of a text from ``begin`` on; ``token`` is the one that is looked at."""

    def __init__(self, text: str, begin: int, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self._place = begin
        self.token = self._next()

    def take(self) -> Token:
        """The token that is looked at; the next one takes its place."""
        taken = self.token
        self.token = self._next()
        return taken

    def _next(self) -> Token:
        found = _SPACE.match(self.text, self._place)
        assert found is not None
        begin = self._place = found.end()
        if begin == len(self.text):
            return Token(Kind.END, "", begin)
        if sign := _SIGN.match(self.text, begin):
            self._place = sign.end()
            return Token(Kind.SIGN, sign[0], begin)
        if self.text[begin] == "'":
            return self._string(begin)
        if self.text[begin] in ".0123456789":
            return self._number(begin)
        if not _begins_name(self.text[begin]):
            raise Refused.at(Refusal.SYNTAX, self.text, begin)
        return self._word(begin)

    def _string(self, begin: int) -> Token:
        found = _STRING.match(self.text, begin)
        if not found:
            raise Refused.at(Refusal.UNTERMINATED, self.text, len(self.text))
        self._place = found.end()
        value = found[1].replace("''", "'")
        if len(value.encode()) > self.limits.value_bytes:
            raise Refused.at(Refusal.LITERAL_LENGTH, self.text, begin)
        return Token(Kind.STRING, value, begin)

    def _number(self, begin: int) -> Token:
        decimal = _DECIMAL.match(self.text, begin)
        found = decimal or _INTEGER.match(self.text, begin)
        if not found:
            raise Refused.at(Refusal.SYNTAX, self.text, begin)
        self._place = end = found.end()
        if end < len(self.text) and (_goes_on(self.text[end]) or self.text[end] == "."):
            raise Refused.at(Refusal.SYNTAX, self.text, end)
        try:
            number = read(found[0], self.limits) if decimal else checked(_integer(found[1]), self.limits)
        except TooManyDigits:
            raise Refused.at(Refusal.NUMBER_DIGITS, self.text, begin) from None
        except TooLong:
            raise Refused.at(LanguageRefusal.NUMBER_RANGE, self.text, begin) from None
        return Token(Kind.DECIMAL if decimal else Kind.INTEGER, found[0], begin, number)

    def _word(self, begin: int) -> Token:
        end = begin + 1
        while end < len(self.text) and _goes_on(self.text[end]):
            end += 1
        word, self._place = self.text[begin:end], end
        if word.isascii() and word.upper() in KEYWORDS:
            return Token(Kind.KEYWORD, word.upper(), begin)
        check_length(Refusal.NAME_LENGTH, word, self.limits.name_bytes, self.text, begin)
        return Token(Kind.NAME, word, begin)


def _integer(spelling: str) -> Decimal:
    """An integer of Java: decimal, hexadecimal behind ``0x``, octal behind ``0``."""
    if spelling[:2] in ("0x", "0X"):
        return Decimal(int(spelling, 16))
    return Decimal(int(spelling, 8)) if spelling.startswith("0") else Decimal(spelling)
