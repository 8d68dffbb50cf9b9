"""Coroutines for the broker behind its fronts: AXI4-Lite with AXI4-Stream, and XAVI. libxml2 judges."""

import warnings

import cocotb
from cocotb.triggers import RisingEdge
from lxml import etree

from cocotb_tests.broker.broker_tests import TEXTS, shares
from cocotb_tests.bus.masters import MASTERS
from cocotb_tests.streams import Bench, parameters
from hdl.contract import Content, Frame, Header, Kind, OSid, register

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource


def frame(reference, text, link):
    header = Header(Kind.SUBSCRIBE, osid=OSid(1 + reference), reference=reference, content=Content.HEADER, link=link)
    return Frame(header, text.encode()).pack()


def due(document):
    tree = etree.fromstring(document).getroottree()
    return {place for place, text in enumerate(TEXTS) if tree.xpath(text if text.startswith("/") else "/" + text)}


class Axi:
    """Streams as AXI4-Stream, registers on AXI4-Lite."""

    def __init__(self, bench):
        dut = bench.dut
        self.bus = MASTERS["axi"](dut, bench.random)

        def pauses(agent):
            agent.set_pause_generator(bench.random.random() < 0.3 for _ in iter(int, 1))
            return agent

        self.inward = {
            name: pauses(AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s_axis_{name}"), dut.clk, dut.rst))
            for name in ("publication", "subscription", "skeleton")
        }
        names = ("result", "verdict", *(f"notification_{link}" for link in range(4)))
        self.outward = {name: pauses(AxiStreamSink(AxiStreamBus.from_prefix(dut, f"m_axis_{name}"), dut.clk, dut.rst)) for name in names}

    async def put(self, name, packet):
        await self.inward[name].send(AxiStreamFrame(packet))

    async def get(self, name, link=None):
        return bytes((await self.outward[name if link is None else f"{name}_{link}"].recv()).tdata)


class Xavi:
    """Everything through the Avalon slave."""

    def __init__(self, bench):
        self.bus = MASTERS["avalon"](bench.dut, bench.random)

    async def put(self, name, packet):
        full = max(0, (len(packet) - 1) // 4 * 4)
        for at in range(0, full, 4):
            await self.bus.model.write(register(f"{name}_data").offset, int.from_bytes(packet[at : at + 4], "little"))
        tail = packet[full:]
        await self.bus.model.write(register(f"{name}_end{len(tail)}").offset, int.from_bytes(tail, "little"))

    async def get(self, name, link=None):
        state, data = register(f"{name}_state").offset + (link or 0), register(f"{name}_data").offset + (link or 0)
        found = b""
        while True:
            waiting = await self.bus._word(state)
            if waiting & 1:
                found += (await self.bus._word(data)).to_bytes(4, "little")[: waiting >> 2 & 7]
                if waiting & 2:
                    return found


@cocotb.test()
async def notifies_what_libxml2_finds(dut):
    """Subscriptions, a skeleton and documents through the front; frames come back on the links that were asked for."""
    bench = Bench(dut)
    front = {"axi": Axi, "avalon": Xavi}[parameters()["front"]](bench)
    await bench.reset(8)
    assert await front.bus.read(0) == (0x58324342, False)
    for name in (b"stock", b"share", b"price"):
        await front.put("skeleton", name)
    for place, text in enumerate(TEXTS):
        await front.put("subscription", frame(place, text, place % 4))
        assert (await front.get("result"))[:4] == b"r" + bytes([(place % 4) << 4, 0, 0])
    for number in range(parameters()["documents"]):
        document = shares(bench.random, bench.random.randrange(4))
        await front.put("publication", document)
        verdict = await front.get("verdict")
        assert verdict[:4] == b"V\0\0\0"
        assert int.from_bytes(verdict[12:16], "big") == number
        assert int.from_bytes(verdict[24:28], "big") == len(document)
        wanted = due(document)
        assert int.from_bytes(verdict[28:32], "big") == len(wanted)
        for link in range(4):
            there = {place for place in wanted if place % 4 == link}
            notes = [await front.get("notification", link) for _ in there]
            assert {int.from_bytes(note[12:16], "big") for note in notes} == there
            assert all(note[:1] == b"n" and int.from_bytes(note[2:4], "big") == number for note in notes)
    assert (await front.bus.read(register("pinned").offset))[0] == 3
    assert (await front.bus.read(register("registered").offset))[0] == len(TEXTS)
    assert not await front.bus.write(register("control").offset, 1)
    while (await front.bus.read(register("control").offset))[0]:
        await RisingEdge(dut.clk)
    assert (await front.bus.read(register("registered").offset))[0] == 0
