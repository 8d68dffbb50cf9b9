"""The languages of subscriptions to messages, each from its text: one file a language, and all of them behind :func:`compile`."""

from collections.abc import Callable, Mapping
from typing import Protocol

from hdl.contract import Refusal
from sim.golden.languages import filter, integer, mqtt, regex, selector, string, tags, topic
from sim.golden.languages.message import BadMessage, Message, MessageCode, Value, parse
from sim.golden.languages.refusal import AnyRefusal, LanguageRefusal, Limits, Refused

__all__ = [
    "LANGUAGES",
    "AnyRefusal",
    "BadMessage",
    "Compiled",
    "LanguageRefusal",
    "Limits",
    "Message",
    "MessageCode",
    "Refused",
    "Value",
    "compile",
    "parse",
]


class Compiled(Protocol):
    """An accepted subscription."""

    def matches(self, message: Message) -> bool: ...


LANGUAGES: Mapping[str, Callable[[str, Limits], Compiled]] = {
    "topic": topic.compile,
    "mqtt": mqtt.compile,
    "string": string.compile,
    "integer": integer.compile,
    "tags": tags.compile,
    "filter": filter.compile,
    "selector": selector.compile,
    "regex": regex.compile,
}
"""The front end of each language."""


def compile(language: str, text: str | bytes, limits: Limits | None = None) -> Compiled:
    """The subscription taken apart; raises :class:`Refused` for what is outside the language or the limits."""
    limits = limits or Limits()
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    if len(data) > limits.text_bytes:
        raise Refused(Refusal.TEXT_LENGTH, limits.text_bytes)
    try:
        decoded = data.decode()
    except UnicodeDecodeError as error:
        raise Refused(Refusal.BAD_UTF8, error.start if error.reason == "invalid start byte" else error.end) from None
    if "\0" in decoded:
        raise Refused.at(LanguageRefusal.BAD_CHARACTER, decoded, decoded.index("\0"))
    return LANGUAGES[language](decoded, limits)
