"""The hardware on Icarus Verilog as an engine: slow, and a check on the other simulator."""

from collections.abc import Sequence

from hdl.config import BrokerConfig
from sim.engines.simulated_filter import items_of, result_of
from sim.icarus import broker, parser
from sim.interface import FilterResult, ParseResult, Subscription

__all__ = ["IcarusEngine"]


class IcarusEngine:
    """Parses and filters with the RTL, each document by itself; clocks are those of engine verilator."""

    def __init__(self, config: BrokerConfig) -> None:
        self._config = config

    def parse(self, documents: Sequence[bytes], *, words: bool = False) -> list[ParseResult]:
        return [one.result(words=words) for one in parser.parse(documents, self._config, words=words, apart=True)]

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        return result_of(subscriptions, broker.run(items_of(subscriptions, documents, self._config), self._config))
