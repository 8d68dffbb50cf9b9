"""The compared tests alone: which of them hold for a value, against plain comparisons."""

import operator
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from cocotb_tests.decimals import key
from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.crt import tests
from hdl.crt.entries import Kind
from hdl.crt.numbers import NumberOp
from hdl.shapes import tests as shapes
from hdl.shapes.program import ProgramOperator

CONFIG = BrokerConfig(steps=64, slices=4, names=16, learned=64, subscriptions=15, values=16, numbers=16, subscription_steps=8)
SUBJECTS = {Kind.ATTRIBUTE: shapes.TestSubject.ATTRIBUTE, Kind.SELF: shapes.TestSubject.SELF, Kind.TEXT: shapes.TestSubject.TEXT}
COMPARED = ("operator", "number", "sound", "value")
HOLDS = {
    ProgramOperator.EQ: operator.eq,
    ProgramOperator.NE: operator.ne,
    ProgramOperator.LT: operator.lt,
    ProgramOperator.LE: operator.le,
    ProgramOperator.GT: operator.gt,
    ProgramOperator.GE: operator.ge,
}
TEXTS = (b"x", b"word", b"a longer one", b"y")
NUMBERS = (Decimal(5), Decimal("-2.5"), Decimal(0), Decimal("5.01"))


async def wipe(part: Part) -> None:
    """Empties everything."""
    dut = part.dut
    part.set(dut.clear, 1)
    part.set(dut.empty, 1)
    for address in range(dut.clear_depth):
        part.set(dut.clear_address, address)
        await part.clock()
    part.set(dut.clear, 0)
    part.set(dut.empty, 0)
    await part.clock(2)


async def search(part: Part, port: Any, text: bytes) -> tuple[bool, int]:
    """Searches for a string: whether it is there, and its number."""
    part.set(port.clear, 1)
    await part.clock()
    part.set(port.clear, 0)
    for at in range(0, len(text), 4):
        part.set(port.push, 1)
        part.set(port.data, int.from_bytes(text[at : at + 4], "little"))
        part.set(port.count, len(text[at : at + 4]))
        await part.clock()
    part.set(port.push, 0)
    part.set(port.search, 1)
    await part.clock()
    part.set(port.search, 0)
    for _ in range(300):
        if part.get(port.done):
            return bool(part.get(port.found)), part.get(port.value)
        await part.clock()
    raise AssertionError("no answer")


async def point(part: Part, number: Decimal | None) -> dict[str, int]:
    """Where a value lies among the stored numbers."""
    port = part.dut.numbers
    await part.give(port.search, {"key": key(number)})
    for _ in range(300):
        if part.get(port.point.valid):
            return part.value(port.point.payload)
        await part.clock()
    raise AssertionError("no point")


async def rows(part: Part, view: Any, subject: int, name: int, answer: dict[str, int]) -> tuple[set[int], set[int]]:
    """The tests on a name, and those of them that hold."""
    there, holds = 0, 0
    for at in range(4):
        part.set(view.en, 1)
        part.set(view.key, {"name": name, "subject": subject})
        part.set(view.slice, at)
        part.set(view.answer, answer)
        while part.get(view.hold):
            await part.clock()
        await part.clock()
        part.set(view.en, 0)
        await part.clock()
        there |= part.get(view.row) << 16 * at
        holds |= part.get(view.holds) << 16 * at
    return {step for step in range(64) if there >> step & 1}, {step for step in range(64) if (there & holds) >> step & 1}


@pytest.mark.parametrize("seed", [9, 10])
def test_rows(seed: int) -> None:
    """Tests come and go in any order, of one name and of any, of numbers and strings; those that hold for a value are found slice by
    slice. What is
    placed is no test before it is added. Strings and numbers are held for as long as somebody compares with them."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random

        async def ask(op: tests.TestOp, step: int, entry: dict[str, Any]) -> int:
            part.set(dut.request.payload, {"op": op, "step": step, "entry": entry})
            part.set(dut.request.valid, 1)
            for _ in range(400):
                taken, answered = part.get(dut.request.ready) and part.get(dut.request.valid), part.get(dut.answer.valid)
                alike = part.get(dut.answer.payload)
                await part.clock()
                if taken:
                    part.set(dut.request.valid, 0)
                if answered:
                    return alike
            raise AssertionError("no answer")

        async def stored(literal: bytes | Decimal) -> int:
            """One use more of a literal."""
            if isinstance(literal, bytes):
                found, value = await search(part, dut.literal, literal)
                assert found
                return value
            reply = await part.ask(dut.number, dut.number_reply, {"op": NumberOp.ENTER, "key": key(literal)})
            assert reply["ok"]
            return reply["identity"]

        part.set(dut.numbers.quiet, 1)

        async def turn() -> None:
            await wipe(part)
            held: dict[int, tuple[dict[str, Any], bytes | Decimal | None]] = {}
            uses: Counter[bytes | Decimal] = Counter()
            marks: set[tuple[str, int]] = set()
            worded = False

            async def check(name: int) -> None:
                """Every subject of a name, and of any, with one value each."""
                text = chance.choice((*TEXTS, b"never"))
                number = chance.choice((*NUMBERS, Decimal(7), Decimal("-3"), None))
                found, value = await search(part, dut.strings, text)
                assert found == bool(uses[text])
                place = await point(part, number)
                for kind, subject in SUBJECTS.items():
                    for anyone in (0, 1) if kind is not Kind.ATTRIBUTE else (0,):
                        key_of = (shapes.TestSubject.ANYONE, subject.value) if anyone else (subject, name)
                        for numeric, view, answer in (
                            (0, dut.string_tests, {"found": int(found), "value": value}),
                            (1, dut.number_tests, place),
                        ):
                            wanted = {
                                step: literal
                                for step, (entry, literal) in held.items()
                                if (entry["kind"], entry["anyone"], entry["number"]) == (kind, anyone, numeric)
                                and (anyone or entry["name"] == name)
                                and literal is not None
                            }
                            given = number if numeric else text
                            right = {
                                step
                                for step, literal in wanted.items()
                                if (
                                    held[step][0]["operator"] is ProgramOperator.NE
                                    if given is None
                                    else HOLDS[held[step][0]["operator"]](given, literal)
                                )
                            }
                            assert await rows(part, view, key_of[0], key_of[1], answer) == (set(wanted), right)

            for _ in range(40):
                if held and chance.random() < 0.4:
                    step = chance.choice(sorted(held))
                    entry, literal = held.pop(step)
                    await ask(tests.TestOp.DROP, step, {name: entry[name] for name in ("kind", "name", "anyone")})
                    if literal is not None:
                        uses[literal] -= 1
                else:
                    number, anyone = chance.getrandbits(1), int(chance.random() < 0.3)
                    kind = chance.choice(list(SUBJECTS)[anyone:])
                    step = chance.choice([one for one in range(64) if one not in held])
                    asked = chance.choice(list(HOLDS) if number else [ProgramOperator.EQ, ProgramOperator.NE])
                    literal = chance.choice(
                        (*NUMBERS, None)
                        if number and asked not in (ProgramOperator.EQ, ProgramOperator.NE)
                        else NUMBERS
                        if number
                        else TEXTS
                    )
                    entry = {
                        "kind": kind,
                        "name": 0 if anyone else chance.choice((0, 7, 15)),
                        "anyone": anyone,
                        "operator": asked,
                        "number": number,
                    }
                    entry |= {"sound": int(literal is not None), "value": 0}
                    if literal is not None:
                        entry |= {"value": await stored(literal), "stored": 1}
                        uses[literal] += 1
                        if chance.random() < 0.2:
                            await ask(tests.TestOp.FORGET, step, entry)
                            uses[literal] -= 1
                            continue
                    await ask(tests.TestOp.PLACE, step, entry)
                    await check(chance.choice((0, 7, 15)))
                    await ask(tests.TestOp.ADD, step, entry)
                    held[step] = entry, literal
                    worded |= kind is not Kind.ATTRIBUTE
                    if anyone and literal is not None:
                        marks.add(("numbers" if number else "strings", SUBJECTS[kind].value))
                while not part.get(dut.request.ready):
                    await part.clock()
                if held and chance.random() < 0.5:
                    # a subscription that shares the run comes and goes
                    step, other = chance.choice(sorted(held)), chance.choice(sorted(held))
                    entry, literal = held[step]
                    if literal is not None:
                        assert await stored(literal) == entry["value"]
                    for one in (step, other):
                        same = all(held[one][0][name] == entry[name] for name in COMPARED)
                        assert await ask(tests.TestOp.COMPARE, one, {name: entry[name] for name in COMPARED}) == same
                    await ask(tests.TestOp.PART, step, {})
                summary = part.value(dut.marks)
                names = ("attribute", "self", "text")
                assert {(kind, at) for kind in ("strings", "numbers") for at, name in enumerate(names) if summary[kind][name]} == marks
                assert all(summary["slices"] >> step // 16 & 1 for step, (entry, _) in held.items() if entry["anyone"])
                assert part.get(dut.texts) == worded
                await check(chance.choice((0, 7, 15)))

        await turn()
        await part.reset()
        await turn()

    run(tests.ComparedTests(CONFIG), bench, seed=seed)
