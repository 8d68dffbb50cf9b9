"""The regression of the languages for messages: sets are pinned, judges notice a wrong engine, a job is the same wherever it runs."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hdl.config import BrokerConfig
from sim.engines.model import ModelEngine
from sim.golden.languages import LANGUAGES, parse
from sim.interface import Filtered, FilterResult, Subscription
from sim.judges.languages import JUDGES
from sim.vectors.languages.corners import CORNERS, MIXED, corner_set, line_of
from spark_vectors import judging
from spark_vectors.jobs import languages as job
from spark_vectors.record import record

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]

SIZES: dict[str, Any] = {"subscriptions": 32, "messages": 24}
PINNED = {
    "topic": "b1dd561874e1caad",
    "mqtt": "5c5eb333ce9e7060",
    "string": "e6d941a5a414cb50",
    "integer": "58c193155c0eadac",
    "tags": "914733461d7b91a0",
    "filter": "315f04b339e5463e",
    "selector": "47074ce9ed43ffb2",
    "regex": "4cb1f89e4be01262",
    "mixed": "0361168a6096aae0",
}


@pytest.mark.parametrize("language", [*CORNERS, MIXED])
def test_sets_are_pinned(language: str) -> None:
    found = corner_set(language, seed=1, number=3, **SIZES)
    assert hashlib.sha256(repr((found.asked, [line_of(one) for one in found.messages])).encode()).hexdigest()[:16] == PINNED[language]


def test_every_language_has_corners_and_judges() -> None:
    assert list(CORNERS) == list(JUDGES) == list(LANGUAGES)
    with pytest.raises(ValueError, match=r"^a set must have at least 8 subscriptions and a message, not 7 and 1$"):
        corner_set("mqtt", seed=1, number=0, subscriptions=7, messages=1)


@pytest.mark.parametrize("language", [*CORNERS, MIXED])
def test_lines_are_the_messages(language: str) -> None:
    for one in corner_set(language, seed=2, number=0, **SIZES).messages:
        assert parse(line_of(one)) == one


@pytest.mark.parametrize("language", [*CORNERS, MIXED])
def test_the_model_equals_the_judges(language: str) -> None:
    found = judging.judged(language, 0, seed=5, engine="model", preset="default", subscriptions=64, messages=64)
    assert found["differences"] == []
    assert found["pairs"] > 0.9 * 64 * 64
    assert found["matches"] > found["pairs"] // 80
    wanted = JUDGES if language == MIXED else {language: JUDGES[language]}
    assert found["judges"] == [f"{name}: {judge}" if language == MIXED else judge for name in wanted for judge in wanted[name]]


class Faulty(ModelEngine):
    """Loses the last match of the first message that has one, and refuses nothing differently."""

    def match(self, subscriptions: Sequence[Subscription], messages: Sequence[bytes]) -> FilterResult:
        found = super().match(subscriptions, messages)
        place = next(place for place, one in enumerate(found.documents) if one.matches)
        lost = Filtered(found.documents[place].result, found.documents[place].matches[:-1])
        return FilterResult(found.refused, (*found.documents[:place], lost, *found.documents[place + 1 :]))


@pytest.mark.parametrize("language", CORNERS)
def test_every_judge_notices_a_lost_match(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "open_message_engine", lambda *_: Faulty(BrokerConfig()))
    found = judging.judged(language, 0, seed=5, engine="model", preset="default", **SIZES)
    assert [one.partition(":")[0] for one in found["differences"]] == list(JUDGES[language])
    assert all(one.endswith(": match expected") for one in found["differences"])


def test_the_arrays_of_pcm_equal_the_judges() -> None:
    found = judging.judged("filter", 0, seed=6, engine="pcm", preset="default", subscriptions=100, messages=100)
    assert (found["differences"], found["pairs"]) == ([], 10_000)


def test_a_job_is_the_same_wherever_it_runs(spark: SparkSession) -> None:
    some = ("string", "mqtt", MIXED)
    found = job.judge(spark, seed=5, sets=2, languages=some, quiet=True, **SIZES)
    assert list(found) == list(some)
    for language in some:
        rows = [judging.judged(language, number, seed=5, engine="model", preset="default", **SIZES) for number in (0, 1)]
        assert (found[language]["pairs"], found[language]["matches"]) == tuple(
            sum(row[key] for row in rows) for key in ("pairs", "matches")
        )
        assert (found[language]["sets"], found[language]["differences"]) == (2, [])


@pytest.mark.usefixtures("spark")
def test_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    small = ["--sets", "1", "--subscriptions", "16", "--messages", "8", "--only", "integer", "--quiet"]
    kept = tmp_path / "languages.json"
    monkeypatch.setattr(job, "record", lambda *arguments, of: record(*arguments, of=of, path=kept))
    assert job.main([*small, "--record"]) == 0
    assert "integer           128" in capsys.readouterr().out
    figures = json.loads(kept.read_text())["regression"]["model"]
    assert figures["languages"]["integer"]["pairs"] == 128
    assert job.main([*small, "--engine", "verilator"]) == 2
    assert capsys.readouterr().err == "error: the engine 'verilator' cannot match messages\nhint: choose one of model, pcm\n"
    wrong = dict.fromkeys(("pairs", "matches", "refused", "sets", "subscriptions", "messages"), 1) | {
        "judges": ["x"],
        "differences": ["x: y"],
    }
    monkeypatch.setattr(job, "judge", lambda *_, **__: {"integer": wrong})
    assert job.main(small) == 1
    assert "x: y" in capsys.readouterr().err
