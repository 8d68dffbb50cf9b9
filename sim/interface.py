"""What an engine is: the model or the hardware, behind one small interface that the commands use."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hdl.contract import Code, Semantics, Verdict
from sim.golden.languages import AnyRefusal, MessageCode
from sim.golden.words import Word

__all__ = ["XPATH", "Engine", "EngineError", "FilterResult", "Filtered", "MessageEngine", "ParseResult", "Refused", "Subscription", "Word"]

XPATH = "xpath"
"""The language of subscriptions to XML documents; the others are those of :data:`sim.golden.languages.LANGUAGES`."""


class EngineError(Exception):
    """An engine cannot be had or broke down; the message is one sentence, ``hint`` says what to do about it."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Subscription:
    """A subscription as it is handed in: nothing about it has been checked but that ``sid`` is from 1 to 2**32 - 1."""

    sid: int
    text: str
    semantics: Semantics = Semantics.EXACT
    """That of an XPath."""
    language: str = XPATH


@dataclass(frozen=True)
class ParseResult:
    """How one document or message ended.

    ``offset`` is that of the deciding byte, None where no byte decides (a well-formed document, a number compared too long).
    ``cycles`` are clocks from this document's first word to its verdict, None where there is no clock. ``words`` are those of a
    well-formed document, None unless they were asked for.
    """

    code: Code | MessageCode
    offset: int | None
    bytes: int
    cycles: int | None = None
    words: tuple[Word, ...] | None = None

    @property
    def verdict(self) -> Verdict:
        return self.code.verdict


@dataclass(frozen=True)
class Filtered:
    """How one publication ended and the SIDs of the subscriptions that it matches, in rising order; none unless it is well-formed.

    ``bodies`` are, for each match, the bytes of the selected nodes where the engine notified with them, else None.
    """

    result: ParseResult
    matches: tuple[int, ...]
    bodies: tuple[bytes | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Refused:
    """A subscription that was not registered."""

    subscription: Subscription
    code: AnyRefusal


@dataclass(frozen=True)
class FilterResult:
    """The refused subscriptions in the order given, and one result a document in the order given."""

    refused: tuple[Refused, ...]
    documents: tuple[Filtered, ...]


class Engine(Protocol):
    """Parses and filters documents. Each call stands alone: nothing is remembered from one to the next.

    Whatever the documents hold, every one of them gets a result; an engine that cannot give one raises :class:`EngineError`.
    """

    def parse(self, documents: Sequence[bytes], *, words: bool = False) -> list[ParseResult]: ...

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult: ...


class MessageEngine(Protocol):
    """Matches messages, each a line of JSON; for the rest it is like an :class:`Engine`."""

    def match(self, subscriptions: Sequence[Subscription], messages: Sequence[bytes]) -> FilterResult: ...
