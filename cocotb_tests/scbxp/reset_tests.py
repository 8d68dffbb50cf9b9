"""Coroutines for the parser's reset: wherever it strikes, nothing of the old document or of the old skeleton is left."""

import cocotb

from cocotb_tests.scbxp.bench import CONFIG, ParserBench, as_words
from cocotb_tests.scbxp.parser_tests import RICH
from cocotb_tests.streams import parameters
from hdl.contract import Code

CLEAN = b"<a p='1'>t<b/></a>"


@cocotb.test()
async def reset_at_every_offset(dut):
    """A reset after each byte of a rich document, while it moves or when all of it that can move has moved; then a clean one parses
    with the token IDs of an empty table."""
    bench = ParserBench(dut, stall=0.1)
    await bench.reset()
    for offset in range(0, len(RICH) + 1, parameters()["share"]):
        # White space in front lets the byte end a word.
        words = as_words(b" " * (-offset % 4) + RICH)
        bench.loader.send(words[: (offset + 3) // 4])
        await bench.loader.drained()
        await bench.clocks(bench.random.choice([bench.random.randrange(50), 150 + bench.random.randrange(50)]))
        await bench.reset()
        outputs = await bench.parse([CLEAN])
        assert outputs[0].good, f"after a reset at {offset}"
        assert [tokens[0].name for tokens in outputs[0].names().values()] == [CONFIG.names + 1, CONFIG.names + 2, CONFIG.names + 3]
        assert int(dut.verdicts.value) == 1


@cocotb.test()
async def reset_empties_the_skeleton(dut):
    """Pinned and learned names are gone after a reset, also one in the middle of a request, and their IDs are given anew."""
    bench = ParserBench(dut)
    await bench.reset()
    for clocks in (0, 1, 3, 8, 15, 30):
        bench.pin(b"a", b"pinned-before")
        answers = await bench.answers(2)
        assert [answer["name"] for answer in answers] == [1, 2]
        bench.pin(b"p", b"another-name")
        await bench.clocks(clocks)
        await bench.reset()
        outputs = await bench.parse([CLEAN, b"<pinned-before/>", b"<"])
        assert [output.code for output in outputs] == [Code.OK, Code.OK, Code.UNCLOSED]
        assert int(dut.forgotten.value) == 0
