"""The vector flow: it passes on the model, and every kind of wrong answer is caught and can be replayed."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Refusal, Semantics
from sim import engines, flow
from sim.cli import app
from sim.compare import Comparison, Document, Vectors, compare
from sim.engines.interface import Filtered, FilterResult, ParseResult, Refused, Subscription
from sim.engines.model import ModelEngine
from sim.judge import Judge, accepted_by, respelled

GOOD = Document("good", "hand", b'<a x="5"><b>t</b></a>', Code.OK)
BAD = Document("bad", "hand", b"<a><b></a>", Code.MISMATCHED_END, 9)
FREE = Document("free", "hand", b"<a/>")
SUBSCRIPTIONS = (
    Subscription(1, "/a[@x > 4]/b"),
    Subscription(2, "//c"),
    Subscription(3, "//b", Semantics.CONTAINMENT),
    Subscription(4, "//["),
)
VECTORS = Vectors(7, SUBSCRIPTIONS, (Refusal.NONE, Refusal.NONE, Refusal.NONE, Refusal.SYNTAX), (GOOD, BAD, FREE))
RIGHT = FilterResult(
    (Refused(SUBSCRIPTIONS[3], Refusal.SYNTAX),),
    (
        Filtered(ParseResult(Code.OK, None, 21), (1, 3)),
        Filtered(ParseResult(Code.MISMATCHED_END, 9, 10), ()),
        Filtered(ParseResult(Code.OK, None, 4), ()),
    ),
)


def with_document(place: int, filtered: Filtered) -> FilterResult:
    documents = list(RIGHT.documents)
    documents[place] = filtered
    return replace(RIGHT, documents=tuple(documents))


def test_right_answers_make_no_difference() -> None:
    assert compare(VECTORS, RIGHT) == Comparison((), verdicts=3, pairs=6, matches=2)


@pytest.mark.parametrize(
    ("result", "kind", "document", "sid", "what"),
    [
        (with_document(0, Filtered(ParseResult(Code.OK, None, 21), (1,))), "match", "good", 3, "not matched, but libxml2 finds it: //b"),
        (
            with_document(0, Filtered(ParseResult(Code.OK, None, 21), (1, 2, 3))),
            "match",
            "good",
            2,
            "matched, but libxml2 finds nothing: //c",
        ),
        (with_document(0, Filtered(ParseResult(Code.OK, None, 21), (3, 1))), "order", "good", None, "matches must rise, not (3, 1)"),
        (with_document(0, Filtered(ParseResult(Code.OK, None, 20), (1, 3))), "bytes", "good", None, "20 bytes counted instead of 21"),
        (
            with_document(1, Filtered(ParseResult(Code.MISMATCHED_END, 8, 10), ())),
            *("verdict", "bad", None, "mismatched-end at 8 instead of mismatched-end at 9"),
        ),
        (
            with_document(1, Filtered(ParseResult(Code.MISMATCHED_END, 9, 10), (1,))),
            *("match", "bad", 1, "a document without a good end matched"),
        ),
        (
            with_document(2, Filtered(ParseResult(Code.BAD_TAG, 2, 4), ())),
            *("verdict", "free", None, "not-well-formed (bad-tag at 2), but libxml2 and expat both say otherwise"),
        ),
        (replace(RIGHT, refused=()), "refusal", None, 4, "none instead of syntax for '//['"),
    ],
)
def test_every_wrong_answer_is_a_difference(result: FilterResult, kind: str, document: str | None, sid: int | None, what: str) -> None:
    (found,) = compare(VECTORS, result).differences
    assert (found.kind, found.document, found.sid, found.what) == (kind, document, sid, what)


def test_a_broken_document_called_well_formed_is_a_difference() -> None:
    vectors = replace(VECTORS, documents=(Document("free", "hand", b"<a></b>"),))
    result = replace(RIGHT, documents=(Filtered(ParseResult(Code.OK, None, 7), ()),))
    assert [one.kind for one in compare(vectors, result).differences] == ["verdict"]


@pytest.mark.parametrize(
    ("text", "document", "hit"),
    [
        ("p:a/@q:b", b'<p:a xmlns:p="u" xmlns:q="v" q:b=""/>', True),
        ("a", b'<a xmlns="u"/>', True),
        ("b", b"<a><b/></a>", False),
        ("//a[ @b = 'and' and @c<=- 1 ]", b'<r><a b="and" c="-1.0"/></r>', True),
        ("a[.='x]/y']", b"<a>x]/y</a>", True),
        ("//a[@b=1000]", b'<a b="1e3"/>', False),
        ("//a[@b!=1000]", b'<a b="1e3"/>', True),
        ("//a[@b<5]", b'<a b="+1"/>', False),
        ("//a[@b=0]", b'<a b="."/>', False),
        ("//a[@b<'1e3']", b'<a b="5"/>', False),
        ("//a[@b<' 7 ']", b'<a b="5"/>', True),
        ("//a[@b!=5]", b"<a/>", False),
        ("//a[text()!=5]", b"<a>5<!---->x</a>", True),
        ("and/text", b"<and><text/></and>", True),
        ("a[text()='']", b"<a><![CDATA[]]></a>", False),
        ("a[text()='bcd']", b"<a>b<![CDATA[c]]>&#100;</a>", True),
    ],
)
def test_judge_follows_the_recommendation(text: str, document: bytes, hit: bool) -> None:
    """Worked by hand from XPath 1.0; several of them are where libxml2 alone would say otherwise."""
    assert Judge([(1, text, Semantics.EXACT)]).matches(document) == ([1] if hit else [])


@pytest.mark.parametrize(
    ("text", "document", "hit"),
    [
        ("/b/a", b"<a><b/></a>", True),
        ("/b/a", b'<a b=""/>', True),
        ("/b/c", b"<a><b/></a>", False),
        ("/b[@x=5]", b'<a x="5.0"><b/></a>', True),
        ("/b[@x=5]", b"<a><b/><x>5</x></a>", False),
        ("/b[.='t']/@a", b"<a><b>t</b></a>", True),
        ("/a[.='u']", b"<a><b>u</b>v</a>", False),
        ("//*", b"<a/>", True),
    ],
)
def test_judge_of_containment(text: str, document: bytes, hit: bool) -> None:
    assert Judge([(1, text, Semantics.CONTAINMENT)]).matches(document) == ([1] if hit else [])


def test_judges_of_documents() -> None:
    assert accepted_by(b"<a/>") == {"expat", "libxml2"}
    assert accepted_by(b"<a>") == frozenset()
    assert accepted_by(b"<p:a/>") == frozenset()
    assert accepted_by("<\U00010000/>".encode()) == {"libxml2"}
    with pytest.raises(ValueError, match="text must be an accepted expression, not '//a\\('"):
        respelled("//a(")


def test_same_seed_same_vectors() -> None:
    config = PRESETS["default"]
    assert flow.built_in(3, 40, 30, config) == flow.built_in(3, 40, 30, config)
    assert flow.built_in(3, 40, 30, config) != flow.built_in(4, 40, 30, config)


class SelfContained(HTMLParser):
    """Fails on anything that a browser would have to fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.figures = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.figures += tag == "svg"
        assert tag not in {"script", "link", "img", "iframe"}
        for name, value in attrs:
            assert name not in {"src", "href", "xlink:href"} or str(value).startswith("#"), (tag, name, value)


def invoke(*arguments: object) -> tuple[int, str]:
    runner = CliRunner(env={"NO_COLOR": "1"})
    command = typer.Typer()
    command.command()(flow.main)
    result = runner.invoke(command, [str(argument) for argument in arguments])
    return result.exit_code, result.output


def test_model_passes_and_reports(tmp_path: Path) -> None:
    status, output = invoke("--documents", 120, "--subscriptions", 60, "--seed", 5, "--output", tmp_path)
    assert status == 0, output
    assert "PASS 120 publications x 60 subscriptions (seed 5) on engine model, preset default" in output
    assert "no difference" in output
    text = (tmp_path / "index.html").read_text()
    parser = SelfContained()
    parser.feed(text)
    assert parser.figures == 3
    assert "PASS" in text
    assert not (tmp_path / "replay").exists()


class Inverted(ModelEngine):
    """A model that forgets the matches of subscriptions that compare with ``<``."""

    def __init__(self, config: BrokerConfig) -> None:
        super().__init__(config)

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        found = super().filter(subscriptions, documents)
        wrong = {one.sid for one in subscriptions if "<" in one.xpath}
        return replace(
            found, documents=tuple(replace(one, matches=tuple(sid for sid in one.matches if sid not in wrong)) for one in found.documents)
        )


def test_a_wrong_engine_fails_with_commands_that_replay_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "ENGINES", {**engines.ENGINES, "inverted": f"{__name__}:Inverted"})
    status, output = invoke("--engine", "inverted", "--documents", 60, "--subscriptions", 60, "--seed", 5, "--output", tmp_path)
    assert status == 1
    assert "FAIL" in output
    lines = output.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("match "))
    _, name, sid = lines[place].split(":")[0].split()
    command = shlex.split(lines[place + 1])
    assert command[0] == ".venv/bin/x2cbbr"
    answers = []
    for engine in ("inverted", "model"):
        arguments = [engine if one == "inverted" else one for one in command[1:]]
        result = CliRunner().invoke(app, [*arguments, "--json"])
        found = [json.loads(line) for line in result.stdout.splitlines()][-1]
        assert Path(found["file"]).stem == name
        answers.append(int(sid) in found["matches"])
    assert answers == [False, True]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--engine", "abacus"], "there is no engine 'abacus'"),
        (["--preset", "huge"], "there is no preset 'huge'"),
        (["--source", "tape"], "there is no source 'tape'"),
        (["--subscriptions", "256"], "preset default holds 255 subscriptions, not 256"),
    ],
)
def test_unusable_arguments(arguments: list[str], sentence: str) -> None:
    status, output = invoke(*arguments)
    assert status == 2
    assert sentence in output
    assert "Traceback" not in output
