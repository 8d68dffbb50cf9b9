"""The stage alone: programs to bits, against a plain list."""

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.contract import Refusal
from hdl.crt.entries import Kind
from hdl.crt.numbers import NumberOp
from hdl.crt.stage import Stage
from hdl.crt.visits import VisitOp
from hdl.shapes.program import ProgramOp, ProgramOperator

CONFIG = BrokerConfig(steps=64, slices=4, names=16, learned=64, subscriptions=15, values=16, numbers=16, subscription_steps=8)


@dataclass
class Program:
    """Words as the namer hands them on, and what must come of them."""

    words: list[dict[str, Any]] = field(default_factory=list)
    bits: list[dict[str, int]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """For each number that is entered its identity, -1 where there is no room."""
    strings: list[int] = field(default_factory=list)
    """For each string that is searched for its number, -1 where there is no room."""
    visits: list[tuple[int, int]] = field(default_factory=list)
    refused: int = 0
    final: int = 0


def made(chance: random.Random, *, pieces: int, contains: int, fails: bool) -> Program:
    """A random program of so many steps and tests; with ``fails`` names and strings may not find room, and it may be broken off."""
    program = Program()
    fronts: list[dict[str, int]] = []
    backs: list[dict[str, int]] = []
    full = wrong = False
    step_name, step_any = 0, False

    def word(
        op: ProgramOp, *, count: int, data: int = 0, axis: int = 0, operator: ProgramOperator = ProgramOperator.NONE, **flags: int
    ) -> None:
        last = flags.pop("last", 1)
        inner = {
            "op": op,
            "axis": axis,
            "wildcard": flags.get("wild", 0),
            "operator": operator,
            "numeric": flags.get("numeric", 0),
            "data": data,
        }
        program.words.append({"word": {**inner, "count": count, "last": last}, **flags})

    for number in range(pieces):
        what = chance.choice(("step", "wild", "presence", "attribute", "self", "text")) if number else chance.choice(("step", "wild"))
        far, name = chance.getrandbits(1), chance.randrange(16)
        operator = chance.choice([one for one in ProgramOperator if one is not ProgramOperator.NONE])
        bit = dict.fromkeys(("far", "name", "anyone", "operator", "number", "value"), 0)
        lost = fails and chance.random() < 0.1
        if what == "wild":
            word(ProgramOp.STEP, count=0, axis=far, wild=1)
            fronts.append(bit | {"kind": Kind.WILD.value, "far": far})
            step_any = True
            continue
        if what in ("self", "text"):
            word(ProgramOp.SELF_TEST if what == "self" else ProgramOp.TEXT_TEST, count=0, operator=operator, text=1)
            kind = Kind.SELF if what == "self" else Kind.TEXT
            backs.append(bit | {"kind": kind.value, "name": 0 if step_any else step_name, "anyone": int(step_any)})
        else:
            op = ProgramOp.STEP if what == "step" else ProgramOp.ATTRIBUTE_TEST
            given = operator if what == "attribute" else ProgramOperator.NONE
            word(op, count=0 if lost else 4, data=name, axis=far if what == "step" else 0, operator=given)
            kind = {"step": Kind.NAME, "presence": Kind.PRESENCE, "attribute": Kind.ATTRIBUTE}[what]
            if what == "step":
                step_any = False
            if lost:
                full = True
                program.refused = program.refused if wrong else Refusal.FULL_NAMES.value
            else:
                if what == "step":
                    step_name = name
                program.visits.append((name, int(what == "presence" or bool(contains))))
                fronts.append(bit | {"kind": kind.value, "name": name, "far": far if what == "step" else 0})
        if what in ("attribute", "self", "text"):
            held = None if lost and what == "attribute" else (fronts if what == "attribute" else backs)[-1]
            numeric = operator.value >= ProgramOperator.LT.value or chance.getrandbits(1)
            if numeric:
                text = b"%d" % chance.randrange(10 ** chance.randrange(1, 12))
                if fails and chance.random() < 0.15:
                    text = b"9" * (CONFIG.digits + chance.randrange(1, 5))
                    if not full:
                        wrong, program.refused = True, Refusal.NUMBER_DIGITS.value
                parts = [text[at : at + 4] for at in range(0, len(text), 4)]
            else:
                parts = [b"word"] * chance.randrange(1, 3)
            for left, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
                flags = {"last": int(left == 0), "literal": 1, "numeric": int(numeric)}
                word(ProgramOp.LITERAL, count=len(part), data=int.from_bytes(part, "little"), operator=operator, **flags)
            if held is not None:
                held["operator"] = operator.value
                held["number"] = int(numeric)
            if not full and not (numeric and len(text) > CONFIG.digits):
                room = not (fails and chance.random() < 0.1)
                value = chance.randrange(16)
                (program.numbers if numeric else program.strings).append(value if room else -1)
                if room:
                    held["value"] = value
                else:
                    full = True
                    program.refused = program.refused if wrong else Refusal.FULL_VALUES.value
    if fails and chance.random() < 0.3:
        word(ProgramOp.ABORT, count=0, data=Refusal.SYNTAX.value, ends=1)
        program.refused = Refusal.SYNTAX.value
    else:
        word(ProgramOp.DONE, count=0, ends=1)
    program.bits = fronts + backs
    return program


@pytest.mark.parametrize(("idle", "stall", "fails"), [(0.0, 0.0, False), (0.4, 0.4, True), (0.0, 0.3, True)])
def test_programs_become_bits(idle: float, stall: float, fails: bool) -> None:
    """Every kind of step and test, up to the most that a subscription may have; refusals by the grammar outrank want of room; equal
    programs have equal hashes. The bits come again after a rewind, and a reset forgets a program half taken."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random

        async def take(program: Program, cut: int | None = None) -> None:
            """The stage's neighbours, until it is done or so many words were taken."""
            words, strings, visits, numbers = list(program.words), list(program.strings), list(program.visits), list(program.numbers)
            offered, due, reply = False, 0, 0
            for _ in range(3000):
                if not offered and words and chance.random() >= idle:
                    part.set(dut.program.payload, words[0])
                    part.set(dut.program.valid, 1)
                    offered = True
                part.set(dut.visits.ready, int(chance.random() >= stall))
                part.set(dut.strings.done, 0)
                part.set(dut.numbers.ready, int(not reply and chance.random() >= stall))
                part.set(dut.number_reply.valid, 0)
                if reply:
                    reply -= 1
                    if not reply:
                        identity = numbers.pop(0)
                        part.set(dut.number_reply.valid, 1)
                        part.set(dut.number_reply.payload, {"ok": int(identity >= 0), "identity": max(identity, 0)})
                elif part.get(dut.numbers.valid) and part.get(dut.numbers.ready):
                    assert part.value(dut.numbers.payload)["op"] == NumberOp.ENTER.value
                    reply = 1 + chance.randrange(4)
                if due:
                    due -= 1
                    if not due:
                        value = strings.pop(0)
                        part.set(dut.strings.done, 1)
                        part.set(dut.strings.found, int(value >= 0))
                        part.set(dut.strings.value, max(value, 0))
                elif part.get(dut.strings.search):
                    due = 1 + chance.randrange(4)
                    part.set(dut.strings.found, 0)
                if part.get(dut.visits.valid) and part.get(dut.visits.ready):
                    visit = part.value(dut.visits.payload)
                    assert visit["op"] == VisitOp.ENTER.value
                    assert (visit["name"], visit["marks"]["presence"]) == visits.pop(0)
                taken, done = offered and part.get(dut.program.ready), part.get(dut.done)
                await part.clock()
                if taken:
                    words.pop(0)
                    offered = False
                    part.set(dut.program.valid, 0)
                if cut is not None and len(program.words) - len(words) >= cut:
                    return
                if done:
                    break
            assert not words
            assert not strings
            assert not numbers
            assert not visits

        async def start(contains: int) -> None:
            part.set(dut.contains, contains)
            part.set(dut.start, 1)
            await part.clock()
            part.set(dut.start, 0)

        hashes: dict[str, int] = {}
        for turn in range(40):
            contains = chance.getrandbits(1)
            program = made(chance, pieces=chance.choice((1, 2, 5, CONFIG.subscription_steps)), contains=contains, fails=fails)
            await start(contains)
            if turn == 10:
                await take(program, cut=len(program.words) - 1)
                await part.reset()
                part.set(dut.program.valid, 0)
                await start(contains)
            await take(program)
            staged = part.value(dut.run)
            assert staged["refused"] == program.refused
            assert staged["length"] == len(program.bits)
            assert staged["compares"] == any(bit["kind"] >= Kind.ATTRIBUTE.value for bit in program.bits)
            for _ in range(2):
                part.set(dut.rewind, 1)
                await part.clock()
                part.set(dut.rewind, 0)
                found = [await part.take(dut.bit) for _ in program.bits]
                assert [bit["last"] for bit in found] == [0] * (len(found) - 1) + [1] * bool(found)
                entries = [{name: bit["entry"][name] for name in program.bits[0]} for bit in found]
                if not program.refused:
                    assert entries == program.bits
                    assert hashes.setdefault(repr([bit["entry"] for bit in found]), staged["bucket"]) == staged["bucket"]
                held = [bit["entry"]["value"] for bit in found if bit["entry"]["stored"]]
                assert sorted(held) == sorted(value for value in program.strings + program.numbers if value >= 0)
            await part.clock(3)
            assert not part.get(dut.bit.valid)

    run(Stage(CONFIG), bench, seed=5 + fails, idle=idle, stall=stall)
