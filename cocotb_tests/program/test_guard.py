"""The guard behind the compilers alone: the programs of the subset pass, spoilt ones are refused, against a plain reader of words."""

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from cocotb_tests.simulated import Part, run
from cocotb_tests.xpath.programs import CONFIGS, expected, limits, random_texts, words
from hdl.config import BrokerConfig
from hdl.contract import Refusal
from hdl.program import ProgramGuard
from hdl.shapes.program import ProgramOp, ProgramOperator

CONFIG = BrokerConfig(name_bytes=8, value_bytes=12, subscription_steps=4, xpath_bytes=100)
Word = dict[str, Any]
_ENDS = (ProgramOp.DONE.value, ProgramOp.ABORT.value)
_NAMES = (ProgramOp.STEP, ProgramOp.ATTRIBUTE_TEST, ProgramOp.ATTRIBUTE_STEP)
_TEXTS = (ProgramOp.SELF_TEST, ProgramOp.TEXT_TEST)

TEXTS = [
    b"/a",
    b"//abcd/efghijkl//*[@x]",
    b"/*[.='']",
    b"//a[@b='abcdefghijkl' and @c<=-12.5]",
    b"/a[@longname>=5][text()!='x']",
    b"//@name",
    b"//*/longname/@longname",
    b"//longname[@longname]//@longname",
    b"a/b[@c]/@d",
    b"//*//*",
    b"//a[.>'text'][@b]",
    b"/a[",
    b"/aaaa/bb[@c='d']x",
]


def aborted(code: int) -> Word:
    return {"op": ProgramOp.ABORT.value, "axis": 0, "wildcard": 0, "operator": 0, "numeric": 0, "data": code, "count": 0, "last": 1}


@dataclass
class Reader:
    """Follows the words of a program by the rules, as they are written down."""

    piece: list[Word] = field(default_factory=list)
    parts: list[ProgramOp] = field(default_factory=list)
    texted: bool = False
    owed: int = 0

    def refusal(self, word: Word) -> Refusal:
        """Why the word is refused, and what follows from it if it is not."""
        if word["op"] > ProgramOp.ABORT.value or word["operator"] > ProgramOperator.GE.value or word["count"] > 4:
            return self._first(word) or Refusal.SYNTAX
        return self._first(word) or self._rules(ProgramOp(word["op"]), word)

    def _first(self, word: Word) -> Refusal | None:
        """A limit that is passed."""
        op = word["op"]
        named = op in [one.value for one in _NAMES] and not (op == ProgramOp.STEP.value and word["wildcard"])
        if not self.piece and op <= ProgramOp.ATTRIBUTE_STEP.value and len(self.parts) == CONFIG.subscription_steps:
            return Refusal.STEPS
        if named and len(self.piece) == CONFIG.name_bytes // 4:
            return Refusal.NAME_LENGTH
        if op == ProgramOp.LITERAL.value and len(self.piece) == CONFIG.value_bytes // 4:
            return Refusal.LITERAL_LENGTH
        return None

    def _rules(self, op: ProgramOp, word: Word) -> Refusal:
        data, bare = word["data"].to_bytes(4, "little"), word["last"] and not word["count"]
        if op is ProgramOp.ABORT:
            flags = word["axis"] or word["wildcard"] or word["numeric"]
            return Refusal.NONE if bare and not flags else Refusal.SYNTAX
        alike = ("op", "axis", "wildcard", "numeric")
        good = not self.piece or all(word[name] == self.piece[0][name] for name in alike)
        good &= op is ProgramOp.DONE or not any(data[word["count"] :])
        good &= bool(word["last"]) or word["count"] == 4
        good &= not word["axis"] or op in (ProgramOp.STEP, ProgramOp.ATTRIBUTE_STEP)
        good &= not word["wildcard"] or bool(op is ProgramOp.STEP and bare)
        good &= not word["numeric"] or op is ProgramOp.LITERAL
        if op is ProgramOp.LITERAL:
            good &= bool(self.owed) and word["operator"] == self.owed and bool(word["count"] or not self.piece)
        else:
            good &= bool(self.piece) or not self.owed
        ended = ProgramOp.ATTRIBUTE_STEP in self.parts
        if op in _NAMES and not word["wildcard"]:
            good &= word["count"] > 0
        if op in (ProgramOp.STEP, ProgramOp.ATTRIBUTE_STEP):
            before = self.parts[:-1] if self.piece else self.parts
            good &= ProgramOp.ATTRIBUTE_STEP not in before and not (self.texted and not self.piece) and not word["operator"]
        if op is ProgramOp.ATTRIBUTE_TEST or op in _TEXTS:
            good &= ProgramOp.STEP in self.parts and not ended
        if op is ProgramOp.ATTRIBUTE_TEST:
            good &= bool(word["last"]) or not word["operator"]
        if op in _TEXTS:
            good &= bool(bare and word["operator"])
        if op is ProgramOp.DONE:
            good &= bool(bare and not self.piece and not word["operator"] and not word["data"])
            good &= ProgramOp.STEP in self.parts or ended
        if not good:
            return Refusal.SYNTAX
        if not self.piece and op is not ProgramOp.LITERAL:
            self.parts.append(op)
        if op is ProgramOp.STEP:
            self.texted = False
        self.texted |= op in _TEXTS
        self.piece = [] if word["last"] else [*self.piece, word]
        if word["last"]:
            self.owed = word["operator"] if op is ProgramOp.ATTRIBUTE_TEST or op in _TEXTS else 0
        return Refusal.NONE


def judged(program: list[Word]) -> tuple[list[Word], Refusal]:
    """What must come of a program, and why it was refused here."""
    reader, found = Reader(), []
    for word in program:
        refusal = reader.refusal(word)
        if refusal is not Refusal.NONE:
            return [*found, aborted(refusal)], refusal
        found.append(word)
    return found, Refusal.NONE


def spoilt(chance: random.Random, program: list[Word]) -> list[Word]:
    """The program with a word left out, doubled, exchanged, or changed in a field, or with a piece that is too long or one too many."""
    found, at = list(program), chance.randrange(len(program))
    how = chance.randrange(7)
    if how == 0 and len(found) > 1:
        del found[min(at, len(found) - 2)]
    elif how == 1 and at < len(found) - 1:
        found.insert(at, found[at])
    elif how == 2:
        other = chance.randrange(len(found))
        if found[at]["op"] not in _ENDS and found[other]["op"] not in _ENDS:
            found[at], found[other] = found[other], found[at]
    elif how == 3:
        name, most = chance.choice((("last", 2), ("axis", 2), ("wildcard", 2), ("numeric", 2), ("operator", 16), ("count", 8), ("op", 16)))
        changed = found[at] | {name: chance.randrange(most)}
        if (changed["op"] in _ENDS) == (found[at]["op"] in _ENDS):
            found[at] = changed
    elif how == 4:
        found[at] = found[at] | {"data": chance.getrandbits(32)}
    elif how == 5:
        found[0:0] = [*words(ProgramOp.STEP, b"n" * chance.choice((8, 9, 12, 20)))]
    else:
        found[-1:-1] = words(ProgramOp.ATTRIBUTE_TEST, b"n") * chance.randrange(1, 5)
    return found


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.0), (0.4, 0.5)])
def test_programs(idle: float, stall: float) -> None:
    """Programs of accepted and refused texts pass unchanged in the same clock; of a spoilt one comes what was before, then ABORT with the
    refusal that is due. The next program is unharmed."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random
        given: list[Word] = []
        due: list[Word] = []
        refusals: dict[Refusal, int] = {}
        for number in range(600):
            program = expected(chance.choice(TEXTS), CONFIG)
            if number % 3:
                program = spoilt(chance, program)
            found, refusal = judged(program)
            assert number % 3 or refusal is Refusal.NONE, program
            refusals[refusal] = refusals.get(refusal, 0) + 1
            given += program
            due += found
        assert all(refusals[one] > 5 for one in (Refusal.NONE, Refusal.SYNTAX, Refusal.STEPS, Refusal.NAME_LENGTH))
        long = [*words(ProgramOp.STEP, b"a"), *words(ProgramOp.ATTRIBUTE_TEST, b"b", operator=1)]
        for size in (11, 12, 13, 16):
            program = [*long, *words(ProgramOp.LITERAL, b"v" * size, operator=1), *expected(b"/a", CONFIG)[1:]]
            found, refusal = judged(program)
            assert refusal is (Refusal.LITERAL_LENGTH if size > CONFIG.value_bytes else Refusal.NONE)
            given += program
            due += found
        came: list[Word] = []
        at, offered = 0, False
        for _ in range(60000):
            if not offered and at < len(given) and chance.random() >= idle:
                part.set(dut.i.payload, given[at])
                part.set(dut.i.valid, 1)
                offered = True
            part.set(dut.o.ready, int(chance.random() >= stall))
            taken = offered and part.get(dut.i.ready)
            if part.get(dut.o.valid) and part.get(dut.o.ready):
                came.append(part.value(dut.o.payload))
            await part.clock()
            if taken:
                at += 1
                offered = False
                part.set(dut.i.valid, 0)
            if at == len(given):
                break
        assert came == due

    run(ProgramGuard(CONFIG), bench, seed=4, idle=idle, stall=stall)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_whatever_the_xpath_processor_makes_passes(config: BrokerConfig) -> None:
    """Programs of random texts and of texts at every limit, word for word."""

    async def bench(part: Part) -> None:
        dut = part.dut
        part.set(dut.o.ready, 1)
        part.set(dut.i.valid, 1)
        accepted = 0
        for text in [*limits(config), *random_texts(random.Random(9), 400)]:
            program = expected(text, config)
            accepted += program[-1]["op"] == ProgramOp.DONE.value
            for word in program:
                part.set(dut.i.payload, word)
                await part.clock(0)
                assert part.value(dut.o.payload) == word, text
                await part.clock()
        assert accepted > 150

    run(ProgramGuard(config), bench)


def test_a_reset_within_a_program() -> None:
    async def bench(part: Part) -> None:
        dut = part.dut
        part.set(dut.o.ready, 1)
        full = [*words(ProgramOp.STEP, b"abcd"), *words(ProgramOp.ATTRIBUTE_TEST, b"b"), *words(ProgramOp.SELF_TEST, operator=1)]
        for stop in range(1, 4):
            for word in full[:stop]:
                await part.give(dut.i, word)
            await part.reset()
            for word in expected(b"/a/b/c/d", CONFIG):
                part.set(dut.i.payload, word)
                part.set(dut.i.valid, 1)
                await part.clock(0)
                assert part.value(dut.o.payload) == word
                await part.clock()
            part.set(dut.i.valid, 0)

    run(ProgramGuard(CONFIG), bench)
