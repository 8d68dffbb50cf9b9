"""What the two languages of topic levels share: levels between slashes, a wildcard for one of them, a sign that stands last."""

from collections.abc import Sequence

from hdl.contract import Refusal
from sim.golden.languages.message import levels
from sim.golden.languages.refusal import LanguageRefusal, Limits, Refused, check_length

__all__ = ["compile_levels", "fit"]


def compile_levels(text: str, limits: Limits, *, one: str, final: str) -> tuple[tuple[str, ...], bool]:
    """The levels of a subscription, and whether the sign ``final`` stood behind them, which is not among them."""
    if not text:
        raise Refused.at(Refusal.EMPTY, text, 0)
    found: list[str] = []
    begin = 0
    for level in levels(text):
        if len(found) == limits.steps:
            raise Refused.at(Refusal.STEPS, text, begin)
        check_length(Refusal.NAME_LENGTH, level, limits.name_bytes, text, begin)
        wildcards = [level.index(sign) for sign in (one, final) if sign in level]
        if wildcards and len(level) > 1:
            raise Refused.at(LanguageRefusal.WILDCARD, text, begin + min(wildcards))
        if level == final and begin + 1 < len(text):
            raise Refused.at(LanguageRefusal.LAST_WILDCARD, text, begin)
        found.append(level)
        begin += len(level) + 1
    ended = found[-1] == final
    return tuple(found[: len(found) - ended]), ended


def fit(asked: Sequence[str], given: Sequence[str], *, one: str) -> bool:
    """Whether as many levels as are asked for are given, each of them equal or asked for with the wildcard."""
    return len(asked) <= len(given) and all(mine in (one, theirs) for mine, theirs in zip(asked, given, strict=False))
