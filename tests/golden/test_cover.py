"""Identity and covering: examples, and never a pair that some document refutes, by libxml2's word."""

import random

import pytest
from lxml import etree

from sim.golden import cover, xpath

NAMES = ("a", "b")
VALUES = ("0", "1", "1.5", "2", "2.5", "3", "k", "z", " 1", "01", "")
LITERALS = ("1", "2", "'1'", "'2'", "'k'", "3")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/a[@x>5]", "/a[@x>2]"),
        ("/a[@x>5]", "/a[@x>=5]"),
        ("/a[@x>5]", "/a[@x!=5]"),
        ("/a[@x>5]", "/a[@x!='abc']"),
        ("/a[@x=5]", "/a[@x<'6']"),
        ("/a[@x='5']", "/a[@x=5]"),
        ("/a[@x='abc']", "/a[@x!=5]"),
        ("/a[@x>=5 and @x<=5]", "/a[@x=5]"),
        ("/a[@x>5]", "/a[@x]"),
        ("/a[@x>5]", "/a/@x"),
        ("/a[@x>5][@y]", "/a[@y]"),
        ("/a[.='x']", "/a[.!='y']"),
        ("/a[text()>5]", "/a[text()>2]"),
        ("/a/b/c/d", "/a/b"),
        ("/a/b/c/d", "//b/c"),
        ("/a/b", "//a//b"),
        ("/a/b/c", "/a//c"),
        ("/a/b", "/*"),
        ("/a//b", "//*//b"),
        ("/a//b/@x", "/a//@x"),
        ("/a/@x", "/a//@x"),
        ("/a//@x", "//*[@x]"),
        ("//a/b", "/*/*"),
        ("//a/b[@x]", "//*/*[@x]"),
        ("/a//b/c", "/*//*/*"),
        ("/a/b/c/@x", "/*/*//@x"),
        ("/a[@x>5 and @x<2]", "/anything"),
        ("/a[.<'no number']", "/anything"),
    ],
)
def test_covering(first: str, second: str) -> None:
    strict, loose = xpath.compile(first), xpath.compile(second)
    assert cover.covers(strict, loose)
    assert cover.implies(strict, loose)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/a[@x>2]", "/a[@x>5]"),
        ("/a[@x>=5]", "/a[@x>5]"),
        ("/a[@x!=5]", "/a[@x>5]"),
        ("/a[@x=5]", "/a[@x='5']"),
        ("/a[@x!='5']", "/a[@x!=5]"),
        ("/a[text()>=5 and text()<=5]", "/a[text()=5]"),
        ("/a[.>5]", "/a[text()>5]"),
        ("/a[text()>5]", "/a[.>5]"),
        ("/a/b", "/b"),
        ("//a/b", "/a/b"),
        ("/a//c", "/a/b/c"),
        ("/a//c", "/a/c"),
        ("/*", "/a"),
        ("/a//@x", "/a/@x"),
        ("/a//@x", "/a[@x]"),
        ("/a[@x]/b", "/a/b[@x]"),
        ("/a//b", "/*/b"),
        ("/a/b", "/*/*/*"),
        ("/a/b[@x]", "/*/*/*[@x]"),
        ("/a/@x", "/*/*//@x"),
        ("/a[@x='1234567890123456789']", "/a[@y]"),
    ],
)
def test_no_covering(first: str, second: str) -> None:
    assert not cover.implies(xpath.compile(first), xpath.compile(second))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("/a[@x=5 and @y]", "a[@y][@x = 5.0]", True),
        ("/a[@x>'5']", "/a[@x>5]", True),
        ("/a[@x='5']", "/a[@x=5]", False),
        ('/a[.="x"]', "/a[.='x']", True),
        ("/a/b", "/a//b", False),
        ("/a[@x][@x]", "/a[@x]", True),
        ("/a/@x", "/a[@x]", False),
        ("/a[@x=0]", "/a[@x=-0.0]", True),
    ],
)
def test_identity(first: str, second: str, same: bool) -> None:
    one, other = xpath.compile(first), xpath.compile(second)
    assert cover.identical(one, other) is same
    if same:
        assert cover.implies(one, other)
        assert cover.implies(other, one)


class Sampler:
    """Expressions over a tiny vocabulary, and documents made to match them."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def expression(self) -> list[tuple[str, str, str]]:
        """(axis, name, predicates) of each step; a final attribute step comes last with the name ``@x``."""
        choice = self.random.choice
        count = choice((1, 1, 2, 2, 3))
        steps = []
        final = self.random.random() < 0.2
        for number in range(count):
            subjects = ("@x", "@x", "@y") if number < count - 1 or final else ("@x", "@x", ".", "text()")
            tests = [choice(subjects) + choice(OPERATORS) + choice(LITERALS) for _ in range(choice((0, 0, 1, 1, 2)))]
            tests += ["@x"] if self.random.random() < 0.1 else []
            steps.append((choice(("/", "/", "//")), choice((*NAMES, "*")), "".join(f"[{test}]" for test in tests)))
        return steps + ([(choice(("/", "//")), "@x", "")] if final else [])

    def _element(self, name: str, inner: str) -> str:
        choice = self.random.choice
        attributes = "".join(f" {attribute}='{choice(VALUES)}'" for attribute in ("x", "y") if self.random.random() < 0.8)
        return f"<{name}{attributes}>{choice(VALUES)}{inner}{choice(('', '', '<!---->' + choice(VALUES)))}</{name}>"

    def document(self, steps: list[tuple[str, str, str]]) -> bytes:
        """A document with the steps' path in it; values are a matter of luck."""
        choice = self.random.choice
        inner = ""
        for axis, name, _ in reversed(steps):
            inner = self._element(choice(NAMES) if name in ("*", "@x") else name, inner)
            for _ in range(choice((0, 1, 2)) if axis == "//" else 0):
                inner = self._element(choice(NAMES), inner)
        return inner.encode()


def test_no_document_refutes_a_covering() -> None:
    sampler = Sampler("x2cbbr cover 1")
    expressions = [sampler.expression() for _ in range(160)]
    texts = ["".join(axis + name + tests for axis, name, tests in steps) for steps in expressions]
    queries = [xpath.compile(text) for text in texts]
    judges = [etree.XPath(text) for text in texts]
    covering = witnessed = 0
    for number, first in enumerate(queries):
        implied = [other for other, second in enumerate(queries) if other != number and cover.implies(first, second)]
        covering += len(implied)
        for _ in range(60):
            root = etree.fromstring(sampler.document(expressions[number])).getroottree()
            if judges[number](root):
                witnessed += len(implied)
                for other in implied:
                    assert judges[other](root), (texts[number], texts[other], etree.tostring(root))
    assert covering > 500
    assert witnessed > 5000


def test_coverings_are_missed_rarely() -> None:
    """Where 300 documents that match the first never refute it, the covering is found in most cases."""
    sampler = Sampler("x2cbbr cover 2")
    expressions = [sampler.expression() for _ in range(60)]
    texts = ["".join(axis + name + tests for axis, name, tests in steps) for steps in expressions]
    queries = [xpath.compile(text) for text in texts]
    judges = [etree.XPath(text) for text in texts]
    found = unrefuted = 0
    for number, first in enumerate(queries):
        roots = [etree.fromstring(sampler.document(expressions[number])).getroottree() for _ in range(300)]
        matching = [root for root in roots if judges[number](root)]
        if len(matching) < 30:
            continue
        for other, second in enumerate(queries):
            if all(judges[other](root) for root in matching):
                unrefuted += 1
                found += cover.implies(first, second)
    assert found > unrefuted * 9 // 10, (found, unrefuted)
