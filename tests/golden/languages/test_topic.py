"""Hierarchical topics: the three algorithms of the paper, which share no code, against each other and against the language's own text."""

import pytest

from hdl.contract import Refusal
from sim.golden.languages import LanguageRefusal, Limits, Message, Refused, compile
from sim.golden.languages.topic import Topic
from sim.golden.languages.topic_expressions import TopicExpressions
from sim.golden.languages.topic_hash import TopicHash
from sim.golden.languages.topic_tree import TopicTree
from sim.vectors.languages import streams
from sim.vectors.languages.hierarchies import Hierarchies
from sim.vectors.seeds import Draw
from tests.golden.languages.common import refusal


def matches(text: str, topic: str) -> bool:
    return compile("topic", text).matches(Message(topic))


@pytest.mark.parametrize(
    ("text", "matched", "others"),
    [
        # The paper's own [H I-A, III-C]
        ("Streams/Sensor", ["Streams/Sensor", "Streams/Sensor/Fluid", "Streams/Sensor/Fluid/Pressure"], ["Streams", "Streams/Sensors"]),
        ("Streams/Sensor", ["Streams/Sensor/"], ["streams/Sensor", "Streams//Sensor"]),
        ("Streams/Sensor/*/Pressure", ["Streams/Sensor/Fluid/Pressure", "Streams/Sensor/Air/Pressure/x"], ["Streams/Sensor/Fluid"]),
        ("Streams/*/Pressure", ["Streams//Pressure"], ["Streams/Pressure", "Streams/a/b/Pressure"]),
        ("A/*/C/*", ["A/B/C/D", "A//C/", "A/*/C/#"], ["A/B/C", "A/B/D/D"]),
        ("A/*/C/D", ["A/B/C/D"], ["A/B/C/E", "A/C/D"]),
        ("A", ["A", "A/B/C/D", "A/"], ["", "/A", "B/A"]),
        # The hierarchy switched off
        ("A/B/#", ["A/B"], ["A", "A/B/", "A/B/C", "A/B/#"]),
        ("A/#", ["A"], ["A/", "A/B"]),
        ("A/*/#", ["A/B", "A/", "A/*"], ["A", "A/B/C"]),
        # Empty levels count
        ("/A", ["/A", "/A/B"], ["A", "//A"]),
        ("A/", ["A/", "A//B"], ["A", "A/B"]),
        ("/*/b", ["/a/b", "//b"], ["/b", "a/b"]),
        ("/", ["/", "//", "//a"], ["", "/a"]),
        ("/#", [""], ["/", "a"]),
        ("é b/😀", ["é b/😀/x"], ["e b/😀"]),
    ],
)  # fmt: skip
def test_examples(text: str, matched: list[str], others: list[str]) -> None:
    assert [topic for topic in matched + others if matches(text, topic)] == matched


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", Refusal.EMPTY, 0),
        ("*", LanguageRefusal.FIRST_WILDCARD, 0),
        ("*/a", LanguageRefusal.FIRST_WILDCARD, 0),
        ("#", LanguageRefusal.FIRST_WILDCARD, 0),
        ("#/a", LanguageRefusal.FIRST_WILDCARD, 0),
        ("a/#/b", LanguageRefusal.LAST_WILDCARD, 2),
        ("a/#/", LanguageRefusal.LAST_WILDCARD, 2),
        ("a/b*", LanguageRefusal.WILDCARD, 3),
        ("é/**", LanguageRefusal.WILDCARD, 3),
        ("a/b#*", LanguageRefusal.WILDCARD, 3),
        ("a*", LanguageRefusal.WILDCARD, 1),
        ("/" * 16, Refusal.STEPS, 16),
        ("a/" + "é" * 33, Refusal.NAME_LENGTH, 66),
    ],
)
def test_refusals(text: str, code: object, position: int) -> None:
    assert refusal("topic", text) == (code, position)


def test_steps_are_counted_with_the_last_sign() -> None:
    compile("topic", "a/b/#", Limits(steps=3))
    assert refusal("topic", "a/b/#", Limits(steps=2)) == (Refusal.STEPS, 4)


def accepted(source: Hierarchies, count: int) -> list[Topic]:
    found: list[Topic] = []
    while len(found) < count:
        try:
            topic = compile("topic", source.subscription())
        except Refused:
            continue
        assert isinstance(topic, Topic)
        found.append(topic)
    return found


def compare(seed: str, *, subscriptions: int, topics: int) -> int:
    """Adds, then finds between removals until nothing is left; the number of pairs that were compared."""
    source = Hierarchies(Draw(seed), one="*", final="#")
    wanted = [(topic, source.draw.below(subscriptions // 2)) for topic in accepted(source, subscriptions)]
    engines = (TopicTree(), TopicExpressions(), TopicHash())
    for topic, destination in wanted:
        for engine in engines:
            engine.add(topic, destination)
    pairs = matched = 0
    left = list(wanted)
    for number in range(topics):
        topic, _ = source.draw.choice(wanted)
        given = source.near("/".join(topic.levels)) if source.draw.chance(0.9) else source.subscription()
        plain = {destination for mine, destination in left if mine.matches(Message(given))}
        for engine in engines:
            assert engine.find(given) == plain, (type(engine).__name__, given)
        pairs += len(left)
        matched += len(plain)
        if number % 2 and len(left) > subscriptions // 2:
            gone = left.pop(source.draw.below(len(left)))
            for engine in engines:
                engine.remove(*gone)
    assert matched > topics
    for engine in engines:
        for topic, destination in left:
            engine.remove(topic, destination)
        assert engine.find("a/b") == set()
    assert engines[0].edges == 0
    return pairs


def test_three_algorithms_agree() -> None:
    assert compare("topic 1", subscriptions=200, topics=250) > 30_000


def test_three_algorithms_agree_on_the_workload_of_the_paper() -> None:
    """[H IV-B]: seven levels of 50 values with one wildcard, and fewer values so that much matches; 32 destinations."""
    for parameters in (streams.PALLICKARA, streams.TopicParameters(levels=4, values=3, wildcards=2)):
        wanted = [compile("topic", streams.subscription(2, row, parameters)) for row in range(400)]
        engines = (TopicTree(), TopicExpressions(), TopicHash())
        for number, topic in enumerate(wanted):
            assert isinstance(topic, Topic)
            for engine in engines:
                engine.add(topic, number % 32)
        matched = 0
        for row in range(60):
            given = streams.topic(2, row, subscriptions=400, parameters=parameters)
            expected = {number % 32 for number, topic in enumerate(wanted) if topic.matches(Message(given))}
            assert [engine.find(given) for engine in engines] == [expected] * 3
            matched += len(expected)
        assert matched >= 60


@pytest.mark.long
def test_three_algorithms_agree_at_length() -> None:
    assert compare("topic 2", subscriptions=1000, topics=1000) > 500_000


def test_a_destination_stays_while_a_subscription_needs_it() -> None:
    topic = compile("topic", "a/*/c")
    assert isinstance(topic, Topic)
    for engine in (TopicTree(), TopicExpressions(), TopicHash()):
        engine.add(topic, 1)
        engine.add(topic, 1)
        engine.remove(topic, 1)
        assert engine.find("a/b/c/d") == {1}
        engine.remove(topic, 1)
        assert engine.find("a/b/c/d") == set()


def test_the_tree_shares_edges() -> None:
    tree = TopicTree()
    for text in ("a/b/c", "a/b/d", "a/*/c"):
        topic = compile("topic", text)
        assert isinstance(topic, Topic)
        tree.add(topic, 1)
    assert tree.edges == 6
