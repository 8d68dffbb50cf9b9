"""The engine under test: its programs built once on the driver and shipped with the job, and opened once a worker."""

import importlib
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from pyspark import SparkFiles
from pyspark.sql import SparkSession

from hdl.config import BrokerConfig
from sim.cache import digest
from sim.engines import open_engine
from sim.interface import Engine, EngineError, FilterResult, Subscription
from spark_vectors.errors import JobError

__all__ = ["BackToBack", "Shipped", "Traceable", "build", "engine", "engine_at_hand", "ship"]

Shipped = tuple[tuple[str, str], ...]
"""Programs of an engine by purpose, as the names under which Spark brings them to the tasks."""


@runtime_checkable
class _Built(Protocol):
    """An engine that runs programs, and takes them as ``programs`` where it is made."""

    def programs(self, *, words: bool) -> dict[str, Path]: ...


@runtime_checkable
class Traceable(Protocol):
    """An engine that can write waves."""

    def filter_with_waves(self, subscriptions: list[Subscription], documents: list[bytes], waves: Path) -> FilterResult: ...


@runtime_checkable
class BackToBack(Protocol):
    """An engine that can work on several documents at once, and otherwise filters them one at a time.

    Where it may ``spread`` them, a document comes behind some of those before it, its neighbours, and not behind all."""

    def filter_back_to_back(self, subscriptions: list[Subscription], documents: list[bytes], *, spread: bool = False) -> FilterResult: ...


def _factory(name: str) -> Any:
    module, colon, factory = name.partition(":")
    if colon and "." in module and "/" not in module:
        return getattr(importlib.import_module(module), factory)
    return lambda config, **more: open_engine(name, config, **more)


def engine(name: str, config: BrokerConfig) -> Engine:
    """The engine of :mod:`sim.engines` with that name, or ``package.module:Factory`` for any other that has its interface."""
    return cast(Engine, _factory(name)(config))


@lru_cache(maxsize=4)
def engine_at_hand(name: str, config: BrokerConfig, shipped: Shipped) -> Engine:
    """The same inside a task, with the programs that came with the job."""
    if not shipped:
        return engine(name, config)
    return cast(Engine, _factory(name)(config, programs={purpose: Path(SparkFiles.get(file)) for purpose, file in shipped}))


def build(name: str, config: BrokerConfig, *, words: bool) -> dict[str, Path]:
    """Builds what the engine runs, if anything; raises :class:`JobError` where the engine cannot be had."""
    try:
        made = engine(name, config)
        return made.programs(words=words) if isinstance(made, _Built) else {}
    except EngineError as error:
        raise JobError(str(error), hint=error.hint) from None


def ship(spark: SparkSession, name: str, config: BrokerConfig, *, words: bool) -> Shipped:
    """Builds what the engine runs and sends it to all executors; raises :class:`JobError` where the engine cannot be had."""
    found = build(name, config, words=words)
    shipped = []
    folder = Path(tempfile.gettempdir()) / "x2cbbr-programs"
    for purpose, program in found.items():
        file = f"x2cbbr-{purpose}-{digest([program.read_bytes()])}"
        if not (folder / file).is_file():
            folder.mkdir(exist_ok=True)
            partial = Path(tempfile.mkdtemp(dir=folder)) / file
            shutil.copy2(program, partial)
            partial.rename(folder / file)
            partial.parent.rmdir()
        spark.sparkContext.addFile(str(folder / file))
        shipped.append((purpose, file))
    return tuple(shipped)
