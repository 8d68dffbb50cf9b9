"""Hierarchical topics [H I-A]: ``Streams/Sensor/*/Pressure``.

Levels are separated by ``/`` and any of them may be empty. ``*`` is any one level, but not the first. What follows the last level
of a subscription is free; a final ``#`` level asks for this depth exactly.
"""

from dataclasses import dataclass

from sim.golden.languages.hierarchy import compile_levels, fit
from sim.golden.languages.message import Message, levels
from sim.golden.languages.refusal import LanguageRefusal, Limits, Refused

__all__ = ["ANY", "EXACT", "Topic", "compile"]

ANY = "*"
EXACT = "#"


@dataclass(frozen=True, slots=True)
class Topic:
    """A subscription's levels, :data:`ANY` among them; ``exact`` when the topic may have no more."""

    levels: tuple[str, ...]
    exact: bool = False

    def matches(self, message: Message) -> bool:
        given = levels(message.topic)
        return (len(given) == len(self.levels) or not self.exact) and fit(self.levels, given, one=ANY)


def compile(text: str, limits: Limits) -> Topic:
    if levels(text)[0] in (ANY, EXACT):
        raise Refused.at(LanguageRefusal.FIRST_WILDCARD, text, 0)
    return Topic(*compile_levels(text, limits, one=ANY, final=EXACT))
