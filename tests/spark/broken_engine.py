"""Engines with one fault each, which a regression must find."""

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hdl.contract import Code
from sim.engines.interface import Filtered, FilterResult, ParseResult, Subscription
from sim.engines.model import ModelEngine


class InvertedEngine(ModelEngine):
    """Takes ``<`` in an attribute test for ``>=``."""

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        wrong = [replace(entry, xpath=entry.xpath.replace("@version<2.5", "@version>=2.5")) for entry in subscriptions]
        return super().filter(wrong, documents)


class TrustingEngine(ModelEngine):
    """Does not look at the names of end tags."""

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        result = super().filter(subscriptions, documents)
        return replace(result, documents=tuple(_trusting(entry) for entry in result.documents))


def _trusting(entry: Filtered) -> Filtered:
    if entry.result.code is not Code.MISMATCHED_END:
        return entry
    return Filtered(ParseResult(Code.OK, None, entry.result.bytes), entry.matches)


class MortalEngine(ModelEngine):
    """Kills the executor that it runs in, once: the first to filter leaves a mark at the path in X2CBBR_MORTAL."""

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        try:
            os.close(os.open(os.environ["X2CBBR_MORTAL"], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().filter(subscriptions, documents)
        os.kill(_executor(os.getpid()), signal.SIGKILL)
        return super().filter(subscriptions, documents)


def _executor(process: int) -> int:
    """The Java process above a worker."""
    while Path(f"/proc/{process}/comm").read_text().strip() != "java":
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return process
