"""Why a subscription in one of the languages for messages is refused, and the limits that decide it."""

import enum
from dataclasses import dataclass
from typing import Self, TypeAlias

from hdl.config import BrokerConfig
from hdl.contract import Refusal

__all__ = ["AnyRefusal", "LanguageRefusal", "Limits", "Refused", "check_length"]


class LanguageRefusal(enum.IntEnum):
    """What :class:`hdl.contract.Refusal` does not know yet; the numbers are among those that it keeps for other languages."""

    sentence: str

    def __new__(cls, value: int, sentence: str = "") -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    BAD_CHARACTER = (32, "U+0000 cannot be in an expression")
    WILDCARD = (33, "a wildcard must be the whole of a level or value")
    FIRST_WILDCARD = (34, "the first level cannot be a wildcard")
    LAST_WILDCARD = (35, "'#' must be the last level")
    INTEGER = (36, "an integer is digits, with a '-' in front at most")
    DUPLICATE_TAG = (37, "this tag stands here twice")
    OPERAND = (38, "an operand of this type cannot stand here")
    IDENTIFIERS = (39, "identifiers take no arithmetic and compare with constants only")
    DIVISION = (40, "a division by zero")
    NUMBER_RANGE = (41, "a number is longer than the limit when it is written without an exponent")
    ESCAPE = (42, "an escape that is not accepted")
    NESTING = (43, "parentheses nest deeper than the limit")
    NORMAL_FORM = (44, "the selector's normal form has more tests than the limit")
    REPETITION = (45, "there is nothing to repeat here")
    COUNT = (46, "repetitions are '?', '*' and '+'; a brace as a character needs a backslash")
    CHARACTER_CLASS = (47, "this cannot stand in a class")
    GROUP = (48, "groups are '(...)' and '(?:...)'")
    POSITIONS = (49, "more characters, classes and points than the limit")

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


AnyRefusal: TypeAlias = Refusal | LanguageRefusal


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of messages and of subscriptions in their languages."""

    text_bytes: int = 1024
    """Bytes of one subscription's text."""
    steps: int = 16
    """Levels, tags or constraints of one subscription."""
    name_bytes: int = 64
    """Bytes of a property's or tag's name, or of a level, in a subscription; of a property's name in a message."""
    value_bytes: int = 64
    """Bytes of a string in a subscription, and of a number without exponent anywhere."""
    digits: int = 15
    """Significant digits of a number."""
    nesting: int = 32
    """Parentheses open at once."""
    normal_form: int = 64
    """Tests in a selector's disjunctive normal form."""
    positions: int = 512
    """Characters, classes and points of a regular expression."""
    levels: int = 32
    """Levels of a message's topic."""
    properties: int = 32
    """Properties of a message."""

    @classmethod
    def of(cls, config: BrokerConfig) -> "Limits":
        """Those that a broker's limits imply."""
        return cls(
            text_bytes=config.xpath_bytes,
            steps=config.subscription_steps,
            name_bytes=config.name_bytes,
            value_bytes=config.value_bytes,
            digits=config.digits,
            levels=config.depth,
            properties=config.attributes,
        )


class Refused(ValueError):
    """The text is not accepted; ``position`` is the byte to point at, the text's length where its end decides."""

    def __init__(self, code: AnyRefusal, position: int) -> None:
        super().__init__(code.sentence)
        self.code = code
        self.position = position

    @classmethod
    def at(cls, code: AnyRefusal, text: str, index: int) -> "Refused":
        """The same for a character of the text."""
        return cls(code, len(text[:index].encode()))


def check_length(code: AnyRefusal, part: str, limit: int, text: str, begin: int) -> None:
    """Refuses the part of the text that begins there when it has too many bytes, at its first character too many."""
    length = 0
    for index, character in enumerate(part, start=begin):
        length += len(character.encode())
        if length > limit:
            raise Refused.at(code, text, index)
