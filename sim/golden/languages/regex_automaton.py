"""The automaton of a regular expression: states, ways that take no character, and places where only ``^`` or ``$`` lets through."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Anchor", "Automaton", "Choice", "Node", "Points", "Repeat", "Row"]


@dataclass(frozen=True, slots=True)
class Points:
    """One character out of some ranges of code points, or out of all others."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False

    def __contains__(self, point: int) -> bool:
        return any(low <= point <= high for low, high in self.ranges) is not self.negated


@dataclass(frozen=True, slots=True)
class Anchor:
    """``^`` or ``$``: the beginning or the end of the whole text."""

    end: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """``?``, ``*`` or ``+``: none unless ``least``, several if ``many``."""

    node: "Node"
    least: bool
    many: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One after the other; none is the empty text."""

    nodes: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    nodes: tuple["Node", ...]


Node: TypeAlias = Points | Anchor | Repeat | Row | Choice


class Automaton:
    """Tells of texts whether a match is anywhere in them."""

    def __init__(self, root: Node) -> None:
        self._takes: list[Points | Anchor | None] = []
        self._ways: list[Sequence[int]] = []
        self._final = self._state(None, ())
        self._start = self._build(root, self._final)

    def _state(self, takes: Points | Anchor | None, ways: Sequence[int]) -> int:
        self._takes.append(takes)
        self._ways.append(ways)
        return len(self._ways) - 1

    def _build(self, node: Node, after: int) -> int:
        """The state in front of a node that leads to the state ``after``."""
        match node:
            case Points() | Anchor():
                return self._state(node, (after,))
            case Row(nodes):
                for one in reversed(nodes):
                    after = self._build(one, after)
                return after
            case Choice(nodes):
                return self._state(None, [self._build(one, after) for one in nodes])
            case Repeat(inner, least, many):
                fork = self._state(None, ())
                first = self._build(inner, fork if many else after)
                self._ways[fork] = (first, after)
                return first if least else fork

    def _reached(self, states: Iterable[int], place: int, length: int) -> set[int]:
        """The states and all that are reached from them without a character."""
        reached: set[int] = set()
        left = list(states)
        while left:
            state = left.pop()
            if state in reached:
                continue
            reached.add(state)
            takes = self._takes[state]
            if takes is None or (isinstance(takes, Anchor) and place == (length if takes.end else 0)):
                left += self._ways[state]
        return reached

    def matches(self, text: str) -> bool:
        states: set[int] = set()
        for place, character in enumerate(text):
            reached = self._reached((*states, self._start), place, len(text))
            if self._final in reached:
                return True
            point = ord(character)
            states = {self._ways[state][0] for state in reached if isinstance(takes := self._takes[state], Points) and point in takes}
        return self._final in self._reached((*states, self._start), len(text), len(text))
