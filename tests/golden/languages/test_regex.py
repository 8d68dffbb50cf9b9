"""Regular expressions against RE2."""

import pytest
import re2

from hdl.contract import Refusal
from sim.golden.languages import Compiled, LanguageRefusal, Limits, Message, Refused, compile
from sim.vectors.languages.expressions import Expressions
from sim.vectors.seeds import Draw
from tests.golden.languages.common import refusal

OPTIONS = re2.Options()
OPTIONS.log_errors = False


def judge(text: str) -> "re2._Regexp | None":
    try:
        return re2.compile(text, OPTIONS)
    except re2.error:
        return None


def accepted(text: str) -> Compiled | Refused:
    try:
        return compile("regex", text, Limits(nesting=100, positions=10_000))
    except Refused as reason:
        return reason


NARROWER = {LanguageRefusal.COUNT, LanguageRefusal.GROUP, LanguageRefusal.ESCAPE, LanguageRefusal.CHARACTER_CLASS}
"""What we refuse although RE2 may take it."""


def compare(seed: str, *, expressions: int, topics: int) -> None:
    source = Expressions(Draw(seed))
    given = [source.topic() for _ in range(topics)]
    pairs = matches = refused = 0
    while pairs < expressions * topics:
        text, spoilt = source.whole(), source.draw.chance(0.25)
        if spoilt:
            text = source.spoilt(text)
        mine, theirs = accepted(text), judge(text)
        if isinstance(mine, Refused):
            assert spoilt
            assert theirs is None or mine.code in NARROWER, (text, mine.code)
            refused += 1
            continue
        assert theirs is not None, text
        for topic in given:
            found = mine.matches(Message(topic))
            assert found is (theirs.search(topic) is not None), (text, topic)
            matches += found
        pairs += topics
    assert pairs // 4 < matches < pairs * 3 // 4
    assert refused > expressions // 20


def test_expressions_equal_re2() -> None:
    compare("regex 1", expressions=600, topics=50)


@pytest.mark.long
def test_more_expressions_equal_re2() -> None:
    compare("regex 2", expressions=2500, topics=100)


def test_every_escape_equals_re2() -> None:
    """All characters up to U+00FF behind a backslash, by themselves and in a class, on all characters up to U+00FF."""
    taken = 0
    for pattern in ("\\{}", "[\\{}]", "[^\\{}]"):
        for point in range(1, 256):
            text = pattern.format(chr(point))
            mine, theirs = accepted(text), judge(text)
            if isinstance(mine, Refused):
                assert mine.code is LanguageRefusal.ESCAPE
                assert theirs is None or chr(point).isalnum(), text
                continue
            assert theirs is not None, text
            for topic in map(chr, range(1, 256, 1 if taken % 7 == 0 else 11)):
                assert mine.matches(Message(topic)) is (theirs.search(topic) is not None), (text, topic)
            taken += 1
    assert taken == 3 * 77


def test_examples_of_the_paper() -> None:
    mine = compile("regex", "[T]he [Qq]uick [Bb]rown [Ff]ox [Jj]umps")
    assert mine.matches(Message("The quick brown fox jumps upon the lazy dog"))
    assert mine.matches(Message("see: The Quick Brown Fox Jumps"))
    assert not mine.matches(Message("the quick brown fox jumps"))


def test_a_long_topic_takes_no_time() -> None:
    """What makes backtracking explode."""
    assert not compile("regex", "(a*)*(a|a)*$b").matches(Message("a" * 2000))


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("*a", LanguageRefusal.REPETITION, 0),
        ("é|*a", LanguageRefusal.REPETITION, 3),
        ("(+a)", LanguageRefusal.REPETITION, 1),
        ("a**", LanguageRefusal.REPETITION, 2),
        ("a???", LanguageRefusal.REPETITION, 3),
        ("a*?+", LanguageRefusal.REPETITION, 3),
        ("a{2}", LanguageRefusal.COUNT, 1),
        ("{", LanguageRefusal.COUNT, 0),
        ("a)", Refusal.SYNTAX, 1),
        ("(a", Refusal.UNTERMINATED, 2),
        ("(?", Refusal.UNTERMINATED, 2),
        ("a\\", Refusal.UNTERMINATED, 2),
        ("[a", Refusal.UNTERMINATED, 2),
        ("[]", Refusal.UNTERMINATED, 2),
        ("[a-", Refusal.UNTERMINATED, 3),
        ("(?i)a", LanguageRefusal.GROUP, 2),
        ("(?P<n>a)", LanguageRefusal.GROUP, 2),
        ("a\\b", LanguageRefusal.ESCAPE, 1),
        ("\\pL", LanguageRefusal.ESCAPE, 0),
        ("\\1", LanguageRefusal.ESCAPE, 0),
        ("é\\é", LanguageRefusal.ESCAPE, 2),
        ("[\\x41]", LanguageRefusal.ESCAPE, 1),
        ("[z-a]", LanguageRefusal.CHARACTER_CLASS, 1),
        ("[a-\\d]", LanguageRefusal.CHARACTER_CLASS, 1),
        ("[[:alpha:]]", LanguageRefusal.CHARACTER_CLASS, 1),
        ("(" * 33 + ")" * 33, LanguageRefusal.NESTING, 32),
        ("a" * 513, LanguageRefusal.POSITIONS, 512),
    ],
)
def test_refusals(text: str, code: object, position: int) -> None:
    assert refusal("regex", text) == (code, position)


def test_limits_are_parameters() -> None:
    limits = Limits(positions=3, nesting=1)
    compile("regex", "^(a[bc].)*$", limits)
    assert refusal("regex", "^(a[bc].)*d$", limits) == (LanguageRefusal.POSITIONS, 10)
    assert refusal("regex", "((a))", limits) == (LanguageRefusal.NESTING, 1)
