"""Messages read from lines of JSON: what they hold against Python's json, every error with its code and byte."""

import json
import random
from decimal import Decimal

import pytest

from hdl.contract import Code, Refusal, Verdict
from sim.golden.languages import BadMessage, LanguageRefusal, Limits, Message, MessageCode, parse

C = MessageCode


def test_everything_is_optional() -> None:
    assert parse(b"{}") == Message("", {}, b"")
    assert parse(b' { "properties" : { } } \r\n') == Message()


def test_a_whole_message() -> None:
    line = (
        '{"body": "a\\u0000\\n", "topic": "home/é", "properties": {"temp": -0.50e1, "room": "k\\ud83d\\ude00", "on": true, "off": false}}'
    )
    found = parse(line.encode())
    assert found == Message("home/é", {"temp": Decimal("-5.0"), "room": "k😀", "on": True, "off": False}, b"a\0\n")
    assert [type(value) for value in found.properties.values()] == [Decimal, str, bool, bool]


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("0e999999999999999999999", "0"),
        ("1.50", "1.5"),
        ("123456789012345", "123456789012345"),
        ("123456789012345e30", "123456789012345" + "0" * 30),
        ("1.000000000000000000000000", "1"),
        ("1E5", "100000"),
        ("1e+63", "1" + "0" * 63),
        ("1e-62", "0." + "0" * 61 + "1"),
        ("1e00000000002", "100"),
    ],
)
def test_numbers_are_exact_decimals(spelling: str, value: str) -> None:
    found = parse(f'{{"properties": {{"x": {spelling}}}}}'.encode()).properties["x"]
    assert isinstance(found, Decimal)
    assert found == Decimal(value)
    assert not found.is_signed() or found


# The error is decided where | stands, which is taken out.
BAD = [
    ("|", C.MESSAGE_END),
    ('{"topic": "a"|', C.MESSAGE_END),
    ('{"topic": "a|', C.MESSAGE_END),
    ('{"topic"|', C.MESSAGE_END),
    ('{"properties": {"a":|', C.MESSAGE_END),
    ("|[]", C.MESSAGE_SYNTAX),
    ('{}|{}', C.MESSAGE_SYNTAX),
    ('{"topic": "a",|}', C.MESSAGE_SYNTAX),
    ("{|'topic': 1}", C.MESSAGE_SYNTAX),
    ('{"topic": |a}', C.MESSAGE_SYNTAX),
    ('{"topic": "é|\t"}', C.MESSAGE_SYNTAX),
    ('{"topic": "a|\\x"}', C.MESSAGE_SYNTAX),
    ('{"topic": "a|\\u12"}', C.MESSAGE_SYNTAX),
    ('{"properties": {"a": 0|1}}', C.MESSAGE_SYNTAX),
    ('{"properties": {"a": |+1}}', C.MESSAGE_SYNTAX),
    ('{"properties": {"a": |.5}}', C.MESSAGE_SYNTAX),
    ('{"properties": {"a": 1|.}}', C.MESSAGE_SYNTAX),
    ('{"properties": {"a": |NaN}}', C.MESSAGE_SYNTAX),
    ('{"properties": {"a": |tru}}', C.MESSAGE_SYNTAX),
    ('{"properties": {"a": |truee}}', C.MESSAGE_SYNTAX),
    ('{"é": 1, |"x": 1}'.replace('"é": 1, ', '"topic": "é", '), C.MESSAGE_FIELD),
    ('{"body": "", |"body": ""}', C.MESSAGE_FIELD),
    ('{|"Topic": ""}', C.MESSAGE_FIELD),
    ('{"topic": |1}', C.MESSAGE_TYPE),
    ('{"topic": |null}', C.MESSAGE_TYPE),
    ('{"body": |{}}', C.MESSAGE_TYPE),
    ('{"properties": |[]}', C.MESSAGE_TYPE),
    ('{"properties": {"a": |null}}', C.MESSAGE_TYPE),
    ('{"properties": {"a": |[1]}}', C.MESSAGE_TYPE),
    ('{"properties": {"a": |{}}}', C.MESSAGE_TYPE),
    ('{"properties": {"a": 1, |"\\u0061": 1}}', C.MESSAGE_NAME),
    ('{"properties": {|"": 1}}', C.MESSAGE_NAME),
    ('{"properties": {|"a\\u0000": 1}}', C.MESSAGE_CHARACTER),
    ('{"properties": {"a": |"\\u0000"}}', C.MESSAGE_CHARACTER),
    ('{"topic": |"\\u0000"}', C.MESSAGE_CHARACTER),
    ('{"topic": |"\\ud800"}', C.MESSAGE_UTF8),
    ('{"body": |"\\udc00\\ud800"}', C.MESSAGE_UTF8),
    ('{"topic": |"' + "/" * 32 + '"}', C.MESSAGE_LEVELS),
    ('{"properties": {' + ", ".join(f'"p{number}": 1' for number in range(32)) + ', |"x": 1}}', C.MESSAGE_PROPERTIES),
    ('{"properties": {|"' + "é" * 33 + '": 1}}', C.MESSAGE_NAME_LENGTH),
    ('{"properties": {"a": |1234567890123456}}', C.MESSAGE_DIGITS),
    ('{"properties": {"a": |0.1234567890123456}}', C.MESSAGE_DIGITS),
    ('{"properties": {"a": |1e64}}', C.MESSAGE_RANGE),
    ('{"properties": {"a": |1e-63}}', C.MESSAGE_RANGE),
    ('{"properties": {"a": |1e99999999999999999999999}}', C.MESSAGE_RANGE),
]  # fmt: skip


@pytest.mark.parametrize(("marked", "code"), BAD)
def test_errors(marked: str, code: MessageCode) -> None:
    before, after = marked.split("|")
    with pytest.raises(BadMessage) as caught:
        parse((before + after).encode())
    assert (caught.value.code, caught.value.offset) == (code, len(before.encode()))
    assert str(caught.value) == code.sentence


def test_bytes_that_are_no_utf8() -> None:
    with pytest.raises(BadMessage) as caught:
        parse(b'{"topic": "\xc3"}')
    assert (caught.value.code, caught.value.offset) == (C.MESSAGE_UTF8, 11)


def test_every_code_has_an_example() -> None:
    assert {code for _, code in BAD} == set(C)


def test_limits_are_parameters() -> None:
    limits = Limits(levels=2, properties=1, name_bytes=1, digits=2, value_bytes=3)
    parse(b'{"topic": "a/b", "properties": {"a": 120}}', limits)
    for line, code in (
        (b'{"topic": "//"}', C.MESSAGE_LEVELS),
        (b'{"properties": {"ab": 1}}', C.MESSAGE_NAME_LENGTH),
        (b'{"properties": {"a": 1, "b": 1}}', C.MESSAGE_PROPERTIES),
        (b'{"properties": {"a": 123}}', C.MESSAGE_DIGITS),
        (b'{"properties": {"a": 1000}}', C.MESSAGE_RANGE),
    ):
        with pytest.raises(BadMessage) as caught:
            parse(line, limits)
        assert caught.value.code is code


def test_codes_go_on_where_the_contract_ends() -> None:
    assert [code.value for code in MessageCode] == list(range(max(Code) + 1, max(Code) + 1 + len(MessageCode)))
    assert [code.value for code in LanguageRefusal] == list(range(max(Refusal) + 1, max(Refusal) + 1 + len(LanguageRefusal)))
    spellings = [code.text for code in (*Code, *MessageCode)], [code.text for code in (*Refusal, *LanguageRefusal)]
    assert all(len(set(one)) == len(one) for one in spellings)
    assert {code.verdict for code in MessageCode} == {Verdict.NOT_WELL_FORMED, Verdict.OVER_LIMIT}


def damaged(source: random.Random, line: str) -> str:
    place = source.randrange(len(line))
    change = source.random()
    if change < 0.4:
        return line[:place] + line[place + 1 :]
    return line[:place] + source.choice(list('{}[]":,\\u0e.-1 a\t')) + line[place + (change < 0.7) :]


def pairs_of(line: str) -> tuple[object, bool]:
    """What Python's json reads, numbers as decimals, and whether some object has a name twice."""
    repeated = False

    def take(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeated
        repeated |= len({name for name, _ in pairs}) != len(pairs)
        return dict(pairs)

    found = json.loads(line, parse_float=Decimal, parse_int=Decimal, object_pairs_hook=take)
    return found, repeated


def test_what_is_json_equals_json() -> None:
    """10,000 messages, most of them damaged: taken when json takes them and they say what a message may say."""
    source = random.Random("messages")
    taken = refused = 0
    for _ in range(10_000):
        values: list[object] = source.choices((1, -2.5, 1e3, "a", "é\n", "", True, False, None, [1], {}, "\ud800"), k=source.randint(0, 2))
        whole = {"topic": source.choice(("", "a/b", "é")), "properties": dict(zip("ab", values, strict=False)), "body": "\0x"}
        names = source.sample(list(whole), k=source.choice((0, 1, 2, 3)))
        line = json.dumps({name: whole[name] for name in names}, ensure_ascii=source.random() < 0.5 or "\ud800" in values)
        if source.random() < 0.7:
            line = damaged(source, line)
        try:
            mine = parse(line.encode())
        except BadMessage as reason:
            assert 0 <= reason.offset <= len(line.encode())  # noqa: PT017
            mine = None
        try:
            theirs, repeated = pairs_of(line)
        except json.JSONDecodeError:
            assert mine is None, line
            refused += 1
            continue
        if mine is None:
            properties = theirs.get("properties", {}) if isinstance(theirs, dict) else None
            plain = isinstance(properties, dict) and all(name and isinstance(one, Decimal | str | bool) for name, one in properties.items())
            texts = [theirs.get(name, "") for name in ("topic", "body")] if isinstance(theirs, dict) else [None]
            fit = isinstance(theirs, dict) and theirs.keys() <= whole.keys() and all(isinstance(text, str) for text in texts)
            assert repeated or not plain or not fit or "\\ud" in line or "\\u0000" in line, line
            refused += 1
            continue
        assert isinstance(theirs, dict)
        assert not repeated
        assert mine == Message(theirs.get("topic", ""), theirs.get("properties", {}), theirs.get("body", "").encode())
        taken += 1
    assert min(taken, refused) > 2000
