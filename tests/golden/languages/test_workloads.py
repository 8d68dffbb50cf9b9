"""The workloads of the papers: pinned by literals, accepted by the languages, and true to the papers' parameters."""

import hashlib
import json
import re
from collections import Counter

import pytest

from sim.golden.languages import LANGUAGES, Limits, Message, compile
from sim.golden.languages.filter import Filter, Predicate
from sim.golden.languages.message import parse
from sim.vectors.languages import narada, streams
from sim.vectors.languages.attributes import MARGARA, MIXED, STRINGS, ZIPF, EventParameters, event, filter_text, filters, subscriptions
from sim.vectors.languages.streams import TopicParameters


def digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def test_events_and_filters_are_pinned() -> None:
    assert event(1, 0) == {"n67": 89, "n6": 19, "n48": 35}
    assert event(1, 0, MIXED) == {"n67": "vxgiio", "n6": 19, "n48": 35}
    assert event(1, 0, ZIPF) == {"n2": 89, "n0": 19, "n6": 74}
    assert filter_text(1, 0, 0) == "n60 != 49 and n50 = 49 and n83 = 28 and n55 = 7"
    assert filter_text(1, 0, 0, MIXED) == "n60 != 49 and n50 = 49 and n83 = 'wtsswz' and n55 = 'hyecro'"
    assert [filters(1, interface) for interface in range(3)] == [22736, 24668, 25024]
    assert digest([filter_text(2, interface, row, ZIPF) for interface in range(5) for row in range(40)]) == "696a5a5a6f795de2"
    assert digest([json.dumps(event(2, row, STRINGS)) for row in range(100)]) == "7b03fa1c4cb87778"


def test_topics_are_pinned() -> None:
    assert streams.subscription(1, 0) == "v33/*/v21/v25/v18/v33/v22"
    assert streams.topic(1, 0) == "v23/v46/v41/v31/v21/v42/v6"
    assert streams.topic(1, 0, subscriptions=10) == "v48/v10/v41/v48/v8/v4/v19"


NARADA = {
    "integer": ("3c9c85b5c0812ae1", "43246bd5262a50c7"),
    "string": ("b5ff51e03fba0ea0", "fb99b33f229b436e"),
    "tags": ("2fd7fcf22f64ec9b", "d47a6d82265e2f1f"),
    "selector": ("58d633e62f084bc7", "31b90e705cd4f275"),
    "regex": ("5c67a1dd3079bc4d", "5056b4caa969ca29"),
}


@pytest.mark.parametrize("name", narada.ENGINES)
def test_narada_is_pinned(name: str) -> None:
    engine = narada.ENGINES[name]
    found = digest([engine.subscription(1, row) for row in range(200)]), digest([repr(engine.message(1, row, 200)) for row in range(50)])
    assert found == NARADA[name]


@pytest.mark.parametrize("parameters", [MARGARA, MIXED, STRINGS, ZIPF], ids=["numbers", "mixed", "strings", "zipf"])
def test_filters_have_the_parameters_of_the_papers(parameters: EventParameters) -> None:
    sizes: Counter[int] = Counter()
    names: Counter[str] = Counter()
    operators: Counter[tuple[bool, str]] = Counter()
    for row in range(3000):
        (found,) = _filters(filter_text(5, 1, row, parameters))
        sizes[len(found)] += 1
        for one in found:
            names[one.name] += 1
            operators[isinstance(one.literal, str), one.operator] += 1
    assert sizes.keys() == {3, 4, 5}
    assert min(sizes.values()) > 900
    total = names.total()
    assert total == pytest.approx(12_000, rel=0.02)
    texts = sum(count for (text, _), count in operators.items() if text)
    assert texts / total == pytest.approx(parameters.strings if not parameters.skew else 0.28, abs=0.03)
    assert max(names.values()) / total == pytest.approx(0.5 if parameters.skew else 0.0125, abs=0.02)
    for text, wanted in ((False, "= != > <"), (True, "= != substring prefix")):
        some = {str(how): count for (kind, how), count in operators.items() if kind is text}
        assert not some or (sorted(some) == sorted(wanted.split()) and min(some.values()) > 0.22 * sum(some.values()))


def _filters(text: str) -> tuple[Filter, ...]:
    found = compile("filter", text)
    assert isinstance(found, Predicate)
    return found.filters


def test_events_have_the_parameters_of_the_papers() -> None:
    for parameters in (MARGARA, MIXED, ZIPF):
        counts = Counter(len(event(5, row, parameters)) for row in range(900))
        assert counts.keys() == {3, 4, 5}
        assert min(counts.values()) > 250
    for name, value in event(5, 1, MIXED).items():
        assert isinstance(value, str) is MIXED.is_string(int(name[1:]))


def test_a_million_constraints() -> None:
    """P 4.1: one million on average."""
    assert sum(filters(1, interface) for interface in range(MARGARA.interfaces)) * 4 == pytest.approx(1_000_000, rel=0.04)
    few = EventParameters(filters=(3, 3))
    assert list(subscriptions(1, 4, few)) == [filter_text(1, 4, row) for row in range(3)]


def test_topics_have_the_parameters_of_the_paper() -> None:
    for row in range(300):
        levels = streams.subscription(3, row).split("/")
        assert len(levels) == 7
        assert levels.count("*") == 1
        assert levels[0] != "*"
    pool = [compile("topic", streams.subscription(3, row)) for row in range(50)]
    for row in range(50):
        assert any(one.matches(Message(streams.topic(3, row, subscriptions=50))) for one in pool)
    assert streams.subscription(3, 1, TopicParameters(levels=10, wildcards=3)).count("*") == 3


@pytest.mark.parametrize("name", narada.ENGINES)
def test_subscriptions_of_narada_match_their_messages(name: str) -> None:
    engine = narada.ENGINES[name]
    assert engine.language in LANGUAGES
    limits = Limits(steps=25)
    pool = [compile(engine.language, engine.subscription(3, row), limits) for row in range(100)]
    matched = 0
    for row in range(60):
        topic, properties = engine.message(3, row, 100)
        message = parse(json.dumps({"topic": topic, "properties": properties}).encode())
        matched += any(one.matches(message) for one in pool)
    assert matched == 60 if name in ("integer", "string", "tags") else 10 < matched <= 60


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EventParameters(attributes=(5, 3)), "attributes must be a rising pair from 0, not (5, 3)"),
        (lambda: EventParameters(constraints=(0, 3)), "constraints must be a rising pair from 1, not (0, 3)"),
        (lambda: EventParameters(names=4), "attributes must be at most the 4 names, not 5"),
        (lambda: EventParameters(values=0), "values must be at least 1, not 0"),
        (lambda: EventParameters(strings=2), "strings must be 0 to 1, not 2"),
        (lambda: TopicParameters(levels=0), "levels must be at least 1, not 0"),
        (lambda: TopicParameters(wildcards=7), "wildcards must be 0 to 6, not 7"),
    ],
)
def test_bad_parameters(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
