"""`x2cbbr match`, and subscriptions in languages for messages given to `x2cbbr filter`."""

from typing import Any

import pytest

from hdl.config import BrokerConfig
from hdl.contract import Semantics
from sim.cli import inputs
from sim.engines import ENGINES, MESSAGE_ENGINES, open_engine
from sim.golden.languages import LANGUAGES
from tests.test_cli import STOCK, lines, refused_sentence, run, write

__all__ = ["write"]

SUBSCRIPTIONS = (
    "# one of each, and an XPath\n"
    "topic: Streams/Sensor/*/Pressure\n"
    "mqtt: Streams/+/Air/#\n"
    "string: Streams/Sensor/Air/Pressure\n"
    "integer: 4711\n"
    "tags: Make=Ford,Model=*\n"
    'filter: area = "area1" and temp > 30 or area = "area2" and wind > 20\n'
    "70\tselector: Streams/Sensor/Air/Pressure temp BETWEEN 30 AND 40 AND NOT area LIKE '%2'\n"
    "80\tregex: ^Streams.*Pressure$\n"
    "//a\n"
)
MESSAGES = (
    '{"topic": "Streams/Sensor/Air/Pressure", "properties": {"area": "area1", "temp": 31}, "body": "x"}\n'
    "\n"
    '{"topic": "4711"}\r\n'
    '{"topic": "Make=Ford,Model=Taurus", "properties": {"area": "area2", "wind": 20.5}}\n'
    '{"topic": "<a/>"}'
)


def test_every_language_matches(write: Any) -> None:
    found = lines(run("match", "--json", "-s", write("subs", SUBSCRIPTIONS), write("m.jsonl", MESSAGES)))
    assert [(one["file"], one["line"], one["matches"]) for one in found] == [
        ("m.jsonl", 1, [1, 2, 3, 6, 70, 80]),
        ("m.jsonl", 3, [4]),
        ("m.jsonl", 4, [5, 6]),
        ("m.jsonl", 5, []),
    ]
    assert found[1] == {
        "file": "m.jsonl",
        "line": 3,
        "verdict": "well-formed",
        "code": None,
        "offset": None,
        "bytes": 17,
        "cycles": None,
        "matches": [4],
    }


def test_the_same_subscriptions_on_documents(write: Any) -> None:
    """Only the XPath matches, although the document's text is a topic of the others."""
    document = write("a.xml", b"<a>4711</a>")
    found = lines(run("filter", "--json", "-s", write("subs", SUBSCRIPTIONS), document, write("good.xml", STOCK)))
    assert [one["matches"] for one in found] == [[9], []]


def test_messages_that_are_none_get_a_verdict(write: Any) -> None:
    path = write("m.jsonl", b'\xef\xbb\xbf{"topic": "a"}\n{"topic": "\xc3\xa9",}\n{"properties": {"a": 1e99}}\n{"topic": "\xff"}\n')
    found = lines(run("match", "--json", "-s", write("subs", "string: a"), path))
    assert [(one["line"], one["verdict"], one["code"], one["offset"], one["matches"]) for one in found] == [
        (1, "well-formed", None, None, [1]),
        (2, "not-well-formed", "message-syntax", 15, []),
        (3, "over-limit", "message-range", 21, []),
        (4, "not-well-formed", "message-utf8", 11, []),
    ]
    table = run("match", "-s", write("subs", "string: a"), path).stdout
    assert "15 (column 15)" in table
    assert "message-range" in table
    assert "line" in table.splitlines()[1]


def test_refusals_are_shown_in_order_with_their_places(write: Any) -> None:
    subscriptions = write("subs", "mqtt: a+\n7\t//a[2]\nselector: é temp + 1 > 20\nstring: a\n")
    path = write("m.jsonl", '{"topic": "a"}')
    for command in ("match", "filter"):
        refused = [one for one in lines(run(command, "--json", "-s", subscriptions, path)) if "refused" in one]
        assert [(one["sid"], one["refused"]) for one in refused] == [(1, "wildcard"), (7, "position"), (3, "identifiers")]
    assert run("match", "-s", subscriptions, path).stderr == (
        "subscription 1 is refused (wildcard): a wildcard must be the whole of a level or value\n"
        "    mqtt: a+\n"
        "           ^\n"
        "subscription 7 is refused (position): positional predicates are not accepted\n"
        "    //a[2]\n"
        "        ^\n"
        "subscription 3 is refused (identifiers): identifiers take no arithmetic and compare with constants only\n"
        "    selector: é temp + 1 > 20\n"
        "                ^\n"
    )


def test_a_file_without_messages_shows_refusals_all_the_same(write: Any) -> None:
    result = run("match", "--json", "-s", write("subs", "integer: x"), write("m.jsonl", "\n \n"))
    assert lines(result) == [{"sid": 1, "refused": "integer"}]


def test_the_table_of_subscriptions_is_limited(write: Any) -> None:
    subscriptions = write("subs", "".join(f"integer: {number}\n" for number in range(128)))
    found = lines(run("match", "--json", "--preset", "small", "-s", subscriptions, write("m.jsonl", '{"topic": "126"}')))
    assert found[0] == {"sid": 128, "refused": "full-subscriptions"}
    assert found[1]["matches"] == [127]


def test_engines_that_match_messages() -> None:
    for name in ENGINES:
        known = name in MESSAGE_ENGINES
        result = run("match", "--engine", name, "-s", "gone", "gone")
        message = "the subscriptions file 'gone' does not exist; check the path." if known else None
        assert refused_sentence(result) == (
            message or f"the engine {name!r} cannot match messages; choose one of {', '.join(MESSAGE_ENGINES)}."
        )
        if known:
            assert hasattr(open_engine(name, BrokerConfig()), "match")


def test_an_engine_that_does_not_exist() -> None:
    assert refused_sentence(run("match", "--engine", "magic", "-s", "gone", "gone")) == (
        "there is no engine 'magic'; choose one of model, pcm."
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("topic: a/b", (1, "topic", "a/b")),
        ("  topic: a/b", (1, "topic", "a/b")),
        ("5\ttopic: a/b", (5, "topic", "a/b")),
        ("5\t mqtt: #", (5, "mqtt", "#")),
        ("string:", (1, "string", "")),
        ("string: ", (1, "string", "")),
        ("string:  a ", (1, "string", " a ")),
        ("string: a\tb: c", (1, "string", "a\tb: c")),
        ("string:\ta", (1, "string", "a")),
        ("selector:  a = 1", (1, "selector", " a = 1")),
        ("xpath: //a", (1, "xpath", "//a")),
        ("topic:a/b", (1, "xpath", "topic:a/b")),
        ("//a[.='topic: x']", (1, "xpath", "//a[.='topic: x']")),
        ("child::a", (1, "xpath", "child::a")),
    ],
)
def test_a_language_stands_in_front_of_a_subscription(line: str, expected: tuple[int, str, str]) -> None:
    (found,) = inputs.subscriptions_from(f"{line}\r\n", name="subs", semantics=Semantics.EXACT)
    assert (found.sid, found.language, found.text) == expected


def test_a_language_that_does_not_exist(write: Any) -> None:
    result = run("filter", "-s", write("subs", "//a\nsparql: x\n"), write("a.xml", "<a/>"))
    assert refused_sentence(result) == f"subs line 2: there is no language 'sparql'; choose one of xpath, {', '.join(LANGUAGES)}."
