"""Filters on properties against SQLite; counting and PCM, which share no code, against the filters one by one."""

import contextlib
import dataclasses
from decimal import Decimal

import pytest

from hdl.contract import Refusal
from sim.golden.languages import LanguageRefusal, Limits, Message, Value, compile
from sim.golden.languages.event_counting import CountingTable
from sim.golden.languages.event_pcm import PcmTable, bloom, name_vector
from sim.golden.languages.filter import Constraint, Predicate
from sim.judges.sqlite import Rows
from sim.vectors.languages.attributes import MARGARA, MIXED, ZIPF, EventParameters, event, filter_text
from sim.vectors.languages.events import COLUMNS, Events
from sim.vectors.seeds import Draw
from tests.golden.languages.common import refusal


def predicate(text: str) -> Predicate:
    found = compile("filter", text)
    assert isinstance(found, Predicate)
    return found


def matches(text: str, **properties: Value) -> bool:
    return predicate(text).matches(Message("", properties))


def compare(seed: str, *, filters: int, messages: int) -> int:
    """Every filter on every message: SQLite, each by itself, and two algorithms for all at once; the number of pairs."""
    source = Events(Draw(seed))
    given = [source.properties() for _ in range(messages)]
    drawn = [source.filter() for _ in range(filters)]
    predicates = {sid: predicate(text) for sid, (text, _) in enumerate(drawn, start=1)}
    found: list[set[int]] = [set() for _ in given]
    matched = 0
    with contextlib.closing(Rows(given, COLUMNS)) as judge:
        for sid, (text, condition) in enumerate(drawn, start=1):
            expected = judge.matched(condition)
            mine = {place for place, properties in enumerate(given) if predicates[sid].matches(Message("", properties))}
            assert mine == expected, (text, condition)
            matched += len(mine)
            for place in mine:
                found[place].add(sid)
    tables = (CountingTable(predicates), PcmTable(predicates))
    for properties, sids in zip(given, found, strict=True):
        for table in tables:
            assert table.find(Message("", properties)) == sids, (type(table).__name__, properties)
    assert matched > filters * messages // 25
    return filters * messages


def test_filters_equal_sqlite_and_three_algorithms_agree() -> None:
    assert compare("filter 1", filters=300, messages=100) == 30_000


@pytest.mark.long
def test_more_filters_equal_sqlite() -> None:
    assert sum(compare(f"filter {seed}", filters=500, messages=250) for seed in (2, 3, 4)) == 375_000


def test_counting_and_pcm_evaluate_constraints_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither asks the constraint, which is what the naive evaluation does."""
    source = Events(Draw("filter apart"))
    predicates = {sid: predicate(source.filter()[0]) for sid in range(1, 101)}
    given = [Message("", source.properties()) for _ in range(50)]
    expected = [{sid for sid, one in predicates.items() if one.matches(message)} for message in given]
    monkeypatch.delattr(Constraint, "holds")
    for table in (CountingTable(predicates), PcmTable(predicates)):
        assert [table.find(message) for message in given] == expected


@pytest.mark.parametrize("parameters", [MARGARA, MIXED, ZIPF], ids=["numbers", "mixed", "zipf"])
def test_three_algorithms_agree_on_the_workloads_of_the_papers(parameters: EventParameters) -> None:
    """Half of the events with all names, so that something matches."""
    predicates = {sid: predicate(filter_text(6, 0, sid, parameters)) for sid in range(1, 401)}
    wide = dataclasses.replace(parameters, attributes=(100, 100))
    drawn = [event(6, row, wide if row % 2 else parameters) for row in range(16)]
    given = [Message("", {key: value if isinstance(value, str) else Decimal(value) for key, value in one.items()}) for one in drawn]
    expected = [{sid for sid, one in predicates.items() if one.matches(message)} for message in given]
    assert sum(map(len, expected)) > 25
    for table in (CountingTable(predicates), PcmTable(predicates)):
        assert [table.find(message) for message in given] == expected


def test_examples_of_the_paper() -> None:
    """[P 2]: the first predicate matches the event, its first filter does not."""
    event: dict[str, Value] = {"area": "area1", "temp": Decimal(25), "wind": Decimal(15)}
    assert not matches('area = "area1" and temp > 30', **event)
    assert not matches('area = "area1" and temp > 30 or area = "area2" and wind > 20', **event)
    event["temp"] = Decimal(31)
    assert matches('area = "area1" and temp > 30 or area = "area2" and wind > 20', **event)
    assert matches('area = "area2" and wind > 20 or area = "area1" and temp > 30', **event)


@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">="])
def test_a_missing_or_mistyped_property_satisfies_nothing(operator: str) -> None:
    for value in ("5", True, "true"):
        assert not matches(f"a {operator} 5", a=value)
    assert not matches(f"a {operator} 5", b=Decimal(5))
    if operator in ("=", "!="):
        assert not matches(f"a {operator} '5'", a=Decimal(5))
        assert not matches(f"a {operator} true", a="true")
        assert not matches(f"a {operator} true", a=Decimal(1))
    assert matches("a exists", a="")
    assert not matches("a exists", b="")


def test_a_constraint_that_filters_share_keeps_its_type() -> None:
    """1 and true are equal to Python and nowhere here."""
    texts = ["a = 1", "a = true", "a = 1 and b exists", "a != true", "a = 1 and a = 1"]
    predicates = {sid: predicate(text) for sid, text in enumerate(texts, start=1)}
    for table in (CountingTable(predicates), PcmTable(predicates)):
        assert table.find(Message("", {"a": Decimal(1)})) == {1, 5}
        assert table.find(Message("", {"a": True})) == {2}
        assert table.find(Message("", {"a": False, "b": ""})) == {4}


def test_name_vectors_and_blooms_cover_what_they_are_made_of() -> None:
    names = [f"name{number}" for number in range(50)]
    for some in (names[:3], names[10:40]):
        assert name_vector(some) & ~name_vector(names) == 0
        assert bloom(some) & ~bloom(names) == 0
    assert len({name_vector([name]) for name in names}) > 8
    assert len({bloom([name]) for name in names}) > 40
    assert bloom([]) == name_vector([]) == 0


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", Refusal.EMPTY, 0),
        (" \t", Refusal.EMPTY, 2),
        ("a", Refusal.UNTERMINATED, 1),
        ("a =", Refusal.UNTERMINATED, 3),
        ("a !", Refusal.UNTERMINATED, 3),
        ("a ! 5", Refusal.SYNTAX, 2),
        ("a = -", Refusal.UNTERMINATED, 5),
        ("a = .", Refusal.UNTERMINATED, 5),
        ("a = +5", Refusal.SYNTAX, 4),
        ("a = 1e3", Refusal.SYNTAX, 5),
        ("a = 5.5.5", Refusal.SYNTAX, 7),
        ("a = 5and b = 1", Refusal.SYNTAX, 5),
        ("a == 5", Refusal.SYNTAX, 3),
        ("a <> 5", Refusal.SYNTAX, 3),
        ("a = b", Refusal.SYNTAX, 4),
        ("5 = a", Refusal.SYNTAX, 0),
        ("(a = 5)", Refusal.SYNTAX, 0),
        ("not a = 5", Refusal.SYNTAX, 4),
        ("a = 5 AND b = 5", Refusal.SYNTAX, 6),
        ("a = 5 b = 5", Refusal.SYNTAX, 6),
        ("a = 5 and", Refusal.UNTERMINATED, 9),
        ("a exists and or exist", Refusal.SYNTAX, 16),
        ("p:a = 5", Refusal.SYNTAX, 1),
        ('"" = 5', Refusal.SYNTAX, 1),
        ('"a = 5', Refusal.UNTERMINATED, 6),
        ("é = 'x", Refusal.UNTERMINATED, 7),
        ("é < 'x'", LanguageRefusal.OPERAND, 3),
        ("a prefix 5", LanguageRefusal.OPERAND, 2),
        ("a substring true", LanguageRefusal.OPERAND, 2),
        ("a >= false", LanguageRefusal.OPERAND, 2),
        ("a = 1234567890123456", Refusal.NUMBER_DIGITS, 4),
        ("a = " + "0" * 65, Refusal.LITERAL_LENGTH, 68),
        ("a = '" + "é" * 33 + "'", Refusal.LITERAL_LENGTH, 69),
        ("a" * 65 + " = 5", Refusal.NAME_LENGTH, 64),
        ('"' + "a" * 65 + '" = 5', Refusal.NAME_LENGTH, 65),
        (" or ".join(["a = 5"] * 17), Refusal.STEPS, 16 * 9),
    ],
)
def test_refusals(text: str, code: object, position: int) -> None:
    assert refusal("filter", text) == (code, position)


def test_limits_are_parameters() -> None:
    limits = Limits(steps=1, name_bytes=2, value_bytes=3, digits=2)
    assert compile("filter", "ab = 120", limits).matches(Message("", {"ab": Decimal(120)}))
    assert refusal("filter", "a = 123", limits) == (Refusal.NUMBER_DIGITS, 4)
    assert refusal("filter", "a = - 1.20", limits) == (Refusal.LITERAL_LENGTH, 8)
    assert refusal("filter", "a = 1 or a = 2", limits) == (Refusal.STEPS, 9)
