"""Coroutines for the reader and the writer of frames."""

import cocotb

from cocotb_tests.routing.frames import Apart, fields, frame, some_frame, some_words, words
from cocotb_tests.streams import Bench, parameters
from hdl.shapes.routing import FrameHeader, LinkWord


async def _reader(dut, idle, stall):
    bench = Bench(dut)
    source = bench.source("i", LinkWord, idle=idle)
    sinks = bench.sink("o__header", FrameHeader, stall=stall), bench.sink("o__body", LinkWord, stall=stall)
    await bench.reset()
    return bench, source, *sinks


@cocotb.test(skip=parameters().get("unit") != "reader")
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.6])
async def frames_are_taken_apart(dut, idle, stall):
    """Proper frames and others: what the plain model says, and nothing else."""
    bench, source, headers, body = await _reader(dut, idle, stall)
    model = Apart()
    for _ in range(parameters()["frames"]):
        sent = some_words(bench.random)
        model.take(sent, parameters()["port"])
        source.send(sent)
    await source.drained()
    await bench.clocks(60)
    assert headers.items == model.headers
    assert body.items == model.body
    assert int(dut.broken.value) == model.broken % 32
    assert model.broken > 10


@cocotb.test(skip=parameters().get("unit") != "reader")
async def frames_take_their_words_and_a_clock(dut):
    """Without stalls a frame of n words takes n + 1 clocks."""
    _, source, headers, body = await _reader(dut, 0.0, 0.0)
    sizes = [0, 0, 1, 4, 5, 100, 0, 64]
    for size in sizes:
        source.send(words(frame(0x66, body=bytes(size))))
    await headers.receive(len(sizes), within=400)
    first = source.clocks[0]
    starts = [first + 5]
    for size in sizes[:-1]:
        starts.append(starts[-1] + 5 + (size + 3) // 4 + 1)
    assert headers.clocks == starts
    await body.receive(sum((size + 3) // 4 for size in sizes), within=100)


@cocotb.test(skip=parameters().get("unit") != "reader")
async def a_reset_forgets_the_frame(dut):
    """A reset in a header or in a body: the next word begins a frame."""
    bench, source, headers, body = await _reader(dut, 0.0, 0.0)
    data = frame(0x71, path=b"\1\2", body=b"0123456789")
    for clocks in (1, 3, 5, 6, 7, 8):
        source.send(words(data))
        await bench.clocks(clocks)
        await bench.reset()
        source.send(words(data))
        await body.receive(3, within=40)
        assert headers.items == [fields(data[:20], parameters()["port"])]
        assert body.items == words(data)[5:]
        assert int(dut.broken.value) == 0


@cocotb.test(skip=parameters().get("unit") != "writer")
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.6])
async def frames_are_put_together(dut, idle, stall):
    """Headers and bodies give the words of the frames, marks included."""
    bench = Bench(dut)
    headers, body = bench.source("i__header", FrameHeader, idle=idle), bench.source("i__body", LinkWord, idle=idle)
    sink = bench.sink("o", LinkWord, stall=stall)
    await bench.reset()
    expected = []
    for _ in range(parameters()["frames"]):
        data = some_frame(bench.random)
        cut = len(data) > 20 and bench.random.random() < 0.2
        sent = words(data, cut=cut)
        expected += sent
        headers.send([fields(data[:20], bench.random.randrange(16))])
        body.send(sent[5:])
    await sink.receive(len(expected), within=100000)
    await bench.clocks(10)
    assert sink.items == expected
    if not idle and not stall:
        assert sink.clocks == list(range(sink.clocks[0], sink.clocks[0] + len(expected)))
