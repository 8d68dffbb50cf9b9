"""The languages whose topic is one name: string, integer and tags, against equality of Python's strings, integers and dictionaries."""

import random
import re

import pytest

from hdl.contract import Refusal
from sim.golden.languages import LanguageRefusal, Limits, Message, Refused, compile
from tests.golden.languages.common import refusal


def matches(language: str, text: str, topic: str) -> bool:
    return compile(language, text).matches(Message(topic, {"a": "b"}, b"body"))


# string


def strings(seed: str, count: int) -> None:
    source = random.Random(seed)
    alphabet = "ab/#*+ =é日😀\n\"'"
    found = 0
    for _ in range(count):
        text = "".join(source.choices(alphabet, k=source.randint(0, 3)))
        topic = text if source.random() < 0.2 else "".join(source.choices(alphabet, k=source.randint(0, 3)))
        assert matches("string", text, topic) is (text == topic)
        found += text == topic
    assert found > count // 5


def test_strings_equal() -> None:
    strings("string 1", 20_000)


@pytest.mark.parametrize("other", ["Sports/NBA", "sports", "Sports ", " Sports", "Sport", ""])
def test_a_string_has_no_sub_topics(other: str) -> None:
    assert matches("string", "Sports", "Sports")
    assert not matches("string", "Sports", other)


def test_strings_refused() -> None:
    assert refusal("string", "é" * 33) == (Refusal.LITERAL_LENGTH, 64)
    assert refusal("string", "a\0") == (LanguageRefusal.BAD_CHARACTER, 1)
    assert refusal("string", "abc", Limits(value_bytes=2)) == (Refusal.LITERAL_LENGTH, 2)


# integer

DIGITS = ("0", "-0", "00", "1", "-1", "01", "-01", "4711", "04711", "10", "100", "999999999999999", "-999999999999999", "1" * 40, "0" * 40)
OTHERS = ("", "-", "--1", "+1", " 1", "1 ", "1\n", "1.0", "1e3", "0x1", "1_0", "one", "4711/x", "\u0661", "1-", "²")


def integers(seed: str, count: int) -> None:
    source = random.Random(seed)
    found = 0
    for _ in range(count):
        text = source.choice(DIGITS) if source.random() < 0.3 else str(source.randint(-30, 30))
        if len(str(abs(int(text)))) > 15:
            assert refusal("integer", text)[0] is Refusal.NUMBER_DIGITS
            continue
        mine = compile("integer", text)
        topic = source.choice((*DIGITS, *OTHERS)) if source.random() < 0.3 else f"{source.choice(('', '', '0'))}{source.randint(-30, 30)}"
        expected = re.fullmatch("-?[0-9]+", topic) is not None and int(topic) == int(text)
        assert mine.matches(Message(topic)) is expected, (text, topic)
        found += expected
    assert found > count // 100


def test_integers_equal() -> None:
    integers("integer 1", 20_000)


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", Refusal.EMPTY, 0),
        ("-", Refusal.UNTERMINATED, 1),
        ("+1", LanguageRefusal.INTEGER, 0),
        ("1 ", LanguageRefusal.INTEGER, 1),
        ("1-", LanguageRefusal.INTEGER, 1),
        ("1.0", LanguageRefusal.INTEGER, 1),
        ("\u0661", LanguageRefusal.INTEGER, 0),
        ("-001234567890123456", Refusal.NUMBER_DIGITS, 18),
        ("0" * 65, Refusal.LITERAL_LENGTH, 64),
    ],
)
def test_integers_refused(text: str, code: object, position: int) -> None:
    assert refusal("integer", text) == (code, position)


# tags

TAGS = ("Make", "Model", "Color", "a", "b", "é", " a")
VALUES = ("Ford", "Red", "", "*", "x", "x=y", "日本", " ", "**")


def dictionary(topic: str) -> dict[str, str] | None:
    """The judge's own reading: every piece has a tag in front of its first equals sign, and no tag comes twice."""
    pieces = [re.match(r"([^=]+)=(.*)\Z", piece, re.DOTALL) for piece in topic.split(",")]
    if not all(pieces):
        return None
    found = [(piece[1], piece[2]) for piece in pieces if piece]
    return dict(found) if len({tag for tag, _ in found}) == len(found) else None


def draw(source: random.Random) -> str:
    pieces = [f"{tag}={source.choice(VALUES)}" for tag in source.choices(TAGS, k=source.choice((1, 1, 2, 2, 3, 5)))]
    if source.random() < 0.05:
        pieces[source.randrange(len(pieces))] = source.choice(("", "=", "a", "=x"))
    return ",".join(pieces)


def tags(seed: str, count: int) -> None:
    source = random.Random(seed)
    pairs = found = refused = 0
    while pairs < count:
        text = draw(source)
        asked = dictionary(text)
        try:
            mine = compile("tags", text)
        except Refused:
            assert asked is None or any("*" in value != "*" for value in asked.values())
            refused += 1
            continue
        assert asked is not None
        topic = draw(source)
        if source.random() < 0.5:
            given = list({**(dictionary(topic) or {}), **{tag: "v" if value == "*" else value for tag, value in asked.items()}}.items())
            source.shuffle(given)
            topic = ",".join("=".join(pair) for pair in given)
        given_tags = dictionary(topic)
        expected = given_tags is not None and all(tag in given_tags and value in ("*", given_tags[tag]) for tag, value in asked.items())
        assert mine.matches(Message(topic)) is expected, (text, topic)
        pairs += 1
        found += expected
    assert found > count // 4
    assert refused > count // 20


def test_tags_equal_dictionaries() -> None:
    tags("tags 1", 20_000)


@pytest.mark.long
def test_names_at_length() -> None:
    strings("string 2", 250_000)
    integers("integer 2", 250_000)
    tags("tags 2", 250_000)


def test_example_of_the_paper() -> None:
    text = "Make=Ford,Model=*,Color=Red"
    assert matches("tags", text, "Make=Ford,Model=Taurus,Color=Red")
    assert matches("tags", text, "Color=Red,Year=1998,Model=Mustang,Make=Ford")
    for other in ("Make=Ford,Color=Red", "Make=Ford,Model=Taurus,Color=Blue", "Make=Ford,Model=Taurus,Color=Red,Color=Red", ""):
        assert not matches("tags", text, other)


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", Refusal.EMPTY, 0),
        ("a", Refusal.UNTERMINATED, 1),
        ("a=1,", Refusal.UNTERMINATED, 4),
        ("a,b=1", Refusal.SYNTAX, 1),
        (",b=1", Refusal.SYNTAX, 0),
        ("=1", Refusal.SYNTAX, 0),
        ("é=1,é=2", LanguageRefusal.DUPLICATE_TAG, 5),
        ("a=x*", LanguageRefusal.WILDCARD, 3),
        ("a=**", LanguageRefusal.WILDCARD, 2),
        ("a" * 65 + "=", Refusal.NAME_LENGTH, 64),
        ("a=" + "b" * 65, Refusal.LITERAL_LENGTH, 66),
        (",".join(f"t{number}=*" for number in range(17)), Refusal.STEPS, 16 * 5 + 6),
    ],
)
def test_tags_refused(text: str, code: object, position: int) -> None:
    assert refusal("tags", text) == (code, position)
