"""The XPath front end: the accepted language against a regular expression of the grammar, refusals pinned by code and position."""

import itertools
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from hdl.config import PRESETS
from hdl.contract import Refusal
from sim.golden import xpath
from sim.golden.query import Axis, Operator, Step, Subject, Test
from tests.golden.queries import Source

CONFIG = PRESETS["default"]
UNDECIDED = {Refusal.EMPTY, Refusal.UNTERMINATED}


def outcome(text: str | bytes) -> tuple[Refusal, int] | None:
    try:
        xpath.compile(text, CONFIG)
    except xpath.Refused as refused:
        return refused.code, refused.position
    return None


def grammar() -> re.Pattern[str]:
    """The grammar of accepted expressions as one regular expression, over ASCII."""
    space = r"[ \t\r\n]*"
    name = r"[A-Za-z_][A-Za-z0-9_.-]*(?::[A-Za-z_][A-Za-z0-9_.-]*)?(?![A-Za-z0-9_.:-])"
    number = rf"(?:-{space})?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    literal = rf"""(?:{number}|"[^"]*"|'[^']*')"""
    compared = rf"{space}(?:!=|<=|>=|=|<|>){space}{literal}"
    attribute = rf"@{space}{name}(?:{compared})?"
    text = rf"(?:\.|text{space}\({space}\)){compared}"

    def predicates(test: str) -> str:
        return rf"(?:{space}\[{space}(?:{test})(?:{space}and(?![A-Za-z0-9_.:-]){space}(?:{test}))*{space}\])*"

    separator = rf"{space}//?{space}"
    node = rf"(?:{name}|\*)"
    plain = node + predicates(attribute)
    last = node + predicates(rf"{attribute}|{text}")
    path = rf"(?:{plain}{separator})*(?:{last}|{plain}{separator}@{space}{name})"
    return re.compile(rf"{space}(?://?)?{space}{path}{space}")


GRAMMAR = grammar()
TOKENS = ("/", "//", "a", "b:c", "text", "and", "or", "@", "*", "[", "]", "(", ")", ".", "=", "!=", "<", ">", "5", "-", '"x"', " ", ":")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("/a", ""),
        ("/a[", "]"),
        ("/a[@b", "]"),
        ("/a[@b=", "]"),
        ("/a[.=", "]"),
        ("a[text", "=1]"),
        ("/a[@b ", "@c]"),
        ("/a[@b]", ""),
        ("/a/@", ""),
    ],
)
def test_short_texts_are_accepted_as_the_grammar_says(before: str, after: str) -> None:
    """All sequences of up to three tokens in every kind of place."""
    accepted = 0
    for count in range(4):
        for middle in itertools.product(TOKENS, repeat=count):
            text = before + "".join(middle) + after
            result = outcome(text)
            assert (result is None) is (GRAMMAR.fullmatch(text) is not None), (text, result)
            accepted += result is None
    assert accepted > 0


@given(
    st.lists(
        st.one_of(st.sampled_from(TOKENS), st.sampled_from(("text()", "[@a]", "[.='x']", "and @b", ">=", ".5", "'y'"))), max_size=14
    ).map("".join)
)
def test_any_tokens_are_accepted_as_the_grammar_says(text: str) -> None:
    assert (outcome(text) is None) is (GRAMMAR.fullmatch(text) is not None)


def test_generated_expressions_are_accepted_and_survive_edits() -> None:
    """Every generated expression is taken; with a token deleted, doubled or replaced, acceptance still follows the grammar."""
    source = Source(random.Random("x2cbbr xpath 1"))
    edited = refused = 0
    for _ in range(700):
        text = source.expression().text
        assert outcome(text) is None, text
        if not text.isascii():
            continue
        for _ in range(8):
            position = source.random.randrange(len(text))
            mutant = text[:position] + source.random.choice(("", text[position] * 2, source.random.choice(TOKENS))) + text[position + 1 :]
            result = outcome(mutant)
            if result is None or result[0] not in {Refusal.STEPS, Refusal.NAME_LENGTH, Refusal.LITERAL_LENGTH, Refusal.NUMBER_DIGITS}:
                assert (result is None) is (GRAMMAR.fullmatch(mutant) is not None), (mutant, result)
            edited += 1
            refused += result is not None
    assert edited > 3000
    assert edited // 4 < refused < edited


@given(st.binary(max_size=40) | st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=8))
def test_a_refusal_does_not_depend_on_what_follows(data: bytes, more: bytes) -> None:
    result = outcome(data)
    if result is not None:
        assert 0 <= result[1] <= len(data)
        if result[0] not in UNDECIDED:
            assert outcome(data + more) == result


def test_every_cut_of_an_expression_is_accepted_or_ends_too_early() -> None:
    source = Source(random.Random("x2cbbr xpath 2"))
    for _ in range(80):
        data = source.expression().text.encode()
        for length in range(len(data)):
            result = outcome(data[:length])
            assert result is None or result in ((Refusal.UNTERMINATED, length), (Refusal.EMPTY, length)), data[:length]


def test_accepted_texts_mean_the_same_in_canonical_form() -> None:
    source = Source(random.Random("x2cbbr xpath 3"))
    for _ in range(500):
        query = xpath.compile(source.expression().text)
        again = xpath.compile(query.canonical)
        assert again.canonical == query.canonical
        assert again == query
        assert hash(again) == hash(query)


@pytest.mark.parametrize(
    "spelling",
    [
        "/a[@b=5 and @c]//d[text()!='x']",
        'a[@b=5][@c]//d[text()!="x"]',
        " / a [ @ b = 5. and @ c ] // d [ text ( ) != 'x' ] ",
        "\t/\r\na\n[@c and@b=05.0]//d[text()!='x']",
    ],
)
def test_spellings_of_one_expression_are_one_query(spelling: str) -> None:
    query = xpath.compile(spelling)
    assert query.canonical == '/a[@b=5][@c]//d[text()!="x"]'
    assert query.size == 5


def test_parts_of_a_query() -> None:
    query = xpath.compile("/and/*[@text][@or <= - .50]//p:q[. = '-1' and text()>\"2\"]")
    five = xpath.compile("a[@x=-.5]").steps[0].tests[0].number
    two = xpath.compile("a[@x=2]").steps[0].tests[0].number
    assert query.steps == (
        Step(Axis.CHILD, b"and"),
        Step(
            Axis.CHILD,
            None,
            (Test(Subject.ATTRIBUTE, b"text"), Test(Subject.ATTRIBUTE, b"or", Operator.LE, b"-.50", True, five)),
        ),
        Step(
            Axis.DESCENDANT,
            b"p:q",
            (Test(Subject.SELF, b"", Operator.EQ, b"-1", False, None), Test(Subject.TEXT, b"", Operator.GT, b"2", False, two)),
        ),
    )
    assert query.attribute is None
    final = xpath.compile("a//@b:c ")
    assert (final.attribute, final.attribute_axis, final.size) == (b"b:c", Axis.DESCENDANT, 2)


NAME = "n" * 64
VALUE = "v" * 64
STEPS = "/a[@b and @c]" + "/a" * 13

REFUSALS = [
    # The end of the text.
    ("", Refusal.EMPTY, 0),
    (" \t\r\n", Refusal.EMPTY, 4),
    ("/", Refusal.UNTERMINATED, 1),
    ("//", Refusal.UNTERMINATED, 2),
    ("/stock/share/", Refusal.UNTERMINATED, 13),
    ("/a/@", Refusal.UNTERMINATED, 4),
    ("/a:", Refusal.UNTERMINATED, 3),
    ("/a[", Refusal.UNTERMINATED, 3),
    ("/a[@b", Refusal.UNTERMINATED, 5),
    ("/a[@b=", Refusal.UNTERMINATED, 6),
    ("/a[@b='x", Refusal.UNTERMINATED, 8),
    ("/a[@b=-", Refusal.UNTERMINATED, 7),
    ("/a[@b=1 an", Refusal.UNTERMINATED, 10),
    ("/a[text(", Refusal.UNTERMINATED, 8),
    ("/a[foo", Refusal.UNTERMINATED, 6),
    (b"/a\xc3", Refusal.UNTERMINATED, 3),
    (b"\xc3", Refusal.UNTERMINATED, 1),
    # Length of the text, before anything else.
    ("/" + "a" * 1024, Refusal.TEXT_LENGTH, 1024),
    (b"\xff" * 1025, Refusal.TEXT_LENGTH, 1024),
    # Encoding.
    (b"/a\x80", Refusal.BAD_UTF8, 2),
    (b"/\xc3(", Refusal.BAD_UTF8, 2),
    (b"/\xed\xa0\x80", Refusal.BAD_UTF8, 2),
    (b"/a[@b='\xf5", Refusal.BAD_UTF8, 7),
    # Characters out of place.
    ("/a]", Refusal.SYNTAX, 2),
    ("///a", Refusal.SYNTAX, 2),
    ("/ /a", Refusal.SYNTAX, 2),
    ("(/a)", Refusal.SYNTAX, 0),
    ("'x'", Refusal.SYNTAX, 0),
    ("5", Refusal.SYNTAX, 0),
    ("$x", Refusal.SYNTAX, 0),
    ("/a,b", Refusal.SYNTAX, 2),
    ("/a:b:c", Refusal.SYNTAX, 4),
    ("/a:*", Refusal.SYNTAX, 3),
    ("/a/@*", Refusal.SYNTAX, 4),
    ("/a[]", Refusal.SYNTAX, 3),
    ("/a[*]", Refusal.SYNTAX, 3),
    ("/a[/b]", Refusal.SYNTAX, 3),
    ("/a[foo]", Refusal.SYNTAX, 3),
    ("/a[ foo = 'x']", Refusal.SYNTAX, 4),
    ("/a[text='x']", Refusal.SYNTAX, 3),
    ("/a[text('x')]", Refusal.SYNTAX, 8),
    ("/a[.]", Refusal.SYNTAX, 4),
    ("/a[text()]", Refusal.SYNTAX, 9),
    ("/a[./b]", Refusal.SYNTAX, 4),
    ("/a[@b!5]", Refusal.SYNTAX, 6),
    ("/a[@b==5]", Refusal.SYNTAX, 6),
    ("/a[@b< =5]", Refusal.SYNTAX, 7),
    ("/a[@b=5.5.5]", Refusal.SYNTAX, 9),
    ("/a[@b='x\x01']", Refusal.SYNTAX, 8),
    ("/a[@b='\uffff']", Refusal.SYNTAX, 7),
    ("/a\u00d7", Refusal.SYNTAX, 2),
    ("/\u00d7", Refusal.SYNTAX, 1),
    ("/a\x00", Refusal.SYNTAX, 2),
    # Axes and abbreviated steps.
    ("/child::a", Refusal.AXIS, 1),
    ("/child :: a", Refusal.AXIS, 1),
    ("/a/../b", Refusal.AXIS, 3),
    ("./a", Refusal.AXIS, 0),
    ("/a/attribute::b", Refusal.AXIS, 3),
    ("/a[self::b]", Refusal.AXIS, 3),
    ("/a[@x::b]", Refusal.AXIS, 4),
    ("/a[..='x']", Refusal.AXIS, 4),
    # Functions and node tests.
    ("count(//a)", Refusal.FUNCTION, 0),
    ("/a/text()", Refusal.FUNCTION, 3),
    ("/a/node ()", Refusal.FUNCTION, 3),
    ("/a[position()=1]", Refusal.FUNCTION, 3),
    ("/a[not(@b)]", Refusal.FUNCTION, 3),
    ("/a[p:text()='x']", Refusal.FUNCTION, 3),
    ("/a[@node()]", Refusal.FUNCTION, 4),
    ("/a/@node()", Refusal.FUNCTION, 4),
    # Operators.
    ("/a|/b", Refusal.OPERATOR, 2),
    ("/a or /b", Refusal.OPERATOR, 3),
    ("/a = 5", Refusal.OPERATOR, 3),
    ("/a * 5", Refusal.OPERATOR, 3),
    ("-5", Refusal.OPERATOR, 0),
    ("/a/@b = 5", Refusal.OPERATOR, 6),
    ("/a[@b or @c]", Refusal.OPERATOR, 6),
    ("/a[@b andy]", Refusal.OPERATOR, 9),
    ("/a[@b and.='x']", Refusal.OPERATOR, 9),
    ("/a[@b=@c]", Refusal.OPERATOR, 6),
    ("/a[@b=true()]", Refusal.OPERATOR, 6),
    ("/a[@b=(5)]", Refusal.OPERATOR, 6),
    ("/a[@b=.]", Refusal.OPERATOR, 7),
    ("/a[@b=--5]", Refusal.OPERATOR, 7),
    ("/a[@b=5+1]", Refusal.OPERATOR, 7),
    ("/a[@b=1e5]", Refusal.OPERATOR, 7),
    ("/a['x'=@b]", Refusal.OPERATOR, 3),
    ("/a[-1]", Refusal.OPERATOR, 3),
    ("/a[. and @b]", Refusal.OPERATOR, 5),
    # Positions.
    ("/a[1]", Refusal.POSITION, 3),
    ("/a[.5]", Refusal.POSITION, 4),
    # The last step.
    ("/a[.='x']/b", Refusal.TEXT_TEST, 9),
    ("/a[text()=1][@b] /@c", Refusal.TEXT_TEST, 17),
    ("@a", Refusal.ATTRIBUTE_STEP, 0),
    ("//@a", Refusal.ATTRIBUTE_STEP, 2),
    ("/a/@b/c", Refusal.ATTRIBUTE_STEP, 5),
    ("/a/@b[.='x']", Refusal.ATTRIBUTE_STEP, 5),
    ("/a[@b/c]", Refusal.ATTRIBUTE_STEP, 5),
    # Limits.
    ("/" + NAME + "n", Refusal.NAME_LENGTH, 65),
    ("/a/@p:" + NAME, Refusal.NAME_LENGTH, 68),
    ("/a[@" + NAME + "n]", Refusal.NAME_LENGTH, 68),
    ("/a[" + NAME + "n(", Refusal.NAME_LENGTH, 67),
    ("/" + NAME[1:] + "\u00e9", Refusal.NAME_LENGTH, 65),
    ("/" + NAME + "\u00d7", Refusal.NAME_LENGTH, 65),
    ("/" + NAME + "\u00b7", Refusal.NAME_LENGTH, 65),
    ("/a[@b='" + VALUE + "v']", Refusal.LITERAL_LENGTH, 71),
    ("/a[@b='" + VALUE + "\x01']", Refusal.LITERAL_LENGTH, 71),
    ('/a[@b="' + VALUE[1:] + "\u00e9", Refusal.LITERAL_LENGTH, 71),
    ("/a[@b=" + "0" * 65 + "]", Refusal.LITERAL_LENGTH, 70),
    ("/a[@b=-" + "0" * 64 + "]", Refusal.LITERAL_LENGTH, 70),
    ("/a[@b=1234567890123456]", Refusal.NUMBER_DIGITS, 21),
    ("/a[@b=0.10000000000000000001]", Refusal.NUMBER_DIGITS, 27),
    ("/a[@b<='-1234567890.123456']", Refusal.NUMBER_DIGITS, 7),
    (STEPS + "/a", Refusal.STEPS, len(STEPS) + 1),
    (STEPS + "/\u00e9", Refusal.STEPS, len(STEPS) + 1),
    (STEPS + "/*", Refusal.STEPS, len(STEPS) + 1),
    (STEPS + "/@a", Refusal.STEPS, len(STEPS) + 1),
    (STEPS + "[@a]", Refusal.STEPS, len(STEPS) + 1),
    (STEPS + "[.=5]", Refusal.STEPS, len(STEPS) + 1),
    (STEPS + "[text()=5]", Refusal.STEPS, len(STEPS) + 1),
]


@pytest.mark.parametrize(("text", "code", "position"), REFUSALS)
def test_refusals(text: str | bytes, code: Refusal, position: int) -> None:
    with pytest.raises(xpath.Refused, match=re.escape(code.sentence)) as refused:
        xpath.compile(text)
    assert (refused.value.code, refused.value.position) == (code, position)


def test_every_refusal_of_an_expression_is_pinned() -> None:
    others = {code for code in Refusal if code >= Refusal.DUPLICATE_SID} | {Refusal.NONE, Refusal.BAD_HEADER}
    assert {code for _, code, _ in REFUSALS} == set(Refusal) - others


@pytest.mark.parametrize(
    "text",
    [
        "/" + NAME,
        "/p:" + NAME[2:] + "/@" + NAME,
        "/" + NAME[2:] + "\u00e9",
        f"/a[@b='{VALUE}']",
        f"/a[.='{VALUE[2:]}\u00e9']",
        "/a[@b=" + "0" * 63 + "1]",
        "/a[@b=" + "- " + "0" * 62 + "1]",
        "/a[@b=000123456789012345.000000]",
        "/a[@b=0.00000123456789012345]",
        "/a[@b=1" + "0" * 40 + "]",
        "/a[@b='1234567890123456']",
        "/a[@b<'1234567890123456 7']",
        STEPS,
        "/" + "a" * 60 + " " * 963,
        "/\U00020000\u00b7",
    ],
)
def test_limits_are_reached_without_refusal(text: str) -> None:
    assert outcome(text) is None


def test_limits_are_those_of_the_configuration() -> None:
    small = PRESETS["default"].preset("default", name_bytes=4, value_bytes=8, digits=2, subscription_steps=2, xpath_bytes=16)
    for text, code in (
        ("/abcde", Refusal.NAME_LENGTH),
        ("a[.='123456789']", Refusal.LITERAL_LENGTH),
        ("a[.=123]", Refusal.NUMBER_DIGITS),
        ("a/b/c", Refusal.STEPS),
        ("a" + " " * 16, Refusal.TEXT_LENGTH),
    ):
        assert xpath.compile(text)
        with pytest.raises(xpath.Refused) as refused:
            xpath.compile(text, small)
        assert refused.value.code is code


def test_accepted_names_are_names_to_libxml2() -> None:
    for name in ("a", "_", "a-b.c", "été", "日本", "p:a"):
        etree.XPath(f"/{name}", namespaces={"p": "urn:p"})
        assert outcome(f"/{name}/@{name}") is None
