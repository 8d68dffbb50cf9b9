"""PCM as a Spark job: the answers of the golden model, wherever filters and messages are, and errors in one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hdl.config import PRESETS
from hdl.contract import Code
from sim.golden.languages import Limits, compile, parse
from sim.vectors.languages.attributes import MIXED, EventParameters, event, filter_text, filters
from spark_vectors.jobs import match as job
from spark_vectors.matching import MATCHES
from spark_vectors.store import Store

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]

FEW = EventParameters(names=6, values=5, strings=MIXED.strings, interfaces=2, filters=(80, 120))
LIMITS = Limits.of(PRESETS["default"])


def stored(spark: SparkSession, folder: Path) -> list[Any]:
    rows: list[Any] = Store(spark, str(folder)).read_table("matches", MATCHES).orderBy("row").collect()
    return rows


def test_a_workload_equals_the_golden_model_however_it_is_cut(spark: SparkSession, tmp_path: Path) -> None:
    source = job.Workload(FEW, seed=3, events=90)
    counts = [filters(3, interface, FEW) for interface in range(2)]
    texts = [filter_text(3, interface, row, FEW) for interface in range(2) for row in range(counts[interface])]
    compiled = [compile("filter", text) for text in texts]
    messages = [parse(json.dumps({"properties": event(3, row, FEW)}).encode()) for row in range(90)]
    expected = [[sid for sid, one in enumerate(compiled, start=1) if one.matches(message)] for message in messages]
    summaries = []
    for parts in (1, 5):
        some = source.texts(spark).repartition(parts), source.messages(spark).repartition(parts)
        summaries.append(job.match(spark, *some, str(tmp_path / str(parts)), quiet=True))
        found = stored(spark, tmp_path / str(parts))
        assert [list(row["matches"]) for row in found] == expected
        assert {row["code"] for row in found} == {int(Code.OK)}
    assert summaries[0]["digest"] == summaries[1]["digest"]
    assert summaries[0]["filters"] == sum(counts)
    assert summaries[0]["matches"] == sum(map(len, expected)) > 100
    assert json.loads(Path(tmp_path, "5", "summary.json").read_text()) == summaries[1]


def test_files(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subscriptions, messages = tmp_path / "subs", tmp_path / "m.jsonl"
    subscriptions.write_text("filter: temp > 30\n4000000000\tfilter: temp exists or area = 'x'\nfilter: temp >\n")
    messages.write_bytes(b'{"properties": {"temp": 31}}\n\n{"properties": {"area": "x"}}\n{"topic": "\xff"}\n')
    arguments = ["--subscriptions", str(subscriptions), "--messages", str(messages), "--output", str(tmp_path / "out"), "--quiet"]
    assert job.main(arguments) == 0
    assert "messages refused         1" in capsys.readouterr().out
    found = stored(spark, tmp_path / "out")
    assert [(row["row"], row["matches"], row["offset"]) for row in found] == [
        (0, [1, 4000000000], None),
        (1, [4000000000], None),
        (2, [], 11),
    ]
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["refused"] == {"3": "unterminated"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "error: there must be something to match\nhint: give --subscriptions and --messages, or --workload\n"),
        (["--workload", "x"], "error: there is no workload 'x'\nhint: choose one of numbers, mixed, strings, zipf\n"),
        (
            ["--subscriptions", "SUBS", "--messages", "SUBS"],
            "error: every subscription must be in the language filter, and 2 is in mqtt\nhint: leave it out\n",
        ),
    ],
)
@pytest.mark.usefixtures("spark")
def test_errors(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "subs").write_text("filter: a = 1\nmqtt: a\n")
    named = [str(tmp_path / "subs") if one == "SUBS" else one for one in arguments]
    assert job.main([*named, "--output", str(tmp_path / "out"), "--quiet"]) == 2
    assert capsys.readouterr().err == message
