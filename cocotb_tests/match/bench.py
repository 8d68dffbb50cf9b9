"""Bench of CRT and matching engine: the name unit, registration and documents as plain calls."""

from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.match.documents import NameTable, beats
from cocotb_tests.streams import Bench, pack, unpack
from cocotb_tests.xpath.programs import expected
from hdl.shapes.names import NameOp, NameRequest, NameResponse
from hdl.shapes.notification import MatchedWord
from hdl.shapes.program import CrtCommand, CrtOp, ProgramWord, RegistrationResponse
from hdl.shapes.publication import MatchBeat

__all__ = ["NAME_LATENCY", "NameAgent", "UnitBench"]

NAME_LATENCY = 6
"""Clocks from the last word of a PIN to its answer, as of a hash CAM."""


class NameAgent:
    """The parser's name unit on the registration's port."""

    def __init__(self, bench, names: NameTable, latency: int = NAME_LATENCY):
        self.bench, self.names, self.latency = bench, names, latency
        self.request = NameRequest(names.config)
        self.response = NameResponse(names.config)
        dut = bench.dut
        dut.name_request__ready.value = 0
        dut.name_response__valid.value = 0
        dut.name_response__payload.value = 0
        dut.begun.value = 0

    async def run(self) -> None:
        dut = self.bench.dut
        name = b""
        while True:
            dut.name_request__ready.value = 1
            await FallingEdge(dut.clk)
            valid = dut.name_request__valid.value == 1
            word = unpack(self.request, int(dut.name_request__payload.value)) if valid else None
            await RisingEdge(dut.clk)
            if word is None:
                continue
            if word["op"] == NameOp.UNPIN.value:
                assert word["last"]
                assert not name
                self.names.unpin(word["name"])
                continue
            name += word["data"].to_bytes(4, "little")[: word["count"]]
            if not word["last"]:
                continue
            dut.name_request__ready.value = 0
            for _ in range(self.latency - 1):
                await RisingEdge(dut.clk)
            number = self.names.pin(name)
            name = b""
            answer = {"ok": int(number != 0), "name": number}
            dut.name_response__payload.value = pack(self.response, answer)
            dut.name_response__valid.value = 1
            await FallingEdge(dut.clk)
            while dut.name_response__ready.value != 1:
                await FallingEdge(dut.clk)
            await RisingEdge(dut.clk)
            dut.name_response__valid.value = 0

    def begin(self) -> None:
        """A document begins."""
        self.names.begun += 1
        self.bench.dut.begun.value = self.names.begun % 65536

    def forget(self) -> None:
        self.names.__init__(self.names.config)
        self.bench.dut.begun.value = 0


class UnitBench(Bench):
    """The unit with every agent; ``idle`` and ``stall`` as in the agents."""

    def __init__(self, dut, config, *, idle: float = 0.0, stall: float = 0.0, latency: int = NAME_LATENCY):
        super().__init__(dut)
        self.config = config
        self.names = NameTable(config)
        self.name_agent = NameAgent(self, self.names, latency)
        self.agents.append(self.name_agent)
        self.command = self.source("command", CrtCommand(config), idle=idle)
        self.program = self.source("program", ProgramWord, idle=idle)
        self.response = self.sink("response", RegistrationResponse(config), stall=stall)
        self.beats = self.source("i", MatchBeat(config), idle=idle)
        self.matched = self.sink("o", MatchedWord(config), stall=stall)
        self.answered = 0
        self.reported = 0

    async def ask(self, op: CrtOp, tsid: int = 0, semantics: int = 0, text: bytes | None = None, within: int = 20000) -> int:
        """Give a command, with the program of ``text``; returns the refusal."""
        self.command.send([{"op": op.value, "tsid": tsid, "semantics": semantics}])
        if text is not None:
            self.program.send(expected(text, self.config))
        self.answered += 1
        answers = await self.response.receive(self.answered, within=within)
        return answers[self.answered - 1]["refusal"]

    async def register(self, tsid: int, text: bytes | str, semantics: int = 0) -> int:
        """Register a subscription; returns the refusal."""
        return await self.ask(CrtOp.REGISTER, tsid, semantics, text.encode() if isinstance(text, str) else text)

    async def unregister(self, tsid: int) -> None:
        """Remove a subscription."""
        assert await self.ask(CrtOp.UNREGISTER, tsid) == 0

    def publish(self, parsed, *, good: bool = True) -> None:
        """Queue a document's beats."""
        self.name_agent.begin()
        self.beats.send(beats(parsed.events, self.names, good=good, packed=self.random.random() < 0.7))

    async def begin(self, parsed, left: int = 3) -> list:
        """Give a document but for so many of its last beats, which are returned, and wait until they are due."""
        self.name_agent.begin()
        every = list(beats(parsed.events, self.names))
        self.beats.send(every[:-left])
        await self.beats.drained()
        return every[-left:]

    async def report(self, within: int = 50000) -> tuple[set[int], dict]:
        """The next document's matched set and its end word."""
        found = []
        while True:
            items = await self.matched.receive(self.reported + 1, within=within)
            word = items[self.reported]
            self.reported += 1
            if word["end"]:
                assert len(found) == len(set(found)), found
                assert word["count"] == (len(found) if word["good"] else 0), (word, found)
                return set(found) if word["good"] else set(), word
            found.append(word["tsid"])
