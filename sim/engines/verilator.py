"""The hardware, compiled by Verilator, as an engine."""

from collections.abc import Sequence

from hdl.config import BrokerConfig
from sim.engines.interface import FilterResult, ParseResult, Subscription
from sim.engines.verilated_filter import filter_documents
from sim.verilated import parser

__all__ = ["VerilatorEngine"]


class VerilatorEngine:
    """Parses and filters with the RTL; each document has the hardware for itself, so that its clocks do not depend on its neighbours."""

    def __init__(self, config: BrokerConfig) -> None:
        self._config = config

    def parse(self, documents: Sequence[bytes], *, words: bool = False) -> list[ParseResult]:
        return [one.result(words=words) for one in parser.parse(documents, self._config, words=words, apart=True)]

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        return filter_documents(subscriptions, documents, self._config)
