"""``make sim``: the table, the report and the exit status; wrong arguments in one sentence."""

from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
import typer
from typer.testing import CliRunner

from sim.bench.rows import Row
from spark_vectors.jobs.outcome import Outcome
from spark_vectors.parameters import VectorParameters
from spark_vectors.runs import flow
from spark_vectors.runs.report import BrokerTimes, headline, report_of


class SelfContained(HTMLParser):
    """Fails on anything that a browser would have to fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.figures = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.figures += tag == "svg"
        assert tag not in {"script", "link", "img", "iframe"}
        for name, value in attrs:
            assert name not in {"src", "href", "xlink:href"} or str(value).startswith(("#", "data:")), (tag, name, value)


def outcome(**changes: object) -> Outcome:
    summary = {
        "engine": "verilator", "config": "default", "seed": 7, "documents": 3, "subscriptions": 255, "pairs": 765, "differences": 1,
        "documents_per_second": 10.0, "pairs_per_second": 2550.0, "megabytes_per_core_second": 0.5, "cycles": 1000, "engine_seconds": 0.5,
        "bytes_per_clock": 2.5, "back_to_back": True,
    }  # fmt: skip
    kinds = [
        {"kind": "stock", "documents": 2, "bytes": 900, "well-formed": 2, "not-well-formed": 0, "unsupported": 0, "over-limit": 0},
        {"kind": "broken", "documents": 1, "bytes": 100, "well-formed": 0, "not-well-formed": 1, "unsupported": 0, "over-limit": 0},
    ]
    cells = [
        {"what": "descendant", "verdict": "well-formed", "size": "small", "hit": True, "pairs": 12},
        {"what": "descendant", "verdict": "not-well-formed", "size": "small", "hit": False, "pairs": 40},
        {"what": "code mismatched-end", "verdict": "not-well-formed", "size": "tiny", "hit": None, "pairs": 1},
    ]
    difference = {
        "row": 2, "set": 0, "seed": 7, "sid": 9, "subscription": "//a[@b<'5']", "expected": "match", "got": "no match",
        "replay": ".venv/bin/python -m spark_vectors.jobs.replay --row 2 --sid 9", "kind": "missed",
    }  # fmt: skip
    values = {
        "parameters": VectorParameters(),
        "summary": summary,
        "coverage": {"cells": cells, "promised": 1, "empty": []},
        "golden_seconds": 2.0,
        "kinds": [{**row, "matches": 4, "differences": int(row["kind"] == "stock")} for row in kinds],
        "codes": {0: 2, 22: 1},
        "refusals": {1: 3},
        "differences": [difference],
        "clocks": [{"bytes": 300.0, "documents": 2, "low": 1.0, "middle": 2.0, "high": 3.0}],
    }
    return Outcome(**{**values, **changes})  # type: ignore[arg-type]


TIMES = BrokerTimes(
    {number: tuple(Row("", 100.0 * place, 200.0 * place) for place in range(1, count + 1)) for number, count in ((1, 10), (2, 6))},
    tuple(Row("", 50.0 + place, 60.0) for place in range(18)),
    {224: 3.9, 1008: 3.99},
    {224: 2.0, 1008: 3.5},
)


def written(found: Outcome, times: BrokerTimes | None) -> str:
    return report_of(found, times, command="make sim", commit="abc1234", machine="here").text()


def test_report_shows_failures_with_their_commands() -> None:
    text = written(outcome(), TIMES)
    parser = SelfContained()
    parser.feed(text)
    assert parser.figures == 6
    assert '<span class="verdict failed">FAIL</span>' in text
    assert "//a[@b&lt;&#x27;5&#x27;]" in text
    assert "<code>.venv/bin/python -m spark_vectors.jobs.replay --row 2 --sid 9</code>" in text
    assert "mismatched-end" in text
    assert "abc1234" in text


def test_report_of_an_engine_without_clocks_leaves_the_thesis_alone() -> None:
    quiet = outcome(clocks=[], differences=[], summary={**outcome().summary, "cycles": None, "bytes_per_clock": None, "differences": 0})
    text = written(quiet, None)
    assert '<span class="verdict passed">PASS</span>' in text
    assert "Differences" not in text
    assert "thesis, Case II" in text
    assert "T-Fig 7.2" not in text


def test_report_says_how_publications_followed_each_other() -> None:
    assert "ours, back to back, all of the regression" in written(outcome(), None)
    alone = written(outcome(summary={**outcome().summary, "back_to_back": False}), TIMES)
    assert "publications alone, all kinds together" in alone
    assert "ours, alone, 252 of Set 4" in alone


def test_an_empty_cell_fails_the_run() -> None:
    found = outcome(summary={**outcome().summary, "differences": 0}, coverage={"cells": [], "promised": 1, "empty": ["text x huge"]})
    assert not found.passed
    assert headline(found).endswith("no difference, 1 promised cells of the coverage empty")
    assert "text x huge" in written(found, None)


def invoke(*arguments: object) -> tuple[int, str]:
    runner = CliRunner(env={"NO_COLOR": "1"})
    command = typer.Typer()
    command.command()(flow.main)
    result = runner.invoke(command, [str(argument) for argument in arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--engine", "abacus"], "there is no engine 'abacus'"),
        (["--preset", "huge"], "there is no preset 'huge'"),
        (["--subscriptions", "256"], "subscriptions must be 1 to 255, not 256"),
        (["--master", "spark://127.0.0.1:1", "--engine", "model"], "the Spark master spark://127.0.0.1:1 must be reachable"),
    ],
)
def test_unusable_arguments(arguments: list[str], sentence: str) -> None:
    status, output = invoke(*arguments)
    assert status == 2
    assert sentence in output
    assert "Traceback" not in output
