"""Coroutines for the SPU with the XPath processor: programs by frame, and the rate of registration."""

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.spu.model import CONFIGS, raw_words
from cocotb_tests.spu.spu_tests import cancel, subscribe
from cocotb_tests.streams import Bench, parameters
from cocotb_tests.xpath.programs import expected
from hdl.contract import Refusal
from hdl.shapes.program import CrtOp, CrtResponse, ProgramOp, ProgramWord, RegistrationCommand
from hdl.shapes.publication import DocumentWord
from hdl.shapes.subscription import SubscriptionResult

_ENDS = (ProgramOp.DONE.value, ProgramOp.ABORT.value)


class Path:
    """Frames in, results out, and a CRT that takes a program for each REGISTER and answers after ``clocks``."""

    def __init__(self, dut, *, clocks: int, stall: float = 0.0):
        self.config = CONFIGS[parameters()["config"]]
        self.clocks = clocks
        self.bench = bench = Bench(dut)
        self.frames = bench.source("i", DocumentWord)
        self.responses = bench.source("i_response", CrtResponse)
        self.commands = bench.sink("o_command", RegistrationCommand(self.config), stall=stall)
        self.words = bench.sink("o_program", ProgramWord, stall=stall)
        self.results = bench.sink("o_result", SubscriptionResult(self.config), stall=stall)

    async def answer(self) -> None:
        """The CRT. Words of the next program may wait in the sink already, as they would in front of the CRT."""
        taken = 0
        for done in range(1 << 30):
            while len(self.commands.items) == done:
                await RisingEdge(self.bench.dut.clk)
            code = 0
            if self.commands.items[done]["command"]["op"] in (CrtOp.REGISTER.value, CrtOp.CHECK.value):
                while True:
                    while len(self.words.items) == taken:
                        await RisingEdge(self.bench.dut.clk)
                    word = self.words.items[taken]
                    taken += 1
                    if word["op"] in _ENDS:
                        break
                code = word["data"] if word["op"] == ProgramOp.ABORT.value else 0
            await self.bench.clocks(self.clocks)
            self.responses.send([{"refusal": code}])


@cocotb.test()
async def programs_by_frame(dut):
    """Each accepted frame's program comes in order, a refused text's code reaches the result, and nothing stays of it."""
    path = Path(dut, clocks=3, stall=0.4)
    await path.bench.reset()
    cocotb.start_soon(path.answer())
    texts = [b"/a", b"/stock/item[@id>=3]", b"/a]", b"//*[text()!='x' and @b]", b"/a[2]", b"b" * 65, b"//x//@y"]
    frames = [subscribe(1, index, text) for index, text in enumerate(texts)]
    frames += [cancel(1, index) for index in range(len(texts))]
    for frame in frames:
        path.frames.send(raw_words(frame))
    results = await path.results.receive(len(frames), within=4000)
    programs = [expected(text, path.config) for text in texts]
    codes = [program[-1]["data"] for program in programs]
    assert codes == [0, 0, Refusal.SYNTAX, 0, Refusal.POSITION, Refusal.NAME_LENGTH, 0]
    assert [result["refusal"] for result in results] == codes + [Refusal.UNKNOWN_SID if code else 0 for code in codes]
    found = [[]]
    for word in path.words.items:
        found[-1].append(word)
        if word["op"] in _ENDS:
            found.append([])
    assert found.pop() == []
    for program, wanted in zip(found, programs, strict=True):
        assert program[-1] == wanted[-1]
        assert program == wanted or wanted[-1]["op"] == ProgramOp.ABORT.value


@cocotb.test()
async def rate(dut):
    """252 frames of 24 bytes [T 7.1, Set 2] through a CRT that needs 16 clocks for each: within 8,000 clocks of the first word."""
    path = Path(dut, clocks=16)
    await path.bench.reset()
    cocotb.start_soon(path.answer())
    for index in range(252):
        path.frames.send(raw_words(subscribe(index + 1, 0, b"/%c%c%c" % (97 + index % 26, 97 + index // 26, 122))))
    results = await path.results.receive(252, within=9000)
    assert all(result["refusal"] == 0 for result in results)
    assert sorted(result["tsid"] for result in results) == list(range(1, 253))
    clocks = path.results.clocks[-1] - path.frames.clocks[0] + 1
    dut._log.info(f"252 subscriptions of 24 bytes took {clocks} clocks")
    assert clocks <= 8000
