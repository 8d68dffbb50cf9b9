"""Coroutines for either exact-match memory: random commands and searches against a dictionary, in time."""

import cocotb
from amaranth.hdl import unsigned
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.cam.model import CamModel, HashRoom, PlainRoom
from cocotb_tests.streams import Bench, parameters, unpack
from hdl.cam import CamCommand, CamOperation, CamResponse, CamResult, CamStatus


class Facts:
    """The component under test, as the pytest runner describes it."""

    def __init__(self) -> None:
        given = parameters()
        self.key_width: int = given["key_width"]
        self.value_width: int = given["value_width"]
        self.latency: int = given["latency"]
        self.capacity: int = given["capacity"]
        self.entries: int | None = given.get("entries")
        self.row_width: int = given.get("row_width", 0)
        self.slots: int = given.get("slots", 0)
        self.spares: int = given.get("spares", 0)

    def model(self) -> CamModel:
        if self.entries is not None:
            return CamModel(PlainRoom(self.entries))
        return CamModel(HashRoom(key_width=self.key_width, row_width=self.row_width, slots=self.slots, spares=self.spares))


class CamBench(Bench):
    """Drives commands one by one, searches at will, and judges every answer.

    ``versions[n]`` is the content after n commands. A search taken in clock t and answered in clock t + latency may see any version
    from the last one whose response was offered by t to the last one whose command was taken before the answer.
    """

    def __init__(self, dut, *, idle: float, stall: float):
        super().__init__(dut)
        self.facts = Facts()
        self.commands = self.source("command", CamCommand(self.facts.key_width, self.facts.value_width))
        self.searches = self.source("search", unsigned(self.facts.key_width), idle=idle)
        self.responses = self.sink("response", CamResponse, stall=stall)
        self.answers: list[tuple[int, int, int]] = []
        self.begin()
        cocotb.start_soon(self._watch())

    def begin(self) -> None:
        """Everything from here on is judged afresh."""
        self.model = self.facts.model()
        self.versions = [dict(self.model.keys)]
        self.offered: list[int] = []
        self.asked: list[tuple[int, int]] = []
        self.answers.clear()

    async def _watch(self) -> None:
        dut = self.dut
        seen = False
        while True:
            await FallingEdge(dut.clk)
            if dut.rst.value == 0:
                offered = dut.response__valid.value == 1
                if offered and not seen:
                    self.offered.append(self.now)
                seen = offered
                if dut.search__valid.value == 1 and dut.search__ready.value == 1:
                    self.asked.append((self.now, int(dut.search__payload.value)))
                result = unpack(CamResult(self.facts.value_width), int(dut.result.value))
                if result["valid"]:
                    self.answers.append((self.now, result["hit"], result["value"]))
            else:
                seen = False
            await RisingEdge(dut.clk)

    async def command(self, op: str, **fields: int) -> dict[str, int]:
        """Run one command to its end and check its response and the status."""
        count = len(self.responses.items)
        expected = self.model.execute(op, **fields)
        self.versions.append(dict(self.model.keys))
        self.commands.send([{"op": CamOperation[op].value, **fields}])
        for _ in range(500):
            if len(self.offered) > count:
                break
            await RisingEdge(self.dut.clk)
        assert unpack(CamStatus(self.facts.capacity), int(self.dut.status.value)) == self.model.status, (op, fields)
        await self.responses.receive(count + 1, within=200)
        assert self.responses.items[-1] == expected, (op, fields)
        return expected

    async def finish(self) -> None:
        """Wait for the last answer and judge all of them."""
        await self.searches.drained()
        await self.clocks(self.facts.latency + 2)
        latency = self.facts.latency
        assert [clock for clock, _, _ in self.answers] == [clock + latency for clock, _ in self.asked]
        low = high = 0
        for (asked, key), (answered, hit, value) in zip(self.asked, self.answers, strict=True):
            while low < len(self.offered) and self.offered[low] <= asked:
                low += 1
            while high < len(self.commands.clocks) and self.commands.clocks[high] < answered:
                high += 1
            allowed = {version.get(key, (None,))[0] for version in self.versions[low : high + 1]}
            got = value if hit else None
            assert hit or value == 0, f"value {value:#x} without a hit"
            assert got in allowed, f"key {key:#x} asked in clock {asked}: {got} is none of {allowed}"


def _keys(bench: CamBench, count: int) -> list[int]:
    """Keys of which many differ from another in a single bit."""
    width, chance = bench.facts.key_width, bench.random
    keys = {chance.getrandbits(width) for _ in range(count // 2)}
    while len(keys) < min(count, 1 << width):
        keys.add(chance.choice(sorted(keys)) ^ 1 << chance.randrange(width))
    return sorted(keys)


async def _mix(bench: CamBench, commands: int, keys: list[int]) -> None:
    chance = bench.random
    for _ in range(commands):
        # Searches that race with the command for the same key, among others.
        key = chance.choice(keys)
        bench.searches.send(chance.choice([key, key, chance.choice(keys)]) for _ in range(12))
        op = chance.choices(["INSERT", "DELETE", "FORGET", "CLEAR"], [70, 20, 9, 1])[0]
        if op in ("FORGET", "CLEAR"):
            await bench.command(op)
        elif op == "DELETE":
            await bench.command(op, key=key)
        else:
            await bench.command(op, key=key, value=chance.getrandbits(bench.facts.value_width), pinned=int(chance.random() < 0.3))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.7])
async def random_commands(dut, idle, stall):
    """More keys than there are places, then a long mix of everything, with searches in every clock or in some."""
    bench = CamBench(dut, idle=idle, stall=stall)
    await bench.reset()
    keys = _keys(bench, 2 * bench.facts.capacity)
    for key in keys:
        await bench.command("INSERT", key=key, value=1, pinned=0)
    assert bench.model.failed >= bench.facts.capacity
    await _mix(bench, 150, keys)
    await bench.finish()


@cocotb.test()
async def race(dut):
    """Searches for one key in every clock while it is stored, replaced, removed and forgotten: never a third state."""
    bench = CamBench(dut, idle=0.0, stall=0.0)
    await bench.reset()
    key = _keys(bench, 2)[0]
    for turn in range(10):
        bench.searches.send([key] * 60)
        await bench.command("INSERT", key=key, value=2 * turn % (1 << bench.facts.value_width), pinned=0)
        await bench.command("INSERT", key=key, value=(2 * turn + 1) % (1 << bench.facts.value_width), pinned=turn & 1)
        await bench.command("FORGET")
        await bench.command("DELETE", key=key)
        await bench.searches.drained()
    await bench.finish()
    assert any(hit for _, hit, _ in bench.answers)


@cocotb.test()
async def rate(dut):
    """A search is taken in every clock while commands run, but for one clock of each command that has lost its patience."""
    bench = CamBench(dut, idle=0.0, stall=0.0)
    await bench.reset()
    keys = _keys(bench, 20)
    await bench.command("INSERT", key=keys[0], value=1, pinned=1)
    bench.searches.send(keys * 10)
    for key in keys[:8]:
        await bench.command("INSERT", key=key, value=1, pinned=1)
    await bench.finish()
    clocks = [clock for clock, _ in bench.asked]
    lost = clocks[-1] - clocks[0] + 1 - len(clocks)
    patience, quick = parameters()["patience"], parameters()["insert_clocks"]
    assert lost <= (len(bench.offered) if patience else 0)
    taken, offered = bench.commands.clocks, bench.offered
    assert {end - start for start, end in zip(taken, offered, strict=True)} <= set(range(quick, quick + patience + 1))
    await bench.command("INSERT", key=keys[0], value=1, pinned=1)
    assert bench.offered[-1] - bench.commands.clocks[-1] == quick
    await bench.command("FORGET")
    assert bench.offered[-1] - bench.commands.clocks[-1] == parameters()["forget_clocks"]


@cocotb.test()
async def reset_empties(dut):
    """After a reset in the middle of anything no key is found, and the memory works."""
    bench = CamBench(dut, idle=0.2, stall=0.2)
    await bench.reset()
    keys = _keys(bench, 12)
    for clocks in (1, 3, 6, 9, 14):
        for key in keys:
            await bench.command("INSERT", key=key, value=1, pinned=1)
        bench.searches.send(keys * 2)
        bench.commands.send([{"op": CamOperation.INSERT.value, "key": keys[0]}])
        await bench.clocks(clocks)
        await bench.reset()
        bench.begin()
        bench.searches.send(keys * 3)
        await bench.command("INSERT", key=keys[1], value=1, pinned=0)
        bench.searches.send(keys)
        await bench.finish()
