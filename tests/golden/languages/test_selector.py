"""Selectors against Apache ActiveMQ and SQLite, with all three values of a condition."""

import contextlib
import sqlite3
from collections import Counter
from decimal import Decimal

import pytest

from hdl.contract import Refusal
from sim.golden.languages import LanguageRefusal, Limits, Message, Value, compile
from sim.golden.languages.selector import Selector
from sim.judges import activemq
from sim.judges.sqlite import Rows
from sim.vectors.languages.selectors import COLUMNS, Drawn, Selectors
from sim.vectors.seeds import Draw
from tests.golden.languages import departures
from tests.golden.languages.common import ours, refusal, shown

ROOMY = Limits(normal_form=10**9, text_bytes=4096)


def selector(text: str, limits: Limits | None = None) -> Selector:
    found = compile("selector", text, limits)
    assert isinstance(found, Selector)
    return found


def values(drawn: Drawn, messages: list[dict[str, Value]]) -> list[bool | None]:
    condition = selector(f"home {drawn.text}", ROOMY).condition
    assert condition is not None
    return [condition.evaluate(properties) for properties in messages]


def check(seen: Counter[bool | None], pairs: int) -> None:
    """All three values came often."""
    assert seen.total() == pairs
    assert min(seen[value] for value in (True, False, None)) > pairs // 12


def against_activemq(seed: str, *, selectors: int, messages: int) -> None:
    source = Selectors(Draw(seed))
    given = [source.properties() for _ in range(messages)]
    drawn = [source.condition(source.draw.choice((0, 0, 1, 2, 3))) for _ in range(selectors)]
    seen: Counter[bool | None] = Counter()
    for one, expected in zip(drawn, activemq.evaluate([one.activemq for one in drawn], given), strict=True):
        assert expected is not None, one
        found = values(one, given)
        assert found == expected, (one, next(properties for properties, a, b in zip(given, found, expected, strict=True) if a != b))
        seen.update(found)
    check(seen, selectors * messages)


def test_selectors_equal_activemq() -> None:
    against_activemq("selector 1", selectors=400, messages=80)


@pytest.mark.long
def test_more_selectors_equal_activemq() -> None:
    against_activemq("selector 2", selectors=2500, messages=150)


def against_sqlite(seed: str, *, selectors: int, messages: int) -> None:
    """Numbers alone, as they are written: SQLite's NOT binds as the standard's does."""
    source = Selectors(Draw(seed))
    given = [source.numbers() for _ in range(messages)]
    drawn = [source.condition(source.draw.choice((0, 1, 2, 3)), numeric=True) for _ in range(selectors)]
    seen: Counter[bool | None] = Counter()
    with contextlib.closing(Rows(given, COLUMNS)) as judge:
        for one in drawn:
            assert one.sqlite is not None
            found = values(one, given)
            assert found == judge.values(one.sqlite), one
            seen.update(found)
    check(seen, selectors * messages)


def test_numeric_selectors_equal_sqlite() -> None:
    against_sqlite("selector 3", selectors=300, messages=80)


@pytest.mark.long
def test_more_numeric_selectors_equal_sqlite() -> None:
    against_sqlite("selector 4", selectors=2000, messages=150)


def test_departures_of_activemq_show() -> None:
    held = departures.of("ActiveMQ")
    answers = activemq.evaluate([one.text.partition(" ")[2] for one in held], [one.properties for one in held])
    for place, (departure, found) in enumerate(zip(held, answers, strict=True)):
        assert (departures.REFUSED if found is None else shown(found[place] is True)) == departure.theirs, departure.name
        assert ours(departure) == departure.ours, departure.name


@pytest.mark.parametrize("departure", departures.of("SQLite"), ids=lambda one: one.name)
def test_departures_of_sqlite_show(departure: departures.Departure) -> None:
    condition = departure.text.partition(" ")[2]
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        columns = ", ".join(f"{value} AS {name}" for name, value in departure.properties.items())
        (found,) = base.execute(f"SELECT {condition} FROM (SELECT {columns})").fetchone()
    assert shown(found == 1) == departure.theirs
    assert ours(departure) == departure.ours


def test_the_topic_is_equal_and_the_condition_true() -> None:
    wanted = selector("home temp > 20 AND room LIKE 'k%'")
    properties: dict[str, Value] = {"temp": Decimal(21), "room": "kitchen"}
    assert wanted.matches(Message("home", properties))
    assert not wanted.matches(Message("home/x", properties))
    assert not wanted.matches(Message("home", {**properties, "temp": Decimal(20)}))
    assert not wanted.matches(Message("home", {"temp": Decimal(21)}))
    assert selector("home").matches(Message("home"))
    assert selector("home \t").matches(Message("home"))
    assert selector("").matches(Message(""))
    assert selector(" a = 1").matches(Message("", {"a": Decimal(1)}))
    assert not selector(" a = 1").matches(Message("home", {"a": Decimal(1)}))


@pytest.mark.parametrize(
    ("condition", "size"),
    [
        ("a = 1", (1, 1)),
        ("a = 1 AND b = 2 OR c = 3", (2, 3)),
        ("(a = 1 OR b = 2) AND (c = 3 OR d = 4)", (4, 8)),
        ("NOT (a = 1 AND b = 2 AND c = 3)", (3, 3)),
        ("NOT (a = 1 OR b = 2) AND (c = 3 OR d = 4)", (2, 6)),
        ("a IN ('x', 'y', 'z') AND b IN ('x', 'y')", (6, 12)),
        ("a NOT IN ('x', 'y', 'z') AND NOT b IN ('x', 'y')", (1, 5)),
        ("a BETWEEN 1 AND 2", (1, 2)),
        ("a NOT BETWEEN 1 AND 2", (2, 2)),
        ("TRUE OR a = 1", (2, 1)),
        ("NOT TRUE AND a = 1", (0, 0)),
    ],
)
def test_sizes_of_normal_forms(condition: str, size: tuple[int, int]) -> None:
    found = selector(f"home {condition}").condition
    assert found is not None
    assert found.size(negated=False) == size


def factors(count: int) -> str:
    return " AND ".join(["(a = 1 OR b = 2)"] * count)


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("home temp", None, 0),
        ("home 5", LanguageRefusal.OPERAND, 5),
        ("é 'x'", LanguageRefusal.OPERAND, 3),
        ("home a = 1 OR 'x'", LanguageRefusal.OPERAND, 14),
        ("home NOT 5 AND a", LanguageRefusal.OPERAND, 9),
        ("home (a = 1) = TRUE", LanguageRefusal.OPERAND, 5),
        ("home TRUE = (a = 1)", LanguageRefusal.OPERAND, 12),
        ("home a = b", LanguageRefusal.IDENTIFIERS, 9),
        ("home a + 1 = 2", LanguageRefusal.IDENTIFIERS, 5),
        ("home 2 = 1 * a", LanguageRefusal.IDENTIFIERS, 13),
        ("home -a = 1", LanguageRefusal.IDENTIFIERS, 5),
        ("home 1 BETWEEN a AND 2 - b", LanguageRefusal.IDENTIFIERS, 25),
        ("home a > 'x'", LanguageRefusal.OPERAND, 9),
        ("home TRUE < a", LanguageRefusal.OPERAND, 5),
        ("home a BETWEEN 'a' AND 'b'", LanguageRefusal.OPERAND, 15),
        ("home a = 'x' + 'y'", LanguageRefusal.OPERAND, 9),
        ("home a = 1 + TRUE", LanguageRefusal.OPERAND, 13),
        ("home a = -'x'", LanguageRefusal.OPERAND, 10),
        ("home 'a' IN ('a')", LanguageRefusal.OPERAND, 5),
        ("home 'a' LIKE 'a'", LanguageRefusal.OPERAND, 5),
        ("home 1 IS NULL", LanguageRefusal.OPERAND, 5),
        ("home a IN (1)", Refusal.SYNTAX, 11),
        ("home a IN ()", Refusal.SYNTAX, 11),
        ("home a IN ('x',)", Refusal.SYNTAX, 15),
        ("home a LIKE b", Refusal.SYNTAX, 12),
        ("home a = NULL", Refusal.SYNTAX, 9),
        ("home a != 1", Refusal.SYNTAX, 7),
        ("home a == 1", Refusal.SYNTAX, 8),
        ("home a = 1 = TRUE", Refusal.SYNTAX, 11),
        ("home a NOT = 1", Refusal.SYNTAX, 11),
        ("home a IS 1", Refusal.SYNTAX, 10),
        ("home a = 1)", Refusal.SYNTAX, 10),
        ("home a = 08", Refusal.SYNTAX, 10),
        ("home a = 1f", Refusal.SYNTAX, 10),
        ("home a = 0x", Refusal.SYNTAX, 10),
        ("home a = 1.2.3", Refusal.SYNTAX, 12),
        ("home a = 10 % 3", Refusal.SYNTAX, 12),
        ('home "a" = 1', Refusal.SYNTAX, 5),
        ("home a.b = 1", Refusal.SYNTAX, 6),
        ("home a =", Refusal.UNTERMINATED, 8),
        ("home a = 'x", Refusal.UNTERMINATED, 11),
        ("home (a = 1", Refusal.UNTERMINATED, 11),
        ("home a BETWEEN 1", Refusal.UNTERMINATED, 16),
        ("home NOT", Refusal.UNTERMINATED, 8),
        ("home a = 1 / 0", LanguageRefusal.DIVISION, 11),
        ("home a = 0.0 / 0", LanguageRefusal.DIVISION, 13),
        ("home a = 1.0 / 3", Refusal.NUMBER_DIGITS, 13),
        ("home a = 999999999999999 * 3", Refusal.NUMBER_DIGITS, 25),
        ("home a = 1234567890123456", Refusal.NUMBER_DIGITS, 9),
        ("home a = 1e64", LanguageRefusal.NUMBER_RANGE, 9),
        ("home a = 1e60 * 1e60", LanguageRefusal.NUMBER_RANGE, 14),
        ("home a LIKE 'x' ESCAPE ''", LanguageRefusal.ESCAPE, 23),
        ("home a LIKE 'x' ESCAPE 'ab'", LanguageRefusal.ESCAPE, 23),
        ("home a LIKE 'x!' ESCAPE '!'", LanguageRefusal.ESCAPE, 12),
        ("home a LIKE 'x!y' ESCAPE '!'", LanguageRefusal.ESCAPE, 12),
        ("home " + "(" * 33 + "a" + ")" * 33, LanguageRefusal.NESTING, 37),
        (f"home {factors(6)}", LanguageRefusal.NORMAL_FORM, 5),
        ("home " + "a" * 65, Refusal.NAME_LENGTH, 69),
        ("home a = '" + "é" * 33 + "'", Refusal.LITERAL_LENGTH, 9),
        ("é" * 33 + " a", Refusal.LITERAL_LENGTH, 64),
    ],
)
def test_refusals(text: str, code: object, position: int) -> None:
    if code is None:
        selector(text)
    else:
        assert refusal("selector", text) == (code, position)


def test_limits_are_parameters() -> None:
    deep = "home " + "(" * 32 + "a" + ")" * 32
    assert selector(deep).condition == selector("home a").condition
    assert refusal("selector", deep, Limits(nesting=31)) == (LanguageRefusal.NESTING, 36)
    selector(f"home {factors(4)}")
    assert refusal("selector", f"home {factors(4)}", Limits(normal_form=63)) == (LanguageRefusal.NORMAL_FORM, 5)


def test_identifiers_are_java_s() -> None:
    for name in ("é", "名", "ºC", "€", "a1", "aé́"):
        assert selector(f"home {name} = 1").matches(Message("home", {name: Decimal(1)}))
    for name in ("1a", "²", "a b", "a-b"):
        assert refusal("selector", f"home {name} = 1")
