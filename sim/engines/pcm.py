"""PCM on arrays as an engine: subscriptions in the language *filter*, as many as memory holds."""

from collections.abc import Sequence

from hdl.config import BrokerConfig
from hdl.contract import Code, Refusal
from sim.engines.compiled import REFUSED, compile_message
from sim.golden import languages
from sim.golden.languages.filter import Predicate
from sim.interface import EngineError, Filtered, FilterResult, ParseResult, Refused, Subscription
from sim.pcm.table import PcmTable, Piece

__all__ = ["LANGUAGE", "PcmEngine", "match_lines"]

LANGUAGE = "filter"


def match_lines(table: PcmTable, lines: Sequence[bytes], limits: languages.Limits) -> list[Filtered]:
    """What each message matches; a line that is none matches nothing."""
    results: list[ParseResult] = []
    messages: list[languages.Message] = []
    for line in lines:
        try:
            messages.append(languages.parse(line, limits))
            results.append(ParseResult(Code.OK, None, len(line)))
        except languages.BadMessage as reason:
            results.append(ParseResult(reason.code, reason.offset, len(line)))
    found = iter(table.find([message.properties for message in messages]))
    return [Filtered(result, tuple(next(found)) if result.code is Code.OK else ()) for result in results]


class PcmEngine:
    """Matches filters with :mod:`sim.pcm`. The table is kept for the next call with the same subscriptions."""

    def __init__(self, config: BrokerConfig) -> None:
        self._config = config
        self._limits = languages.Limits.of(config)
        self._kept: tuple[tuple[Subscription, ...], PcmTable, tuple[Refused, ...]] | None = None

    def match(self, subscriptions: Sequence[Subscription], messages: Sequence[bytes]) -> FilterResult:
        wanted = tuple(subscriptions)
        if self._kept is None or self._kept[0] != wanted:
            self._kept = (wanted, *self._registered(wanted))
        _, table, refused = self._kept
        return FilterResult(refused, tuple(match_lines(table, messages, self._limits)))

    def _registered(self, subscriptions: Sequence[Subscription]) -> tuple[PcmTable, tuple[Refused, ...]]:
        registered: dict[int, Predicate] = {}
        refused = []
        for one in subscriptions:
            if one.language != LANGUAGE:
                raise EngineError(f"the engine 'pcm' matches the language filter only, not {one.language}", hint="use --engine model")
            try:
                predicate = compile_message(one, self._config)
            except REFUSED as reason:
                refused.append(Refused(one, reason.code))
                continue
            assert isinstance(predicate, Predicate)
            if one.sid in registered:
                refused.append(Refused(one, Refusal.DUPLICATE_SID))
            else:
                registered[one.sid] = predicate
        return PcmTable([Piece.of(registered.items())]), tuple(refused)
