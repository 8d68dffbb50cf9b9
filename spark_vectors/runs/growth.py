"""The Spark job's rows: golden results beside a single-process loop over lxml, the RTL's pace in simulation, and how both grow.

Everything is measured after start-up: Spark's session, its Python workers and the programs are there before the clock starts. The number of
documents goes from a thousand to X2CBBR_BENCH_DOCUMENTS (default 100000, which takes ten minutes) in steps of ten.
"""

import os
import resource
import tempfile
import time
from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from hdl.config import BrokerConfig
from hdl.contract import Refusal
from sim.bench.rows import Group, Row
from sim.engines.verilator import VerilatorEngine
from sim.interface import Subscription
from sim.tools import environment
from sim.vectors import oracle
from sim.vectors.documents import thesis_document
from sim.vectors.expressions import GUARDED, Spelling, read
from sim.vectors.families.stock import THESIS_SIZES
from sim.vectors.golden import refusal_of
from sim.vectors.queries import thesis_set
from spark_vectors.parameters import VectorParameters

__all__ = ["Loop", "groups", "lxml_loop"]

_LARGEST = (1 << 10, 1 << 16)
"""About the longest document of each mix in bytes: small ones, where the fixed cost of each weighs most, and those of `make sim`."""
_LOOPED = 1000
_REPEATS = 3
_CORES = 2


class Loop(NamedTuple):
    """Documents a second of wall clock and of processor time, and matches in all."""

    rate: float
    core_rate: float
    matches: int


def lxml_loop(parameters: VectorParameters, rows: Sequence[int], *, plain: bool = False, repeats: int = 1) -> Loop:
    """One process that parses each of the documents and evaluates every accepted path on it; the fastest of the ``repeats``.

    Expressions are compiled beforehand, in the spelling that is right for every document; with ``plain`` as written, which is wrong
    for documents with namespaces and for numbers that only libxml2 reads.
    """
    spelling = Spelling("", False) if plain else GUARDED
    entries = [entry for entry in parameters.subscription_set(0) if refusal_of(entry.text, parameters.limits) is Refusal.NONE]
    compiled = [etree.XPath(f"boolean({read(entry.text).spelled(spelling)})") for entry in entries]
    documents = [parameters.document(row).data for row in rows]
    found = []
    for _ in range(repeats):
        matches = 0
        start, used = time.perf_counter(), time.process_time()
        for data in documents:
            root = oracle.parse(data)
            if root is not None:
                tree = root.getroottree()
                matches += sum(bool(expression(tree)) for expression in compiled)
        found.append(Loop(len(rows) / (time.perf_counter() - start), len(rows) / (time.process_time() - used), matches))
    return Loop(max(one.rate for one in found), max(one.core_rate for one in found), found[0].matches)


def _counts() -> list[int]:
    most = int(os.environ.get("X2CBBR_BENCH_DOCUMENTS", "100000"))
    return [count for count in (1000, 10_000, 100_000, 1_000_000) if count <= most]


def _spark_rows(seed: int) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Golden and RTL rows by mix and number of documents."""
    from spark_vectors.jobs import regress, vectors
    from spark_vectors.session import open_session
    from spark_vectors.store import Store

    os.environ.update(environment(java=True))
    golden, rtl = [], []
    with open_session(f"local[{_CORES}]", name="x2cbbr bench") as spark, tempfile.TemporaryDirectory(prefix="x2cbbr-bench-") as name:
        for largest, count in [(_LARGEST[0], 100), *((largest, count) for largest in _LARGEST for count in _counts())]:
            parameters = VectorParameters(seed=seed, documents=count, scenarios=0, largest=largest)
            made, results = f"{name}/vectors-{largest}-{count}", f"{name}/results-{largest}-{count}"
            vectors.make(spark, parameters, made)
            seconds, core_seconds = vectors.timings(Store(spark, made))
            done = regress.regress(spark, made, results, name="verilator", words=False)
            if count < 1000:  # start-up
                continue
            loop, plain = (lxml_loop(parameters, range(_LOOPED), plain=one, repeats=_REPEATS) for one in (False, True))
            rate = parameters.rows / seconds
            named = f"{count} documents of up to {largest} bytes"
            more = {
                "pairs/s": done["pairs"] / seconds,
                "lxml loop": loop.rate,
                "ratio to it": rate / loop.rate,
                "ratio by processor time": _CORES * parameters.rows / core_seconds / loop.core_rate,
                "loop as written": plain.rate,
                "seconds": seconds,
                "processor seconds": core_seconds,
            }
            golden.append(Row(named, rate, None, more))
            more = {
                "pairs/s": done["pairs_per_second"],
                "MB/s a core": done["megabytes_per_core_second"],
                "seconds": done["running_seconds"],
            }
            rtl.append(Row(named, done["documents_per_second"], None, {**more, "differences": float(done["differences"])}))
    return tuple(golden), tuple(rtl)


def _pace(seed: int) -> Row:
    """The thesis's documents back to back past 252 subscriptions of Set 2, by the processor time of the simulation."""
    config = BrokerConfig()
    documents = [thesis_document(seed=seed, size=size) for size in THESIS_SIZES] * 20
    subscriptions = [Subscription(one.sid, one.text, one.semantics) for one in thesis_set(2, series=6)]
    engine = VerilatorEngine(config, programs=VerilatorEngine(config).programs(words=False))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    engine.filter_back_to_back(subscriptions, documents, spread=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(map(len, documents))
    return Row("thesis's documents, 252 of Set 2", size / seconds / 1e6, None, {"bytes": float(size), "seconds": seconds})


def groups(seed: int) -> Sequence[Group]:
    """All groups of the Spark job."""
    pace = _pace(seed)
    golden, rtl = _spark_rows(seed)
    about = f"255 subscriptions, {_CORES} cores, wall clock after start-up"
    return [
        Group(
            "golden-rate",
            "golden results by Spark, two judges",
            "documents/s",
            f"{about}; the loop is one process, fastest of {_REPEATS}",
            golden,
        ),
        Group("rtl-rate", "the broker's RTL on Verilator by Spark", "documents/s", about, rtl),
        Group("rtl-pace", "the broker's RTL on Verilator, one core", "MB/s", "processor time, registration included", (pace,)),
    ]
