"""The golden model as an engine: no clock, so no cycles."""

from collections.abc import Sequence

from hdl.config import BrokerConfig
from hdl.contract import Code, Refusal
from sim.golden import xpath
from sim.golden.match import NumberDigits, matched
from sim.golden.query import Query
from sim.golden.words import Word
from sim.golden.words import words as words_of
from sim.golden.xml import Parsed, Parser
from sim.interface import Filtered, FilterResult, ParseResult, Refused, Subscription

__all__ = ["ModelEngine"]


class ModelEngine:
    """Parses and filters with :mod:`sim.golden`."""

    def __init__(self, config: BrokerConfig) -> None:
        self._config = config

    def _parsed(self, document: bytes, *, tree: bool) -> Parsed:
        parser = Parser(self._config, tree=tree)
        parser.feed(document)
        return parser.close()

    def parse(self, documents: Sequence[bytes], *, words: bool = False) -> list[ParseResult]:
        results = []
        for document in documents:
            parsed = self._parsed(document, tree=False)
            results.append(_result(parsed, words=tuple(words_of(parsed)) if words else None))
        return results

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        registered, refused = self._register(subscriptions)
        return FilterResult(tuple(refused), tuple(self._filtered(registered, document) for document in documents))

    def _register(self, subscriptions: Sequence[Subscription]) -> tuple[list[tuple[Subscription, Query]], list[Refused]]:
        registered: dict[int, tuple[Subscription, Query]] = {}
        refused = []
        for subscription in subscriptions:
            try:
                query = xpath.compile(subscription.xpath, self._config)
            except xpath.Refused as reason:
                refused.append(Refused(subscription, reason.code))
                continue
            if subscription.sid in registered:
                refused.append(Refused(subscription, Refusal.DUPLICATE_SID))
            elif len(registered) == self._config.subscriptions:
                refused.append(Refused(subscription, Refusal.FULL_SUBSCRIPTIONS))
            else:
                registered[subscription.sid] = (subscription, query)
        return list(registered.values()), refused

    def _filtered(self, registered: Sequence[tuple[Subscription, Query]], document: bytes) -> Filtered:
        parsed = self._parsed(document, tree=True)
        if parsed.document is None:
            return Filtered(_result(parsed), ())
        try:
            hits = matched([(query, subscription.semantics) for subscription, query in registered], parsed.document)
        except NumberDigits:
            return Filtered(ParseResult(Code.NUMBER_DIGITS, None, parsed.length), ())
        found = [subscription.sid for (subscription, _), hit in zip(registered, hits, strict=True) if hit]
        return Filtered(_result(parsed), tuple(sorted(found)))


def _result(parsed: Parsed, words: tuple[Word, ...] | None = None) -> ParseResult:
    return ParseResult(parsed.code, None if parsed.well_formed else parsed.offset, parsed.length, words=words)
