"""Sets of subscriptions and messages at the corners of each language and of all together, each a pure function of (seed, set, row)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from sim.golden.languages import Message, Value
from sim.golden.languages.numbers import plain
from sim.vectors.languages.events import Events
from sim.vectors.languages.expressions import Expressions
from sim.vectors.languages.hierarchies import Hierarchies
from sim.vectors.languages.selectors import Selectors
from sim.vectors.seeds import Draw

__all__ = ["CORNERS", "MIXED", "Asked", "CornerSet", "corner_set", "line_of"]

MIXED = "mixed"
"""The name of sets in which the languages take turns."""

_ALPHABET = "ab/#*+ =é日😀\n\"'"
_DIGITS = ("0", "-0", "00", "1", "-1", "01", "-01", "4711", "04711", "10", "100", "999999999999999", "-999999999999999")
_NO_DIGITS = ("", "-", "--1", "+1", " 1", "1 ", "1\n", "1.0", "1e3", "0x1", "1_0", "one", "4711/x", "\u0661", "1-", "²", "1" * 40)
_TAGS = ("Make", "Model", "Color", "a", "b", "é", " a")
_TAG_VALUES = ("Ford", "Red", "", "*", "x", "x=y", "日本", " ")
_TOPICS = ("home", "a/b", "")


class Asked(NamedTuple):
    """A subscription; ``judged`` is how the outside judge of its language spells it."""

    language: str
    text: str
    judged: str


@dataclass(frozen=True)
class _Corner:
    subscription: Callable[[Draw], tuple[str, str]]
    """Text and the judge's spelling."""
    message: Callable[[Draw, Sequence[str]], Message]
    """A message that some of the texts match or nearly do."""


def _hierarchy(one: str, final: str, *, first: bool) -> _Corner:
    """Levels with wildcards, which may stand ``first`` or not."""

    def subscription(draw: Draw) -> tuple[str, str]:
        text = Hierarchies(draw, one=one, final=final).subscription()
        if not first and text[:1] in (one, final):
            text = f"a/{text}"
        return text, text

    def message(draw: Draw, texts: Sequence[str]) -> Message:
        source = Hierarchies(draw, one=one, final=final)
        return Message(source.near(draw.choice(texts)) if draw.chance(0.9) else source.subscription())

    return _Corner(subscription, message)


def _string(draw: Draw) -> tuple[str, str]:
    text = "".join(draw.some(_ALPHABET, draw.below(4)))
    return text, text


def _integer(draw: Draw) -> tuple[str, str]:
    text = draw.choice(_DIGITS) if draw.chance(0.3) else str(draw.between(-30, 30))
    return text, text


def _integer_message(draw: Draw, _: Sequence[str]) -> Message:
    if draw.chance(0.3):
        return Message(draw.choice((*_DIGITS, *_NO_DIGITS)))
    return Message(f"{draw.choice(('', '', '0'))}{draw.between(-30, 30)}")


def _pairs(draw: Draw, tags: Sequence[str]) -> str:
    return ",".join(f"{tag}={draw.choice(_TAG_VALUES)}" for tag in tags)


def _tags(draw: Draw) -> tuple[str, str]:
    text = _pairs(draw, draw.sample(_TAGS, draw.choice((1, 1, 2, 2, 3))))
    return text, text


def _tagged(draw: Draw, texts: Sequence[str]) -> Message:
    """The pairs of a subscription in any order with others between them; now and then what is no list of pairs."""
    wanted = dict(pair.split("=", 1) for pair in draw.choice(texts).split(","))
    found = {tag: draw.choice(_TAG_VALUES) for tag in draw.sample(_TAGS, draw.choice((0, 1, 3)))}
    found |= {tag: draw.choice(_TAG_VALUES) if value == "*" else value for tag, value in wanted.items()}
    pieces = [f"{tag}={value}" for tag, value in found.items()]
    draw.shuffle(pieces)
    if draw.chance(0.1):
        pieces.insert(draw.below(len(pieces) + 1), draw.choice(("", "=", "a", "=x", pieces[0])))
    return Message(",".join(pieces))


def _filter(draw: Draw) -> tuple[str, str]:
    return Events(draw).filter()


def _selector(draw: Draw) -> tuple[str, str]:
    found = Selectors(draw).condition(draw.choice((0, 0, 1, 2, 3)))
    return f"{draw.choice(_TOPICS)} {found.text}", found.activemq


def _regex(draw: Draw) -> tuple[str, str]:
    text = Expressions(draw).whole()
    return text, text


CORNERS: Mapping[str, _Corner] = {
    "topic": _hierarchy("*", "#", first=False),
    "mqtt": _hierarchy("+", "#", first=True),
    "string": _Corner(_string, lambda draw, texts: Message(draw.choice(texts) if draw.chance(0.7) else _string(draw)[0])),
    "integer": _Corner(_integer, _integer_message),
    "tags": _Corner(_tags, _tagged),
    "filter": _Corner(_filter, lambda draw, _: Message("", Events(draw).properties())),
    "selector": _Corner(_selector, lambda draw, _: Message(draw.choice(_TOPICS), Selectors(draw).properties())),
    "regex": _Corner(_regex, lambda draw, _: Message(Expressions(draw).topic())),
}
"""By language."""


@dataclass(frozen=True)
class CornerSet:
    """Subscriptions, and messages that go past all of them."""

    asked: list[Asked]
    messages: list[Message]


def corner_set(language: str, *, seed: int, number: int, subscriptions: int, messages: int) -> CornerSet:
    """Set ``number`` of a language, or of all in turns where it is :data:`MIXED`."""
    if subscriptions < len(CORNERS) or messages < 1:
        raise ValueError(f"a set must have at least {len(CORNERS)} subscriptions and a message, not {subscriptions!r} and {messages!r}")
    turns = list(CORNERS) if language == MIXED else [language]
    asked = []
    for row in range(subscriptions):
        name = turns[row % len(turns)]
        asked.append(Asked(name, *CORNERS[name].subscription(Draw(seed, "corner", language, number, "subscription", row))))
    given = []
    for row in range(messages):
        name = turns[row % len(turns)]
        texts = [one.text for one in asked if one.language == name]
        given.append(CORNERS[name].message(Draw(seed, "corner", language, number, "message", row), texts))
    return CornerSet(asked, given)


def line_of(message: Message) -> bytes:
    """The message as a line of JSON; numbers are written out."""
    properties = ", ".join(f"{_quoted(name)}: {_spelled(value)}" for name, value in message.properties.items())
    return f'{{"topic": {_quoted(message.topic)}, "properties": {{{properties}}}}}'.encode()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _spelled(value: Value) -> str:
    return plain(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)
