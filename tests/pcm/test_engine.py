"""The engine ``pcm`` gives the answers of the golden model."""

import json
from typing import Any

import pytest

from hdl.config import BrokerConfig
from sim.engines import open_message_engine
from sim.interface import EngineError, Subscription
from sim.vectors.languages.events import Events
from sim.vectors.seeds import Draw
from tests.test_cli import lines, run, write

__all__ = ["write"]


def test_answers_are_those_of_the_model() -> None:
    source = Events(Draw("pcm engine"))
    texts = [source.filter()[0] for _ in range(80)]
    texts += ["", "a", "a = ", "a < 'x'", "x = 1234567890123456", "a = 1 or " * 16 + "a = 2"]
    wanted = [Subscription(sid, text, language="filter") for sid, text in enumerate(texts, start=1)]
    wanted += [Subscription(3, "a = 1", language="filter"), Subscription(81, "area exists", language="filter")]
    spelled = [
        json.dumps({"properties": {name: value if isinstance(value, bool | str) else float(value) for name, value in each.items()}})
        for each in (source.properties() for _ in range(120))
    ]
    given = [line.encode() for line in spelled] + [b"{", b"[]", b'{"properties": {"a": 1e99}}', b'{"topic": "\xff"}', b"{}"]
    model, pcm = (open_message_engine(name, BrokerConfig()) for name in ("model", "pcm"))
    expected = model.match(wanted, given)
    assert pcm.match(wanted, given) == expected
    assert pcm.match(wanted[:50], given[50:]) == model.match(wanted[:50], given[50:])
    assert len(expected.refused) == 7
    assert sum(len(one.matches) for one in expected.documents) > 200


def test_there_may_be_more_subscriptions_than_a_chip_holds() -> None:
    config = BrokerConfig()
    wanted = [Subscription(sid, f"a = {sid}", language="filter") for sid in range(1, config.subscriptions + 100)]
    found = open_message_engine("pcm", config).match(wanted, [b'{"properties": {"a": %d}}' % (config.subscriptions + 50)])
    assert found.refused == ()
    assert found.documents[0].matches == (config.subscriptions + 50,)


def test_other_languages_are_not_taken() -> None:
    engine = open_message_engine("pcm", BrokerConfig())
    with pytest.raises(EngineError, match=r"^the engine 'pcm' matches the language filter only, not mqtt$"):
        engine.match([Subscription(1, "a", language="mqtt")], [])


def test_command_line(write: Any) -> None:
    subscriptions = write("subs", "filter: temp > 30\n7\tfilter: temp != 'x'\n//a\n")
    path = write("m.jsonl", '{"properties": {"temp": 31}}\n{"properties": {"temp": "y"}}\n{"properties": {}}')
    results = [lines(run("match", "--json", "--engine", name, "-s", subscriptions, path)) for name in ("pcm", "model")]
    assert results[0] == results[1]
    assert [one["matches"] for one in results[0]] == [[1], [7], []]
