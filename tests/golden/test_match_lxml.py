"""Exact matching against libxml2, in bulk and by property; the exceptions where libxml2 departs from the Recommendation."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from hdl.contract import Semantics
from sim.golden import match, xml, xpath
from sim.golden.query import Subject
from sim.golden.tree import Document, Element
from tests.golden.queries import Expression, Source

NAMESPACES = {"p": "urn:p", "q": "urn:q"}


def tree(data: bytes) -> Document:
    document = xml.parse(data).document
    assert document is not None, data
    return document


def name_as_written(element: etree._Element) -> str:
    local = etree.QName(element).localname
    return f"{element.prefix}:{local}" if element.prefix else local


def selected_by_libxml2(judge: etree.XPath, root: etree._Element, order: dict[etree._Element, int]) -> list[tuple[int, str]]:
    """(number of the element in document order, the selected attribute's value or the element's name)."""
    found = []
    for node in judge(root.getroottree()):
        if isinstance(node, etree._Element):
            found.append((order[node], name_as_written(node)))
        else:
            found.append((order[node.getparent()], str(node)))
    return found


def selected_by_model(query: xpath.Query, index: match.Indexed, order: dict[int, int]) -> list[tuple[int, str]]:
    found = []
    for node in match.select(query, index):
        if isinstance(node, Element):
            found.append((order[id(node)], node.name.decode()))
        else:
            found.append((order[id(node.element)], dict(node.element.attributes)[node.name].decode()))
    return found


def elements(root: etree._Element) -> dict[etree._Element, int]:
    return {element: number for number, element in enumerate(root.iter(etree.Element))}


def has_long_number(root: etree._Element) -> bool:
    """Whether some value, without the white space around it, is all digits, points and signs, and has more than 15 digits."""
    values = [root.xpath("string()"), *root.xpath("//@* | //text()"), *(element.xpath("string()") for element in root.iter("*"))]
    return any(re.fullmatch(r"\s*[0-9.-]{16,}\s*", value, re.ASCII) for value in values)


def kinds(query: xpath.Query) -> set[tuple[Subject, str, bool]]:
    return {(test.subject, test.operator.text, test.spelled_as_number) for step in query.steps for test in step.tests}


def test_bulk_equals_libxml2() -> None:
    """200,000 pairs, less those over the limit: the same nodes selected, and every kind of test seen both on matches and on misses."""
    source = Source(random.Random("x2cbbr match 1"))
    expressions = [source.expression() for _ in range(1000)]
    queries = [xpath.compile(expression.text) for expression in expressions]
    judges = [etree.XPath(expression.judge) for expression in expressions]
    pairs = matches = 0
    hits: Counter[tuple[Subject, str, bool]] = Counter()
    misses: Counter[tuple[Subject, str, bool]] = Counter()
    for _ in range(200):
        data = source.document()
        root = etree.fromstring(data)
        order = elements(root)
        index = match.Indexed(tree(data))
        ours = {id(element): number for number, element in enumerate(index.elements)}
        for expression, query, judge in zip(expressions, queries, judges, strict=True):
            try:
                found = selected_by_model(query, index, ours)
            except match.NumberDigits:
                assert has_long_number(root), (expression.text, data)
                continue
            expected = selected_by_libxml2(judge, root, order)
            assert found == expected, (expression.text, data)
            assert match.matches(query, index, Semantics.EXACT) is bool(expected)
            pairs += 1
            matches += bool(expected)
            (hits if expected else misses).update(kinds(query))
    assert pairs > 180_000
    assert matches > pairs // 20
    assert set(hits) == set(misses)
    assert len(hits) == 1 + 3 * 6 * 2


def test_text_as_written_equals_libxml2() -> None:
    """Where no namespace is a default one or declared twice, libxml2 takes the subscription's own text.

    Relative ones start at the document node, where lxml would take the root element.
    """
    source = Source(random.Random("x2cbbr match 2"))
    expressions = [source.expression() for _ in range(150)]
    queries = [xpath.compile(expression.text) for expression in expressions]
    texts = [expression.text.strip() for expression in expressions]
    judges = [etree.XPath(text if text.startswith("/") else "/" + text, namespaces=NAMESPACES) for text in texts]
    matches = 0
    for _ in range(80):
        data = source.document()
        if b"xmlns=" in data or b"urn:other" in data:
            continue
        root = etree.fromstring(data).getroottree()
        index = match.Indexed(tree(data))
        for expression, query, judge in zip(expressions, queries, judges, strict=True):
            expected = bool(judge(root))
            try:
                assert match.matches(query, index) is expected, (expression.text, data)
                matches += expected
            except match.NumberDigits:
                assert has_long_number(root.getroot())
    assert matches > 500


def test_containment_equals_libxml2_filter_by_filter() -> None:
    """40,000 pairs; each filter of a subscription is looked up anywhere in the document by libxml2."""
    source = Source(random.Random("x2cbbr match 3"))
    expressions = [source.expression() for _ in range(400)]
    queries = [xpath.compile(expression.text) for expression in expressions]
    judges = [etree.XPath(expression.contained) for expression in expressions]
    matches = 0
    for _ in range(100):
        data = source.document()
        root = etree.fromstring(data)
        index = match.Indexed(tree(data))
        for expression, query, judge in zip(expressions, queries, judges, strict=True):
            try:
                found = match.matches(query, index, Semantics.CONTAINMENT)
            except match.NumberDigits:
                assert has_long_number(root), (expression.text, data)
                continue
            assert found is judge(root), (expression.text, data)
            matches += found
    assert matches > 5000


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Expression, bytes]:
    source = Source(draw(st.randoms(use_true_random=False)))
    return source.expression(), source.document()


@given(pairs())
def test_any_pair_equals_libxml2(pair: tuple[Expression, bytes]) -> None:
    expression, data = pair
    query = xpath.compile(expression.text)
    assert query.size == expression.size
    root = etree.fromstring(data)
    try:
        assert match.matches(query, tree(data)) is bool(root.getroottree().xpath(expression.judge))
    except match.NumberDigits:
        assert has_long_number(root)


DIGITS = st.text("0123456789", min_size=1, max_size=9)
NUMBER = st.builds(
    "{}{}{}".format,
    st.sampled_from(("", "-")),
    st.one_of(DIGITS, st.builds("{}.{}".format, DIGITS, st.text("0123456789", max_size=6)), st.builds(".{}".format, DIGITS)),
    st.just(""),
)


@given(NUMBER, NUMBER, st.sampled_from(("=", "!=", "<", "<=", ">", ">=")), st.sampled_from(("{}", " {}", "{}\n", "+{}", "{} 0", "- {}")))
def test_numbers_compare_as_doubles_do(value: str, literal: str, operator: str, spelling: str) -> None:
    spelled = spelling.format(value)
    data = f"<a>{spelled}</a>".encode()
    root = etree.fromstring(data)
    for text in (f"/a[.{operator}{literal}]", f"/a[.{operator}'{literal}']", f"/a[text(){operator}'{spelled}']"):
        assert match.matches(xpath.compile(text), tree(data)) is bool(root.xpath(text)), text


@pytest.mark.parametrize(
    ("document", "text"),
    [
        # Numbers have no exponent [XPath 3.7 Number, 4.4 number()].
        ("<a>1e2</a>", "/a[.=100]"),
        ("<a>1E0</a>", "/a[.=1]"),
        ("<a>1e</a>", "/a[.<2]"),
        # A text node has at least one character [XPath 5.7]; libxml2 makes an empty one of an empty CDATA section.
        ("<a><![CDATA[]]></a>", "/a[text()!=5]"),
        # A number is the double nearest to the decimal [XPath 4.4]; with more than 22 digits after the point libxml2's is not.
        ("<a>0.0000000000000000000001</a>", "/a[.!=0.00000000000000000000010]"),
    ],
)
def test_values_where_libxml2_departs_from_the_recommendation(document: str, text: str) -> None:
    data = document.encode()
    assert etree.fromstring(data).xpath(text)
    assert not match.matches(xpath.compile(text), tree(data))


@pytest.mark.parametrize(
    "text",
    [
        # '//' is one token, and the longest one is taken: 'and.' is a name [XPath 3.7].
        "/ /a",
        "/a[@x and.='5']",
        "/a[@x andtext()='5']",
        # No exponent in a Number [XPath 3.7].
        "/a[@x=1e2]",
    ],
)
def test_texts_that_libxml2_takes_against_the_recommendation(text: str) -> None:
    etree.XPath(text)
    with pytest.raises(xpath.Refused):
        xpath.compile(text)
