"""Hierarchical topics as keys of a hash table [H III-C, Fig 2, 3]: the subscriptions that a topic would match are made and looked up.

Counts of the places where wildcards stand, kept for each first level, tell which of them are worth making.
"""

from collections import Counter, defaultdict

from sim.golden.languages.topic import ANY, EXACT, Topic

__all__ = ["TopicHash"]


class TopicHash:
    """Subscriptions by their text."""

    def __init__(self) -> None:
        self._destinations: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._wildcards: defaultdict[str, Counter[int]] = defaultdict(Counter)
        """By first level: wildcards at each level from 2 on, and at 1 the subscriptions."""

    @staticmethod
    def _key(topic: Topic) -> str:
        return "/".join((*topic.levels, EXACT) if topic.exact else topic.levels)

    def _places(self, topic: Topic) -> Counter[int]:
        """What the subscription adds to the counts of its first level."""
        return Counter([1, *(place for place, level in enumerate(topic.levels, start=1) if level == ANY)])

    def add(self, topic: Topic, destination: int) -> None:
        self._wildcards[topic.levels[0]] += self._places(topic)
        self._destinations[self._key(topic)][destination] += 1

    def remove(self, topic: Topic, destination: int) -> None:
        """Takes back what was added; counts and keys that nothing needs any more go."""
        key, first = self._key(topic), topic.levels[0]
        self._destinations[key][destination] -= 1
        self._destinations[key] += Counter()
        if not self._destinations[key]:
            del self._destinations[key]
        self._wildcards[first] -= self._places(topic)
        if not self._wildcards[first][1]:
            del self._wildcards[first]

    def find(self, topic: str) -> set[int]:
        """The destinations of a message's topic."""
        given = topic.split("/")
        counts = self._wildcards.get(given[0])
        return self._finer(given, counts, given[0], 1) if counts else set()

    def _finer(self, given: list[str], counts: Counter[int], coarser: str, level: int) -> set[int]:
        """The destinations of the key and of those that are made from it with the levels behind it."""
        found = set(self._destinations.get(coarser, ()))
        if level == len(given):
            return found | set(self._destinations.get(f"{coarser}/{EXACT}", ()))
        for step in {given[level], ANY} if counts[level + 1] else {given[level]}:
            if step != EXACT:
                found |= self._finer(given, counts, f"{coarser}/{step}", level + 1)
        return found
