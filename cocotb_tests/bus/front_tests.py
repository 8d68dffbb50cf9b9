"""Coroutines for each front before the register file; the bench stands in for the broker behind it."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bus.fronted import CONFIG
from cocotb_tests.bus.masters import MASTERS
from cocotb_tests.streams import Bench, parameters
from hdl.contract import BusError, register
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.subscription import SubscriptionResult

ID, VERSION, CONTROL, STATUS, INTERRUPT, ENABLE, ERROR, ERRORS, SCRATCH = range(9)


class FrontBench(Bench):
    """The bus's model, sinks for what is written to streams, sources for what is read from them."""

    def __init__(self, dut, *, stall: float = 0.2):
        super().__init__(dut)
        self.inward = {
            name: self.sink(f"streams__{name}", DocumentWord, stall=stall) for name in ("publication", "subscription", "skeleton")
        }
        self.results = self.source("streams__result", SubscriptionResult(CONFIG), idle=stall)
        self.verdicts = self.source("streams__verdict", Outcome(CONFIG), idle=stall)
        self.links = [self.source(f"streams__notification_{link}", DocumentWord, idle=stall) for link in range(CONFIG.links)]
        for name in ("cleared", "counters__full", "counters__hcd", "counters__registered", "counters__count"):
            getattr(dut, name).value = 0

    async def start(self):
        await self.reset()
        self.bus = MASTERS[parameters()["front"]](self.dut, self.random)
        await self.clocks(2)
        return self

    async def take(self, name, place=0):
        """Every word of one frame, as bytes."""
        state, data = register(f"{name}_state").offset + place, register(f"{name}_data").offset + place
        frame = b""
        while True:
            found, failed = await self.bus.read(state)
            assert not failed
            if not found & 1:
                continue
            word, failed = await self.bus.read(data)
            assert not failed
            frame += word.to_bytes(4, "little")[: found >> 2 & 7]
            if found & 2:
                return frame


async def started(dut, **options):
    return await FrontBench(dut, **options).start()


@cocotb.test()
async def says_what_it_is(dut):
    """Identity, version, limits and counters by literal address."""
    bench = await started(dut)
    dut.counters__registered.value = 17

    async def counts():
        """The counter at each place is that many times 0x01010101."""
        while True:
            place = dut.counters__counter.value
            dut.counters__count.value = 0x01010101 * int(place) if place.is_resolvable else 0
            await dut.counters__counter.value_change

    cocotb.start_soon(counts())
    assert await bench.bus.read(0x00) == (0x58324342, False)
    assert await bench.bus.read(0x01) == (2, False)
    assert await bench.bus.read(0x10) == (31, False)
    assert await bench.bus.read(0x11) == (64, False)
    assert await bench.bus.read(0x41) == (17, False)
    # All of them; there are two links.
    counters = [*range(0x43, 0x4C), 0x50, 0x51, 0x52, 0x6C, 0x6D]
    assert [await bench.bus.read(offset) for offset in counters] == [(0x01010101 * (offset & 63), False) for offset in counters]
    first, _ = await bench.bus.read(0x40)
    then, _ = await bench.bus.read(0x40)
    assert 3 <= then - first < 200


@cocotb.test()
async def holds_what_is_written(dut):
    """Random words in the scratch register; nothing else changes."""
    bench = await started(dut)
    for _ in range(parameters()["rounds"]):
        word = bench.random.getrandbits(32)
        assert not await bench.bus.write(SCRATCH, word)
        assert await bench.bus.read(SCRATCH) == (word, False)
    assert await bench.bus.read(ERRORS) == (0, False)
    assert await bench.bus.read(ID) == (0x58324342, False)


@cocotb.test()
async def failed_accesses_change_nothing(dut):
    """Bad addresses, wrong directions, partial words, empty streams: an error each, the first one is kept, and the registers stay."""
    bench = await started(dut)
    assert not await bench.bus.write(SCRATCH, 0x600DF00D)
    assert await bench.bus.write(0x1FFF, 1)
    assert await bench.bus.read(ERROR) == (BusError.ADDRESS | 1 << 4 | 0x1FFF << 16, False)
    assert await bench.bus.write(ID, 5)
    assert await bench.bus.read(ERROR) == (BusError.ADDRESS | 1 << 4 | 0x1FFF << 16, False)
    assert not await bench.bus.write(ERROR, 0)
    assert await bench.bus.read(ERROR) == (0, False)
    cases = [
        (False, ID, BusError.DIRECTION),
        (True, register("publication_data").offset, BusError.DIRECTION),
        (True, 0x30, BusError.ADDRESS),
        (True, register("broker").offset, BusError.ABSENT),
        (False, register("policy").offset, BusError.ABSENT),
        (True, register("loops").offset, BusError.ABSENT),
        (True, register("notification_data").offset + 1, BusError.EMPTY),
        (True, register("notification_data").offset + 3, BusError.ADDRESS),
        (False, register("result_data").offset, BusError.DIRECTION),
    ]
    for reads, address, cause in cases:
        if reads:
            assert await bench.bus.read(address) == (0, True)
        else:
            assert await bench.bus.write(address, 0xFFFFFFFF)
        assert await bench.bus.read(ERROR) == (cause | (not reads) << 4 | address << 16, False)
        assert not await bench.bus.write(ERROR, 0)
    for address in (SCRATCH, register("publication_data").offset, CONTROL):
        assert await bench.bus.partial(address, 0xFFFFFFFF)
        found, _ = await bench.bus.read(ERROR)
        assert found & 15 == BusError.PARTIAL
        assert not await bench.bus.write(ERROR, 0)
    assert await bench.bus.read(SCRATCH) == (0x600DF00D, False)
    assert await bench.bus.read(CONTROL) == (0, False)
    await bench.clocks(20)
    assert not any(sink.items for sink in bench.inward.values())


@cocotb.test()
async def documents_and_frames_go_in(dut):
    """Packets of every length reach their stream whole, whatever lies above their last byte."""
    bench = await started(dut)
    for name in ("publication", "subscription", "skeleton"):
        base, sent = register(f"{name}_data").offset, []
        for size in (*range(9), 21, bench.random.randrange(40)):
            packet = bench.random.randbytes(size)
            sent.append(packet)
            head, tail = packet[: max(0, (size - 1) // 4 * 4)], packet[max(0, (size - 1) // 4 * 4) :]
            for at in range(0, len(head), 4):
                assert not await bench.bus.write(base, int.from_bytes(head[at : at + 4], "little"))
            junk = bench.random.getrandbits(32) >> 8 * len(tail) << 8 * len(tail)
            assert not await bench.bus.write(register(f"{name}_end{len(tail)}").offset, int.from_bytes(tail, "little") | junk)
        await bench.clocks(60)
        found, current = [], b""
        for word in bench.inward[name].items:
            assert word["data"] >> 8 * word["count"] == 0
            current += word["data"].to_bytes(4, "little")[: word["count"]]
            if word["last"]:
                found.append(current)
                current = b""
        assert found == sent
        assert not current


@cocotb.test()
async def frames_come_out(dut):
    """A result and a verdict as the contract's frames, byte by byte, and notifications by link; interrupts tell of each."""
    bench = await started(dut)
    assert not await bench.bus.write(ENABLE, 0b00111)
    assert dut.irq.value == 0
    osid, reference = int.from_bytes(bytes([7, 1, 2, 0, 0, 0, 0, 0]), "little"), int.from_bytes(bytes.fromhex("01020304"), "little")
    bench.results.send([{"refusal": 22, "key": {"osid": osid, "reference": reference}, "link": 1, "tsid": 3}])
    assert (await bench.take("result")).hex() == "72100016" + "0701020000000000" + "01020304" + "00000000"
    assert dut.irq.value == 1
    assert await bench.bus.read(INTERRUPT) == (0b00001, False)
    assert not await bench.bus.write(INTERRUPT, 0b00001)
    assert await bench.bus.read(INTERRUPT) == (0, False)
    assert dut.irq.value == 0
    for number in range(2):
        bench.verdicts.send([{"verdict": {"verdict": 1, "code": 22, "offset": 6, "bytes": 7}, "matches": 5}])
        expected = "76000116" + "0000000000000000" + f"{number:08x}" + "0000000c" + "00000006" + "00000007" + "00000005"
        assert (await bench.take("verdict")).hex() == expected
    for link in range(CONFIG.links):
        frame = bench.random.randbytes(27)
        words = [(frame[at : at + 4], at + 4 >= len(frame)) for at in range(0, len(frame), 4)]
        bench.links[link].send([{"data": int.from_bytes(part, "little"), "count": len(part), "last": last} for part, last in words])
        assert await bench.take("notification", link) == frame
    assert await bench.bus.read(STATUS) == (1 << 5, False)


@cocotb.test()
async def a_stream_that_is_not_read_holds_nobody_for_good(dut):
    """Words are refused once the stream has no room, none is lost before, and none comes twice."""
    bench = await started(dut, stall=0.0)
    sink = bench.inward["publication"]
    for task in bench._tasks[:1]:
        task.cancel()
    dut.streams__publication__ready.value = 0
    base, taken = register("publication_data").offset, 0
    room, _ = await bench.bus.read(register("publication_state").offset)
    while not await bench.bus.write(base, taken):
        taken += 1
        assert taken < 40
    assert taken >= room
    found, _ = await bench.bus.read(ERROR)
    assert found & 15 == BusError.ROOM
    cocotb.start_soon(sink.run())
    await bench.clocks(80)
    assert [word["data"] for word in sink.items] == list(range(taken))


@cocotb.test()
async def commands_stay_until_they_are_done(dut):
    """CLEAR is held until the broker answers; RESET lasts some clocks and empties the streams."""
    bench = await started(dut)
    assert not await bench.bus.write(CONTROL, 1)
    await bench.clocks(5)
    assert dut.clear.value == 1
    assert await bench.bus.read(CONTROL) == (1, False)
    await RisingEdge(dut.clk)
    dut.cleared.value = 1
    await RisingEdge(dut.clk)
    dut.cleared.value = 0
    await bench.clocks(2)
    assert dut.clear.value == 0
    assert await bench.bus.read(CONTROL) == (0, False)
    assert await bench.bus.read(INTERRUPT) == (1 << 3, False)
    bench.links[0].send([{"data": 1, "count": 4, "last": 0}])
    await bench.clocks(20)
    assert await bench.bus.read(register("notification_state").offset) == (0b10001, False)
    seen = cocotb.start_soon(_resets(dut))
    assert not await bench.bus.write(CONTROL, 2)
    await bench.clocks(10)
    assert await seen >= 2
    assert await bench.bus.read(register("notification_state").offset) == (0, False)
    assert await bench.bus.read(CONTROL) == (0, False)


async def _resets(dut):
    count = 0
    for _ in range(100):
        await FallingEdge(dut.clk)
        count += dut.reset.value == 1
    return count


@cocotb.test()
async def streaming_writes_take_a_clock_each(dut):
    """Twelve words go in twelve clocks on any front while the stream flows."""
    bench = await started(dut, stall=0.0)
    count, front = 12, parameters()["front"]
    base = register("publication_data").offset
    sink = bench.inward["publication"]
    if front == "avalon":
        await RisingEdge(dut.clk)
        dut.avs_chipselect.value, dut.avs_write.value, dut.avs_byteenable.value = 1, 1, 15
        for number in range(count):
            dut.avs_address.value, dut.avs_writedata.value = base, number
            await FallingEdge(dut.clk)
            assert dut.avs_waitrequest.value == 0
            await RisingEdge(dut.clk)
        dut.avs_chipselect.value = dut.avs_write.value = 0
    elif front == "wishbone":
        acks = cocotb.start_soon(_acks(dut, 30))
        await RisingEdge(dut.clk)
        dut.wb_cyc_i.value, dut.wb_stb_i.value, dut.wb_we_i.value, dut.wb_sel_i.value = 1, 1, 1, 15
        for number in range(count):
            dut.wb_adr_i.value, dut.wb_dat_i.value = base, number
            await FallingEdge(dut.clk)
            assert dut.wb_stall_o.value == 0
            await RisingEdge(dut.clk)
        dut.wb_stb_i.value = 0
        assert await acks == count
        dut.wb_cyc_i.value = 0
    else:
        for channel in (bench.bus.model.write_if.aw_channel, bench.bus.model.write_if.w_channel, bench.bus.model.write_if.b_channel):
            channel.clear_pause_generator()
            channel.pause = False
        writes = [bench.bus.model.init_write(4 * base, number.to_bytes(4, "little")) for number in range(count)]
        for write in writes:
            await write.wait()
    await bench.clocks(30)
    assert [word["data"] for word in sink.items] == list(range(count))
    if front != "axi":
        assert sink.clocks[-1] - sink.clocks[0] == count - 1


async def _acks(dut, clocks):
    count = 0
    for _ in range(clocks):
        await FallingEdge(dut.clk)
        count += dut.wb_ack_o.value == 1
    return count


@cocotb.test()
async def a_broken_off_wishbone_cycle_leaves_no_answer(dut):
    """Accesses under way when ``cyc`` falls are carried out; the next cycle gets its own answers only."""
    if parameters()["front"] != "wishbone":
        return
    bench = await started(dut)
    for _ in range(5):
        await RisingEdge(dut.clk)
        dut.wb_cyc_i.value, dut.wb_stb_i.value, dut.wb_we_i.value, dut.wb_sel_i.value = 1, 1, 0, 15
        dut.wb_adr_i.value = 0x1FF0
        for _ in range(bench.random.randrange(1, 4)):
            await RisingEdge(dut.clk)
        dut.wb_cyc_i.value = dut.wb_stb_i.value = 0
        await bench.clocks(bench.random.randrange(1, 3))
        assert await bench.bus.read(ID) == (0x58324342, False)
