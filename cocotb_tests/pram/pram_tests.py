"""Coroutines for the P-RAM: an untouched stream, the addresses of documents, and reads beside the writer."""

import cocotb
from amaranth.hdl import Shape
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench, parameters, unpack
from hdl.config import BrokerConfig
from hdl.scbxp.pram import ParsedDocument
from hdl.shapes.publication import ParsedBeat

SHAPE = ParsedBeat(BrokerConfig(pram_words=16))
WIDTH = Shape.cast(SHAPE).width


class PramBench(Bench):
    """Parser, matching side, reader of summaries."""

    def __init__(self, dut, *, idle: float = 0.0, stall: float = 0.0, late: float = 0.0):
        super().__init__(dut)
        self.size: int = parameters()["beats"]
        self.parser = self.source("i", SHAPE, idle=idle)
        self.matcher = self.sink("o", SHAPE, stall=stall)
        self.summaries = self.sink("documents", ParsedDocument, stall=late)
        dut.read_position.value = 0

    def document(self, beats: int, good: int) -> list[dict]:
        """Random beats, the last one with ``done``."""
        made = [unpack(SHAPE, self.random.getrandbits(WIDTH)) | {"done": 0} for _ in range(beats - 1)]
        return [*made, unpack(SHAPE, 0) | {"done": 1, "good": good}]


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def stream_addresses_and_reads(dut, idle, stall):
    """The stream is unchanged, summaries name each document's beats, and a read in any clock says truly whether it is good."""
    bench = PramBench(dut, idle=idle, stall=stall)
    await bench.reset()
    chance = bench.random
    sent, expected = [], []
    for length in [1, 2, 5, 16, 17, 40, *(chance.randrange(1, 12) for _ in range(25))]:
        good = chance.getrandbits(1)
        expected.append({"first": len(sent), "last": len(sent) + length - 1, "good": good, "overrun": int(length > bench.size)})
        sent += bench.document(length, good)
    bench.parser.send(sent)
    pending: list[tuple[int, bool]] = []
    outcomes = {True: 0, False: 0}
    while len(bench.matcher.items) < len(sent):
        newest = int(dut.newest.value)
        edge = chance.choice([-1, 0, 1, -bench.size - 1, -bench.size, 1 - bench.size, -chance.randrange(1, bench.size)])
        position = max(0, newest + edge)
        dut.read_position.value = position
        await FallingEdge(dut.clk)
        newest = int(dut.newest.value)
        writes = dut.i__valid.value == 1 and dut.i__ready.value == 1
        # The beat that this very clock overwrites is gone, the one that it writes is not there yet.
        pending.append((position, newest - bench.size + writes <= position < newest))
        if len(pending) > 2:
            asked, here = pending.pop(0)
            assert int(dut.read_valid.value) == here, f"position {asked}"
            outcomes[here] += 1
            if here:
                assert unpack(SHAPE, int(dut.read_beat.value)) == sent[asked], f"position {asked}"
        await RisingEdge(dut.clk)
    await bench.clocks(8)
    assert bench.matcher.items == sent
    assert bench.summaries.items == expected
    assert min(outcomes.values()) > 20
    assert int(dut.newest.value) == int(dut.first.value) == len(sent)
    assert int(dut.oldest.value) == len(sent) - bench.size
    assert int(dut.lost.value) == 0


@cocotb.test()
async def late_summaries_are_counted(dut):
    """Summaries that nobody takes never stall the stream; what does not fit is counted."""
    bench = PramBench(dut, late=1.0)
    await bench.reset()
    sent = [beat for _ in range(9) for beat in bench.document(2, 1)]
    bench.parser.send(sent)
    await bench.matcher.receive(len(sent), within=len(sent) + 5)
    await bench.clocks(4)
    assert bench.matcher.items == sent
    assert int(dut.lost.value) == 5
    bench.summaries.stall = 0.0
    await bench.clocks(10)
    assert [item["first"] for item in bench.summaries.items] == [0, 2, 4, 6]


@cocotb.test()
async def reset_starts_anew(dut):
    """After a reset nothing old is readable and positions begin at 0."""
    bench = PramBench(dut, idle=0.3, stall=0.3)
    await bench.reset()
    for clocks in (1, 5, 60):
        bench.parser.send(bench.document(30, 1))
        await bench.clocks(clocks)
        await bench.reset()
        for _ in range(4):
            await FallingEdge(dut.clk)
            assert dut.read_valid.value == 0
        sent = bench.document(3, 1)
        bench.parser.send(sent)
        await bench.matcher.receive(3, within=50)
        await bench.clocks(6)
        assert bench.matcher.items == sent
        assert bench.summaries.items == [{"first": 0, "last": 2, "good": 1, "overrun": 0}]
        assert int(dut.oldest.value) == 0
