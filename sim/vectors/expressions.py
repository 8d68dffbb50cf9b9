"""A reader of accepted subscriptions that shares nothing with the golden model, and its writer of expressions for libxml2.

libxml2 is asked in the cheapest spelling that is right for a document (:class:`Spelling`). ``//`` is always written as the axis that it
stands for where no predicate counts positions [XPath 2.5], attributes without a prefix as they are, because they are in no namespace
[Namespaces 6.2], and names with a prefix by ``name()``, because the broker compares them as written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["FEATURES", "GUARDED", "ExpressionError", "PathStep", "PathTest", "ReadPath", "Spelling", "features", "is_decimal", "read"]

_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = rf"[{_START}][{_START}.0-9\-\u00b7\u0300-\u036f\u203f-\u2040]*"
"""[XML 2.3], without the colon"""
_TOKENS = re.compile(
    rf"""\s*(?: (?P<string>"[^"]*"|'[^']*') | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?![\w])) | (?P<name>{_NAME}(?::{_NAME})?)
    | (?P<mark>//|/|@|\[|\]|\(|\)|!=|<=|>=|=|<|>|\.|\*|-) )""",
    re.VERBOSE,
)
_DECIMAL = re.compile(r"[ \t\r\n]*-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n]*")
_TEXT = "text()[string()]"
"""A text node has at least one character [XPath 5.7]; libxml2 makes one of an empty CDATA section."""
_UNREADABLE = "translate(., 'eE+', '') != string(.)"


class Spelling(NamedTuple):
    """How libxml2 is to be asked.

    ``default`` is the namespace of all the document's elements without a prefix, empty where they are in none, and None where there is no
    such namespace, so that names must be compared as written, by ``name()``, throughout. ``values`` is for documents where a
    value may have an exponent or a plus sign, which libxml2 reads as numbers and XPath 1.0 does not [XPath 3.7, 4.4], or an empty
    CDATA section.
    """

    default: str | None
    values: bool

    @property
    def namespaces(self) -> dict[str, str]:
        """The prefix of the spelling, if it needs one."""
        return {"d": self.default} if self.default else {}


GUARDED = Spelling(None, True)
"""Right for every document."""


def _element(name: str | None, spelling: Spelling) -> str:
    if name is None:
        return "*"
    if ":" in name or spelling.default is None:
        return f"*[name()='{name}']"
    return f"d:{name}[name()='{name}']" if spelling.default else name


def _attribute(name: str) -> str:
    return f"@*[name()='{name}']" if ":" in name else f"@{name}"


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

    def spelled(self, spelling: Spelling) -> str:
        """The test for libxml2."""
        subject = _attribute(self.name) if self.subject == "@" else self.subject
        if self.numeric and self.is_string and not is_decimal(self.literal):
            return "false()"
        if not spelling.values:
            return f"{subject} {self.operator} {self._right()}" if self.operator else subject
        subject = {"@": subject, ".": "self::*", "text()": _TEXT}[self.subject]
        if not self.numeric:
            return f"{subject} {self.operator} {self._right()}" if self.operator else subject
        safe = f"{subject}[not({_UNREADABLE})] {self.operator} {self._right()}"
        return f"({safe} or {subject}[{_UNREADABLE}])" if self.operator == "!=" else safe

    def _right(self) -> str:
        return self.literal.strip(" \t\r\n") if self.numeric else self._quoted()


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

    def spelled(self, spelling: Spelling) -> str:
        """The path for libxml2, from the document node."""
        parts = []
        for step in self.steps:
            axis = "/descendant::" if step.axis == "//" else "/"
            parts.append(axis + _element(step.name, spelling) + "".join(f"[{test.spelled(spelling)}]" for test in step.tests))
        if self.attribute:
            parts.append(("/descendant-or-self::*/" if self.attribute_axis == "//" else "/") + _attribute(self.attribute))
        return "".join(parts)

    def contained(self, spelling: Spelling) -> str:
        """Containment as one boolean expression [T 5.3.1]: every filter occurs somewhere in the document."""

        def occurs(name: str) -> str:
            return f"(/descendant::{_element(name, spelling)} or /descendant::*/{_attribute(name)})"

        parts = [occurs(self.attribute)] if self.attribute else []
        for step in self.steps:
            if step.name is not None:
                parts.append(occurs(step.name))
            for test in step.tests:
                if not test.operator:
                    parts.append(occurs(test.name))
                else:
                    owner = "*" if test.subject == "@" else _element(step.name, spelling)
                    parts.append(f"boolean(/descendant::{owner}[{test.spelled(spelling)}])")
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
