"""Coroutines for the AXI4-Stream wrappers, against the field's models."""

import warnings

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource


class Loop(Bench):
    def __init__(self, dut, *, pause: float = 0.0):
        super().__init__(dut)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        self.errors = 0
        if pause:
            for agent in (self.source, self.sink):
                agent.set_pause_generator(self.random.random() < pause for _ in iter(int, 1))
        cocotb.start_soon(self._count_errors())

    async def _count_errors(self):
        while True:
            await FallingEdge(self.dut.clk)
            self.errors += self.dut.error.value == 1


async def pass_packets(dut, pause):
    bench = Loop(dut, pause=pause)
    await bench.reset()
    packets = [bench.random.randbytes(size) for size in (*range(1, 10), 64, 33)]
    for packet in packets:
        bench.source.send_nowait(AxiStreamFrame(packet))
    for packet in packets:
        assert bytes((await bench.sink.recv()).tdata) == packet
    assert bench.errors == 0


@cocotb.test()
async def packets_pass(dut):
    """Packets of every length."""
    await pass_packets(dut, 0.0)


@cocotb.test()
async def packets_pass_in_pieces(dut):
    """The same with pauses on both sides."""
    await pass_packets(dut, 0.4)


@cocotb.test()
async def improper_words_end_a_packet_as_a_bad_one(dut):
    """Bytes missing in the middle or out of order: the packet ends with a byte 0, its rest is dropped, the next one is whole."""
    bench = Loop(dut, pause=0.2)
    await bench.reset()
    for keep in (0b0111, 0b1010, 0b1110, 0b0000):
        for at in (0, 2):
            words = [(0x41414141, 15)] * 4
            words[at] = (0x42424242, keep)
            data = b"".join(word.to_bytes(4, "little") for word, _ in words)
            keeps = [keep_bits >> bit & 1 for _, keep_bits in words for bit in range(4)]
            bench.source.send_nowait(AxiStreamFrame(data, tkeep=keeps))
            bench.source.send_nowait(AxiStreamFrame(b"whole"))
            first = await bench.sink.recv()
            assert bytes(first.tdata) == b"A" * 4 * at + b"\0"
            assert bytes((await bench.sink.recv()).tdata) == b"whole"
    await RisingEdge(dut.clk)
    assert bench.errors == 8
