"""Coroutines for the X-RAM: nothing lost, nothing overrun, and the second port sees what has passed."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench, parameters, unpack
from hdl.shapes.publication import DocumentWord


def _words(document: bytes) -> list[dict[str, int]]:
    """A document as words, written out by hand."""
    if not document:
        return [{"data": 0, "count": 0, "last": 1}]
    pieces = [document[start : start + 4] for start in range(0, len(document), 4)]
    return [
        {"data": int.from_bytes(piece, "little"), "count": len(piece), "last": int(index == len(pieces) - 1)}
        for index, piece in enumerate(pieces)
    ]


class XramBench(Bench):
    """Loader, parser's side and second port."""

    def __init__(self, dut, *, idle: float = 0.0, stall: float = 0.0):
        super().__init__(dut)
        self.size: int = parameters()["words"]
        self.loader = self.source("i", DocumentWord, idle=idle)
        self.parser = self.sink("o", DocumentWord, stall=stall)
        dut.hold_valid.value = 0
        dut.hold.value = 0
        dut.read__en.value = 1
        dut.read__addr.value = 0

    async def look(self, position: int) -> tuple[dict[str, int] | None, bool]:
        """The word at a position through the second port, and whether the status says that it is the right one."""
        dut = self.dut
        dut.read__addr.value = position % self.size
        await FallingEdge(dut.clk)
        written = position < int(dut.newest.value)
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        kept = position >= int(dut.oldest.value)
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        word = unpack(DocumentWord, int(dut.read__data.value))
        await RisingEdge(dut.clk)
        return word, written and kept


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def documents_pass(dut, idle, stall):
    """Documents of every length back to back, some longer than the ring, come out word by word while the second port reads along."""
    bench = XramBench(dut, idle=idle, stall=stall)
    await bench.reset()
    chance = bench.random
    lengths = [0, 1, 2, 3, 4, 5, 8, 63, 0, 4 * bench.size, 4 * bench.size + 1, 6 * bench.size, *(chance.randrange(40) for _ in range(20))]
    sent = [word for length in lengths for word in _words(chance.randbytes(length))]
    bench.loader.send(sent)
    good = 0
    for _ in range(10 * len(sent)):
        newest, oldest = int(dut.newest.value), int(dut.oldest.value)
        position = chance.choice([chance.randrange(oldest, newest + 2), oldest, newest - 1 if newest else 0])
        word, valid = await bench.look(position)
        if valid:
            assert word == sent[position], f"position {position}"
            good += 1
        if len(bench.parser.items) == len(sent):
            break
    await bench.clocks(8)
    assert bench.parser.items == sent
    assert good > 50
    assert int(dut.newest.value) == int(dut.taken.value) == len(sent)
    assert int(dut.oldest.value) == len(sent) - bench.size


@cocotb.test()
async def loading_overlaps_parsing(dut):
    """A word a clock in and out at the same time, three clocks apart, over several turns of the ring."""
    bench = XramBench(dut)
    await bench.reset()
    sent = _words(bench.random.randbytes(4 * 3 * bench.size))
    bench.loader.send(sent)
    await bench.parser.receive(len(sent), within=len(sent) + 20)
    assert bench.loader.clocks == list(range(bench.loader.clocks[0], bench.loader.clocks[0] + len(sent)))
    assert bench.parser.clocks == [clock + 3 for clock in bench.loader.clocks]


@cocotb.test()
async def writer_waits_for_the_parser(dut):
    """With a blocked parser exactly the ring fills, and nothing is lost when it goes on."""
    bench = XramBench(dut, stall=1.0)
    await bench.reset()
    sent = _words(bench.random.randbytes(4 * 2 * bench.size))
    bench.loader.send(sent)
    await bench.clocks(bench.size + 50)
    assert len(bench.loader.clocks) == bench.size
    bench.parser.stall = 0.0
    await bench.parser.receive(len(sent), within=3 * bench.size)
    assert bench.parser.items == sent


@cocotb.test()
async def writer_waits_for_the_hold(dut):
    """While a position is held the writer stops in front of it although the parser has gone on; then the hold moves and goes."""
    bench = XramBench(dut)
    await bench.reset()
    sent = _words(bench.random.randbytes(4 * 4 * bench.size))
    dut.hold.value = 0
    dut.hold_valid.value = 1
    bench.loader.send(sent)
    await bench.clocks(2 * bench.size)
    assert len(bench.parser.items) == bench.size
    assert await bench.look(0) == (sent[0], True)
    dut.hold.value = 10
    await bench.clocks(60)
    assert len(bench.parser.items) == bench.size + 10
    for position in (10, 11, bench.size + 9):
        assert await bench.look(position) == (sent[position], True)
    dut.hold.value = 30
    await bench.clocks(60)
    assert len(bench.parser.items) == bench.size + 30
    assert await bench.look(30) == (sent[30], True)
    dut.hold_valid.value = 0
    await bench.parser.receive(len(sent), within=4 * bench.size)
    assert bench.parser.items == sent


@cocotb.test()
async def reset_empties(dut):
    """After a reset in the middle of a document the next one is whole and positions start anew."""
    bench = XramBench(dut, idle=0.2, stall=0.5)
    await bench.reset()
    for clocks in (1, 2, 3, 4, 7, 500):
        bench.loader.send(_words(bytes(4 * bench.size)))
        await bench.clocks(clocks)
        await bench.reset()
        sent = _words(b"<a>text</a>")
        bench.loader.send(sent)
        await bench.parser.receive(len(sent), within=100)
        await bench.clocks(10)
        assert bench.parser.items == sent
        assert int(dut.newest.value) == len(sent)
