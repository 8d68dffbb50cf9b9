"""Publications matched once for all brokers of a network: what a document is, which expressions it matches, what is cut from it.

The verdict of a broker depends on what is registered there: a value that one of its subscriptions compares as a number and
that has too many digits puts the document over the limit for all of them.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from hdl.config import BrokerConfig
from hdl.contract import Code, Content, Semantics
from sim.golden import notify
from sim.golden.match import Indexed, NumberDigits, matches
from sim.golden.query import Query
from sim.golden.xml import parse

__all__ = ["Documents", "Expression"]

Expression: TypeAlias = tuple[Query, Semantics]
"""Identical expressions are equal, whatever their spelling."""

_KEPT = 256


class _Document:
    def __init__(self, source: bytes, config: BrokerConfig) -> None:
        parsed = parse(source, config)
        self.code = parsed.code
        self.index = None if parsed.document is None else Indexed(parsed.document)
        self._answers: dict[Expression, bool | None] = {}
        self._contents: dict[tuple[Expression, Content], bytes] = {}

    def answer(self, expression: Expression) -> bool | None:
        """Whether the expression matches; None where it puts the document over the limit."""
        if expression not in self._answers:
            assert self.index is not None
            try:
                self._answers[expression] = matches(expression[0], self.index, expression[1])
            except NumberDigits:
                self._answers[expression] = None
        return self._answers[expression]

    def content(self, expression: Expression, content: Content) -> bytes:
        if (expression, content) not in self._contents:
            assert self.index is not None
            self._contents[expression, content] = notify.content(expression[0], self.index, content, expression[1])
        return self._contents[expression, content]


class Documents:
    """The publications of a network, kept while they are matched in one broker after the other."""

    def __init__(self, config: BrokerConfig) -> None:
        self._document = lru_cache(maxsize=_KEPT)(lambda source: _Document(source, config))

    def matched(self, source: bytes, expressions: Iterable[Expression]) -> tuple[Code, list[Expression]]:
        """The verdict where these expressions are registered, and those that match, in their order."""
        document = self._document(source)
        if document.index is None:
            return document.code, []
        found = []
        for expression in expressions:
            answer = document.answer(expression)
            if answer is None:
                return Code.NUMBER_DIGITS, []
            if answer:
                found.append(expression)
        return Code.OK, found

    def content(self, source: bytes, expression: Expression, content: Content) -> bytes:
        """The body of a notification of a matching document."""
        return self._document(source).content(expression, content)
