"""The hardware, compiled by Verilator, as an engine."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import Refusal
from sim.engines.simulated_filter import filter_documents, stream_items
from sim.interface import Filtered, FilterResult, ParseResult, Subscription
from sim.verilated import parser
from sim.verilated.broker import Item
from sim.verilated.builder import program

__all__ = ["VerilatorEngine"]

_COPIES = 8
"""Brokers in one run: more of them are no faster."""


class VerilatorEngine:
    """Parses and filters with the RTL; each document has the hardware for itself, so that its clocks do not depend on its neighbours,
    unless they are wanted back to back.

    ``programs`` are those of :meth:`programs`, built before and brought here; otherwise they are built when they are needed.
    """

    def __init__(self, config: BrokerConfig, *, programs: Mapping[str, Path] | None = None) -> None:
        self._config = config
        self._programs = dict(programs or {})

    def programs(self, *, words: bool) -> dict[str, Path]:
        """The programs that filter and, for ``words``, parse: single files that run on any machine of the same kind."""
        found = {"filter": program(top="x2cbbr", main="filter_main.cpp", config=self._config)}
        if words:
            found["parse"] = program(top="scbxp", main="parse_main.cpp", config=self._config)
        return found

    def parse(self, documents: Sequence[bytes], *, words: bool = False) -> list[ParseResult]:
        found = parser.parse(documents, self._config, words=words, apart=True, executable=self._programs.get("parse"))
        return [one.result(words=words) for one in found]

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        return filter_documents(subscriptions, documents, self._config, executable=self._programs.get("filter"))

    def filter_back_to_back(
        self, subscriptions: Sequence[Subscription], documents: Sequence[bytes], *, spread: bool = False
    ) -> FilterResult:
        """The same with each document right behind the one before, as a broker gets them; see :func:`filter_documents` for the clocks.

        ``spread`` over several brokers, each of which gets a row of neighbouring documents, the same work takes two thirds of the time.
        """
        executable, copies = self._programs.get("filter"), _COPIES if spread else 1
        return filter_documents(subscriptions, documents, self._config, apart=False, copies=copies, executable=executable)

    def stream(self, items: Sequence[Item], *, waves: Path | None = None) -> list[Refusal | Filtered]:
        """Answers to frames and publications that come in turns: a refusal, or a publication's end and its matches."""
        return stream_items(items, self._config, executable=None if waves else self._programs.get("filter"), waves=waves)

    def filter_with_waves(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes], waves: Path) -> FilterResult:
        """The same with every signal of the hardware written to a VCD file."""
        return filter_documents(subscriptions, documents, self._config, apart=False, waves=waves)
