"""Coroutines for the XPath processor."""

import cocotb

from cocotb_tests.streams import Bench, parameters
from cocotb_tests.xpath.programs import CONFIGS, EXAMPLES, expected, limits, random_texts
from hdl.contract import Refusal
from hdl.shapes.program import ProgramOp, ProgramWord, TextByte

_ENDS = (ProgramOp.DONE.value, ProgramOp.ABORT.value)


class Processor:
    """The processor between a source of texts and a sink of programs."""

    def __init__(self, dut, idle: float = 0.0, stall: float = 0.0):
        self.bench = Bench(dut)
        self.source = self.bench.source("i", TextByte, idle=idle)
        self.sink = self.bench.sink("o", ProgramWord, stall=stall)

    def send(self, text: bytes) -> None:
        self.source.send({"data": byte, "last": index == len(text) - 1} for index, byte in enumerate(text))

    async def programs(self, count: int, *, within: int):
        """The next ``count`` programs, word by word."""
        for _ in range(0, within, 50):
            if sum(word["op"] in _ENDS for word in self.sink.items) >= count:
                break
            await self.bench.clocks(50)
        await self.bench.clocks(30)
        found = [[]]
        for word in self.sink.items:
            found[-1].append(word)
            if word["op"] in _ENDS:
                found.append([])
        assert found.pop() == [], "words are left over after the last program"
        assert len(found) == count
        return found

    async def check(self, texts, programs, *, within: int) -> None:
        """Each text gives its program; of a refused one the pieces sent before the end do not count."""
        for text in texts:
            self.send(text)
        for text, wanted, found in zip(texts, programs, await self.programs(len(texts), within=within), strict=True):
            if wanted[-1]["op"] == ProgramOp.ABORT.value:
                code, wanted_code = Refusal(found[-1]["data"]), Refusal(wanted[-1]["data"])
                assert found[-1] == wanted[-1], f"{text!r} gave {code.name}, not {wanted_code.name}"
            else:
                assert found == wanted, f"{text!r} gave {found}, not {wanted}"


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.7])
async def examples(dut, idle, stall):
    """Programs worked by hand."""
    processor = Processor(dut, idle, stall)
    await processor.bench.reset()
    if parameters()["config"] == "default":
        await processor.check([text for text, _ in EXAMPLES], [program for _, program in EXAMPLES], within=12000)


@cocotb.test()
async def at_the_limits(dut):
    """At, one below and one above each limit."""
    processor = Processor(dut)
    await processor.bench.reset()
    config = CONFIGS[parameters()["config"]]
    texts = [*limits(config)] if parameters()["limits"] else []
    await processor.check(texts, [expected(text, config) for text in texts], within=2 * sum(map(len, texts)))


@cocotb.test()
@cocotb.parametrize((("idle", "stall", "share"), [(0.0, 0.0, 1.0), (0.4, 0.0, 0.2), (0.0, 0.9, 0.2), (0.4, 0.6, 0.2)]))
async def random_programs(dut, idle, stall, share):
    """Accepted, mutated and senseless texts: the golden front end's program or its code."""
    processor = Processor(dut, idle, stall)
    await processor.bench.reset()
    config = CONFIGS[parameters()["config"]]
    texts = [*random_texts(processor.bench.random, int(parameters()["texts"] * share))]
    await processor.check(texts, [expected(text, config) for text in texts], within=20 * sum(map(len, texts)))


@cocotb.test()
async def a_byte_a_clock(dut):
    """Without back pressure every clock takes a byte, one clock is lost after each text, and words come as late as documented."""
    processor = Processor(dut)
    await processor.bench.reset()
    texts = [b"/a", b"b", b"/stock/item[@id='7' and @x]", b"]", b"//a/@b", b"c"]
    for text in texts:
        processor.send(text)
    await processor.programs(len(texts), within=500)
    clock = processor.source.clocks[0]
    wanted = []
    for text in texts:
        wanted += range(clock, clock + len(text))
        clock = wanted[-1] + 2
    assert processor.source.clocks == wanted
    ends = [clock for clock, word in zip(processor.sink.clocks, processor.sink.items, strict=True) if word["op"] in _ENDS]
    lasts = [processor.source.clocks[sum(map(len, texts[: index + 1])) - 1] for index in range(len(texts))]
    assert [end - last for end, last in zip(ends, lasts, strict=True)] == [11] * len(texts)


@cocotb.test()
async def reset_in_the_middle(dut):
    """A reset at any point leaves nothing of the text before it."""
    processor = Processor(dut, stall=0.3)
    for clocks in range(1, 40, 3):
        await processor.bench.reset()
        processor.send(b"//old[@name='value' and text()!='x']/")
        await processor.bench.clocks(clocks)
        await processor.bench.reset()
        await processor.check([EXAMPLES[0][0]], [EXAMPLES[0][1]], within=400)
