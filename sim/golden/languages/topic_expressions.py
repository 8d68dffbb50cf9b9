"""Hierarchical topics as regular expressions [H III-B]: a table of compiled expressions, each of them tried."""

import re

from sim.golden.languages.topic import ANY, Topic

__all__ = ["TopicExpressions"]


def _expression(topic: Topic) -> re.Pattern[str]:
    """Matches the topics that the subscription matches; a wildcard's region ends at the next slash."""
    levels = "/".join("[^/]*" if level == ANY else re.escape(level) for level in topic.levels)
    return re.compile(levels + r"\Z" if topic.exact else levels + r"(?:/.*)?\Z", re.DOTALL)


class TopicExpressions:
    """Subscriptions as expressions. One whose destination is found already is not tried."""

    def __init__(self) -> None:
        self._table: dict[tuple[Topic, int], tuple[re.Pattern[str], int]] = {}

    def add(self, topic: Topic, destination: int) -> None:
        expression, count = self._table.get((topic, destination)) or (_expression(topic), 0)
        self._table[topic, destination] = expression, count + 1

    def remove(self, topic: Topic, destination: int) -> None:
        """Takes back what was added."""
        expression, count = self._table.pop((topic, destination))
        if count > 1:
            self._table[topic, destination] = expression, count - 1

    def find(self, topic: str) -> set[int]:
        """The destinations of a message's topic."""
        found: set[int] = set()
        for (_, destination), (expression, _) in self._table.items():
            if destination not in found and expression.match(topic):
                found.add(destination)
        return found
