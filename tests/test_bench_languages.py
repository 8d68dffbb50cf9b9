"""The algorithms of the papers in C++ give the answers of the golden model, before anybody times them."""

from collections.abc import Iterable
from decimal import Decimal

import pytest

from sim.bench.languages import groups
from sim.bench.languages.peers import EVENT_ALGORITHMS, TOPIC_ALGORITHMS, EventRun, event_lines, one_by_one, run_events, run_topics, set_of
from sim.golden.languages import Message, compile
from sim.golden.languages.filter import Predicate
from sim.interface import EngineError
from sim.vectors.languages import narada, streams
from sim.vectors.languages.attributes import MARGARA, MIXED, ZIPF, EventParameters, event, filter_text


def read(texts: Iterable[tuple[int, str]]) -> list[tuple[int, Predicate]]:
    found = [(interface, compile("filter", text)) for interface, text in texts]
    return [(interface, one) for interface, one in found if isinstance(one, Predicate)]


@pytest.mark.parametrize("algorithm", EVENT_ALGORITHMS)
@pytest.mark.parametrize("apart", [True, False], ids=["an interface a filter", "five interfaces"])
@pytest.mark.parametrize("workload", [MARGARA, MIXED, ZIPF], ids=["numbers", "mixed", "zipf"])
def test_events(algorithm: str, workload: EventParameters, apart: bool) -> None:
    if algorithm == "betree":
        workload = EventParameters(skew=workload.skew)
    few = EventParameters(names=9, values=7, strings=workload.strings, skew=workload.skew)
    texts = [(row if apart else row % 5, filter_text(7, 0, row, few)) for row in range(600)]
    texts += [(601, "n1 >= 3 and n1 <= 5"), (602, "n1 <= -2.0 or n3 >= 6"), (603, "n1 = 3 and n1 = 3")]
    given = [event(7, row, few) for row in range(120)]
    compiled = [(interface, compile("filter", text)) for interface, text in texts]
    messages = [Message("", {k: v if isinstance(v, str) else Decimal(v) for k, v in one.items()}) for one in given]
    expected = [sorted({interface for interface, one in compiled if one.matches(message)}) for message in messages]
    assert sum(map(len, expected)) > 100
    for threads in (1, 2):
        found = run_events(algorithm, event_lines(read(texts), given), rounds=2, threads=threads)
        assert found.found == expected


def test_patterns_on_strings() -> None:
    """Pieces that come twice in a value count once, and an empty string is a prefix, a suffix and a substring."""
    texts = ["a prefix 'ab'", "a suffix 'ab'", "a substring 'ab'", "a substring 'b' and a suffix 'b'", "a != 'ab'", "a prefix 'abab'"]
    values = ["ab", "abab", "b", "xaby", "aab"]
    compiled = [compile("filter", text) for text in texts]
    expected = [[place for place, one in enumerate(compiled) if one.matches(Message("", {"a": value}))] for value in values]
    for algorithm in ("sff", "pcm"):
        assert run_events(algorithm, event_lines(read(enumerate(texts)), [{"a": value} for value in values])).found == expected


@pytest.mark.parametrize("algorithm", TOPIC_ALGORITHMS)
def test_topics(algorithm: str) -> None:
    few = streams.TopicParameters(levels=4, values=3, wildcards=2)
    texts = [streams.subscription(7, row, few) for row in range(300)] + ["v0", "v1/v1/#", "v1/*/#", "v2//v1", "v0/v1/v2/v0/v1"]
    topics = [streams.topic(7, row, parameters=few) for row in range(60)] + [
        "v0",
        "v1/v1",
        "v2//v1/",
        "",
        "v1/*",
        "v1/#",
        "v0/v1/v2/v0/v1/v1",
    ]
    subscriptions = [(place % 37, text) for place, text in enumerate(texts)]
    compiled = [(destination, compile("topic", text)) for destination, text in subscriptions]
    expected = [sorted({destination for destination, one in compiled if one.matches(Message(topic))}) for topic in topics]
    found = run_topics(algorithm, subscriptions, topics, rounds=2)
    assert found.found == expected
    assert sum(map(len, expected)) > 300
    if algorithm == "hash":
        assert (found.nodes, found.edges) == (0, len(set(texts)))


def test_a_tree_has_nodes_and_edges() -> None:
    """[H Fig 1, 6]: an edge where nothing goes on leads to no node."""
    found = run_topics("tree", [(1, "a/b/c"), (2, "a/b/d"), (3, "a/*/c"), (4, "a/b/c")], ["a/b/c"])
    assert (found.nodes, found.edges, found.found) == (4, 6, [[1, 3, 4]])


def test_expressions() -> None:
    engine = narada.ENGINES["regex"]
    texts = [engine.subscription(7, row) for row in range(60)] + ["^The", "dog$", "x*"]
    topics = [engine.message(7, row, 60)[0] for row in range(40)] + [""]
    compiled = [compile("regex", text) for text in texts]
    expected = [[place for place, one in enumerate(compiled) if one.matches(Message(topic))] for topic in topics]
    assert set_of(texts, topics)[0] == one_by_one(texts, topics)[0] == expected
    assert sum(map(len, expected)) > 80


def test_all_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row is there at a small size, where no figure of a paper stands beside it."""
    monkeypatch.setenv("X2CBBR_BENCH_SHARE", "1000")
    found = {group.name: group for group in groups.groups(3)}
    assert list(found) == [
        *("events-numbers", "events-mixed", "events-zipf", "topics", "topics-tree", "narada"),
        *("sweep-1", "sweep-2", "sweep-3", "sweep-4", "sweep-5"),
    ]
    assert [len(group.rows) for group in found.values()] == [6, 5, 5, 6, 2, 12, 5, 6, 3, 3, 4]
    assert all(row.ours > 0 and row.thesis is None for group in found.values() for row in group.rows)
    assert all(group.note.startswith("sizes divided by 1000; ") for group in found.values())


def test_peers_that_differ_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "run_events", lambda *_, **__: EventRun([], 1.0, 1.0, 1))
    with pytest.raises(ValueError, match=r"^SFF must find what the others find, and does not$"):
        groups.events(3, EventParameters(interfaces=1, filters=(5, 5)), groups.P_TAB_2, count=5)


def test_engines_whose_peer_is_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise EngineError("there is no ActiveMQ", hint="install it")

    monkeypatch.setattr("sim.judges.activemq.evaluate", missing)
    found = groups._narada(3, [20])
    assert found.left_out == {"selector": "there is no ActiveMQ; install it"}
    assert [row.name.partition(",")[0] for row in found.rows] == ["integer", "string", "tags", "regex", "regex"]
