"""MQTT topic filters against paho-mqtt and libmosquitto, which share no code, and against mosquitto as a broker."""

import threading
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.matcher import MQTTMatcher

from hdl.contract import Refusal
from sim.golden.languages import Compiled, LanguageRefusal, Limits, Message, Refused, compile
from sim.judges import mosquitto
from sim.vectors.languages.hierarchies import Hierarchies
from sim.vectors.seeds import Draw
from tests.golden.languages import departures
from tests.golden.languages.common import ours, refusal, shown


def accepted(text: str) -> Compiled | None:
    try:
        return compile("mqtt", text)
    except Refused:
        return None


def paho_matches(subscription: str, topic: str) -> bool:
    matcher = MQTTMatcher()
    matcher[subscription] = True
    return any(matcher.iter_match(topic))


def compare(seed: str, count: int) -> None:
    """As many accepted filters on a topic each, and about a third as many texts that may be refused."""
    source = Hierarchies(Draw(seed), one="+", final="#")
    pairs = matches = refused = 0
    while pairs < count:
        text = source.subscription() if source.draw.chance(0.75) else source.spoilt(source.subscription())
        mine = accepted(text)
        assert (mine is not None) is (mosquitto.accepts(text) and text != ""), text
        if mine is None:
            refused += 1
            continue
        topic = (source.near(text) if source.draw.chance(0.9) else source.topic()) or "/"
        found = mine.matches(Message(topic))
        assert found is mosquitto.matches(text, topic), (text, topic)
        assert found is paho_matches(text, topic), (text, topic)
        pairs += 1
        matches += found
    assert count // 4 < matches < count * 3 // 4
    assert refused > count // 20


def test_filters_equal_two_judges() -> None:
    compare("mqtt 1", 20_000)


@pytest.mark.long
def test_more_filters_equal_two_judges() -> None:
    compare("mqtt 2", 250_000)


@pytest.mark.parametrize("topic", ["a/+", "+", "#", "a/#/b", "x+y"])
def test_a_topic_with_a_wildcard_is_matched_by_nothing(topic: str) -> None:
    for text in ("#", "+", "+/+", "a/#", "a/+", topic):
        mine = accepted(text)
        assert mine is None or not mine.matches(Message(topic))
        assert not mosquitto.matches(text, topic)


@pytest.mark.parametrize("departure", departures.of("paho-mqtt") + departures.of("libmosquitto"), ids=lambda one: one.name)
def test_departures_show(departure: departures.Departure) -> None:
    judge = paho_matches if departure.judge == "paho-mqtt" else mosquitto.matches
    assert shown(judge(departure.text, departure.topic)) == departure.theirs
    assert ours(departure) == departure.ours


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", Refusal.EMPTY, 0),
        ("a+", LanguageRefusal.WILDCARD, 1),
        ("+a", LanguageRefusal.WILDCARD, 0),
        ("é/b#", LanguageRefusal.WILDCARD, 4),
        ("a/++", LanguageRefusal.WILDCARD, 2),
        ("#/a", LanguageRefusal.LAST_WILDCARD, 0),
        ("a/#/", LanguageRefusal.LAST_WILDCARD, 2),
        ("a\0", LanguageRefusal.BAD_CHARACTER, 1),
        ("/" * 16, Refusal.STEPS, 16),
        ("a/" + "b" * 65, Refusal.NAME_LENGTH, 66),
        ("é" * 33, Refusal.NAME_LENGTH, 64),
        (b"a/\xff", Refusal.BAD_UTF8, 2),
        (b"a/\xc3/", Refusal.BAD_UTF8, 3),
        ("a" * 1025, Refusal.TEXT_LENGTH, 1024),
    ],
)
def test_refusals(text: str | bytes, code: object, position: int) -> None:
    assert refusal("mqtt", text) == (code, position)


def test_limits_are_parameters() -> None:
    limits = Limits(text_bytes=8, steps=2, name_bytes=3)
    compile("mqtt", "abc/abc", limits)
    assert refusal("mqtt", "abc/a/", limits) == (Refusal.STEPS, 6)
    assert refusal("mqtt", "abcd", limits) == (Refusal.NAME_LENGTH, 3)
    assert refusal("mqtt", "abc/abc/x", limits) == (Refusal.TEXT_LENGTH, 8)


class Subscriber:
    """A client of the broker with one filter, and a second one that ends it; ``topics`` are those that came."""

    END = "x2cbbr/end"

    def __init__(self, port: int, text: str) -> None:
        self.topics: set[str] = set()
        self._ready, self._ended = threading.Event(), threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_message = self._arrived
        self._client.on_subscribe = lambda *_: self._ready.set()
        self._client.connect("127.0.0.1", port)
        self._client.subscribe([(text, 1), (self.END, 1)])
        self._client.loop_start()
        assert self._ready.wait(20)

    def _arrived(self, client: Client, _: Any, message: MQTTMessage) -> None:
        if message.topic == self.END:
            self._ended.set()
        elif not message.topic.startswith("$SYS"):  # the broker's own
            self.topics.add(message.topic)

    def finish(self) -> None:
        """Waits for the last publication."""
        assert self._ended.wait(60)
        self._client.disconnect()
        self._client.loop_stop()


@pytest.mark.long
def test_filters_equal_a_broker(tmp_path: Path) -> None:
    """120 subscribers with a filter each and 2,000 topics: 240,000 pairs; every topic that a real broker delivers, and no other."""
    source = Hierarchies(Draw("mqtt broker"), one="+", final="#")
    filters: dict[str, Compiled] = {}
    while len(filters) < 120:
        text = source.subscription()
        mine = accepted(text)
        if mine is not None and not mine.matches(Message(Subscriber.END)):
            filters[text] = mine
    topics = {source.near(source.draw.choice(list(filters))) or "/" for _ in range(4000)}
    chosen = sorted(topic for topic in topics if not topic.startswith("$SYS"))[:2000]
    assert len(chosen) == 2000
    with mosquitto.broker(tmp_path) as port:
        subscribers = {text: Subscriber(port, text) for text in filters}
        publisher = Client(CallbackAPIVersion.VERSION2)
        publisher.connect("127.0.0.1", port)
        publisher.loop_start()
        for topic in chosen:
            publisher.publish(topic, b"x", qos=1).wait_for_publish(20)
        publisher.publish(Subscriber.END, b"end", qos=1).wait_for_publish(20)
        for subscriber in subscribers.values():
            subscriber.finish()
        publisher.disconnect()
        publisher.loop_stop()
    delivered = 0
    for text, mine in filters.items():
        assert subscribers[text].topics == {topic for topic in chosen if mine.matches(Message(topic))}, text
        delivered += len(subscribers[text].topics)
    assert delivered > 4_000
