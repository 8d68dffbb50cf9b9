"""What the parser must know at each name: pinned names, learned names, and when the learned ones are forgotten [T 4.3]."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from hdl.config import BrokerConfig
from hdl.contract import WordType

__all__ = ["Skeleton"]

_ON_THEIR_WAY = 8
"""Names that may have been taken and not yet looked at."""


class _Named(Protocol):
    type: WordType
    value: bytes
    name: int
    known: bool


@dataclass
class _State:
    """One course that things may have taken: what is learned now, how many places that takes, how often all was forgotten."""

    learned: dict[bytes, int] = field(default_factory=dict)
    used: int = 0
    forgotten: int = 0


class Skeleton:
    """Names and their token IDs, told the tokens in the order in which the parser handed them on.

    Learned names are numbered upwards after the pinned ones, which are learned as well. They are forgotten together, before a start tag.
    That is allowed when fewer places are free than a tag may bring names (its element, its attributes, and one that is too many), those on
    their way counted as new, and it must not come so late that a well-formed tag finds no place.
    ``pinned`` is for the test to keep.
    """

    def __init__(self, config: BrokerConfig):
        self._config = config
        self.pinned: dict[bytes, int] = {}
        self._states = [_State()]

    @property
    def forgotten(self) -> set[int]:
        """How often the learned names may have been forgotten."""
        return {state.forgotten for state in self._states}

    def judge(self, document: bytes, tokens: Iterable[_Named]) -> None:
        """The tokens of a document: every name has the ID that it must have, and is known just when it was met before."""
        for token in tokens:
            if token.type not in (WordType.ELEMENT, WordType.ATTRIBUTE):
                assert (token.name, token.known) == (0, False)
                continue
            if token.type is WordType.ELEMENT:
                room = self._config.attributes + 2 + _ON_THEIR_WAY
                self._states += [
                    _State(forgotten=state.forgotten + 1) for state in self._states if self._config.learned - state.used < room
                ]
            self._states = [state for state in self._states if self._agrees(state, token)]
            assert self._states, f"{token} in {document!r}"

    def _agrees(self, state: _State, token: _Named) -> bool:
        """Whether a token fits a state; if so the state moves on."""
        if len(token.value) > self._config.name_bytes:
            state.used += not token.known  # no name: it takes a place until all is forgotten
            return state.used <= self._config.learned
        number = state.learned.get(token.value)
        if token.known != (number is not None or token.value in self.pinned):
            return False
        if number is None:
            state.used += 1
            number = state.learned[token.value] = self._config.names + state.used
        number = self.pinned.get(token.value, number)
        # A namespace declaration is no attribute to XPath: it has no token ID.
        declaration = token.type is WordType.ATTRIBUTE and (token.value == b"xmlns" or token.value.startswith(b"xmlns:"))
        return state.used <= self._config.learned and token.name == (0 if declaration else number)
