"""MQTT topic filters [MQTT 3.1.1 and 5, 4.7]: ``home/+/temp``, ``home/#``.

``+`` is any one level; a final ``#`` is the level in front of it and everything below. A filter that begins with a wildcard matches no
topic that begins with ``$``. A topic that is empty or has ``+`` or ``#`` in it is no MQTT topic name, so that no filter matches it.
"""

from dataclasses import dataclass

from sim.golden.languages.hierarchy import compile_levels, fit
from sim.golden.languages.message import Message, levels
from sim.golden.languages.refusal import Limits

__all__ = ["Filter", "compile"]

ONE = "+"
REST = "#"


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter's levels without a final ``#``; ``rest`` when it had one."""

    levels: tuple[str, ...]
    rest: bool = False

    def matches(self, message: Message) -> bool:
        topic = message.topic
        if not topic or ONE in topic or REST in topic:
            return False
        if topic.startswith("$") and self.levels[:1] in ((), (ONE,)):
            return False
        given = levels(topic)
        return (self.rest or len(given) == len(self.levels)) and fit(self.levels, given, one=ONE)


def compile(text: str, limits: Limits) -> Filter:
    return Filter(*compile_levels(text, limits, one=ONE, final=REST))
