"""One Spark session with the right Python, the packages on every executor, and early, plain errors."""

import contextlib
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from pyspark.sql import SparkSession

from spark_vectors.errors import JobError

__all__ = ["Progress", "even_tasks", "java_quiet", "open_session", "processor_seconds", "ship_packages"]

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("hdl", "sim", "spark_vectors")
_SHIPPED = (".py", ".java")
LOGGING = Path(__file__).resolve().parent / "log4j2.properties"
_CONNECT_SECONDS = 5.0
_BRIEF_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
"""For a driver on this machine, where the work is done outside Java: it starts in half the time. The 48 MB that it would have for
compiled code are full after a few jobs, and from then on Java compiles nothing."""
_AT_EVERY_START = (b"WARNING: Using incubator modules", b"Setting default log level", b"To adjust logging level")
_PIECES_A_TASK = 16
_TOLD_SECONDS = 20.0
_WIDTH = 100


def _check_master(master: str) -> None:
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS):
                return
        except (OSError, ValueError):
            continue
    raise JobError(f"the Spark master {master} must be reachable, but nothing answers there", hint="start it, or use --master 'local[*]'")


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").exists()):
        raise JobError("Spark needs Java 17 or 21, and there is no java", hint="install it with: apt-get install openjdk-17-jre-headless")


def ship_packages(spark: SparkSession) -> None:
    """Sends the packages that the tasks import to all executors."""
    folder = Path(tempfile.mkdtemp(prefix="x2cbbr-"))
    archive = folder / "x2cbbr-packages.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for package in PACKAGES:
            for path in sorted((ROOT / package).rglob("*")):
                if path.suffix in _SHIPPED:
                    target.write(path, path.relative_to(ROOT))
    spark.sparkContext.addPyFile(str(archive))


def processor_seconds() -> float:
    """Processor time of this process and of all that it has started and that still runs: Java and its Python workers."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        parents[int(place.parent.name)], used[int(place.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    own, total = os.getpid(), 0
    for process, ticks in used.items():
        above: int | None = process
        while above is not None and above != own:
            above = parents.get(above)
        total += ticks if above == own else 0
    return total / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def even_tasks(spark: SparkSession, tasks: int) -> Iterator[None]:
    """Meanwhile groups go to about so many tasks, and one a core at least, of about the same number of bytes.

    Left to the hashes of their keys, a few dozen groups are so uneven that a core is idle for a tenth of the time. So shuffles are cut into
    more pieces, of which Spark joins neighbours when it knows their sizes.
    """
    tasks = max(tasks, int(spark.sparkContext.defaultParallelism))
    joined = "spark.sql.adaptive.coalescePartitions"
    settings = {
        "spark.sql.shuffle.partitions": str(_PIECES_A_TASK * tasks),
        f"{joined}.enabled": "true",
        f"{joined}.minPartitionNum": str(tasks),
        f"{joined}.minPartitionSize": "1b",
    }
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, known in before.items():
            if known is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, known)


@contextlib.contextmanager
def java_quiet() -> Iterator[None]:
    """Java, started meanwhile, has a standard error that leaves out what it says at every start; a thread carries the rest over."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    source, sink = os.pipe()
    os.dup2(sink, 2)
    os.close(sink)

    def carry() -> None:
        with os.fdopen(source, "rb") as lines, os.fdopen(kept, "wb", buffering=0) as target:
            for line in lines:
                if not line.startswith(_AT_EVERY_START):
                    target.write(line)

    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        threading.Thread(target=carry, daemon=True).start()


@contextlib.contextmanager
def open_session(master: str | None, *, name: str, partitions: int | None = None) -> Iterator[SparkSession]:
    """A session on the master, ``local[*]`` when None and not started by spark-submit.

    A session that exists already is used and left open.
    """
    _check_java()
    if master is not None:
        _check_master(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    places = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if str(ROOT) not in places:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, places)])
    local = (master or "local").startswith("local")
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    existing = SparkSession.getActiveSession()
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    builder = SparkSession.builder.appName(name)
    if master is not None:
        builder = builder.master(master)
    elif existing is None and not submitted:
        builder = builder.master("local[*]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{LOGGING}{f' {_BRIEF_JAVA}' if local else ''}",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        "spark.sql.parquet.compression.codec": "zstd",
    }
    if partitions is not None:
        settings["spark.sql.shuffle.partitions"] = str(partitions)
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        with java_quiet():
            spark = builder.getOrCreate()
    except Exception as error:
        cause = str(error).strip().splitlines()
        raise JobError(
            f"no Spark session could be started on {master or 'the default master'}: {cause[-1] if cause else error!r}",
            hint="check --master",
        ) from None
    try:
        if not spark.sparkContext.master.startswith("local[") and spark.sparkContext.master != "local":
            ship_packages(spark)
        yield spark
    finally:
        if existing is None:
            spark.stop()


class Progress:
    """Says on standard error how far the running stage is, about once a second on a terminal and now and then elsewhere."""

    def __init__(self, spark: SparkSession, *, quiet: bool = False) -> None:
        self._tracker = spark.sparkContext.statusTracker()
        self._quiet = quiet
        self._what = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Progress":
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def say(self, what: str) -> None:
        """Names what is being done from now on."""
        self._what = what
        if not self._quiet:
            start = f"\r{'':<{_WIDTH}}\r" if sys.stderr.isatty() else ""
            print(f"{start}{what} ...", file=sys.stderr, flush=True)

    def _run(self) -> None:
        shown, told, terminal = "", time.monotonic(), sys.stderr.isatty()
        while not self._stop.wait(1.0):
            for stage in self._tracker.getActiveStageIds():
                info = self._tracker.getStageInfo(stage)
                line = f"  {self._what}: {info.numCompletedTasks} of {info.numTasks} tasks" if info and info.numTasks > 1 else ""
                if not line or line == shown:
                    continue
                if terminal:
                    print(f"\r{line:<{_WIDTH}}", end="", file=sys.stderr, flush=True)
                elif time.monotonic() - told > _TOLD_SECONDS:
                    told = time.monotonic()
                    print(line, file=sys.stderr, flush=True)
                shown = line
        if shown and terminal:
            print("\r" + " " * _WIDTH + "\r", end="", file=sys.stderr, flush=True)
