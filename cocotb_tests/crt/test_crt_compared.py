"""The compared tests alone: what the engine finds on a name and on a string, against plain lists."""

from collections import Counter
from typing import Any

import pytest

from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.crt import tests
from hdl.crt.entries import Kind
from hdl.shapes.program import ProgramOperator

CONFIG = BrokerConfig(steps=64, slices=4, names=16, learned=64, subscriptions=15, values=16, subscription_steps=8)
SUBJECTS = {"attribute": Kind.ATTRIBUTE, "self": Kind.SELF, "text": Kind.TEXT}
COMPARED = ("operator", "number", "value", "key")


async def wipe(part: Part) -> None:
    """Empties all lists and the store."""
    dut = part.dut
    part.set(dut.clear, 1)
    part.set(dut.empty, 1)
    for address in range(16):
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


async def walk(part: Part, link: dict[str, int]) -> list[int]:
    """The numbers of the tests of a list."""
    dut = part.dut
    found = []
    while link["valid"]:
        assert len(found) < 64
        found.append(link["step"])
        part.set(dut.tests.en, 1)
        part.set(dut.tests.step, link["step"])
        await part.clock()
        part.set(dut.tests.en, 0)
        await part.clock()
        link = part.value(dut.tests.node)["next"]
    return found


@pytest.mark.parametrize("busy", [0.0, 0.5])
def test_lists(busy: float) -> None:
    """Tests come and go in any order, of one name and of any, of numbers and strings; the engine finds each where it looks for it, and
    its operands with it. Comparisons go on while the engine reads tests, with ``busy`` the chance of that in a clock."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random

        async def ask(op: tests.TestOp, step: int, entry: dict[str, Any], contains: int = 0) -> int:
            part.set(dut.request.payload, {"op": op, "step": step, "entry": entry, "contains": contains})
            part.set(dut.request.valid, 1)
            reads = op is tests.TestOp.COMPARE
            for _ in range(400):
                part.set(dut.tests.en, int(reads and chance.random() < busy))
                part.set(dut.tests.step, chance.randrange(64))
                taken, answered = part.get(dut.request.ready) and part.get(dut.request.valid), part.get(dut.answer.valid)
                alike = part.get(dut.answer.payload)
                await part.clock()
                if taken:
                    part.set(dut.request.valid, 0)
                if answered:
                    part.set(dut.tests.en, 0)
                    return alike
            raise AssertionError("no answer")

        for turn in range(2):
            await wipe(part)
            held: dict[int, dict[str, Any]] = {}
            order: list[int] = []  # the tests, the latest first
            uses: Counter[bytes] = Counter()
            texts: dict[int, bytes] = {}
            marks: set[tuple[str, str]] = set()
            worded = False
            for _ in range(90):
                if held and chance.random() < 0.4:
                    step = chance.choice(order)
                    entry = held.pop(step)
                    order.remove(step)
                    await ask(tests.TestOp.DROP, step, {name: entry[name] for name in ("kind", "name", "anyone")})
                    if step in texts:
                        uses[texts.pop(step)] -= 1
                else:
                    number, anyone = chance.getrandbits(1), int(chance.random() < 0.3)
                    kind = chance.choice(list(SUBJECTS.values())[anyone:])
                    step = chance.choice([one for one in range(64) if one not in held])
                    operator = chance.choice((ProgramOperator.EQ, ProgramOperator.EQ, ProgramOperator.NE, ProgramOperator.LT))
                    if operator is ProgramOperator.LT:
                        number = 1
                    entry = {
                        "kind": kind,
                        "name": 0 if anyone else chance.choice((0, 7, 15)),
                        "anyone": anyone,
                        "operator": operator,
                        "number": number,
                    }
                    if number:
                        entry["key"] = {"digits": chance.choice((1, 5 << 56)), "exponent": 3, "nan": int(chance.random() < 0.2)}
                    else:
                        text = chance.choice((b"x", b"word", b"a longer one", b"y"))
                        found, entry["value"] = await search(part, dut.literal, text)
                        assert found
                        entry["stored"] = 1
                        uses[text] += 1
                        if chance.random() < 0.2:
                            await ask(tests.TestOp.FORGET, step, entry)
                            uses[text] -= 1
                            continue
                        texts[step] = text
                    contains = chance.getrandbits(1)
                    await ask(tests.TestOp.ADD, step, entry, contains)
                    held[step] = entry | {"contains": contains}
                    order.insert(0, step)
                    subject = next(name for name, one in SUBJECTS.items() if one is kind)
                    worded |= kind is not Kind.ATTRIBUTE
                    if anyone and not (number and entry["key"]["nan"]):
                        marks.add(("numbers" if number else "strings", subject))
                if held and chance.random() < 0.5:
                    # a subscription that shares the run comes and goes
                    step = chance.choice(order)
                    if step in texts:
                        assert await search(part, dut.literal, texts[step]) == (True, held[step]["value"])
                    other = chance.choice(order)
                    for one in (step, other):
                        same = all(held[one].get(name, 0) == held[step].get(name, 0) for name in COMPARED)
                        assert await ask(tests.TestOp.COMPARE, one, {name: held[step].get(name, 0) for name in COMPARED}) == same
                    await ask(tests.TestOp.PART, step, {})

                # What the engine finds.
                summary = part.value(dut.marks)
                found_marks = {(kind, name) for kind in ("strings", "numbers") for name in SUBJECTS if summary[kind][name]}
                assert found_marks == marks
                assert part.get(dut.texts) == worded
                name = chance.choice((0, 7, 15))
                part.set(dut.lists.name, name)
                await part.clock(2)
                of_name, of_any = part.value(dut.lists.lists), part.value(dut.lists.anyone)
                for subject, kind in SUBJECTS.items():
                    for lists, anyone in ((of_name, 0), (of_any, 1)):
                        wanted = [
                            step
                            for step in order
                            if (held[step]["kind"], held[step]["anyone"]) == (kind, anyone)
                            and (anyone or held[step]["name"] == name)
                            and (held[step]["number"] or held[step]["operator"] is not ProgramOperator.EQ)
                            and not (held[step]["number"] and held[step]["key"]["nan"])
                        ]
                        assert await walk(part, lists[subject]) == wanted
                text = chance.choice((b"x", b"word", b"a longer one", b"y", b"never"))
                found, _ = await search(part, dut.strings, text)
                assert found == bool(uses[text])
                if found:
                    wanted = [step for step in order if texts.get(step) == text and held[step]["operator"] is ProgramOperator.EQ]
                    assert await walk(part, part.value(dut.strings.head)) == wanted
                if held:
                    step = chance.choice(order)
                    part.set(dut.tests.step, step)
                    part.set(dut.tests.en, 1)
                    await part.clock()
                    part.set(dut.tests.en, 0)
                    await part.clock()
                    node = part.value(dut.tests.node)
                    await part.clock()
                    term, key = part.value(dut.tests.term), part.value(dut.tests.number)
                    entry = held[step]
                    assert (node["operator"], node["number"], node["contains"]) == (
                        entry["operator"].value,
                        entry["number"],
                        entry["contains"],
                    )
                    assert list(SUBJECTS.values())[node["subject"]] is entry["kind"]
                    assert (term["name"], term["anyone"]) == (entry["name"], entry["anyone"])
                    assert (key["digits"] if entry["number"] else term["value"]) == (
                        entry["key"]["digits"] if entry["number"] else entry["value"]
                    )
            if turn == 0:
                await part.reset()

    run(tests.ComparedTests(CONFIG), bench, seed=9)
