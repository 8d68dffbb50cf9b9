"""Matching, number limits and notification content on examples worked by hand."""

import pytest

from hdl.config import BrokerConfig
from hdl.contract import Code, Content, Semantics
from sim.golden import match, notify, number, xml, xpath
from sim.golden.tree import Document

EXACT, CONTAINMENT = Semantics.EXACT, Semantics.CONTAINMENT

STOCK = b"""<?xml version="1.0"?>
<stock xmlns="urn:stock" xmlns:q="urn:q" day = 'Mon'>
  <share q:id="1"><name>ACME</name><price cur="USD">12.50</price></share>
  <share q:id="2"><name>Caf&#xE9;</name><price cur="EUR">7<!-- half -->.5</price><share q:id="3"/></share>
</stock>"""


def tree(data: bytes) -> Document:
    document = xml.parse(data).document
    assert document is not None, data
    return document


def matches(text: str, data: bytes = STOCK, semantics: Semantics = EXACT) -> bool:
    return match.matches(xpath.compile(text), tree(data), semantics)


@pytest.mark.parametrize(
    ("text", "exact", "containment"),
    [
        ("/stock", True, True),
        ("stock/share/price", True, True),
        ("/price", False, True),
        ("/price/stock", False, True),
        ("//share/share", True, True),
        ("//share//share/name", False, True),
        ("//price[.>12]", True, True),
        ("//price[.=7.5]", True, True),
        ("//price[text()=7.5]", False, False),
        ("//price[text()=7]", True, True),
        ("//price[text()='.5']", True, True),
        ("//name[.='Café']", True, True),
        ("//name[.='ACME' and @cur]", False, True),
        ("//price[@cur='EUR'][.<7]", False, False),
        ("//price[@cur='EUR'][.>12]", False, True),
        ("/share[@day='Mon']", False, True),
        ("/stock[@day]", True, True),
        ("/day", False, True),
        ("/stock[@share]", False, True),
        ("/stock/@price", False, True),
        ("/stock//@q:id", True, True),
        ("/stock/@q:id", False, True),
        ("//*[@q:id>2]", True, True),
        ("//*[@id>2]", False, False),
        ("//*[@q:id!='1']", True, True),
        ("//*[@missing!='1']", False, False),
        ("/*", True, True),
        ("/nothing", False, False),
        ("/stock[@xmlns]", False, False),
        ("/stock[@xmlns='urn:stock']", False, False),
        ("/stock[@xmlns:q!='x']", False, False),
        ("/stock/@xmlns:q", False, False),
    ],
)
def test_stock_document(text: str, exact: bool, containment: bool) -> None:
    assert matches(text) is exact
    assert matches(text, semantics=CONTAINMENT) is containment


def test_many_subscriptions_at_once() -> None:
    texts = ["/stock", "/share", "/share"]
    registered = list(zip(map(xpath.compile, texts), (EXACT, EXACT, CONTAINMENT), strict=True))
    assert match.matched(registered, tree(STOCK)) == [True, False, True]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("//name[.='ACME']", b"<name>ACME</name>"),
        ("//price", b'<price cur="USD">12.50</price><price cur="EUR">7<!-- half -->.5</price>'),
        (
            "//share[@q:id>1]",
            b'<share q:id="2"><name>Caf&#xE9;</name><price cur="EUR">7<!-- half -->.5</price><share q:id="3"/></share><share q:id="3"/>',
        ),
        ("/stock/@day", b"day = 'Mon'"),
        ("//share/@q:id", b'q:id="1"q:id="2"q:id="3"'),
        ("/stock//@cur", b'cur="USD"cur="EUR"'),
        ("/nothing", b""),
    ],
)
def test_selected_content_is_cut_from_the_source(text: str, content: bytes) -> None:
    query = xpath.compile(text)
    assert notify.content(query, tree(STOCK), Content.SELECTED) == content
    assert notify.content(query, match.Indexed(tree(STOCK)), Content.SELECTED) == content
    assert notify.content(query, tree(STOCK), Content.WHOLE) == STOCK
    assert notify.content(query, tree(STOCK), Content.HEADER) == b""
    # containment knows no paths, so that it selects no nodes
    assert notify.content(query, tree(STOCK), Content.SELECTED, CONTAINMENT) == b""
    assert notify.content(query, tree(STOCK), Content.WHOLE, CONTAINMENT) == STOCK


def test_attribute_is_found_behind_others_that_look_like_it() -> None:
    data = b"""<a ab='a="1"'\n\tba = "a='2'>"   a\t=\n'3 > 2' c=''/>"""
    assert notify.content(xpath.compile("/a/@a"), tree(data), Content.SELECTED) == b"a\t=\n'3 > 2'"
    assert notify.content(xpath.compile("/a/@c"), tree(data), Content.SELECTED) == b"c=''"


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        *(("5", "5"), ("5.", "5"), (".5", "0.5"), ("-.5", "-0.5"), ("-0", "0"), (" \t\r\n7\n ", "7"), ("007.700", "7.7")),
        *(("123456789012345", "123456789012345"), ("-0.000123456789012345", "-0.000123456789012345")),
        *(("1" + "0" * 63, "1" + "0" * 63), (" " * 99 + "5" + " " * 99, "5")),
        *(
            (spelling, None)
            for spelling in ("", " ", "-", ".", "-.", "+5", "1e5", "- 5", "5 5", "5-", "--5", "5.5.5", "NaN", "\u00a05", "\u0665")
        ),
        *((spelling, None) for spelling in ("1234567890123456 7", "1234567890123456x", "9 " * 99, "x" * 99, "1234567890123456-")),
    ],
)
def test_numbers(spelling: str, value: str | None) -> None:
    result = number.from_string(spelling.encode(), config=BrokerConfig())
    assert result == (None if value is None else number.exact(value.encode()))
    assert (result is None) is (value is None)


@pytest.mark.parametrize("spelling", ["1234567890123456", "-0.1234567890123456", "1.000000000000001", "0" * 65, "-" * 65, " " + "1" * 65])
def test_numbers_over_the_limit(spelling: str) -> None:
    with pytest.raises(number.NumberDigits, match="at most 15 significant digits and 64 bytes"):
        number.from_string(spelling.encode(), config=BrokerConfig())
    assert number.NumberDigits.code is Code.NUMBER_DIGITS


LONG = b"<r><a x='12345678901234567'/><b>1<c>234567890123456</c></b></r>"


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("/r/a[@x>1]", True),
        ("/nothing[@x=1]", True),
        ("//b[@x!=1 and @y]", True),
        ("//a[@x='1']", False),
        ("//a[@x!='12345678901234567']", False),
        ("//a[@x<'no number']", False),
        ("//a[@y>1]", False),
        ("//a[.>1]", False),
        ("/nothing/b[.>1]", True),
        ("//b[text()>1]", False),
        ("//c[.>1]", False),
        ("//*[.>1]", True),
        ("//*[text()>1]", False),
    ],
)
@pytest.mark.parametrize("semantics", [EXACT, CONTAINMENT])
def test_long_numbers_are_over_the_limit_by_name(text: str, over: bool, semantics: Semantics) -> None:
    query, document = xpath.compile(text), tree(LONG)
    if over:
        with pytest.raises(match.NumberDigits):
            match.matches(query, document, semantics)
        with pytest.raises(match.NumberDigits):
            match.select(query, document)
        with pytest.raises(match.NumberDigits):
            match.matched([(xpath.compile("/r"), EXACT), (query, semantics)], document)
    else:
        match.matches(query, document, semantics)
        match.select(query, document)


def test_namespace_declarations_are_never_compared() -> None:
    assert not matches("/a[@xmlns:p>1]", b"<a xmlns:p='12345678901234567'/>")


def test_values_longer_than_any_literal_equal_none() -> None:
    data = b"<a x='" + b"v" * 65 + b"'>" + b"v" * 65 + b"</a>"
    for subject in ("@x", ".", "text()"):
        assert not matches(f"/a[{subject}='{'v' * 64}']", data)
        assert matches(f"/a[{subject}!='{'v' * 64}']", data)
