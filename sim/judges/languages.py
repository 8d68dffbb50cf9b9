"""What each language's judges say to a set of subscriptions and messages.

A judge is given the texts as it spells them, and answers with the places of the messages that each matches. ``topic`` has no outside judge;
an expression for RE2 is made from the text here, and the paper's three algorithms stand beside it.
"""

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import re2
from paho.mqtt.matcher import MQTTMatcher

from sim.golden.languages import Message, compile
from sim.golden.languages.event_counting import CountingTable
from sim.golden.languages.event_pcm import PcmTable
from sim.golden.languages.filter import Predicate
from sim.golden.languages.topic import Topic
from sim.golden.languages.topic_expressions import TopicExpressions
from sim.golden.languages.topic_hash import TopicHash
from sim.golden.languages.topic_tree import TopicTree
from sim.judges import activemq, mosquitto
from sim.judges.sqlite import Rows
from sim.vectors.languages.corners import Asked
from sim.vectors.languages.events import COLUMNS

__all__ = ["JUDGES", "Judge"]

Judge: TypeAlias = Callable[[Sequence[Asked], Sequence[Message]], list[set[int]]]


def _each(decide: Callable[[Asked, Message], bool]) -> Judge:
    return lambda asked, messages: [{place for place, message in enumerate(messages) if decide(one, message)} for one in asked]


def _paho(asked: Sequence[Asked], messages: Sequence[Message]) -> list[set[int]]:
    """A topic that is empty or has a wildcard is no topic name, which paho-mqtt does not look at."""
    found = []
    for one in asked:
        matcher = MQTTMatcher()
        matcher[one.judged] = True
        names = ((place, each.topic) for place, each in enumerate(messages) if each.topic and not re.search(r"[+#]", each.topic))
        found.append({place for place, topic in names if any(matcher.iter_match(topic))})
    return found


def _re2(asked: Sequence[Asked], messages: Sequence[Message]) -> list[set[int]]:
    options = re2.Options()
    options.log_errors = False
    compiled = [re2.compile(one.judged, options) for one in asked]
    return [{place for place, message in enumerate(messages) if one.search(message.topic)} for one in compiled]


def _topic_expressions(asked: Sequence[Asked], messages: Sequence[Message]) -> list[set[int]]:
    spelled = []
    for one in asked:
        levels = one.text.split("/")
        end = "" if levels[-1] == "#" else "(?:/.*)?"
        inside = "/".join("[^/]*" if level == "*" else re2.escape(level) for level in levels[: len(levels) - (levels[-1] == "#")])
        spelled.append(one._replace(judged=f"(?s)\\A{inside}{end}\\z"))
    return _re2(spelled, messages)


def _integer(asked: Asked, message: Message) -> bool:
    return re.fullmatch("-?[0-9]+", message.topic) is not None and int(message.topic) == int(asked.text)


def _dictionary(topic: str) -> dict[str, str]:
    """Tags and values; none when some piece is no pair or a tag comes twice."""
    pieces = [re.fullmatch(r"([^=]+)=(.*)", piece, re.DOTALL) for piece in topic.split(",")]
    found = [(piece[1], piece[2]) for piece in pieces if piece]
    return dict(found) if len(dict(found)) == len(pieces) else {}


def _tags(asked: Asked, message: Message) -> bool:
    given = _dictionary(message.topic)
    return all(tag in given and value in ("*", given[tag]) for tag, value in _dictionary(asked.text).items())


def _sqlite(asked: Sequence[Asked], messages: Sequence[Message]) -> list[set[int]]:
    with contextlib.closing(Rows([message.properties for message in messages], COLUMNS)) as rows:
        return [rows.matched(one.judged) for one in asked]


def _activemq(asked: Sequence[Asked], messages: Sequence[Message]) -> list[set[int]]:
    found = []
    answers = activemq.evaluate([one.judged for one in asked], [message.properties for message in messages])
    for one, each in zip(asked, answers, strict=True):
        if each is None:
            raise ValueError(f"ActiveMQ must take the selector {one.judged!r}, and refuses it")
        topic = one.text.partition(" ")[0]
        found.append({place for place, message in enumerate(messages) if message.topic == topic and each[place]})
    return found


def _turned(found: Sequence[set[int]], count: int) -> list[set[int]]:
    """From subscriptions by message to messages by subscription."""
    return [{place for place, subscriptions in enumerate(found) if one in subscriptions} for one in range(count)]


def _topics(table: Callable[[], TopicTree | TopicHash | TopicExpressions]) -> Judge:
    def judge(asked: Sequence[Asked], messages: Sequence[Message]) -> list[set[int]]:
        made = table()
        for place, one in enumerate(asked):
            topic = compile("topic", one.text)
            assert isinstance(topic, Topic)
            made.add(topic, place)
        return _turned([made.find(message.topic) for message in messages], len(asked))

    return judge


def _events(table: Callable[[Mapping[int, Predicate]], CountingTable | PcmTable]) -> Judge:
    def judge(asked: Sequence[Asked], messages: Sequence[Message]) -> list[set[int]]:
        compiled = ((place, compile("filter", one.text)) for place, one in enumerate(asked))
        made = table({place: one for place, one in compiled if isinstance(one, Predicate)})
        return _turned([made.find(message) for message in messages], len(asked))

    return judge


JUDGES: Mapping[str, Mapping[str, Judge]] = {
    "topic": {"RE2": _topic_expressions, "tree": _topics(TopicTree), "hash": _topics(TopicHash), "expressions": _topics(TopicExpressions)},
    "mqtt": {"libmosquitto": _each(lambda asked, message: mosquitto.matches(asked.judged, message.topic)), "paho-mqtt": _paho},
    "string": {"equality": _each(lambda asked, message: asked.text == message.topic)},
    "integer": {"equality": _each(_integer)},
    "tags": {"dictionaries": _each(_tags)},
    "filter": {"SQLite": _sqlite, "counting": _events(CountingTable), "PCM": _events(PcmTable)},
    "selector": {"ActiveMQ": _activemq},
    "regex": {"RE2": _re2},
}
"""By language and name."""
