"""A state machine with a flip-flop for each state: what a state decides is one gate away from it."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Signal, Value

__all__ = ["OneHot", "any_of", "chosen"]


def any_of(conditions) -> Value:
    """Whether one of them holds; none is no."""
    return reduce(or_, conditions, Const(0, 1))


def chosen(*choices, width: int) -> Value:
    """The value whose condition holds, of pairs of which at most one does; 0 if none."""
    terms = (Value.cast(condition).replicate(width) & Value.cast(value) for condition, value in choices)
    return reduce(or_, terms, Const(0, width))[:width]


class OneHot:
    """States by name; the first one is that after a reset.

    ``fsm[name]`` says that it is in that state. ``on`` gives the moves out of a state, the first condition that holds wins; without one
    the state stays. ``finish`` is called once, after all moves.
    """

    def __init__(self, *names: str, name: str):
        self._names = names
        self._state = Signal(len(names), init=1, name=name)
        self._moves: dict[str, list] = {state: [] for state in names}

    def __getitem__(self, state: str) -> Value:
        return self._state[self._names.index(state)]

    def any(self, *states: str) -> Value:
        """Whether it is in one of these states."""
        return any_of(self[state] for state in states)

    def on(self, state: str, *moves) -> None:
        """Pairs of a condition and the state it leads to."""
        rest = self[state]
        for condition, target in moves:
            holds = Value.cast(condition).bool() if len(Value.cast(condition)) > 1 else Value.cast(condition)
            self._moves[target].append(rest & holds)
            rest = rest & ~holds
        self._moves[state].append(rest)

    def on_one(self, state: str, *moves) -> None:
        """As ``on``, for conditions of which at most one holds."""
        self._moves[state].append(self[state] & ~any_of(condition for condition, _ in moves))
        for condition, target in moves:
            self._moves[target].append(self[state] & condition)

    def moving_to(self, *states: str) -> Value:
        """Whether it will be in one of these states after this clock, without a ``clear``; to be asked after all moves."""
        return any_of(move for state in states for move in self._moves[state])

    def finish(self, m, *, clear) -> None:
        """Moves in every clock; ``clear`` goes back to the first state."""
        moved = Cat(*(any_of(self._moves[state]) for state in self._names))
        with m.If(clear):
            m.d.sync += self._state.eq(1)
        with m.Else():
            m.d.sync += self._state.eq(moved)
