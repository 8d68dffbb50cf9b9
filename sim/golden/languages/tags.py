"""Topics that are tag=value pairs [N 7.1.3]: ``Make=Ford,Model=*,Color=Red``.

Pairs are separated by ``,``, and the first ``=`` of a pair ends its tag. Nothing is trimmed; a value may be empty, a tag may not.
A subscription matches when the topic has each of its tags with that value, ``*`` being any; more tags in the topic and their order do
not matter. A topic that is not all pairs, or has a tag twice, matches nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hdl.contract import Refusal
from sim.golden.languages.message import Message
from sim.golden.languages.refusal import LanguageRefusal, Limits, Refused, check_length

__all__ = ["ANY", "Tags", "compile", "pairs"]

ANY = "*"


@dataclass(frozen=True, slots=True)
class Tags:
    """The value asked for of each tag, :data:`ANY` for all."""

    asked: Mapping[str, str]

    def matches(self, message: Message) -> bool:
        given = pairs(message.topic)
        return given is not None and all(given.get(tag) is not None and value in (ANY, given[tag]) for tag, value in self.asked.items())


def pairs(topic: str) -> dict[str, str] | None:
    """The pairs of a topic, None where it is not made of pairs."""
    found: dict[str, str] = {}
    for pair in topic.split(","):
        tag, equals, value = pair.partition("=")
        if not tag or not equals or tag in found:
            return None
        found[tag] = value
    return found


def compile(text: str, limits: Limits) -> Tags:
    if not text:
        raise Refused.at(Refusal.EMPTY, text, 0)
    asked: dict[str, str] = {}
    begin = 0
    for pair in text.split(","):
        tag, equals, value = pair.partition("=")
        end, after = begin + len(pair), begin + len(tag) + 1
        if len(asked) == limits.steps:
            raise Refused.at(Refusal.STEPS, text, begin)
        if not tag or not equals:
            place = end if not equals else begin
            raise Refused.at(Refusal.UNTERMINATED if place == len(text) else Refusal.SYNTAX, text, place)
        if tag in asked:
            raise Refused.at(LanguageRefusal.DUPLICATE_TAG, text, begin)
        check_length(Refusal.NAME_LENGTH, tag, limits.name_bytes, text, begin)
        check_length(Refusal.LITERAL_LENGTH, value, limits.value_bytes, text, after)
        if ANY in value and value != ANY:
            raise Refused.at(LanguageRefusal.WILDCARD, text, after + value.index(ANY))
        asked[tag] = value
        begin = end + 1
    return Tags(asked)
