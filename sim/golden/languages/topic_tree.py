"""Hierarchical topics as a tree of edges [H III-A]: destinations stand at the edges where subscriptions end."""

from collections import Counter
from dataclasses import dataclass, field

from sim.golden.languages.topic import ANY, Topic

__all__ = ["TopicTree"]


@dataclass(slots=True)
class _Edge:
    """An edge with the node that it leads to, once something goes on from there.

    ``references`` counts the destinations that are reached over the edge; without any it is pruned.
    """

    destinations: Counter[int] = field(default_factory=Counter)
    exact: Counter[int] = field(default_factory=Counter)
    """Destinations of subscriptions that ask for this depth."""
    edges: "dict[str, _Edge]" = field(default_factory=dict)
    references: int = 0


class TopicTree:
    """Subscriptions in a tree of levels. At each node at most two edges are followed: the level's own and the wildcard's."""

    def __init__(self) -> None:
        self._root = _Edge()

    @property
    def edges(self) -> int:
        """Edges of the tree [H Fig 6]."""
        count, found = 0, [self._root]
        while found:
            edge = found.pop()
            count += len(edge.edges)
            found += edge.edges.values()
        return count

    def add(self, topic: Topic, destination: int) -> None:
        edge = self._root
        for level in topic.levels:
            edge = edge.edges.setdefault(level, _Edge())
            edge.references += 1
        (edge.exact if topic.exact else edge.destinations)[destination] += 1

    def remove(self, topic: Topic, destination: int) -> None:
        """Takes back what was added; edges that lead nowhere any more go."""
        path = [self._root]
        for level in topic.levels:
            path.append(path[-1].edges[level])
        found = path[-1].exact if topic.exact else path[-1].destinations
        found[destination] -= 1
        if not found[destination]:
            del found[destination]
        for edge in path[1:]:
            edge.references -= 1
        for depth in range(len(topic.levels) - 1, -1, -1):
            if path[depth + 1].references:
                break
            del path[depth].edges[topic.levels[depth]]

    def find(self, topic: str) -> set[int]:
        """The destinations of a message's topic."""
        given = topic.split("/")
        found: set[int] = set()
        reached = [self._root]
        for depth, level in enumerate(given, start=1):
            asked = (level,) if level == ANY else (level, ANY)
            reached = [edge.edges[key] for edge in reached for key in asked if key in edge.edges]
            for edge in reached:
                found.update(edge.destinations)
                if depth == len(given):
                    found.update(edge.exact)
        return found
