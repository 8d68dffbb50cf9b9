"""Coroutines for the registration interlock: against the set of those that want bytes of publications."""

from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench, parameters, unpack
from hdl.config import BrokerConfig
from hdl.contract import Content, Refusal, Semantics
from hdl.shapes.notification import SelectMark
from hdl.shapes.program import CrtCommand, CrtOp, CrtResponse, RegistrationCommand, RegistrationResponse


@dataclass
class Marks:
    """What is told to the selection log, a mark a clock."""

    bench: Bench
    shape: SelectMark
    found: list[dict[str, int]] = field(default_factory=list)

    async def run(self) -> None:
        while True:
            await FallingEdge(self.bench.dut.clk)
            if self.bench.dut.select__valid.value:
                self.found.append(unpack(self.shape, int(self.bench.dut.select__payload.value)))
            await RisingEdge(self.bench.dut.clk)

    def forget(self) -> None:
        self.found.clear()


class Interlocked(Bench):
    """SPU, CRT, store and NPU by the bench."""

    def __init__(self, dut, *, stress: float):
        super().__init__(dut)
        self.config = BrokerConfig(**parameters()["config"])
        self.commands = self.source("i_command", RegistrationCommand(self.config), idle=stress)
        self.passed = self.sink("o_command", CrtCommand(self.config), stall=stress)
        self.answers = self.source("i_response", RegistrationResponse(self.config), idle=stress)
        self.told = self.sink("o_response", CrtResponse, stall=stress)
        self.marks = Marks(self, SelectMark(self.config))
        self.agents.append(self.marks)
        for name in ("retention__secure", "retention__begun", "retention__finished", "attributes__tsid"):
            getattr(dut, name).value = 0

    async def held_back(self) -> None:
        """A first subscription that wants bytes waits for ``secure``, and then for all publications that have begun by then."""
        dut, count = self.dut, len(self.passed.items)
        begun = int(dut.retention__finished.value) + 3 & 0xFFFF
        dut.retention__begun.value = begun
        dut.retention__secure.value = 0
        await self.clocks(self.random.randint(10, 40))
        assert dut.retention__keep.value == 1
        dut.retention__secure.value = 1
        await self.clocks(10)
        dut.retention__begun.value = begun + 2 & 0xFFFF
        for left in (2, 1):
            dut.retention__finished.value = begun - left & 0xFFFF
            await self.clocks(10)
        assert len(self.passed.items) == count
        dut.retention__finished.value = begun


@cocotb.test()
@cocotb.parametrize(stress=[0.0, 0.4])
async def subscriptions_come_and_go(dut, stress):
    """Random commands, some refused: all pass in order, and ``keep``, the marks and the attributes say what the subscriptions want."""
    bench = Interlocked(dut, stress=stress)
    await bench.reset()
    chance = bench.random
    dut.retention__begun.value = dut.retention__finished.value = 0xFFFD
    registered: dict[int, bool] = {}
    attributes: dict[int, int] = {}
    sent, answered, marked, held = [], [], [], 0
    for _ in range(parameters()["commands"]):
        chosen = chance.random()
        free = [tsid for tsid in range(1, bench.config.subscriptions + 1) if tsid not in registered]
        op = CrtOp.CLEAR if chosen < 0.05 else CrtOp.REGISTER if not registered or (free and chosen < 0.5) else CrtOp.UNREGISTER
        tsid = 0 if op is CrtOp.CLEAR else chance.choice(free) if op is CrtOp.REGISTER else chance.choice(list(registered))
        semantics, content = chance.choice(list(Semantics)), chance.choice(list(Content))
        nodes = content is Content.SELECTED and semantics is Semantics.EXACT
        wants = op is CrtOp.REGISTER and (nodes or content is Content.WHOLE)
        sent.append({"op": op.value, "tsid": tsid, "semantics": int(semantics)})
        bench.commands.send([{"command": sent[-1], "content": int(content)}])
        if wants and not any(registered.values()):
            await bench.held_back()
            held += 1
        await bench.passed.receive(len(sent), within=200)
        refusal = Refusal.FULL_STEPS if op is CrtOp.REGISTER and chance.random() < 0.25 else Refusal.NONE
        step, shared, final = chance.randrange(bench.config.steps), chance.getrandbits(1), chance.getrandbits(1)
        # The CRT works on a command for some clocks.
        await bench.clocks(chance.randint(4, 12))
        answered.append({"refusal": int(refusal)})
        bench.answers.send([answered[-1] | {"last_step": step, "shared": shared, "final": final}])
        await bench.told.receive(len(sent), within=200)
        await bench.clocks(6)
        if op is CrtOp.CLEAR:
            registered.clear()
        elif op is CrtOp.UNREGISTER:
            del registered[tsid]
        elif refusal is Refusal.NONE:
            registered[tsid], attributes[tsid] = wants, final
            marked.append({"step": step, "wanted": int(nodes), "shared": shared})
        assert dut.retention__keep.value == any(registered.values())
        for asked in registered:
            dut.attributes__tsid.value = asked
            await bench.clocks(3)
            assert dut.attributes__attribute.value == attributes[asked], asked
    assert bench.passed.items == sent
    assert bench.told.items == answered
    assert bench.marks.found == marked
    assert held > 1
