"""The CRT without an engine: what is held, shared, refused and given back, against a plain table."""

from collections import Counter

import pytest

from cocotb_tests.simulated import Part, run
from cocotb_tests.xpath.programs import expected
from hdl.config import BrokerConfig
from hdl.contract import Refusal
from hdl.crt import ContentRoutingTable
from hdl.shapes.names import NameOp
from hdl.shapes.program import CrtOp, ProgramOp

CONFIG = BrokerConfig(steps=64, slices=4, names=16, learned=64, subscriptions=15, values=16, numbers=16, subscription_steps=8)
TEXTS = (
    "/a",
    "//a",
    "/a/b",
    "/a/*",
    "*//b/@c",
    "//a[@b]",
    "//a[@b='x']",
    "//a[@b='y']",
    "//a[@b!='x']",
    "//a[@b>5]",
    "//a[@b>6]",
    "/a[.='x'][@b='x']",
    "/a[text()='x']",
    "//*[.='x']",
    "/a/b/a/b/a/b/a/b",
)
ABORT = {"op": ProgramOp.ABORT.value, "axis": 0, "wildcard": 0, "operator": 0, "numeric": 0, "count": 0, "last": 1}
BROKEN = {"!" + text: text for text in ("/a/b[@c]", "/a[@b='z'][@c=5]/a", "/a[.='long string'][@k<'7']/b", "/fresh-name/other-name")}
"""Programs that are broken off behind any of their words."""


class Table(Part):
    """The CRT with its neighbours: a name table, an engine that grants moments, and whoever asks."""

    def begin(self) -> None:
        self.names: dict[bytes, int] = {}
        self.spelt = bytearray()
        self.due: list[dict[str, int]] = []

    async def turn(self) -> None:
        """A clock of the neighbours."""
        dut, chance = self.dut, self.random
        self.set(
            dut.view.moment.quiet, self.get(dut.view.moment.wants) and int(self.get(dut.view.moment.quiet) or chance.random() >= self.stall)
        )
        self.set(dut.view.numbers.quiet, int(chance.random() >= self.stall))
        self.set(dut.name_request.ready, int(chance.random() >= self.stall))
        answers = bool(self.due) and chance.random() < 0.5
        self.set(dut.name_response.valid, int(answers))
        if answers:
            self.set(dut.name_response.payload, self.due[0])
        answered = answers and self.get(dut.name_response.ready)
        word = self.value(dut.name_request.payload) if self.get(dut.name_request.valid) and self.get(dut.name_request.ready) else None
        await self.clock()
        if answered:
            self.due.pop(0)
        if word is not None and word["op"] == NameOp.UNPIN.value:
            name = next(name for name, number in self.names.items() if number == word["name"])
            del self.names[name]
        elif word is not None:
            self.spelt += word["data"].to_bytes(4, "little")[: word["count"]]
            if word["last"]:
                name = bytes(self.spelt)
                self.spelt.clear()
                free = [number for number in range(1, CONFIG.names + 1) if number not in self.names.values()]
                if name not in self.names and free:
                    self.names[name] = free[0]
                self.due.append({"ok": int(name in self.names), "name": self.names.get(name, 0)})

    async def command(self, op: CrtOp, tsid: int = 0, text: str | None = None, semantics: int = 0) -> tuple[int, int]:
        """A command and its program; the refusal, and whether the run is shared."""
        dut = self.dut
        words = [] if text is None else expected(BROKEN.get(text, text).encode(), CONFIG)
        if text in BROKEN:
            words = [*words[: self.random.randrange(len(words))], ABORT | {"data": Refusal.SYNTAX.value}]
        self.set(dut.command.payload, {"op": op, "tsid": tsid, "semantics": semantics})
        self.set(dut.command.valid, 1)
        offered = False
        for _ in range(4000):
            if not offered and words and self.random.random() >= self.idle:
                self.set(dut.program.payload, words[0])
                self.set(dut.program.valid, 1)
                offered = True
            self.set(dut.response.ready, int(self.random.random() >= self.stall))
            commanded = self.get(dut.command.valid) and self.get(dut.command.ready)
            taken = offered and self.get(dut.program.ready)
            found = (self.get(dut.response.payload.refusal), self.get(dut.response.payload.shared))
            answered = self.get(dut.response.valid) and self.get(dut.response.ready)
            await self.turn()
            if commanded:
                self.set(dut.command.valid, 0)
            if taken:
                words.pop(0)
                offered = False
                self.set(dut.program.valid, 0)
            if answered:
                assert not words
                self.set(dut.response.ready, 0)
                return found
        raise AssertionError("no answer")

    async def rest(self) -> None:
        """Until nothing is under way."""
        for _ in range(60):
            await self.turn()


def pieces(text: str) -> int:
    """The bits of a subscription."""
    return sum(
        word["last"] and word["op"] not in (ProgramOp.LITERAL.value, ProgramOp.DONE.value) for word in expected(text.encode(), CONFIG)
    )


def names(text: str) -> set[bytes]:
    """The names that it visits."""
    found, spelt = set(), b""
    for word in expected(text.encode(), CONFIG):
        if word["op"] in (ProgramOp.STEP.value, ProgramOp.ATTRIBUTE_TEST.value, ProgramOp.ATTRIBUTE_STEP.value) and not word["wildcard"]:
            spelt += word["data"].to_bytes(4, "little")[: word["count"]]
            if word["last"]:
                found.add(spelt)
                spelt = b""
    return found


@pytest.mark.parametrize(("idle", "stall", "changes"), [(0.0, 0.0, 90), (0.3, 0.5, 60)])
def test_subscriptions_come_and_go(idle: float, stall: float, changes: int) -> None:
    """Subscriptions that ask the same share their bits, with the same semantics alone; counts and names follow; what is refused or only
    checked leaves nothing; CLEAR and a reset leave nothing either."""

    async def bench(part: Part) -> None:
        part.__class__ = Table
        assert isinstance(part, Table)
        dut, chance = part.dut, part.random
        part.begin()
        held: dict[int, tuple[str, int]] = {}

        async def check() -> None:
            await part.rest()
            runs = Counter(held.values())
            assert part.get(dut.registered) == len(held)
            assert part.get(dut.steps_used) == sum(pieces(text) for text, _ in runs)
            assert set(part.names) == set().union(*(names(text) for text, _ in runs))

        for turn in range(changes):
            what = chance.random()
            free = [tsid for tsid in range(1, CONFIG.subscriptions + 1) if tsid not in held]
            if turn in (changes // 3, 2 * changes // 3):
                if turn == changes // 3:
                    assert await part.command(CrtOp.CLEAR) == (0, 0)
                else:
                    await part.reset()
                    part.begin()
                held.clear()
            elif what < 0.35 and held:
                tsid = chance.choice(sorted(held))
                assert (await part.command(CrtOp.UNREGISTER, tsid))[0] == 0
                del held[tsid]
            elif what < 0.45:
                refusal, _ = await part.command(CrtOp.REGISTER, free[0] if free else 0, chance.choice(list(BROKEN)))
                assert refusal == Refusal.SYNTAX
                assert part.get(dut.full) == 0
            elif what < 0.55:
                text = chance.choice([*TEXTS, *BROKEN])
                refusal, _ = await part.command(CrtOp.CHECK, text=text)
                assert (refusal == 0) == (text in TEXTS)
            elif free:
                tsid, one = chance.choice(free), (chance.choice(TEXTS), chance.getrandbits(1))
                refusal, shared = await part.command(CrtOp.REGISTER, tsid, one[0], one[1])
                assert refusal in (0, Refusal.FULL_STEPS)
                if refusal:
                    assert part.get(dut.steps_used) + pieces(one[0]) > 32
                    assert part.get(dut.full) == 1
                else:
                    assert shared == (one in held.values())
                    assert part.get(dut.full) == 0
                    held[tsid] = one
            await check()
        for tsid in list(held):
            assert (await part.command(CrtOp.UNREGISTER, tsid))[0] == 0
            del held[tsid]
            await check()

    run(ContentRoutingTable(CONFIG), bench, seed=2, idle=idle, stall=stall)


def test_the_grammar_is_looked_at_before_the_room() -> None:
    """With every name taken, a program that is broken off behind a new name is refused by its grammar; one that is whole for want of room,
    and only then the table is full. Both give the names back that there was room for."""

    async def bench(part: Part) -> None:
        part.__class__ = Table
        assert isinstance(part, Table)
        part.begin()
        for number in range(CONFIG.subscriptions):
            assert (await part.command(CrtOp.REGISTER, number + 1, f"/n{number}"))[0] == 0
        assert (await part.command(CrtOp.UNREGISTER, 1))[0] == 0
        BROKEN["!full"] = "/n0/n15/n16[@n17]"
        for _ in range(12):
            assert (await part.command(CrtOp.REGISTER, 1, "!full"))[0] == Refusal.SYNTAX
            assert part.get(part.dut.full) == 0
        for op, full in ((CrtOp.CHECK, 0), (CrtOp.REGISTER, 1)):
            assert (await part.command(op, 1, BROKEN["!full"]))[0] == Refusal.FULL_NAMES
            assert part.get(part.dut.full) == full
        await part.rest()
        assert len(part.names) == CONFIG.subscriptions - 1
        assert (await part.command(CrtOp.REGISTER, 1, "/n0/n15"))[0] == 0

    run(ContentRoutingTable(CONFIG), bench, seed=4)
