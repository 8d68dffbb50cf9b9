"""The Spark jobs end to end: the same bytes wherever they run, differences found, errors in one sentence."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from typer.testing import CliRunner

from hdl.contract import Code
from sim.cache import cached
from sim.vectors.documents import document
from sim.vectors.families.stock import THESIS_SIZES
from sim.vectors.queries import subscription_set
from spark_vectors.binary import unpack_documents, unpack_golden, unpack_subscriptions
from spark_vectors.errors import JobError
from spark_vectors.jobs import coverage, regress, replay, vectors
from spark_vectors.parameters import VectorParameters
from spark_vectors.running import RESULTS
from spark_vectors.runs import flow
from spark_vectors.schema import DIFFERENCES
from spark_vectors.session import even_tasks
from spark_vectors.store import Store

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]

ROOT = Path(__file__).parent.parent.parent
PARAMETERS = VectorParameters(seed=11, documents=96, subscriptions=60, sets=2, scenarios=2, events=64, largest=4096)
NAMES = ("seed", "documents", "subscriptions", "sets", "scenarios", "events", "largest")
ARGUMENTS = [f"--{name}={getattr(PARAMETERS, name)}" for name in NAMES]
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Path:
    """A folder that the processes of one test run share."""
    return tmp_path_factory.getbasetemp().parent / f"spark-{testrun_uid}"


@pytest.fixture(scope="session")
def made(spark: SparkSession, place: Path) -> Path:
    """The vectors of local[2] with 7 partitions."""

    def make(folder: Path) -> None:
        _, apart = vectors.make(spark, PARAMETERS, str(folder), partitions=7, quiet=True)
        assert apart == 0

    return cached(place / "vectors", make)


@pytest.fixture(scope="session")
def results(spark: SparkSession, made: Path, place: Path) -> Path:
    """The results of the model over them."""

    def make(folder: Path) -> None:
        regress.regress(spark, str(made), str(folder), name="model", partitions=3, quiet=True)

    return cached(place / "results", make)


def test_tasks_are_even(spark: SparkSession) -> None:
    """The chunks of 10,000 documents in two tasks and a third one with what is left; settings are as before."""
    chunk, data = (F.col("id") % 40).cast("int").alias("chunk"), F.sha2(F.col("id").cast("string"), 256).alias("data")
    rows = spark.range(0, 40 * 64).select(F.lit(0).alias("set"), chunk, data)
    names = ("spark.sql.shuffle.partitions", "spark.sql.adaptive.coalescePartitions.enabled")
    before = [spark.conf.get(name) for name in names]
    with even_tasks(spark, 1):
        counted = rows.repartition("set", "chunk").groupBy(F.spark_partition_id()).count().collect()
    shares = sorted((row["count"] / (40 * 64) for row in counted), reverse=True)
    assert len(shares) in (2, 3)
    assert shares[0] <= 0.525  # the hashes of a set's keys gave 0.56
    assert [spark.conf.get(name) for name in names] == before


def _elsewhere(job: str, master: str, *more: str, settings: str = "", submit: bool = False) -> "subprocess.CompletedProcess[str]":
    """A job in a session of its own, by spark-submit or as a module."""
    arguments = [*ARGUMENTS, *more, "--quiet"]
    if submit:
        script = [str(Path(sys.executable).parent / "spark-submit"), "--master", master, "--driver-java-options", BRIEF]
        command = [*script, str(ROOT / "spark_vectors" / "jobs" / f"{job}.py"), *arguments]
    else:
        command = [sys.executable, "-W", "ignore", "-m", f"spark_vectors.jobs.{job}", "--master", master, *arguments]
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": f"--conf 'spark.executor.extraJavaOptions={BRIEF}' {settings} pyspark-shell"}
    environment |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False, env=environment)


@pytest.mark.parametrize(("master", "submit"), [("local[1]", True), ("local-cluster[2,1,1024]", False)])
def test_same_manifest_wherever_it_is_made(made: Path, tmp_path: Path, master: str, submit: bool) -> None:
    ran = _elsewhere("vectors", master, "--output", str(tmp_path / "v"), submit=submit)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "v" / "manifest.json").read_bytes() == (made / "manifest.json").read_bytes()
    files = {path.relative_to(made) for path in (made / "binary").rglob("*") if path.is_file() and path.suffix != ".crc"}
    assert len(files) == 2 * 3 + 4 * 3
    for name in files:
        assert (tmp_path / "v" / name).read_bytes() == (made / name).read_bytes()


def _rows(spark: SparkSession, folder: Path) -> list[dict[str, object]]:
    """All results but for the time that they took."""
    return [row.asDict() for row in Store(spark, str(folder)).read_table("results", RESULTS).drop("seconds").orderBy("row").collect()]


def test_killed_executor_changes_nothing(spark: SparkSession, made: Path, results: Path, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    ran = _elsewhere(
        "regress",
        "local-cluster[2,1,1024]",
        *(
            "--vectors",
            str(made),
            "--output",
            str(tmp_path / "r"),
            "--engine",
            "tests.spark.broken_engine:MortalEngine",
            "--partitions",
            "3",
        ),
        settings=f"--conf spark.executorEnv.PYTHONPATH={ROOT} --conf spark.executorEnv.X2CBBR_MORTAL={mark}",
    )
    assert ran.returncode == 0, ran.stderr
    assert mark.read_text() == "killed"
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert (summary["documents"], summary["differences"]) == (156, 0)
    assert _rows(spark, tmp_path / "r") == _rows(spark, results)


def test_manifest_tells_what_is_there(made: Path) -> None:
    manifest = json.loads((made / "manifest.json").read_text())
    assert manifest["parameters"] == PARAMETERS.as_dict()
    assert (manifest["schema"], manifest["disagreements"]) == (2, 0)
    assert {name: table["rows"] for name, table in manifest["tables"].items()} == {
        "documents": 156,
        "subscriptions": 2 * 60 + 48 + 3 * 42,
        "golden": 156,
        "scenarios": 2 * 64,
    }
    assert manifest["tables"]["documents"]["kinds"]["broken"] == 12
    assert all(len(table["hash"]) == 32 for table in manifest["tables"].values())


def test_binary_files_hold_the_same_vectors(made: Path) -> None:
    number, documents = unpack_documents((made / "binary/set-0001/chunk-00000.documents").read_bytes())
    assert (number, [entry.row for entry in documents]) == (1, list(range(1, 96, 2)))
    assert documents[3].data == document(seed=11, row=7, largest=4096).data
    _, results = unpack_golden((made / "binary/set-0001/chunk-00000.golden").read_bytes())
    assert [entry.row for entry in results] == [entry.row for entry in documents]
    for entry in results:
        aim = document(seed=11, row=entry.row, largest=4096)
        assert aim.aim in (None, entry.code)
        assert aim.offset in (None, entry.offset)
    _, subscriptions = unpack_subscriptions((made / "binary/set-0001/set.subscriptions").read_bytes())
    assert [entry.text for entry in subscriptions] == [entry.text for entry in subscription_set(seed=11, number=1, count=60)]


def test_thesis_sets_are_among_the_vectors(made: Path) -> None:
    for number, matching in ((1, 48), (2, 42), (3, 39), (4, 0)):
        folder = made / f"binary/set-{number + 1:04d}"
        _, documents = unpack_documents((folder / "chunk-00000.documents").read_bytes())
        assert tuple(len(entry.data) for entry in documents) == THESIS_SIZES
        _, golden = unpack_golden((folder / "chunk-00000.golden").read_bytes())
        assert {len(entry.matches) for entry in golden} == {matching}


def test_model_shows_no_differences(results: Path) -> None:
    summary = json.loads((results / "summary.json").read_text())
    assert (summary["documents"], summary["pairs"], summary["differences"]) == (156, 96 * 60 + 15 * (48 + 3 * 42), 0)


def test_flow_shows_a_table_and_writes_the_report(spark: SparkSession, made: Path, tmp_path: Path) -> None:
    """What ``make sim`` does, on the model and on vectors that are there already."""
    command = typer.Typer()
    command.command()(flow.main)
    chosen = ("seed", "documents", "subscriptions", "sets", "scenarios", "largest")
    arguments = [*(f"--{name}={getattr(PARAMETERS, name)}" for name in chosen), "--engine=model", "--partitions=3", "--quiet"]
    places = [f"--vectors={made}", f"--results={tmp_path / 'results'}", f"--report={tmp_path / 'report'}"]
    before = (made / "manifest.json").stat().st_mtime_ns
    ran = CliRunner(env={"NO_COLOR": "1"}).invoke(command, [*arguments, *places])
    assert ran.exit_code == 0, ran.output
    assert (made / "manifest.json").stat().st_mtime_ns == before
    assert "PASS 156 publications x 60 subscriptions (seed 11) on engine model, preset default: 8,370 pairs" in ran.output
    assert re.search(r"broken +│ +12 │", ran.output)
    text = (tmp_path / "report" / "index.html").read_text()
    assert '<span class="verdict passed">PASS</span>' in text
    assert text.count("<svg") == 4
    assert "thesis, Case I" in text


def test_a_fault_that_a_document_leaves_to_the_next_is_replayed_behind_it(tmp_path: Path) -> None:
    def status(*more: str) -> int:
        sticky = ["--engine", "tests.spark.broken_engine:StickyEngine", "--folder", str(tmp_path)]
        return replay.main(["--row", "40", *ARGUMENTS, *sticky, *more])

    assert status() == 0
    assert status("--before", "12") == 1


def test_faults_of_the_hardware_are_found_and_replayed(
    spark: SparkSession, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mutated RTL: one comparison inverted, and the check of end tags dropped; without a fault it is right, streams included."""

    def found(engine: str) -> list[dict[str, object]]:
        regress.regress(
            spark, str(made), str(tmp_path / engine), name=f"tests.spark.broken_engine:{engine}", words=False, partitions=3, quiet=True
        )
        rows = Store(spark, str(tmp_path / engine)).read_table("differences", DIFFERENCES).orderBy("row", "sid").collect()
        return [row.asDict() for row in rows]

    assert found("FaultyEngine") == []
    assert json.loads((tmp_path / "FaultyEngine" / "summary.json").read_text())["streams"] == 2
    inverted = found("InvertedEngine")
    assert {"missed", "false"} <= {row["kind"] for row in inverted} <= {"missed", "false", "stream"}
    inverted = [row for row in inverted if row["kind"] != "stream"]
    assert all(re.search(r"<\s*[^=]", str(row["subscription"])) for row in inverted)
    trusting = [row for row in found("TrustingEngine") if row["kind"] != "stream"]
    wrong = [row for row in trusting if row["kind"] == "verdict"]
    assert {str(row["expected"]).split()[0] for row in wrong} == {str(int(Code.MISMATCHED_END))}
    assert {row["row"] for row in trusting} == {row["row"] for row in wrong}
    for row in (inverted[0], wrong[0]):
        data = PARAMETERS.document(int(str(row["row"]))).data
        assert row["document"] == data
        command = str(row["replay"]).split()
        assert command[:3] == [".venv/bin/python", "-m", "spark_vectors.jobs.replay"]
        assert "--waves" in command
        folder = tmp_path / "replay"
        assert replay.main([*command[3:], "--folder", str(folder)]) == 1
        assert "expected" in capsys.readouterr().out
        assert (folder / f"row-{row['row']}.xml").read_bytes() == data
        assert b"$enddefinitions" in (folder / f"row-{row['row']}.vcd").read_bytes()
        command.remove("--waves")
        assert replay.main([*command[3:], "--engine", "model", "--folder", str(folder)]) == 0
    stream = ["--scenario", "1", *ARGUMENTS, "--folder", str(tmp_path / "replay")]
    assert replay.main([*stream, "--engine", "tests.spark.broken_engine:FaultyEngine", "--waves"]) == 0
    assert "0 answered otherwise" in capsys.readouterr().out
    assert (tmp_path / "replay" / "stream-1.vcd").is_file()
    assert replay.main([*stream, "--engine", "model"]) == 2
    assert capsys.readouterr().err.startswith("error: engine model takes no streams\nhint: choose --engine verilator")


def test_coverage_counts_and_fails_on_an_empty_cell(spark: SparkSession, made: Path) -> None:
    cells = [row.asDict() for row in coverage.coverage(spark, str(made)).collect()]
    pairs = sum(cell["pairs"] for cell in cells if cell["what"] == "exact") + sum(
        cell["pairs"] for cell in cells if cell["what"] == "containment"
    )
    accepted = sum(entry.aim is None for number in (0, 1) for entry in subscription_set(seed=11, number=number, count=60))
    assert pairs == 48 * accepted + 15 * (48 + 3 * 42)
    assert sum(cell["pairs"] for cell in cells if cell["what"].startswith("code ")) == 156
    assert any(cell["hit"] for cell in cells if cell["what"] == "attribute = number")
    assert coverage.empty(cells, iter([coverage.Cell("code ok"), coverage.Cell("exact", "well-formed", None, True)])) == []
    missing = coverage.Cell("text < string", "well-formed", "huge", True)
    assert coverage.empty(cells, iter([missing])) == [missing]
    assert str(missing) == "text < string x well-formed x huge x hit"
    # A code is promised from the first document made for it: bad-doctype from row 353, because row 121 has a long number instead.
    wanted = list(coverage.promised(PARAMETERS))
    assert [str(cell) for cell in wanted][:3] == ["code ok", "code utf16", "code bad-utf8"]
    assert coverage.empty(cells, iter(wanted)) == []
    assert coverage.empty([cell for cell in cells if cell["what"] != "code utf16"], iter(wanted)) == [coverage.Cell("code utf16")]
    by_size = {size: set(coverage.promised(replace(PARAMETERS, documents=size))) for size in (1, 353, 354)}
    assert by_size[1] == {coverage.Cell("code ok")}
    assert by_size[354] == {coverage.Cell(f"code {code.text}") for code in Code if code is not Code.NAME_CLASH}
    assert by_size[354] - by_size[353] == {coverage.Cell("code bad-doctype")}
    assert len(list(coverage.promised(replace(PARAMETERS, documents=4000, subscriptions=255)))) > 500


def test_vectors_that_must_not_be_believed(spark: SparkSession, made: Path, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path))
    with pytest.raises(JobError, match=r"must hold a whole set of vectors, but has no manifest\.json"):
        store.manifest()
    manifest = json.loads((made / "manifest.json").read_text())
    store.write_text("manifest.json", json.dumps({**manifest, "schema": 99}))
    with pytest.raises(JobError, match=r"the schema version of .* must be 2, not 99"):
        store.manifest()
    manifest["tables"]["subscriptions"]["hash"] = "0" * 32
    with pytest.raises(JobError, match=f"the hash of the table subscriptions must be {'0' * 32} as the manifest says"):
        Store(spark, str(made)).check_tables(manifest, "subscriptions")


def test_truncated_tables_are_refused(spark: SparkSession, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "vectors"
    shutil.copytree(made, copy)
    file = next((copy / "golden").rglob("*.parquet"))
    file.write_bytes(file.read_bytes()[:-100])
    for crc in file.parent.glob(".*.crc"):
        crc.unlink()
    assert regress.main(["--vectors", str(copy), "--quiet", "--partitions", "3", *ARGUMENTS]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: the table golden of {copy} must be whole, and Spark cannot read it\nhint: make the vectors again")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--master", "spark://127.0.0.1:1", "--output", "/tmp/x"],
            "the Spark master spark://127.0.0.1:1 must be reachable, but nothing answers there",
        ),
        (["--master", "local[2]", "--output", "/proc/none"], "/proc/none must be writable"),
        (["--master", "local[2]", "--output", "gopher://x/y"], "gopher://x/y must be on a file system that Spark knows"),
        (["--output", "/tmp/x", "--documents", "0"], "documents must be at least 1, not 0"),
        (["--output", "/tmp/x", "--subscriptions", "256"], "subscriptions must be 1 to 255, not 256"),
    ],
)
def test_errors_are_one_sentence(spark: SparkSession, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert vectors.main([*arguments, "--quiet"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: {message}")
    assert "Traceback" not in shown
    assert os.environ["PYSPARK_PYTHON"]


def test_unknown_engine(spark: SparkSession, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert regress.main(["--vectors", str(made), "--engine", "abacus", "--quiet", "--partitions", "3", *ARGUMENTS]) == 2
    assert capsys.readouterr().err.startswith("error: there is no engine 'abacus'\nhint: choose one of model")
