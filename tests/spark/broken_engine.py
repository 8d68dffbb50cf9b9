"""Engines with a fault, which a regression must find, or with a mishap, which it must survive."""

import dataclasses
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from hdl.contract import Refusal
from sim.engines.model import ModelEngine
from sim.engines.simulated_filter import filter_documents, stream_items
from sim.engines.verilator import VerilatorEngine
from sim.interface import Filtered, FilterResult, Subscription
from sim.verilated.broker import Item
from sim.verilated.builder import program


class FaultyEngine(VerilatorEngine):
    """The hardware of :mod:`tests.spark.faulty_broker` with its faults switched on; it is built with traces."""

    fault = 0

    def programs(self, *, words: bool) -> dict[str, Path]:
        return {"filter": program(top="tests.spark.faulty_broker:FaultyBroker", main="filter_main.cpp", config=self._config, trace=True)}

    def _program(self) -> Path:
        return self._programs.get("filter") or self.programs(words=False)["filter"]

    def _run(
        self,
        subscriptions: Sequence[Subscription],
        documents: Sequence[bytes],
        *,
        apart: bool = True,
        copies: int = 1,
        waves: Path | None = None,
    ) -> FilterResult:
        program, options = self._program(), ["--fault", str(self.fault)]
        return filter_documents(
            subscriptions, documents, self._config, apart=apart, copies=copies, executable=program, waves=waves, options=options
        )

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        return self._run(subscriptions, documents)

    def filter_back_to_back(
        self, subscriptions: Sequence[Subscription], documents: Sequence[bytes], *, spread: bool = False
    ) -> FilterResult:
        return self._run(subscriptions, documents, apart=False, copies=3 if spread else 1)

    def filter_with_waves(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes], waves: Path) -> FilterResult:
        return self._run(subscriptions, documents, apart=False, waves=waves)

    def stream(self, items: Sequence[Item], *, waves: Path | None = None) -> list[Refusal | Filtered]:
        return stream_items(items, self._config, executable=self._program(), waves=waves, options=["--fault", str(self.fault)])


class InvertedEngine(FaultyEngine):
    """Takes ``<`` for ``>=``."""

    fault = 1


class TrustingEngine(FaultyEngine):
    """Does not look at the names of end tags."""

    fault = 2


class StickyEngine(ModelEngine):
    """Gives every document behind another one the matches of that one too."""

    def filter_back_to_back(
        self, subscriptions: Sequence[Subscription], documents: Sequence[bytes], *, spread: bool = False
    ) -> FilterResult:
        right = self.filter(subscriptions, documents)
        found, matches = [], frozenset[int]()
        for document in right.documents:
            matches |= frozenset(document.matches)
            found.append(dataclasses.replace(document, matches=tuple(sorted(matches))))
        return dataclasses.replace(right, documents=tuple(found))


class MortalEngine(ModelEngine):
    """Kills the executor that it runs in, once: the first to filter leaves a mark at the path in X2CBBR_MORTAL."""

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        try:
            mark = os.open(os.environ["X2CBBR_MORTAL"], os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return super().filter(subscriptions, documents)
        os.kill(_executor(os.getpid()), signal.SIGKILL)
        os.write(mark, b"killed")
        time.sleep(60)
        raise AssertionError("a worker must not outlive its executor")


def _executor(process: int) -> int:
    """The Java process above a worker."""
    while Path(f"/proc/{process}/comm").read_text().strip() != "java":
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return process
