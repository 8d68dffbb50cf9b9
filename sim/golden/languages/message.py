"""A publication that is no XML: a topic, properties and a body. Here it is read from a line of JSON, as the command line takes it."""

import enum
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Self, TypeAlias

from hdl.contract import Verdict
from sim.golden.languages.numbers import TooLong, TooManyDigits, read
from sim.golden.languages.refusal import Limits

__all__ = ["BadMessage", "Message", "MessageCode", "Value", "levels", "parse"]

Value: TypeAlias = Decimal | str | bool
"""A property's value. The three types are never equal to each other."""


class MessageCode(enum.IntEnum):
    """Why a line is no message; the numbers go on where :class:`hdl.contract.Code` ends, because it is to take these in."""

    verdict: Verdict
    sentence: str

    def __new__(cls, value: int, verdict: Verdict, sentence: str) -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.verdict = verdict
        member.sentence = sentence
        return member

    MESSAGE_UTF8 = (32, Verdict.NOT_WELL_FORMED, "not UTF-8, or at its opening quote a string with half of a surrogate pair")
    MESSAGE_SYNTAX = (33, Verdict.NOT_WELL_FORMED, "the character cannot stand here in JSON, or not in a message")
    MESSAGE_END = (34, Verdict.NOT_WELL_FORMED, "the message ends too early")
    MESSAGE_FIELD = (35, Verdict.NOT_WELL_FORMED, "a field other than 'topic', 'properties' and 'body', or one of them again")
    MESSAGE_TYPE = (36, Verdict.NOT_WELL_FORMED, "topic and body are strings, and a property is a number, a string or a boolean")
    MESSAGE_NAME = (37, Verdict.NOT_WELL_FORMED, "a property without a name, or given twice")
    MESSAGE_CHARACTER = (38, Verdict.NOT_WELL_FORMED, "U+0000 in a topic, a name or a string; decided by the opening quote")
    MESSAGE_LEVELS = (39, Verdict.OVER_LIMIT, "the topic has more levels than the limit")
    MESSAGE_PROPERTIES = (40, Verdict.OVER_LIMIT, "more properties than the limit")
    MESSAGE_NAME_LENGTH = (41, Verdict.OVER_LIMIT, "a property's name is longer than the limit")
    MESSAGE_DIGITS = (42, Verdict.OVER_LIMIT, "a number has more than 15 significant digits")
    MESSAGE_RANGE = (43, Verdict.OVER_LIMIT, "a number is longer than the limit when it is written without an exponent")

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


class BadMessage(ValueError):
    """A line that is no message; ``offset`` is that of the deciding byte, the first one of a string, a number or a word."""

    def __init__(self, code: MessageCode, offset: int) -> None:
        super().__init__(code.sentence)
        self.code = code
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Message:
    """What subscriptions look at, and the body, which none looks at."""

    topic: str = ""
    properties: Mapping[str, Value] = field(default_factory=dict)
    body: bytes = b""


def levels(topic: str) -> list[str]:
    """The levels of a topic, of which there is always at least one; any of them may be empty."""
    return topic.split("/")


def parse(line: bytes, limits: Limits | None = None) -> Message:
    """The message of a line ``{"topic": text, "properties": {name: number, string or boolean}, "body": text}``, all optional.

    Raises :class:`BadMessage` with the first error from the left.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise BadMessage(MessageCode.MESSAGE_UTF8, error.start) from None
    return _Reader(text, limits or Limits()).message()


_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[a-z]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Reader:
    """One reading of a line, from left to right."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.place = 0

    def bad(self, code: MessageCode, place: int) -> BadMessage:
        return BadMessage(code, len(self.text[:place].encode()))

    def next(self) -> str:
        """The character after white space, empty at the end; it is not taken."""
        found = _SPACE.match(self.text, self.place)
        assert found is not None
        self.place = found.end()
        return self.text[self.place : self.place + 1]

    def wrong(self) -> BadMessage:
        """The error of a character that cannot stand here."""
        ended = self.place >= len(self.text)
        return self.bad(MessageCode.MESSAGE_END if ended else MessageCode.MESSAGE_SYNTAX, self.place)

    def take(self, wanted: str) -> str:
        found = self.next()
        if not found or found not in wanted:
            raise self.wrong()
        self.place += 1
        return found

    def string(self, *, clean: bool = True) -> str:
        """The string that begins here; a ``clean`` one has no U+0000."""
        if self.next() != '"':
            raise self.wrong()
        begin = self.place
        found = _STRING.match(self.text, begin)
        assert found is not None
        self.place = found.end()
        if self.text[self.place : self.place + 1] != '"':
            raise self.wrong()
        self.place += 1
        value = json.loads(self.text[begin : self.place])
        assert isinstance(value, str)
        if _SURROGATE.search(value):
            raise self.bad(MessageCode.MESSAGE_UTF8, begin)
        if clean and "\0" in value:
            raise self.bad(MessageCode.MESSAGE_CHARACTER, begin)
        return value

    def fields(self) -> Iterator[tuple[int, str]]:
        """The names of an object's fields with the places where they begin; each value must be taken before the next is asked for."""
        self.take("{")
        if self.next() == "}":
            self.place += 1
            return
        while True:
            self.next()
            begin = self.place
            name = self.string(clean=False)
            self.take(":")
            yield begin, name
            if self.take(",}") == "}":
                return

    def message(self) -> Message:
        topic, properties, body = "", {}, b""
        seen = set()
        for begin, name in self.fields():
            if name in seen or name not in ("topic", "properties", "body"):
                raise self.bad(MessageCode.MESSAGE_FIELD, begin)
            seen.add(name)
            due = '"' if name != "properties" else "{"
            if self.next() not in ("", due):
                raise self.mistyped()
            if name == "topic":
                topic = self.topic()
            elif name == "body":
                body = self.string(clean=False).encode()
            else:
                properties = self.properties()
        if self.next():
            raise self.wrong()
        return Message(topic, properties, body)

    def mistyped(self) -> BadMessage:
        """The error of a value of another type, or of something that is no value."""
        found = self.text[self.place]
        word = _WORD.match(self.text, self.place)
        value = found in '"{[' or _NUMBER.match(self.text, self.place) or (word and word[0] in ("true", "false", "null"))
        return self.bad(MessageCode.MESSAGE_TYPE, self.place) if value else self.wrong()

    def topic(self) -> str:
        begin = self.place
        topic = self.string()
        if len(levels(topic)) > self.limits.levels:
            raise self.bad(MessageCode.MESSAGE_LEVELS, begin)
        return topic

    def properties(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for begin, name in self.fields():
            if not name or name in found:
                raise self.bad(MessageCode.MESSAGE_NAME, begin)
            if "\0" in name:
                raise self.bad(MessageCode.MESSAGE_CHARACTER, begin)
            if len(name.encode()) > self.limits.name_bytes:
                raise self.bad(MessageCode.MESSAGE_NAME_LENGTH, begin)
            if len(found) == self.limits.properties:
                raise self.bad(MessageCode.MESSAGE_PROPERTIES, begin)
            found[name] = self.value()
        return found

    def value(self) -> Value:
        if self.next() == '"':
            return self.string()
        if number := _NUMBER.match(self.text, self.place):
            try:
                value = read(number[0], self.limits)
            except TooManyDigits:
                raise self.bad(MessageCode.MESSAGE_DIGITS, self.place) from None
            except TooLong:
                raise self.bad(MessageCode.MESSAGE_RANGE, self.place) from None
            self.place = number.end()
            return value
        word = _WORD.match(self.text, self.place)
        if word and word[0] in ("true", "false"):
            self.place = word.end()
            return word[0] == "true"
        raise self.mistyped() if self.next() else self.wrong()
