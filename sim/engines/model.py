"""The golden model as an engine: no clock, so no cycles."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hdl.config import BrokerConfig
from hdl.contract import Code, Refusal
from sim.engines.compiled import REFUSED, compile_message, compile_xpath
from sim.golden import languages
from sim.golden.match import NumberDigits, matched
from sim.golden.query import Query
from sim.golden.words import Word
from sim.golden.words import words as words_of
from sim.golden.xml import Parsed, Parser
from sim.interface import Filtered, FilterResult, ParseResult, Refused, Subscription

__all__ = ["ModelEngine"]

_Compiled = TypeVar("_Compiled")


class ModelEngine:
    """Parses, filters and matches with :mod:`sim.golden`."""

    def __init__(self, config: BrokerConfig) -> None:
        self._config = config
        self._limits = languages.Limits.of(config)

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
        registered, refused = self._register(subscriptions, compile_xpath)
        return FilterResult(tuple(refused), tuple(self._filtered(registered, document) for document in documents))

    def match(self, subscriptions: Sequence[Subscription], messages: Sequence[bytes]) -> FilterResult:
        registered, refused = self._register(subscriptions, compile_message)
        return FilterResult(tuple(refused), tuple(self._matched(registered, message) for message in messages))

    def _register(
        self, subscriptions: Sequence[Subscription], front_end: Callable[[Subscription, BrokerConfig], _Compiled]
    ) -> tuple[list[tuple[Subscription, _Compiled]], list[Refused]]:
        registered: dict[int, tuple[Subscription, _Compiled]] = {}
        refused = []
        for subscription in subscriptions:
            try:
                compiled = front_end(subscription, self._config)
            except REFUSED as reason:
                refused.append(Refused(subscription, reason.code))
                continue
            if subscription.sid in registered:
                refused.append(Refused(subscription, Refusal.DUPLICATE_SID))
            elif len(registered) == self._config.subscriptions:
                refused.append(Refused(subscription, Refusal.FULL_SUBSCRIPTIONS))
            else:
                registered[subscription.sid] = (subscription, compiled)
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

    def _matched(self, registered: Sequence[tuple[Subscription, languages.Compiled]], line: bytes) -> Filtered:
        try:
            message = languages.parse(line, self._limits)
        except languages.BadMessage as reason:
            return Filtered(ParseResult(reason.code, reason.offset, len(line)), ())
        found = sorted(subscription.sid for subscription, compiled in registered if compiled.matches(message))
        return Filtered(ParseResult(Code.OK, None, len(line)), tuple(found))


def _result(parsed: Parsed, words: tuple[Word, ...] | None = None) -> ParseResult:
    return ParseResult(parsed.code, None if parsed.well_formed else parsed.offset, parsed.length, words=words)
