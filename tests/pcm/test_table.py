"""The arrays of PCM against the filters' own text, against SQLite, and against themselves however the filters and messages are cut."""

import contextlib
from decimal import Decimal

import pytest

from sim.golden.languages import Message, Value, compile
from sim.golden.languages.filter import Predicate
from sim.judges.sqlite import Rows
from sim.pcm import table as arrays
from sim.pcm.table import PcmTable, Piece
from sim.vectors.languages.attributes import MARGARA, MIXED, STRINGS, ZIPF, EventParameters, event, filter_text
from sim.vectors.languages.events import COLUMNS, Events
from sim.vectors.seeds import Draw


def predicate(text: str) -> Predicate:
    found = compile("filter", text)
    assert isinstance(found, Predicate)
    return found


def table(*texts: str) -> PcmTable:
    """Filters with SIDs from 1."""
    return PcmTable([Piece.of((sid, predicate(text)) for sid, text in enumerate(texts, start=1))])


def one(found: PcmTable, **properties: Value) -> list[int]:
    (sids,) = found.find([properties])
    return sids


def compare(seed: str, *, filters: int, messages: int) -> int:
    """Filters at the corners on messages at the corners, against SQLite; the number of pairs."""
    source = Events(Draw(seed))
    given = [source.properties() for _ in range(messages)]
    drawn = [source.filter() for _ in range(filters)]
    found = table(*(text for text, _ in drawn)).find(given)
    matched = 0
    with contextlib.closing(Rows(given, COLUMNS)) as judge:
        for sid, (text, condition) in enumerate(drawn, start=1):
            mine = {place for place, sids in enumerate(found) if sid in sids}
            assert mine == judge.matched(condition), text
            matched += len(mine)
    assert all(sids == sorted(set(sids)) for sids in found)
    assert matched > filters * messages // 25
    return filters * messages


def test_filters_equal_sqlite() -> None:
    assert compare("pcm 1", filters=400, messages=150) == 60_000


@pytest.mark.long
def test_more_filters_equal_sqlite() -> None:
    assert sum(compare(f"pcm {seed}", filters=800, messages=400) for seed in (2, 3, 4)) == 960_000


@pytest.mark.parametrize("parameters", [MARGARA, MIXED, STRINGS, ZIPF], ids=["numbers", "mixed", "strings", "zipf"])
def test_workloads_equal_the_golden_model(parameters: EventParameters) -> None:
    """Few names, so that much matches."""
    few = EventParameters(names=6, values=5, strings=parameters.strings, skew=parameters.skew)
    predicates = {sid: predicate(filter_text(4, 0, sid, few)) for sid in range(1, 301)}
    given = [_properties(event(4, row, few)) for row in range(150)]
    found = PcmTable([Piece.of(predicates.items())]).find(given)
    expected = [[sid for sid, each in predicates.items() if each.matches(Message("", properties))] for properties in given]
    assert found == expected
    assert sum(map(len, found)) > 100


def _properties(drawn: dict[str, int | str]) -> dict[str, Value]:
    return {name: value if isinstance(value, str) else Decimal(value) for name, value in drawn.items()}


def test_nothing_depends_on_how_filters_and_messages_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Events(Draw("pcm cut"))
    predicates = [(sid, predicate(source.filter()[0])) for sid in range(1, 301)]
    given = [source.properties() for _ in range(200)]
    whole = PcmTable([Piece.of(predicates)])
    expected = whole.find(given)
    pieces = [Piece.of(predicates[begin : begin + 37]) for begin in range(0, 300, 37)]
    for cut in (pieces, pieces[::-1], [*pieces, Piece.of([])]):
        assert PcmTable(cut).find(given) == expected
    assert [sids for properties in given for sids in whole.find([properties])] == expected
    for share, batch, room in ((1, 256, 1 << 22), (7, 3, 1 << 22), (1 << 16, 64, 1)):
        monkeypatch.setattr(arrays, "_SHARE", share)
        monkeypatch.setattr(arrays, "_BATCH", batch)
        monkeypatch.setattr(arrays, "_ROOM", room)
        assert whole.find(given) == expected
    assert whole.selection.matched > 0


def test_no_filters_and_no_messages() -> None:
    assert PcmTable([]).find([{"a": Decimal(1)}, {}]) == [[], []]
    assert table("a = 1").find([]) == []
    assert table("a = 1").find([{}]) == [[]]


def test_alternatives_are_one_subscription() -> None:
    found = table("a = 1 or b = 2 or a = 1 and b = 2", "a = 1 and a != 1")
    assert found.filters == 4
    assert one(found, a=Decimal(1), b=Decimal(2)) == [1]


@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">="])
def test_numbers_between_at_and_beside_thresholds(operator: str) -> None:
    """Literals in the least and the greatest steps that 15 digits have."""
    literals = ["0", "-0", "0.1", "0.100000000000001", "123456789012345", "123456789012344", "-5", "1" + "0" * 60, "0." + "0" * 50 + "1"]
    texts = [f"a {operator} {literal}" for literal in literals]
    found = table(*texts)
    for value in [*literals, "0.05", "123456789012344.5"[:16], "7", "-6", "0.100000000000002"]:
        number = Decimal(value) if Decimal(value) else Decimal(0)
        expected = [sid for sid, text in enumerate(texts, start=1) if predicate(text).matches(Message("", {"a": number}))]
        assert one(found, a=number) == expected, value
        assert one(found, a=value) == one(found, a=True) == one(found, b=number) == []


@pytest.mark.parametrize("operator", ["=", "!=", "prefix", "substring", "suffix"])
def test_strings_at_the_borders_of_prefixes(operator: str) -> None:
    literals = ["", "a", "ab", "b", "a\ud7ff", "\ud7ff", "\ue000", "\U0010ffff", "a\U0010ffff", "\U0010ffff\U0010ffff", "é", "ba", "aa"]
    texts = [f'a {operator} "{literal}"' for literal in literals]
    found = table(*texts)
    for value in [*literals, "a\ue000", "c", "abc", "cba", "\U0010ffffa", "a\U0010ffffb"]:
        expected = [sid for sid, text in enumerate(texts, start=1) if predicate(text).matches(Message("", {"a": value}))]
        assert one(found, a=value) == expected, ascii(value)
    assert one(found, a=Decimal(1)) == one(found, a=False) == []


def test_types_stay_apart() -> None:
    found = table("a = 1", "a = true", 'a = "1"', "a != 0", "a != false", "a != ''", "a exists", "a >= 0", "a prefix ''")
    assert one(found, a=Decimal(1)) == [1, 4, 7, 8]
    assert one(found, a=True) == [2, 5, 7]
    assert one(found, a=False) == [7]
    assert one(found, a="1") == [3, 6, 7, 9]
    assert one(found, a="") == [7, 9]
    assert one(found, b=Decimal(1)) == []


def test_messages_with_many_properties() -> None:
    """As many as set all bits of a NameVector: then every partition is looked at, not every part of the vector."""
    names = [f"name{number}" for number in range(120)]
    texts = [f"{name} = {number % 3} and {names[number - 1]} exists" for number, name in enumerate(names)]
    found = table(*texts)
    given = {name: Decimal(number % 3) for number, name in enumerate(names)}
    assert one(found, **given) == list(range(1, 121))
    del given["name7"]
    assert one(found, **given) == [sid for sid in range(1, 121) if sid not in (8, 9)]


def test_phases_leave_few_filters() -> None:
    found = PcmTable([Piece.of((row, predicate(filter_text(9, 0, row))) for row in range(2000))])
    found.find([_properties(event(9, row)) for row in range(500)])
    seen = found.selection
    assert found.partitions > 1000
    assert 500 * 2000 > 200 * seen.filters > 200 * seen.covered >= 200 * seen.matched
    assert seen.tested < 5 * seen.covered
