"""What holds for the refusals of every language, and for texts of any kind."""

import random

import pytest

from hdl.config import PRESETS
from sim.golden.languages import LANGUAGES, Compiled, LanguageRefusal, Limits, Message, Refused, compile
from tests.golden.languages.common import refusal

C = LanguageRefusal

WITNESSES = [
    ("string", "\0", C.BAD_CHARACTER),
    ("mqtt", "a+", C.WILDCARD),
    ("topic", "*", C.FIRST_WILDCARD),
    ("mqtt", "#/a", C.LAST_WILDCARD),
    ("integer", "x", C.INTEGER),
    ("tags", "a=,a=", C.DUPLICATE_TAG),
    ("filter", "a < ''", C.OPERAND),
    ("selector", "x a = b", C.IDENTIFIERS),
    ("selector", "x a = 1/0", C.DIVISION),
    ("selector", "x a = 1e99", C.NUMBER_RANGE),
    ("regex", "\\b", C.ESCAPE),
    ("regex", "(" * 99, C.NESTING),
    ("selector", "x " + " AND ".join(["(a OR b)"] * 9), C.NORMAL_FORM),
    ("regex", "*", C.REPETITION),
    ("regex", "a{2}", C.COUNT),
    ("regex", "[b-a]", C.CHARACTER_CLASS),
    ("regex", "(?i)", C.GROUP),
    ("regex", "a" * 999, C.POSITIONS),
]


@pytest.mark.parametrize(("language", "text", "code"), WITNESSES, ids=[code.text for *_, code in WITNESSES])
def test_every_code_has_a_witness(language: str, text: str, code: LanguageRefusal) -> None:
    assert refusal(language, text)[0] is code


def test_no_code_is_without_a_witness() -> None:
    assert [code for *_, code in WITNESSES] == list(LanguageRefusal)


def outcome(language: str, text: str | bytes) -> tuple[object, int] | Compiled:
    try:
        return compile(language, text)
    except Refused as reason:
        return reason.code, reason.position


SEEDS = (
    *("Streams/*/a/#", "$a/+/#", "-042", "Make=Ford,Model=*", "a = \"x\" and b > - 5 or c exists or d prefix 'y'", "^[a-z]+(b|\\d)*?$"),
    *("home NOT (a BETWEEN 1 AND 2*3) OR b NOT IN ('x','y') AND c LIKE 'a!%' ESCAPE '!' OR d IS NOT NULL AND (e = -5e2)",),
)
PIECES = (*"()[]{}*+?|\\^$.,/#-=<>!'\"%_ \t\né日😀\0", "NOT ", " and ", " OR ", "''", "1", "0x", "e5", "(", "a", " TRUE", "[^", "(?:")


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_text_is_taken_or_refused_at_a_place_in_it(language: str) -> None:
    source = random.Random(f"any {language}")
    refused = taken = 0
    for _ in range(2500):
        text = source.choice((*SEEDS, ""))
        for _ in range(source.choice((0, 1, 2, 4, 40))):
            place = source.randint(0, len(text))
            text = text[:place] + source.choice(PIECES) * source.choice((1, 1, 1, 50)) + text[place + source.choice((0, 0, 1, 5)) :]
        found = outcome(language, text)
        if isinstance(found, tuple):
            assert found == outcome(language, text.encode())
            assert 0 <= found[1] <= len(text.encode())
            refused += 1
        else:
            assert found.matches(Message(text)) in (True, False)
            taken += 1
    assert refused > 500
    assert taken > 20


def test_limits_of_a_preset() -> None:
    small = PRESETS["small"]
    found = Limits.of(small)
    assert (found.text_bytes, found.steps, found.levels) == (small.xpath_bytes, small.subscription_steps, small.depth)
    assert (found.name_bytes, found.value_bytes, found.properties) == (small.name_bytes, small.value_bytes, small.attributes)
    assert Limits.of(PRESETS["large"]).levels == 64
