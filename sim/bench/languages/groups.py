"""The rows of the languages for messages: P Tab 2, G Tab 2, H Fig 5 to 8 and N Fig 6 to 10, in software on this machine.

Every peer's answers are compared with the arrays of PCM, or with the other peers, before its time counts. Times are processor times of one
thread, but for PCM on several cores, which is wall clock. The papers' machines were others.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from sim.bench.languages.peers import TOPIC_ALGORITHMS, event_lines, one_by_one, run_events, run_topics, set_of
from sim.bench.rows import Group, Row
from sim.golden.languages import Limits, Message, Value, compile
from sim.golden.languages.filter import Predicate
from sim.golden.languages.topic import ANY, Topic
from sim.interface import EngineError
from sim.judges import activemq
from sim.pcm.table import PcmTable, Piece
from sim.vectors.languages import narada, streams
from sim.vectors.languages.attributes import MARGARA, MIXED, ZIPF, EventParameters, event, filter_text, filters

__all__ = ["events", "groups", "narada_rows", "topics"]

_ROUNDS = 3
_ALONE = 200
"""Events that the arrays of PCM take one at a time."""

P_TAB_2 = {"sff": 1.353, "betree": 0.326, "pcm": 0.0091, "betree 1.3": 0.031, "ccm": 0.0205}
G_TAB_2 = {"sff": 1.035, "ccm": 0.144}
G_ZIPF = {"sff": 14.68, "ccm": 2.06}
G_DEPLOYMENT = {"sff": 992.28, "ccm": 527.5}
"""Milliseconds of one event, and of the deployment of all filters."""

H_TREE = {"nodes": 798_188.0, "edges": 898_187.0}
"""Of 100,000 subscriptions of ten levels [H IV-B 2]."""
N_REGEX = {10_000: 130.0, 100_000: 1178.0}
"""Milliseconds [N Fig 10]."""

_NAMES = {"sff": "SFF", "betree": "BE-Tree", "pcm": "PCM"}
_PEERS = (("sff", 1), ("betree", 1), ("pcm", 1), ("pcm", 2))
"""Algorithms and threads."""


def _share() -> int:
    """X2CBBR_BENCH_SHARE divides the numbers of subscriptions, for a quick look."""
    return int(os.environ.get("X2CBBR_BENCH_SHARE", "1"))


def _same(name: str, found: object, expected: object) -> None:
    if found != expected:
        raise ValueError(f"{name} must find what the others find, and does not")


def _filters(seed: int, parameters: EventParameters) -> tuple[list[tuple[int, Predicate]], float]:
    """Filters by interface, and the seconds of reading their texts."""
    texts = [
        (interface, filter_text(seed, interface, row, parameters))
        for interface in range(parameters.interfaces)
        for row in range(filters(seed, interface, parameters))
    ]
    begun = time.process_time()
    read = [(interface, compile("filter", text)) for interface, text in texts]
    seconds = time.process_time() - begun
    return [(interface, one) for interface, one in read if isinstance(one, Predicate)], seconds


def events(seed: int, parameters: EventParameters, printed: Mapping[str, float], *, count: int = 1000) -> tuple[Row, ...]:
    """Milliseconds of one event; ``deployment`` in milliseconds, ``MB`` held."""
    pairs, reading = _filters(seed, parameters)
    drawn = [event(seed, row, parameters) for row in range(count)]
    given: list[dict[str, Value]] = [{name: _value(value) for name, value in one.items()} for one in drawn]
    begun = time.process_time()
    table = PcmTable([Piece.of((sid, one) for sid, (_, one) in enumerate(pairs))])
    built = time.process_time() - begun
    begun = time.process_time()
    sids = table.find(given)
    batches = time.process_time() - begun
    begun = time.process_time()
    alone = [table.find([one])[0] for one in given[:_ALONE]]
    single = time.process_time() - begun
    _same("PCM on arrays, one event at a time", alone, sids[:_ALONE])
    expected = [sorted({pairs[sid][0] for sid in found}) for found in sids]
    lines = list(event_lines(pairs, drawn))
    rows = []
    for algorithm, threads in _PEERS:
        if algorithm == "betree" and parameters.strings:
            continue
        name = f"{_NAMES[algorithm]}{f', {threads} cores' if threads > 1 else ''}"
        peer = run_events(algorithm, lines, rounds=_ROUNDS, threads=threads)
        _same(name, peer.found, expected)
        more = {"deployment": peer.building * 1e3, "MB": peer.bytes / 1e6}
        rows.append(Row(f"{name}, C++ as published", peer.seconds * 1e3, printed.get(algorithm), more))
    share = sum(map(len, expected)) / (count * parameters.interfaces)
    more = {"deployment": built * 1e3, "MB": table.nbytes / 1e6, "reading the texts": reading * 1e3, "interfaces found": share}
    rows.append(Row("PCM on arrays, 1 core, batches", batches * 1e3 / count, printed.get("sff"), more))
    rows.append(Row("PCM on arrays, 1 core, one at a time", single * 1e3 / len(alone), printed.get("sff")))
    return tuple(rows)


def sweep(seed: int, points: Mapping[str, EventParameters], *, count: int = 500) -> tuple[Row, ...]:
    """A row a point: PCM on arrays in batches, with the milliseconds of the peers beside it."""
    rows = []
    for name, parameters in points.items():
        found = {row.name: row for row in events(seed, parameters, {}, count=count)}
        more = {peer.partition(",")[0]: row.ours for peer, row in found.items() if peer.endswith("published") and "cores" not in peer}
        arrays = found["PCM on arrays, 1 core, batches"]
        rows.append(Row(name, arrays.ours, None, more | {"interfaces found": arrays.more["interfaces found"]}))
    return tuple(rows)


def _sweeps(seed: int, base: EventParameters, share: int) -> list[Group]:
    """P Fig 6 to 9 and G Fig 10, each with fewer points than the figure."""
    total = 1_000_000 // share // base.interfaces
    sizes = {f"{n // share} filters": (n // share,) * 2 for n in (1000, 10_000, 50_000)}
    pictures = {
        "P Fig 6: attributes of an event": {f"{n} attributes": replace(base, attributes=(n, n)) for n in (1, 3, 5, 7, 9)},
        "P Fig 7: constraints of a filter, as many constraints in all": {
            f"{n} constraints": replace(base, constraints=(n, n), filters=(total // n, total // n)) for n in (1, 2, 3, 5, 7, 9)
        },
        "P Fig 8: filters of an interface": {name: replace(base, filters=size) for name, size in sizes.items()},
        "P Fig 9: interfaces": {f"{n} interfaces": replace(base, interfaces=n) for n in (10, 20, 30)},
        "G Fig 10: names": {f"{n} names": replace(base, names=n) for n in (10, 30, 100, 1000)},
    }
    note = "milliseconds of one event, 500 events; the other parameters are those of P Tab 1"
    titles = enumerate(pictures, start=1)
    return [Group(f"sweep-{place}", title, "ms", note, sweep(seed, pictures[title])) for place, title in titles]


def _value(value: int | str) -> Value:
    return value if isinstance(value, str) else Decimal(value)


def _expression(text: str) -> str:
    """A subscription to a topic as a regular expression; levels are plain words."""
    topic = compile("topic", text)
    assert isinstance(topic, Topic)
    return "^" + "/".join("[^/]*" if level == ANY else level for level in topic.levels) + ("$" if topic.exact else "(?:/.*)?$")


def topics(seed: int, subscriptions: int, parameters: streams.TopicParameters, *, count: int = 1000) -> dict[str, Row]:
    """Microseconds of one topic by algorithm; ``add`` and ``remove`` in microseconds too."""
    texts = [streams.subscription(seed, row, parameters) for row in range(subscriptions)]
    given = [streams.topic(seed, row, subscriptions=subscriptions, parameters=parameters) for row in range(count)]
    rows: dict[str, Row] = {}
    expected: list[list[int]] = []
    for algorithm in TOPIC_ALGORITHMS:
        peer = run_topics(algorithm, list(enumerate(texts)), given, rounds=_ROUNDS)
        _same(algorithm, peer.found, expected or peer.found)
        expected = peer.found
        more = {"add": peer.adding * 1e6, "remove": peer.removing * 1e6, "MB": peer.bytes / 1e6}
        more |= {"nodes": float(peer.nodes), "edges": float(peer.edges)}
        rows[algorithm] = Row(f"{subscriptions} subscriptions, {parameters.levels} levels: {algorithm}", peer.seconds * 1e6, None, more)
    return rows | _topic_expressions(texts, given[:20], expected[:20], f"{subscriptions} subscriptions, {parameters.levels} levels")


def _topic_expressions(texts: Sequence[str], given: Sequence[str], expected: list[list[int]], name: str) -> dict[str, Row]:
    """RE2, each expression by itself [H III-B]."""
    found, seconds, building = one_by_one([_expression(text) for text in texts], given)
    _same("RE2", found, expected)
    return {"expressions": Row(f"{name}: RE2 one by one", seconds * 1e6, None, {"add": building * 1e6 / len(texts)})}


def narada_rows(seed: int, name: str, subscriptions: int) -> tuple[Row, ...]:
    """Milliseconds of one message past all subscriptions of an engine of N."""
    engine = narada.ENGINES[name]
    texts = [engine.subscription(seed, row) for row in range(subscriptions)]
    given = [engine.message(seed, row, subscriptions) for row in range(20)]
    label = f"{name}, {subscriptions} subscriptions"
    if name == "selector":
        return (_selectors(texts, given, label),)
    if name == "regex":
        topics_ = [topic for topic, _ in given]
        alone, seconds, _ = one_by_one(texts, topics_)
        together, fresh, building = set_of(texts, topics_)
        _, again, _ = set_of(texts, topics_, rounds=_ROUNDS)
        _same("RE2's set", together, alone)
        _same("the golden model", _golden("regex", texts[:200], given), [[one for one in found if one < 200] for found in alone])
        printed = N_REGEX.get(subscriptions)
        more = {"deployment": building * 1e3, "topics seen before": again * 1e3}
        return Row(f"{label}: RE2 one by one", seconds * 1e3, printed), Row(f"{label}: RE2 as a set", fresh * 1e3, printed, more)
    return (_tree(texts, given, label) if name == "tags" else _hash_table(name, texts, given, label),)


def _golden(language: str, texts: Sequence[str], given: Sequence[tuple[str, narada.Properties]]) -> list[list[int]]:
    compiled = [compile(language, text, Limits(steps=25)) for text in texts]
    messages = [Message(topic, {name: _value(value) for name, value in properties.items()}) for topic, properties in given]
    return [[place for place, one in enumerate(compiled) if one.matches(message)] for message in messages]


def _selectors(texts: Sequence[str], given: Sequence[tuple[str, narada.Properties]], label: str) -> Row:
    """ActiveMQ's selector engine, one selector after the other."""
    properties: list[dict[str, Value]] = [{name: _value(value) for name, value in one.items()} for _, one in given]
    conditions = [text.partition(" ")[2] for text in texts]
    few = [one for one in activemq.evaluate(conditions[:200], properties) if one is not None]
    found = [[place for place, answers in enumerate(few) if answers[number] is True] for number in range(len(given))]
    _same("ActiveMQ", found, _golden("selector", texts[:200], given))
    seconds = activemq.seconds_a_message(conditions, properties, rounds=_ROUNDS)
    return Row(f"{label}: ActiveMQ", seconds * 1e3, None)


def _tree(texts: Sequence[str], given: Sequence[tuple[str, narada.Properties]], label: str) -> Row:
    """The matching tree of N's reference 30, which is that of H III-A: every subscription has the first so many tags, and a message all."""

    def path(text: str) -> str:
        return "/".join(pair.partition("=")[2] for pair in text.split(","))

    peer = run_topics(
        "tree", [(place, path(text)) for place, text in enumerate(texts)], [path(topic) for topic, _ in given], rounds=_ROUNDS
    )
    few = [[one for one in found if one < 200] for found in peer.found]
    _same("the tree", few, _golden("tags", texts[:200], given))
    return Row(f"{label}: tree", peer.seconds * 1e3, None, {"MB": peer.bytes / 1e6})


def _hash_table(name: str, texts: Sequence[str], given: Sequence[tuple[str, narada.Properties]], label: str) -> Row:
    """Integers and strings."""
    read: Callable[[str], object] = int if name == "integer" else str
    table: dict[object, list[int]] = {}
    for place, text in enumerate(texts):
        table.setdefault(read(text), []).append(place)
    topics_ = [topic for topic, _ in given] * 50
    begun = time.process_time()
    found = [table.get(read(topic), []) for topic in topics_]
    seconds = time.process_time() - begun
    _same("the hash table", [[one for one in each if one < 200] for each in found[: len(given)]], _golden(name, texts[:200], given))
    return Row(f"{label}: hash table", seconds * 1e3 / len(topics_), None)


def _narada(seed: int, sizes: Sequence[int]) -> Group:
    """Engines whose peer cannot be had are named."""
    rows: list[Row] = []
    missing: dict[str, str] = {}
    for name in narada.ENGINES:
        try:
            rows += [row for size in sizes for row in narada_rows(seed, name, size)]
        except EngineError as error:
            missing[name] = f"{error}; {error.hint}"
    note = "milliseconds of one message past all subscriptions; Java 1.4 at 1 GHz there"
    return Group("narada", "N Fig 6 to 10: engines of NaradaBrokering", "ms", note, tuple(rows), missing, against="paper")


def groups(seed: int) -> Sequence[Group]:
    """All groups of the languages in software. At other sizes than the papers' their figures are left out."""
    found, share = _groups(seed, _share()), _share()
    if share == 1:
        return found
    note = f"sizes divided by {share}; "
    return [replace(one, note=note + one.note, rows=tuple(replace(row, thesis=None) for row in one.rows)) for one in found]


def _groups(seed: int, share: int) -> list[Group]:

    def scaled(parameters: EventParameters) -> EventParameters:
        low, high = parameters.filters
        return replace(parameters, filters=(low // share, high // share))

    sizes = [10_000 // share, 100_000 // share]
    deep = topics(seed, sizes[-1], streams.TopicParameters(levels=10))
    counted = deep["tree"].more
    tree = tuple(Row(f"{sizes[-1]} subscriptions, 10 levels: {name} of the tree", counted[name], H_TREE[name]) for name in H_TREE)
    about = "10 interfaces of 22,500 to 27,500 filters of 3 to 5 constraints, 1000 events of 3 to 5 attributes; milliseconds of one event"
    beside = "PCM on arrays stands beside SFF's figure; it finds every filter, the others stop at the interfaces"
    numbers, mixed, zipf = (
        events(seed, scaled(parameters), printed, count=count)
        for parameters, printed, count in ((MARGARA, P_TAB_2, 1000), (MIXED, G_TAB_2, 1000), (ZIPF, G_ZIPF, 200))
    )
    known = ", ".join(f"{name} {value}" for name, value in P_TAB_2.items())
    deployment = ", ".join(f"{name} {value}" for name, value in G_DEPLOYMENT.items())
    return [
        Group("events-numbers", "P Tab 2: numbers", "ms", f"{about}\nthe paper: {known}; {beside}", numbers, against="paper"),
        Group("events-mixed", "G Tab 2: strings too", "ms", f"{about}\nthe paper's deployment: {deployment}", mixed, against="paper"),
        Group("events-zipf", "G Tab 2: names by Zipf's law", "ms", about, zipf, against="paper"),
        Group(
            "topics",
            "H Fig 5, 7 and 8: one wildcard, every topic matches a subscription",
            "us",
            "microseconds; the paper prints about 1 us for the spread of the tree, and 4 to 10 us for that of the hash table",
            tuple(row for size in sizes for row in topics(seed, size, streams.PALLICKARA).values()),
        ),
        Group(
            "topics-tree",
            "H Fig 6: the size of the tree",
            "nodes or edges",
            "ten levels of 50 values and one wildcard",
            tree,
            against="paper",
        ),
        _narada(seed, sizes),
        *_sweeps(seed, scaled(MARGARA), share),
    ]
