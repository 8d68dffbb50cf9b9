"""The interests of a broker under the steady policy: which expressions it holds, from whom, and which of them a neighbour must know.

Subscriptions of one expression are one class. Its sources are this broker's subscribers and the neighbours that have sent it. A
neighbour is told of a class when there is a source other than that neighbour: so a class with one neighbour as its only source goes
to all the others, and any second source adds the first one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from hdl.contract import Semantics
from sim.golden import cover
from sim.golden.network.documents import Expression

__all__ = ["Class", "Interests"]

_implies = lru_cache(maxsize=1 << 16)(cover.implies)


@dataclass
class Class:
    """The sources of an expression: keys of local subscriptions, and neighbours with the reference that each gave it."""

    locals: set[tuple[int, int]] = field(default_factory=set)
    neighbours: dict[int, int] = field(default_factory=dict)
    stale: set[int] = field(default_factory=set)
    """Neighbours whose link went down since; they still count, until the network has closed round the gap."""

    @property
    def empty(self) -> bool:
        return not self.locals and not self.neighbours

    def beyond(self, neighbour: int) -> bool:
        """Whether there is a source other than the neighbour."""
        return bool(self.locals) or any(source != neighbour for source in self.neighbours)


class Interests:
    """The classes of one broker, in the order in which they came to be."""

    def __init__(self, *, covering: bool = False) -> None:
        self.classes: dict[Expression, Class] = {}
        self._covering = covering

    def hold(self, expression: Expression) -> Class:
        """The class of the expression, made when it is new."""
        return self.classes.setdefault(expression, Class())

    def prune(self) -> None:
        """Let classes without sources go."""
        for expression in [expression for expression, one in self.classes.items() if one.empty]:
            del self.classes[expression]

    def of(self, neighbour: int, reference: int) -> Expression | None:
        """The expression for which the neighbour gave that reference."""
        known = ((expression, one.neighbours.get(neighbour)) for expression, one in self.classes.items())
        return next((expression for expression, given in known if given == reference), None)

    def wanted(self, neighbour: int, towards: Callable[[Expression], bool]) -> list[Expression]:
        """What the neighbour must know of; ``towards`` says whether an expression goes in its direction at all."""
        found = [expression for expression, one in self.classes.items() if one.beyond(neighbour) and towards(expression)]
        return _widest(found) if self._covering else found


def _widest(expressions: Iterable[Expression]) -> list[Expression]:
    """The expressions without those that another one covers.

    Each is held against those kept so far, so that what is left out is covered by something kept, even where covering is not
    seen in both directions. Containment subscriptions are never left out.
    """
    kept: list[Expression] = []
    for expression in expressions:
        if not any(_hides(other, expression) for other in kept):
            kept = [other for other in kept if not _hides(expression, other)]
            kept.append(expression)
    return kept


def _hides(wide: Expression, narrow: Expression) -> bool:
    """Whether every document that matches the narrow one matches the wide one."""
    return wide[1] is narrow[1] is Semantics.EXACT and _implies(narrow[0], wide[0])
