"""The page of the languages for messages says what is true: examples, codes, judges and departures."""

import re
from pathlib import Path

import pytest

from hdl.config import PRESETS
from hdl.contract import Semantics
from sim.cli.inputs import subscriptions_from
from sim.engines.compiled import compile_message, refusal
from sim.golden.languages import LANGUAGES, LanguageRefusal, parse
from sim.interface import XPATH
from tests.golden.languages.departures import DEPARTURES, cells
from tests.test_docs import DOCS, play, rows

TEXT = (DOCS / "languages.md").read_text(encoding="utf-8")
LIMITS = PRESETS["default"]


def part(heading: str) -> str:
    return TEXT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


MESSAGES = [parse(line.encode()) for line in re.findall(r"```json\n(.*?)```", part("Examples"), re.DOTALL)[0].splitlines()]
EXAMPLES = [(cells[0].removeprefix("`").removesuffix("`"), cells[1]) for cells in rows(part("Examples"))]


@pytest.mark.parametrize(("line", "shown"), EXAMPLES, ids=[line for line, _ in EXAMPLES])
def test_example(line: str, shown: str) -> None:
    (subscription,) = subscriptions_from(line, name="page", semantics=Semantics.EXACT)
    reason = refusal(subscription, LIMITS)
    if reason is not None:
        assert shown == f"refused: `{reason.code.text}`"
    elif subscription.language == XPATH:
        assert shown == "none"
    else:
        compiled = compile_message(subscription, LIMITS)
        found = [number for number, message in enumerate(MESSAGES, start=1) if compiled.matches(message)]
        assert shown == (", ".join(map(str, found)) or "none")


def test_every_language_has_examples_and_a_chapter() -> None:
    for language in LANGUAGES:
        assert sum(line.startswith(f"{language}: ") for line, _ in EXAMPLES) >= 3
        assert part(language)
        assert f"| `{language}` |" in TEXT
    assert {number for _, shown in EXAMPLES for number in re.findall(r"[0-9]+", shown)} == {str(n + 1) for n in range(len(MESSAGES))}
    shown_codes = {shown.split("`")[1] for _, shown in EXAMPLES if shown.startswith("refused")}
    assert len(shown_codes & {code.text for code in LanguageRefusal}) > 8


def test_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert play("languages.md", tmp_path, monkeypatch) == (["alerts.txt", "messages.jsonl"], 1)


def test_differences_are_those_of_the_tests() -> None:
    assert list(rows(part("Where a judge and the model differ"))) == [cells(one) for one in DEPARTURES]


def test_judges_have_tests() -> None:
    for place in re.findall(r"`(tests/[\w/.]+)`", TEXT):
        assert (DOCS.parent / place).exists(), place
