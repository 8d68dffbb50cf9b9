"""Topics that are integers [N 7.1.4]: ``4711``.

An integer is decimal digits, with a ``-`` in front at most; zeros in front say nothing and -0 is 0. A topic that is anything else,
white space around the digits included, matches no subscription.
"""

import re
from dataclasses import dataclass

from hdl.contract import Refusal
from sim.golden.languages.message import Message
from sim.golden.languages.refusal import LanguageRefusal, Limits, Refused, check_length

__all__ = ["Integer", "canonical", "compile"]

_INTEGER = re.compile(r"(-?)0*([0-9]+)")


def canonical(text: str) -> str | None:
    """The one spelling of the integer that a text stands for, None where it is none; integers of any length compare by it."""
    found = _INTEGER.fullmatch(text)
    if not found:
        return None
    return found[2] if found[2] == "0" else found[1] + found[2]


@dataclass(frozen=True, slots=True)
class Integer:
    """The integer asked for in its one spelling."""

    spelling: str

    def matches(self, message: Message) -> bool:
        return canonical(message.topic) == self.spelling


def compile(text: str, limits: Limits) -> Integer:
    if not text:
        raise Refused.at(Refusal.EMPTY, text, 0)
    for index, character in enumerate(text):
        if not (character in "0123456789" or (character == "-" and index == 0)):
            raise Refused.at(LanguageRefusal.INTEGER, text, index)
    check_length(Refusal.LITERAL_LENGTH, text, limits.value_bytes, text, 0)
    spelling = canonical(text)
    if spelling is None:
        raise Refused.at(Refusal.UNTERMINATED, text, len(text))
    digits = spelling.removeprefix("-")
    if len(digits) > limits.digits:
        raise Refused.at(Refusal.NUMBER_DIGITS, text, len(text) - len(digits) + limits.digits)
    return Integer(spelling)
