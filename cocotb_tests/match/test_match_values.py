"""Values on their way to an answer, and the tests that are gathered for them, each part alone against plain Python."""

from decimal import Decimal
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from cocotb_tests.decimals import key
from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.crt.compared import StringTests
from hdl.crt.strings import StringStore
from hdl.match.feeders import NumberFeeder, StringFeeder
from hdl.match.gather import SlicePass
from hdl.match.ops import GATHERED_TAGS, Fence, Query, ValueWord
from hdl.shapes.tables import StringPort
from hdl.shapes.tests import StringAnswer
from hdl.shapes.widths import row_width
from sim.golden.number import from_string

CONFIG = BrokerConfig(steps=64, slices=4, names=16, learned=64, subscriptions=15, values=16, numbers=16, subscription_steps=8)
STALLS = pytest.mark.parametrize("stall", [0.0, 0.5])


def words(value: bytes, *, whole: int = 4, **flags: int) -> list[dict[str, int]]:
    """A value as words of up to four bytes; ``flags`` stand on the last."""
    pieces = [value[at : at + whole] for at in range(0, len(value), whole)] or [b""]
    found: list[dict[str, int]] = [{"data": int.from_bytes(piece, "little"), "count": len(piece)} for piece in pieces]
    found[-1] |= {"last": 1} | flags
    return found


async def through(part: Part, given: list[list[dict[str, int]]]) -> list[Any]:
    """Hands in the words of values and takes an answer for each, with idle clocks and stalls."""
    dut, chance = part.dut, part.random
    left = [word for value in given for word in value]
    found: list[Any] = []
    offered = False
    for _ in range(40 * len(left) + 400 * len(given)):
        if not offered and left and chance.random() >= part.idle:
            part.set(dut.i.payload, left[0])
            offered = True
        part.set(dut.i.valid, int(offered))
        part.set(dut.o.ready, int(chance.random() >= part.stall))
        if part.get(dut.o.valid) and part.get(dut.o.ready):
            found.append(part.value(dut.o.payload))
        taken = offered and part.get(dut.i.ready)
        await part.clock()
        if taken:
            left.pop(0)
            offered = False
        if len(found) == len(given):
            break
    assert not left
    return found


@STALLS
def test_numbers_of_values(stall: float) -> None:
    """Every kind of value gives the number that the golden model reads, whatever it is cut into; limits hit exactly and by one."""
    values = [
        b"", b"0", b"-0", b"7", b"-12.50", b".5", b"5.", b".", b"-", b"--1", b"1-", b"1.2.3", b"+1", b"1e5", b" 42 ", b"4 2",
        b"\t\n\r 9\n", b"    ", b"        8", b"8        ", b"abcd", b"12a4", b"1234x", b"123456789012345",
        b"1234567890123456", b"0" * 64, b"0" * 65, b"0" * 60 + b".125", b" " * 70 + b"3" + b" " * 70, b"1" + b"0" * 40,
        b"0." + b"0" * 40 + b"25", b"-" * 65, b"9" * 20 + b"x", b"x" + b"9" * 20, "\u00e4".encode(),
    ]  # fmt: skip

    async def bench(part: Part) -> None:
        chosen = values + [bytes(part.random.choice(b"0123456789.- ") for _ in range(part.random.randrange(9))) for _ in range(40)]
        part.random.shuffle(chosen)
        given = [words(value, whole=part.random.choice((1, 2, 4, 4))) for value in chosen]
        assert part.get(part.dut.idle)
        for value, answer in zip(chosen, await through(part, given), strict=True):
            try:
                number: Decimal | None = from_string(value, config=CONFIG)
                excess = 0
            except Exception:
                number, excess = None, 1
            assert answer["excess"] == excess, value
            if not excess:
                wanted = {"digits": 0, "exponent": 0, "negative": 0, "nan": 0} | key(number)
                assert answer["key"]["nan"] == wanted["nan"], value
                assert number is None or answer["key"] == wanted, value
        assert part.get(part.dut.idle)
        # Values that are answered later, twice or never.
        again = [{"last": 1, "again": 1}]
        spoken = (
            [*words(b"1x", silent=1), *words(b"5")],
            words(b"6", silent=1) + again,
            again,
            [*words(b"7", silent=1), *words(b"x")],
            again,
        )
        found = [(one["key"]["nan"], one["key"]["digits"] >> 56) for one in await through(part, list(spoken))]
        assert [digit if not nan else None for nan, digit in found] == [5, 6, 6, None, None]
        # Values that are known to be none, or to be too long, and a value cut short by a reset.
        flagged = [words(b"12", void=1), words(b"", void=1), words(b"", many=1), words(b"5"), words(b"5", void=1, many=1)]
        assert [(one["key"]["nan"], one["excess"]) for one in await through(part, flagged)] == [(1, 0), (1, 0), (1, 1), (0, 0), (1, 0)]
        await part.give(part.dut.i, {"data": ord("x"), "count": 1})
        await part.reset()
        assert part.get(part.dut.idle)
        assert (await through(part, [words(b"6")]))[0]["key"]["nan"] == 0

    run(NumberFeeder(CONFIG), bench, idle=stall / 2, stall=stall)


class _Searched(wiring.Component):
    """The feeder of strings with the store behind it."""

    def __init__(self, config):
        self.feeder, self.store = StringFeeder(config), StringStore(config)
        super().__init__(
            {
                "i": In(stream.Signature(ValueWord)),
                "o": Out(stream.Signature(StringAnswer(config))),
                "idle": Out(1),
                "literal": Out(StringPort(config)),
                "clear": In(1),
                "clear_address": In(len(self.store.clear_address)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.feeder, m.submodules.store = self.feeder, self.store
        for one, other in (
            (wiring.flipped(self.i), self.feeder.i),
            (self.feeder.o, wiring.flipped(self.o)),
            (self.feeder.port, self.store.document),
            (self.store.literal, wiring.flipped(self.literal)),
        ):
            wiring.connect(m, one, other)
        m.d.comb += [self.store.clear.eq(self.clear), self.store.clear_address.eq(self.clear_address), self.idle.eq(self.feeder.idle)]
        return m


@STALLS
def test_strings_of_values(stall: float) -> None:
    """Values that are stored are found under their numbers and no others, empty, as long as may be, and with one hash (S14 and S28).
    A void value is never found."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random
        part.set(dut.clear, 1)
        for address in range(CONFIG.values):
            part.set(dut.clear_address, address)
            await part.clock()
        part.set(dut.clear, 0)
        await part.clock(2)
        stored = {}
        for text in (b"", b"a", b"abcd", b"abce", b"abcde", b"S14", b"S28", b"y" * 64, b"\0"):
            part.set(dut.literal.clear, 1)
            await part.clock()
            part.set(dut.literal.clear, 0)
            for word in words(text):
                part.set(dut.literal.push, 1)
                part.set(dut.literal.data, word["data"])
                part.set(dut.literal.count, word["count"])
                await part.clock()
            part.set(dut.literal.push, 0)
            part.set(dut.literal.search, 1)
            await part.clock()
            part.set(dut.literal.search, 0)
            while not part.get(dut.literal.done):
                await part.clock()
            assert part.get(dut.literal.found)
            stored[text] = part.get(dut.literal.value)
        chosen = [chance.choice([*stored, b"b", b"abc", b"S14", b"S28", b"y" * 63, b"y" * 65, b"abcdabcd", b"\0\0"]) for _ in range(40)]
        voids = [chance.random() < 0.15 for _ in chosen]
        given = []
        for place, void in enumerate(voids):
            # as it comes, behind one that is not answered, answered later, or once more for the same value
            flags = {"void": 1} if void else {}
            way = chance.choice(("plain", "silent", "later", "twice") if place else ("plain",))
            if way == "twice":
                chosen[place], voids[place] = chosen[place - 1], voids[place - 1]
            value = words(chosen[place], **flags, **({"silent": 1} if way == "later" else {}))
            again = [{"last": 1, "again": 1}]
            given.append({"plain": value, "silent": words(b"abcd", silent=1) + value, "later": value + again, "twice": again}[way])
        for text, void, answer in zip(chosen, voids, await through(part, given), strict=True):
            assert answer["found"] == (text in stored and not void), text
            if answer["found"]:
                assert answer["value"] == stored[text]
        assert part.get(dut.idle)

    run(_Searched(CONFIG), bench, idle=stall / 2, stall=stall)


class _Gathered(wiring.Component):
    """The pass over the tests on strings with the tests behind it."""

    def __init__(self, config):
        self.gathering, self.tests = SlicePass(config, StringAnswer(config)), StringTests(config)
        super().__init__(
            {
                "i": In(stream.Signature(Query(config))),
                "answers": In(stream.Signature(StringAnswer(config))),
                "fences": Out(stream.Signature(Fence(config))),
                "part": In(range(GATHERED_TAGS)),
                "slice": In(ceil_log2(config.slices)),
                "row": Out(row_width(config)),
                "freed": In(1),
                "quiet": Out(1),
                "idle": Out(1),
                **{name: self.tests.signature.members[name] for name in ("named", "valued")},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.gathering, m.submodules.tests = one, tests = self.gathering, self.tests
        for name in ("i", "answers"):
            wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(one, name))
        for name in ("named", "valued"):
            wiring.connect(m, wiring.flipped(getattr(self, name)), getattr(tests, name))
        wiring.connect(m, one.fences, wiring.flipped(self.fences))
        wiring.connect(m, tests.view, one.view)
        m.d.comb += [
            *(getattr(one, name).eq(getattr(self, name)) for name in ("part", "slice", "freed")),
            *(getattr(self, name).eq(getattr(one, name)) for name in ("row", "quiet", "idle")),
        ]
        return m


@STALLS
def test_gathered(stall: float) -> None:
    """Each fence comes with the slices in which a test of its queries holds, and with the tests; two tags at a time; rows of strings
    change meanwhile."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random
        held: dict[int, tuple[int, int, int]] = {}  # name, string, unlike
        for turn in range(2):
            if turn:
                # a reset keeps memories: what the turn before has set is taken back
                for step, (name, value, _) in held.items():
                    await part.give(dut.named, {"name": name, "step": step, "value": 0})
                    await part.give(dut.valued, {"row": {"name": value, "step": step, "value": 0}})
            held = {}
            for step in chance.sample(range(64), 30):
                held[step] = chance.randrange(4), chance.randrange(4), int(chance.random() < 0.3)
                name, value, unlike = held[step]
                await part.give(dut.valued, {"row": {"name": value, "step": step, "value": 1}, "unlike": unlike})
                await part.give(dut.named, {"name": name, "step": step, "value": 1})
            await part.clock(8)
            spare = [step for step in range(64) if step not in held]

            tags = [
                [(chance.randrange(5), chance.getrandbits(4), chance.random() < 0.7) for _ in range(chance.choice((0, 1, 1, 2, 5)))]
                for _ in range(40)
            ]
            queries: list[dict[str, Any]] = []
            answers: list[dict[str, int]] = []
            wanted: list[list[int]] = []
            value, found = 0, 0
            for tag in tags:
                rows = [0] * 4
                for place, (name, slices, new) in enumerate(tag):
                    fresh = int(new or not place)  # the first of a tag is about a value of its own
                    if fresh:
                        value, found = chance.randrange(5), chance.getrandbits(1)
                        answers.append({"value": value, "found": found})
                    queries.append({"fresh": fresh, "key": name, "slices": slices})
                    for step, (other, string, unlike) in held.items():
                        if other == name and slices >> step // 16 & 1 and ((found and string == value) != unlike):
                            rows[step // 16] |= 1 << step % 16
                queries.append({"fence": 1})
                wanted.append(rows)
            done, place, waits, changing = 0, 0, 0, False
            for _ in range(6000):
                for port, left in ((dut.i, queries), (dut.answers, answers)):
                    if left and not part.get(port.valid) and chance.random() >= part.idle:
                        part.set(port.payload, left[0])
                        part.set(port.valid, 1)
                if not changing and chance.random() < stall:
                    # a bit that is in no row of a name gets another string
                    step = chance.choice(spare)
                    part.set(dut.valued.payload, {"row": {"name": chance.randrange(4), "step": step, "value": 0}})
                    part.set(dut.valued.valid, 1)
                    changing = True
                taken = {id(port): part.get(port.valid) and part.get(port.ready) for port in (dut.i, dut.answers, dut.valued)}
                part.set(dut.fences.ready, 0)
                part.set(dut.freed, 0)
                if part.get(dut.fences.valid) and not waits and chance.random() >= stall:
                    fence = part.value(dut.fences.payload)
                    rows = wanted[done]
                    assert fence == {"slices": sum(1 << at for at in range(4) if rows[at]), "over": 0}, (done, rows)
                    part.set(dut.fences.ready, 1)
                    part.set(dut.part, place)
                    for at in range(4):
                        if rows[at] or chance.random() < 0.3:
                            part.set(dut.slice, at)
                            assert part.get(dut.row) == rows[at], (done, at)
                    place, done, waits = (place + 1) % GATHERED_TAGS, done + 1, 1 + chance.randrange(1 + int(6 * stall))
                elif waits:
                    waits -= 1
                    if not waits:
                        part.set(dut.freed, 1)
                await part.clock()
                for port, left in ((dut.i, queries), (dut.answers, answers)):
                    if taken[id(port)]:
                        left.pop(0)
                        part.set(port.valid, 0)
                if taken[id(dut.valued)]:
                    part.set(dut.valued.valid, 0)
                    changing = False
                if done == len(wanted) and not waits:
                    break
            assert done == len(wanted)
            assert not queries
            assert not answers
            part.set(dut.freed, 0)
            part.set(dut.fences.ready, 0)
            part.set(dut.valued.valid, 0)
            await part.clock(8)
            assert part.get(dut.idle)
            assert part.get(dut.quiet)
            if turn == 0:
                # a reset in the middle of a tag
                await part.give(dut.i, {"fresh": 0, "key": 0, "slices": 15})
                await part.reset()

    run(_Gathered(CONFIG), bench, seed=3, idle=stall / 2, stall=stall)
