"""Texts for the XPath processor and the programs that they must give."""

import random
from collections.abc import Iterator
from typing import Any

from hdl.config import BrokerConfig
from hdl.shapes.program import ProgramOp, ProgramOperator
from sim.golden.query import Subject, Test
from sim.golden.xpath import Refused, compile
from tests.golden.queries import Source

__all__ = ["CONFIGS", "EXAMPLES", "expected", "limits", "random_texts", "words"]

CONFIGS = {
    "default": BrokerConfig(),
    "tight": BrokerConfig(name_bytes=8, value_bytes=8, digits=3, subscription_steps=4, xpath_bytes=40),
}

Word = dict[str, Any]


def words(op: ProgramOp, body: bytes = b"", *, axis: int = 0, wildcard: int = 0, operator: int = 0, numeric: int = 0) -> list[Word]:
    """The words of one piece; the operator stands on the last word of a test, and on each one of a literal."""
    found = []
    for start in range(0, max(len(body), 1), 4):
        part = body[start : start + 4]
        last = start + 4 >= len(body)
        found.append(
            {
                "op": op.value,
                "axis": axis,
                "wildcard": wildcard,
                "operator": operator if last or op is ProgramOp.LITERAL else 0,
                "numeric": numeric,
                "data": int.from_bytes(part, "little"),
                "count": len(part),
                "last": int(last),
            }
        )
    return found


def _end(op: ProgramOp, data: int = 0) -> list[Word]:
    return [{"op": op.value, "axis": 0, "wildcard": 0, "operator": 0, "numeric": 0, "data": data, "count": 0, "last": 1}]


def _test(test: Test) -> list[Word]:
    op = {Subject.ATTRIBUTE: ProgramOp.ATTRIBUTE_TEST, Subject.SELF: ProgramOp.SELF_TEST, Subject.TEXT: ProgramOp.TEXT_TEST}
    found = words(op[test.subject], test.name, operator=int(test.operator))
    if test.operator:
        found += words(ProgramOp.LITERAL, test.literal, operator=int(test.operator), numeric=int(test.numeric))
    return found


def expected(text: bytes, config: BrokerConfig) -> list[Word]:
    """The program by the golden front end; of a refused text only its end is told."""
    try:
        query = compile(text, config=config)
    except Refused as refused:
        return _end(ProgramOp.ABORT, refused.code)
    found = []
    for step in query.steps:
        found += words(ProgramOp.STEP, step.name or b"", axis=int(step.axis), wildcard=int(step.name is None))
        for test in step.tests:
            found += _test(test)
    if query.attribute is not None:
        found += words(ProgramOp.ATTRIBUTE_STEP, query.attribute, axis=int(query.attribute_axis))
    return found + _end(ProgramOp.DONE)


_EQ, _GE, _NE, _LT = (operator.value for operator in (ProgramOperator.EQ, ProgramOperator.GE, ProgramOperator.NE, ProgramOperator.LT))

EXAMPLES: list[tuple[bytes, list[Word]]] = [
    (b"/stock", [*words(ProgramOp.STEP, b"stock"), *_end(ProgramOp.DONE)]),
    (
        b"/stock/stockitem[@stockid>='35']//price",
        [
            *words(ProgramOp.STEP, b"stock"),
            *words(ProgramOp.STEP, b"stockitem"),
            *words(ProgramOp.ATTRIBUTE_TEST, b"stockid", operator=_GE),
            *words(ProgramOp.LITERAL, b"35", operator=_GE, numeric=1),
            *words(ProgramOp.STEP, b"price", axis=1),
            *_end(ProgramOp.DONE),
        ],
    ),
    (
        b' // * [ text ( ) != "" and @a ] [ . < - 1.50 ] ',
        [
            *words(ProgramOp.STEP, axis=1, wildcard=1),
            *words(ProgramOp.TEXT_TEST, operator=_NE),
            *words(ProgramOp.LITERAL, operator=_NE),
            *words(ProgramOp.ATTRIBUTE_TEST, b"a"),
            *words(ProgramOp.SELF_TEST, operator=_LT),
            *words(ProgramOp.LITERAL, b"-1.50", operator=_LT, numeric=1),
            *_end(ProgramOp.DONE),
        ],
    ),
    (
        "été/p:q//@日本語".encode(),
        [
            *words(ProgramOp.STEP, b"\xc3\xa9t\xc3\xa9"),
            *words(ProgramOp.STEP, b"p:q"),
            *words(ProgramOp.ATTRIBUTE_STEP, b"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", axis=1),
            *_end(ProgramOp.DONE),
        ],
    ),
    (b" \t", _end(ProgramOp.ABORT, 2)),
    (b"/" + b"a" * 1024, _end(ProgramOp.ABORT, 3)),
    (b"/a\xff/", _end(ProgramOp.ABORT, 4)),
    (b"/a\xed\xa0\x80", _end(ProgramOp.ABORT, 4)),
    (b"/a]", _end(ProgramOp.ABORT, 5)),
    (b"a/..", _end(ProgramOp.ABORT, 6)),
    (b"/child::a", _end(ProgramOp.ABORT, 6)),
    (b"/a[contains(b, 'c')]", _end(ProgramOp.ABORT, 7)),
    (b"/a[@b or @c]", _end(ProgramOp.ABORT, 8)),
    (b"/a[2]", _end(ProgramOp.ABORT, 9)),
    (b"/a[@b='", _end(ProgramOp.ABORT, 10)),
    (b"/a\xc3", _end(ProgramOp.ABORT, 10)),
    (b"/a[.='x']/b", _end(ProgramOp.ABORT, 11)),
    (b"/a/@b[.='x']", _end(ProgramOp.ABORT, 12)),
    (b"/" + b"a" * 65, _end(ProgramOp.ABORT, 13)),
    (b"/a[@b='" + b"c" * 65 + b"']", _end(ProgramOp.ABORT, 14)),
    (b"/a[@b=1234567890123456]", _end(ProgramOp.ABORT, 15)),
    (b"/a[@b<'1234567890123456 ']", _end(ProgramOp.ABORT, 15)),
    (b"/a" * 17, _end(ProgramOp.ABORT, 16)),
]
"""Worked by hand for the default limits; a refused text's pieces are left out."""


def limits(config: BrokerConfig) -> Iterator[bytes]:
    """Every limit exactly at, one below and one above, with characters of one and more bytes across it."""
    for beyond in (-1, 0, 1):
        name, value, digits, parts = (
            size + beyond for size in (config.name_bytes, config.value_bytes, config.digits, config.subscription_steps)
        )
        for unit in ("n", "é", "日", "𐀀"):
            full = (unit * name).encode()[:name]
            for body in (full, b"n" * (name % len(unit.encode())) + unit.encode() * (name // len(unit.encode()))):
                yield b"/" + body
                yield b"/" + body + b"/"
                yield b"a[@" + body + b"]"
                yield b"a[" + body + b"()='']"
            text = "v" * (value % len(unit.encode())) + unit * (value // len(unit.encode()))
            yield b"a[.='" + text.encode() + b"']"
        yield b"/p:" + b"n" * (name - 2)
        yield b"/" + b"p" * (name - 1) + b":n"
        yield b"/" + b"p" * name + b":n"
        yield b"/" + b"p" * name + b"::n"
        yield b"a[@b=" + b"0" * value + b"]"
        yield b"a[@b= - " + b"0" * (value - 1) + b"]"
        yield b"a[@b=" + b"0" * (value - 2) + b".5]"
        for number in (
            *(b"9" * digits, b"9" * (digits - 1) + b"00", b"0.0" + b"7" * digits),
            *(b"1" + b"0" * (digits - 2) + b"1", b"-" + b"1" * digits),
        ):
            yield b"a[@b=" + number + b"]"
            for operator in (b"=", b"<", b">="):
                yield b"a[@b" + operator + b"'" + number + b"']"
                yield b"a[@b" + operator + b"' " + number + b"x']"
                yield b"a[@b" + operator + b"'" + number + b". ']"
        yield b"/a" * parts
        yield b"/a" * (parts - 1) + b"[@b]"
        yield b"/a" * (parts - 1) + b"/*"
        yield b"/a" * (parts - 1) + b"[.=1]"
        yield b"/a" * (parts - 1) + b"[text()=1]"
        yield b"/a" * (parts - 1) + b"//@b"
        yield b"/a" * (parts - 1) + "/é".encode()
        length = config.xpath_bytes + beyond
        yield b" " * length
        yield b"a" + b" " * (length - 1)
        yield b"]" + b"\xff" * (length - 1)


_SHARDS = (
    *(b"/", b"//", b"@", b"*", b".", b"..", b"[", b"]", b"(", b")", b"()", b"=", b"!=", b"!", b"<", b"<=", b">", b">=", b"'", b'"', b":"),
    *(b"::", b"-", b"+", b"|", b"$", b",", b" ", b"\t", b"and", b" and ", b"or", b"text()", b"text", b"a"),
    *(b"an", b"n:m", b"0", b"5", b".5", b"1e5"),
    *("é".encode(), "日".encode(), "𐀀".encode(), "\u00b7".encode(), "\u00d7".encode(), "\u0300".encode(), "\ufffe".encode()),
    *(b"\x00", b"\x0b", b"\x7f", b"\x80", b"\xc1\x81", b"\xc3", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80", b"\xf4\x90"),
    *(b"\xf5", b"\xff"),
)


def random_texts(randomness: random.Random, count: int) -> Iterator[bytes]:
    """Accepted expressions, the same with a few mistakes, and heaps of tokens."""
    source = Source(randomness)
    for _ in range(count):
        style = randomness.random()
        if style < 0.15:
            yield b"".join(randomness.choices(_SHARDS, k=randomness.randint(1, 8)))
            continue
        text = source.expression().text.encode()
        if style > 0.5:
            for _ in range(randomness.choice((1, 1, 2))):
                start = randomness.randint(0, len(text))
                end = start + randomness.choice((0, 0, 1, 2, len(text)))
                text = text[:start] + randomness.choice((b"", *_SHARDS)) + text[end:]
        yield text or b" "
