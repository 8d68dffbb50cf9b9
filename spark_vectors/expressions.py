"""A reader of accepted subscriptions that shares nothing with the golden model, and its writer of expressions for libxml2.

libxml2 is asked in one of two spellings. ``plain`` is the text itself from the document node, for documents without
namespaces. ``guarded`` compares names by ``name()``, as QNames are written, and keeps libxml2 from reading exponents and plus signs as
numbers, which XPath 1.0 does not have [XPath 3.7, 4.4].
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["FEATURES", "ExpressionError", "PathStep", "PathTest", "ReadPath", "features", "is_decimal", "read"]

_NAME = r"[^\W\d][\w.\-·]*"
_TOKENS = re.compile(
    rf"""\s*(?: (?P<string>"[^"]*"|'[^']*') | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?![\w])) | (?P<name>{_NAME}(?::{_NAME})?)
    | (?P<mark>//|/|@|\[|\]|\(|\)|!=|<=|>=|=|<|>|\.|\*|-) )""",
    re.VERBOSE,
)
_DECIMAL = re.compile(r"[ \t\r\n]*-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n]*")
_TEXT = "text()[string()]"
"""A text node has at least one character [XPath 5.7]; libxml2 makes one of an empty CDATA section."""
_UNREADABLE = "translate(., 'eE+', '') != string(.)"


class ExpressionError(ValueError):
    """The text is not of the accepted grammar."""


def is_decimal(text: str) -> bool:
    """Whether XPath 1.0 converts the string to a number rather than NaN."""
    return _DECIMAL.fullmatch(text) is not None


@dataclass(frozen=True)
class PathTest:
    """``subject`` is ``@``, ``.`` or ``text()``; ``name`` the attribute's; ``literal`` a number's text or a string."""

    subject: str
    name: str
    operator: str
    literal: str
    is_string: bool

    @property
    def numeric(self) -> bool:
        """Whether values are converted to numbers."""
        return bool(self.operator) and (not self.is_string or self.operator not in ("=", "!="))

    @property
    def compares_numbers(self) -> bool:
        """Whether the conversion can matter: the literal is a number itself."""
        return self.numeric and (not self.is_string or is_decimal(self.literal))

    def _quoted(self) -> str:
        return f'"{self.literal}"' if '"' not in self.literal else f"'{self.literal}'"

    def plain(self) -> str:
        """The test for libxml2 as the text has it."""
        return self._test(f"@{self.name}" if self.subject == "@" else self.subject)

    def guarded(self) -> str:
        """The test for libxml2 with names and numbers guarded."""
        subject = {"@": f"@*[name()='{self.name}']", ".": "self::*", "text()": _TEXT}[self.subject]
        if not self.numeric:
            return self._test(subject)
        if self.is_string and not is_decimal(self.literal):
            return "false()"
        safe = f"{subject}[not({_UNREADABLE})] {self.operator} {self._right()}"
        return f"({safe} or {subject}[{_UNREADABLE}])" if self.operator == "!=" else safe

    def _right(self) -> str:
        return self.literal.strip(" \t\r\n") if self.numeric else self._quoted()

    def _test(self, subject: str) -> str:
        if not self.operator:
            return subject
        if self.numeric and self.is_string and not is_decimal(self.literal):
            return "false()"
        return f"{subject} {self.operator} {self._quoted() if self.is_string else self.literal}"


@dataclass(frozen=True)
class PathStep:
    """``axis`` is ``/`` or ``//``; ``name`` None for ``*``."""

    axis: str
    name: str | None
    tests: tuple[PathTest, ...]


@dataclass(frozen=True)
class ReadPath:
    """A path read from its text; a final attribute step has its axis and name, otherwise both are empty."""

    steps: tuple[PathStep, ...]
    attribute_axis: str
    attribute: str
    absolute: bool

    @property
    def names(self) -> frozenset[str]:
        """All names of elements and attributes that must occur for the path to match."""
        found = {step.name for step in self.steps if step.name is not None}
        found |= {test.name for step in self.steps for test in step.tests if test.name}
        return frozenset(found | ({self.attribute} - {""}))

    def plain(self) -> str:
        """The path for a document without namespaces."""
        steps = (f"{step.axis}{step.name or '*'}" + "".join(f"[{test.plain()}]" for test in step.tests) for step in self.steps)
        return "".join(steps) + (f"{self.attribute_axis}@{self.attribute}" if self.attribute else "")

    def guarded(self) -> str:
        """The path for any document."""
        parts = []
        for step in self.steps:
            name = "*" if step.name is None else f"*[name()='{step.name}']"
            parts.append(step.axis + name + "".join(f"[{test.guarded()}]" for test in step.tests))
        return "".join(parts) + (f"{self.attribute_axis}@*[name()='{self.attribute}']" if self.attribute else "")

    def contained(self) -> str:
        """Containment as one boolean expression [T 5.3.1]: every filter occurs somewhere in the document."""

        def occurs(name: str) -> str:
            return f"(//*[name()='{name}'] or //@*[name()='{name}'])"

        parts = [occurs(self.attribute)] if self.attribute else []
        for step in self.steps:
            if step.name is not None:
                parts.append(occurs(step.name))
            for test in step.tests:
                if not test.operator:
                    parts.append(occurs(test.name))
                else:
                    owner = "*" if test.subject == "@" or step.name is None else f"*[name()='{step.name}']"
                    parts.append(f"boolean(//{owner}[{test.guarded()}])")
        return " and ".join(parts) or "true()"


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    end = len(text.rstrip(" \t\r\n"))
    while at < end:
        match = _TOKENS.match(text, at)
        if match is None or match.lastgroup is None:
            raise ExpressionError(f"the text must follow the grammar, not have {text[at : at + 10]!r} at {at}")
        yield match.lastgroup, match[match.lastgroup]
        at = match.end()
    yield "end", ""


class _Reader:
    def __init__(self, text: str) -> None:
        self._list = list(_tokens(text))
        self._at = 0

    def _peek(self) -> tuple[str, str]:
        return self._list[self._at]

    def _take(self, *wanted: str) -> str:
        kind, value = self._peek()
        if kind not in wanted and value not in wanted:
            raise ExpressionError(f"the text must have one of {', '.join(wanted)} here, not {value!r}")
        self._at += 1
        return value

    def path(self) -> ReadPath:
        absolute = self._peek()[1] in ("/", "//")
        axis = self._take("/", "//") if absolute else "/"
        steps: list[PathStep] = []
        while True:
            if self._peek()[1] == "@" and steps:
                self._take("@")
                name = self._take("name")
                self._take("end")
                return ReadPath(tuple(steps), axis, name, absolute)
            name = self._take("name", "*")
            steps.append(PathStep(axis, None if name == "*" else name, self._tests()))
            if self._peek()[0] == "end":
                return ReadPath(tuple(steps), "", "", absolute)
            axis = self._take("/", "//")

    def _tests(self) -> tuple[PathTest, ...]:
        tests: list[PathTest] = []
        while self._peek()[1] == "[":
            self._take("[")
            tests.append(self._test())
            while self._peek() == ("name", "and"):
                self._take("and")
                tests.append(self._test())
            self._take("]")
        return tuple(tests)

    def _test(self) -> PathTest:
        subject, name = self._take("@", ".", "text"), ""
        if subject == "@":
            name = self._take("name")
        elif subject == "text":
            self._take("(")
            self._take(")")
            subject = "text()"
        if subject == "@" and self._peek()[1] not in ("=", "!=", "<", "<=", ">", ">="):
            return PathTest(subject, name, "", "", False)
        operator = self._take("=", "!=", "<", "<=", ">", ">=")
        if self._peek()[0] == "string":
            return PathTest(subject, name, operator, self._take("string")[1:-1], True)
        sign = "-" if self._peek()[1] == "-" and self._take("-") else ""
        return PathTest(subject, name, operator, sign + self._take("number"), False)


def read(text: str) -> ReadPath:
    """The path of an accepted text; raises :class:`ExpressionError` for any other."""
    return _Reader(text).path()


FEATURES: tuple[str, ...] = (
    "absolute",
    "relative",
    "root",
    "child",
    "descendant",
    "name",
    "prefixed",
    "wildcard",
    "inner test",
    "several tests",
    "attribute present",
    *(
        f"{subject} {operator} {literal}"
        for subject in ("attribute", "string-value", "text")
        for operator in ("=", "!=", "<", "<=", ">", ">=")
        for literal in ("number", "string")
    ),
    "negative literal",
    "final /@",
    "final //@",
    "long path",
)
"""All that :func:`features` can find."""


def features(path: ReadPath) -> frozenset[str]:
    """The grammar features that a path uses, as the coverage report names them."""
    found = {"relative" if not path.absolute else "absolute"}
    for place, step in enumerate(path.steps):
        found.add("descendant" if step.axis == "//" else "child" if place else "root")
        found.add("wildcard" if step.name is None else "prefixed" if ":" in step.name else "name")
        if len(step.tests) > 1:
            found.add("several tests")
        if step.tests and place < len(path.steps) - 1:
            found.add("inner test")
        for test in step.tests:
            subject = {"@": "attribute", ".": "string-value", "text()": "text"}[test.subject]
            if not test.operator:
                found.add("attribute present")
                continue
            found.add(f"{subject} {test.operator} {'string' if test.is_string else 'number'}")
            if test.literal.lstrip().startswith("-") and is_decimal(test.literal):
                found.add("negative literal")
    if path.attribute:
        found.add(f"final {path.attribute_axis}@")
    if len(path.steps) >= 6:
        found.add("long path")
    return frozenset(found)
