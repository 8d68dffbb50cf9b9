"""Coroutines for the link manager: what comes over a link, what goes over it, and several streams that share one."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.routing.frames import MARK, content, frame, words
from cocotb_tests.streams import Bench, pack, parameters, unpack
from hdl.shapes.routing import LinkWord

UNIT = parameters().get("unit")


def cut_up(items):
    """Words as frames: a list of words each."""
    found, now = [], []
    for item in items:
        now.append(item)
        if item["last"]:
            found.append(now)
            now = []
    return found, now


class Wire:
    """The far end of a link towards the receiver: offers words while there is a carrier, and keeps a plain record of what was taken."""

    def __init__(self, bench, *, idle):
        self.bench, self.dut, self.idle = bench, bench.dut, idle
        self.queue, self.carrier, self.due = [], 1, []
        self.inside = self.skips = self.alive = False
        self.silence = self.marks = 0
        self.ups: list[bool] = []

    async def run(self, clocks, chances, patience):
        """So many clocks; ``chances`` of the carrier to go and to come back."""
        dut, chance = self.dut, self.bench.random
        offered = False
        for _ in range(clocks):
            self.carrier = int(chance.random() >= chances[0]) if self.carrier else int(chance.random() < chances[1])
            if not self.carrier:
                offered = False
                if self.queue and not self._begins:
                    self._skip_frame()
            if self.carrier and not offered and self.queue and chance.random() >= self.idle:
                offered = True
            dut.carrier.value, dut.i__valid.value = self.carrier, int(offered)
            dut.i__payload.value = pack(LinkWord, self.queue[0]) if offered else chance.getrandbits(len(dut.i__payload))
            await FallingEdge(dut.clk)
            self.ups.append(dut.up.value == 1)
            assert self.ups[-1] == bool(self.carrier and (self.alive or not patience))
            ready = dut.i__ready.value == 1
            self._see(offered and ready, ready, patience)
            await RisingEdge(dut.clk)
            if offered and ready:
                self._begins = bool(self.queue.pop(0)["last"])
                offered = False
        dut.i__valid.value = 0

    _begins = True

    def _skip_frame(self):
        """The sender drops the frame that was cut."""
        while not self.queue.pop(0)["last"]:
            pass
        self._begins = True

    def _see(self, taken, ready, patience):
        """What is due by what was taken in this clock."""
        late = patience and self.silence >= patience
        if taken:
            word = self.queue[0]
            if not self.skips:
                self.due.append(word)
                self.inside = not word["last"]
            self.skips = self.skips and not word["last"]
            self.alive, self.silence = True, 0
        elif not self.carrier or late:
            if self.inside:
                self.due.append(MARK)
                self.skips = True
            self.inside = self.alive = False
        if not taken and ready:
            self.silence += 1
        if not self.carrier:
            self.skips, self.silence = False, 0


@cocotb.test(skip=UNIT != "receiver")
@cocotb.parametrize(stall=[0.0, 0.7], patience=[0, 6], cuts=[0.0, 0.03])
async def a_begun_frame_ends(dut, stall, patience, cuts):
    """Frames with pauses longer than the patience and carriers that go: whole frames and marks, as the plain record says."""
    bench = Bench(dut)
    sink = bench.sink("o", LinkWord, stall=stall)
    dut.patience.value, dut.carrier.value, dut.i__valid.value = patience, 1, 0
    wire = Wire(bench, idle=0.6)
    await bench.reset()
    chance = bench.random
    sent = [words(frame(0x66, body=chance.randbytes(chance.choice((0, 3, 8, 30))), reference=number)) for number in range(120)]
    wire.queue = [word for one in sent for word in one]
    await wire.run(parameters()["clocks"], (cuts, 0.3), patience)
    await bench.clocks(80)
    if patience and wire.inside:
        wire.due.append(MARK)
        wire.inside = False
    assert sink.items == wire.due
    frames, rest = cut_up(sink.items)
    assert all(one in sent for one in frames if not one[-1]["cut"])
    marks = sum(one[-1]["cut"] for one in frames)
    assert (marks > 3) == bool(patience or cuts), marks
    assert wire.inside == bool(rest)
    assert True in wire.ups


@cocotb.test(skip=UNIT != "receiver")
async def silence_brings_the_link_down_after_exactly_its_patience(dut):
    """Down until a word comes; up for as many clocks as the patience says after the last one; clocks of back pressure do not count."""
    bench = Bench(dut)
    source, sink = bench.source("i", LinkWord), bench.sink("o", LinkWord)
    dut.patience.value, dut.carrier.value = 10, 1
    await bench.reset()
    await bench.clocks(5)
    assert int(dut.up.value) == 0
    source.send(words(frame(0x68)))
    await source.drained()
    last = source.clocks[-1]
    while dut.up.value == 1:
        await FallingEdge(dut.clk)
    assert bench.now - last == 12
    # the broker does not take words, so that silence is its own
    sink.stall = 1.0
    source.send(words(frame(0x66, body=bytes(40))))
    await bench.clocks(60)
    assert int(dut.up.value) == 1
    sink.stall = 0.0
    await bench.clocks(40)
    assert int(dut.up.value) == 0
    assert cut_up(sink.items)[1] == []


class Line:
    """The far end of a link away from the sender: takes words while there is a carrier, and says which frames it has whole."""

    def __init__(self, bench, *, stall):
        self.bench, self.dut, self.stall = bench, bench.dut, stall
        self.carrier = self.up = 1
        self.now, self.whole, self.cut, self.torn = [], [], 0, 0
        self.pending = None
        self.wait = 0

    async def run(self, clocks, goes, stuck=0.0):
        dut, chance = self.dut, self.bench.random
        for _ in range(clocks):
            self.carrier = int(chance.random() >= goes) if self.carrier else int(chance.random() < 0.1)
            self.up = int(chance.random() >= goes) if self.up else int(chance.random() < 0.1)
            self.wait = max(self.wait - 1, 40 if chance.random() < stuck else 0)
            ready = not self.wait and chance.random() >= self.stall
            dut.carrier.value, dut.up.value, dut.o__ready.value = self.carrier, self.up, int(ready)
            await FallingEdge(dut.clk)
            self._see(dut.o__valid.value == 1, ready, int(dut.o__payload.value) if dut.o__valid.value == 1 else 0)
            await RisingEdge(dut.clk)

    def _see(self, valid, ready, payload):
        if not self.carrier:
            assert not valid, "a word is offered without a carrier"
            self.torn += bool(self.now)
            self.pending, self.now = None, []
            return
        assert self.pending in (None, payload), "an offered word has changed"
        assert valid or self.pending is None, "an offered word was withdrawn"
        self.pending = payload if valid and not ready else None
        if valid and ready:
            word = unpack(LinkWord, payload)
            self.now.append(word)
            if word["last"]:
                if word["cut"]:
                    assert len(self.now) > 0
                    self.cut += 1
                else:
                    self.whole.append(content(self.now))
                self.now = []


def greeting(settled, neighbour, bid):
    """The bytes of HELLO."""
    return bytes.fromhex(f"68{settled:02x}{neighbour:02x}00" + f"00{bid:02x}000000000000" + "00" * 8)


@cocotb.test(skip=UNIT != "sender")
@cocotb.parametrize(stall=[0.0, 0.5], goes=[0.0, 0.02], patience=[0, 25])
async def every_frame_comes_whole_or_is_counted(dut, stall, goes, patience):
    """With carriers that go, links that are called down and words that wait for too long: frames in order, none twice, the rest lost."""
    bench = Bench(dut)
    source = bench.source("i", LinkWord, idle=0.3)
    line = Line(bench, stall=stall)
    dut.period.value, dut.patience.value, dut.bid.value, dut.neighbour.value, dut.settled.value = 90, patience, 4, 7, 0
    dut.carrier.value, dut.up.value, dut.o__ready.value = 1, 1, 0
    await bench.reset()
    chance = bench.random
    sent = [frame(0x66, body=chance.randbytes(chance.choice((0, 3, 8, 30))), reference=number) for number in range(400)]
    lost = before = 0
    for at in range(0, len(sent), 20):
        for one in sent[at : at + 20]:
            source.send(words(one))
        while source.queue:
            await line.run(20, goes, 0.01 if patience else 0.0)
        line.carrier = line.up = 1
        await line.run(120, 0.0)
        lost, before = lost + (int(dut.lost.value) - before) % 32, int(dut.lost.value)
    whole = [one for one in line.whole if one[0] != 0x68]
    assert [one for one in line.whole if one[0] == 0x68][:3] == [greeting(0, 7, 4)] * 3
    numbers = [int.from_bytes(one[12:16], "big") for one in whole]
    assert numbers == sorted(set(numbers))
    assert all(one == sent[number] for one, number in zip(whole, numbers, strict=True))
    assert len(whole) + lost == len(sent), (len(whole), lost)
    assert (lost > 5) == bool(goes or patience), lost
    assert (line.cut > 2) == bool(goes or patience), line.cut
    assert not line.now or line.now[0]["data"] & 0xFF == 0x68


@cocotb.test(skip=UNIT != "sender")
async def greetings_are_sent_in_time_and_at_once_when_settled(dut):
    """HELLO every ``period`` clocks, none with 0, and one when the exchange of interests has been made."""
    bench = Bench(dut)
    source, sink = bench.source("i", LinkWord), bench.sink("o", LinkWord)
    dut.period.value, dut.patience.value, dut.bid.value, dut.neighbour.value, dut.settled.value = 0, 0, 1, 2, 0
    dut.carrier.value = dut.up.value = 1
    await bench.reset()
    await bench.clocks(100)
    assert sink.items == []
    dut.settled.value = 1
    await sink.receive(5, within=20)
    assert content(sink.items) == greeting(1, 2, 1)
    dut.period.value = 50
    await sink.receive(25, within=400)
    gaps = {later - sooner for sooner, later in zip(sink.clocks[5::5], sink.clocks[10::5], strict=False)}
    assert gaps == {57}
    # a frame is never broken by one
    source.send(words(frame(0x71, body=bytes(400))))
    await bench.clocks(300)
    frames, _ = cut_up(sink.items)
    assert sum(len(one) == 105 for one in frames) == 1


@cocotb.test(skip=UNIT != "sender")
async def a_link_that_is_down_holds_nobody(dut):
    """Frames for a link that is down are drained at a word a clock; a reset in the middle begins anew."""
    bench = Bench(dut)
    source, sink = bench.source("i", LinkWord), bench.sink("o", LinkWord)
    for name in ("period", "patience", "bid", "neighbour", "settled", "up"):
        getattr(dut, name).value = 0
    dut.carrier.value = 1
    await bench.reset()
    for _ in range(3):
        source.send(words(frame(0x66, body=bytes(40))))
    await bench.clocks(60)
    assert not source.queue
    assert int(dut.lost.value) == 3
    assert sink.items == []
    source.send(words(frame(0x66, body=bytes(40))))
    await bench.clocks(7)
    await bench.reset()
    dut.up.value = 1
    source.send(words(frame(0x66, body=b"abc")))
    await sink.receive(6, within=30)
    assert content(sink.items) == frame(0x66, body=b"abc")
    assert int(dut.lost.value) == 0


@cocotb.test(skip=UNIT != "mux")
@cocotb.parametrize(idle=[0.0, 0.8], stall=[0.0, 0.6])
async def frames_stay_whole(dut, idle, stall):
    """Every frame of every stream comes whole, in its stream's order."""
    bench, streams = Bench(dut), parameters()["streams"]
    sources = [bench.source(f"i__{number}", LinkWord, idle=idle) for number in range(streams)]
    sink = bench.sink("o", LinkWord, stall=stall)
    await bench.reset()
    chance, sent = bench.random, []
    for number, source in enumerate(sources):
        mine = [frame(0x66, sid=number, reference=at, body=chance.randbytes(chance.randrange(20))) for at in range(30)]
        cuts = [chance.random() < 0.2 for _ in mine]
        sent.append([words(one, cut=cut) for one, cut in zip(mine, cuts, strict=True)])
        source.send(word for one in sent[-1] for word in one)
    await sink.receive(sum(len(one) for mine in sent for one in mine), within=50000)
    frames, rest = cut_up(sink.items)
    assert rest == []
    for number, mine in enumerate(sent):
        assert [one for one in frames if one[1]["data"] & 0xFF == number] == mine


@cocotb.test(skip=UNIT != "mux")
async def streams_take_turns(dut):
    """Streams that always have a frame are served in turn, whatever the lengths; one that has none is passed over without a clock."""
    bench, streams = Bench(dut), parameters()["streams"]
    sources = [bench.source(f"i__{number}", LinkWord) for number in range(streams)]
    sink = bench.sink("o", LinkWord)
    await bench.reset()
    silent = streams - 1 if streams > 1 else None
    for number, source in enumerate(sources):
        for _ in range(10 if number != silent else 0):
            source.send(words(frame(0x66, sid=number, body=bytes(4 * number))))
    await bench.clocks(30 * streams * (streams + 6))
    frames, _ = cut_up(sink.items)
    order = [one[1]["data"] & 0xFF for one in frames]
    active = [number for number in range(streams) if number != silent]
    first = active.index(order[0])
    assert order == (active[first:] + active[:first]) * 10
    lengths = [len(one) for one in frames]
    assert sink.clocks[-1] - sink.clocks[0] + 1 == sum(lengths) + len(lengths) - 1
