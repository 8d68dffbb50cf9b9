"""Coroutines for the forwarder, against frames as bytes. The store and the look-up are played by the bench."""

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.routing.frames import KINDS, content, frame, words
from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.routing.forwarder import ForwardResult, ForwardTask
from hdl.shapes.program import TextByte
from hdl.shapes.publication import DocumentWord
from hdl.shapes.routing import FrameHeader, LinkWord, RouteHit
from hdl.shapes.widths import tsid_width

OWN, BIDS, PORTS = 9, [3, 4, 200, 0], 4
CONFIG = BrokerConfig()
SEND, SAMPLE, SOLICIT, PASS, INTEREST, WITHDRAW = range(6)
SENT, PATH_FULL, NO_ROUTE, NO_FRAME = range(4)
SUBSCRIBE = KINDS["SUBSCRIBE"]


def document_words(data: bytes) -> list[dict[str, int]]:
    return [{name: word[name] for name in ("data", "count", "last")} for word in words(data)]


class Surroundings:
    """The store, which may have dropped a frame, and the VRT, which answers a text with the entries that were set for it."""

    def __init__(self, bench, stall):
        self.bench = bench
        self.frames: dict[int, bytes] = {}
        self.routes: dict[bytes, list[tuple[int, int]]] = {}
        self.dropped_after: dict[int, int] = {}
        self.fetches = bench.sink("o_fetch", tsid_width(CONFIG), stall=stall)
        self.words = bench.source("i_fetch", DocumentWord, idle=stall)
        self.texts = bench.sink("o_text", TextByte, stall=stall)
        self.hits = bench.source("i_hit", RouteHit, idle=stall)

    async def run(self):
        fetched = looked = 0
        text = b""
        while True:
            await RisingEdge(self.bench.dut.clk)
            for tsid in self.fetches.items[fetched:]:
                fetched += 1
                there = self.dropped_after.get(tsid, 100) > 0
                self.dropped_after[tsid] = self.dropped_after.get(tsid, 100) - 1
                self.words.send(document_words(self.frames[tsid]) if there else [{"data": 0, "count": 0, "last": 1}])
            for byte in self.texts.items[looked:]:
                looked += 1
                text += bytes([byte["data"]])
                if byte["last"]:
                    self.hits.send({"bid": bid, "solicit": solicit} for bid, solicit in self.routes[text])
                    self.hits.send([{"end": 1}])
                    text = b""


def usable(path, up, barred, unique):
    """The ports that may be chosen."""
    excluded = path if unique else path[-1:]
    return [port for port, bid in enumerate(BIDS) if bid and up >> port & 1 and not barred >> port & 1 and bid not in excluded]


def expected(task, raw, routes, up, unique, there):
    """The outcome, the ports, and the frame's header fields that are checked, for frames with BIDs of eight bits."""
    op = task["op"]
    path = [byte for byte in raw[5:12] if byte]
    if op in (INTEREST, WITHDRAW):
        ports = [task["port"]]
    else:
        if not there:
            return NO_FRAME, []
        if op in (SEND, PASS) and len(path) + 1 > 6:
            return PATH_FULL, []
        may = usable(path, up, task["barred"], unique)
        named = [BIDS.index(bid) for bid, solicit in routes if bid in BIDS and (solicit or op != SOLICIT)]
        ports = [port for port in named if port in may][:1]
        if not ports and op == PASS:
            ports = may
        if not ports:
            return NO_ROUTE, []
    if op != WITHDRAW and there == 1:
        return NO_FRAME, ports
    return SENT, ports


def sent_frame(task, raw, port):
    """The bytes of what goes to a port."""
    op, options, low = task["op"], raw[1], raw[3]
    path = bytes(byte for byte in raw[5:12] if byte) + bytes([OWN])
    own = {"sid": 0, "path": bytes([OWN]), "reference": task["reference"]}
    as_came = {"sid": raw[4], "path": path, "reference": int.from_bytes(raw[12:16], "big")}
    aux = BIDS[port] << 8
    match op:
        case 0:
            return frame(SUBSCRIBE, options=options, aux=aux | low, body=raw[20:], **as_came)
        case 1:
            return frame(SUBSCRIBE, options=options, aux=aux | low, body=raw[20:], **own)
        case 2:
            return frame(KINDS["SOLICIT"], options=options & 1, aux=aux | low & 15, body=raw[20:], **own)
        case 3:
            return frame(KINDS["SOLICIT"], options=options & 1, aux=aux | low & 15, body=raw[20:], **as_came | {"sid": 0})
        case 4:
            return frame(SUBSCRIBE, options=options & 1 | 1 << 1, aux=aux | low & 15, body=raw[20:], **own)
        case _:
            return frame(KINDS["UNSUBSCRIBE"], aux=aux, **own)


async def _bench(dut, stall=0.0, unique=1, up=7):
    bench = Bench(dut)
    dut.identity__bid.value, dut.identity__bits.value, dut.identity__unique.value, dut.identity__up.value = OWN, 8, unique, up
    for port, bid in enumerate(BIDS):
        getattr(dut, f"identity__bids__{port}").value = bid
    around = Surroundings(bench, stall)
    tasks = bench.source("i", ForwardTask(CONFIG, PORTS), idle=stall)
    results = bench.sink("o_result", ForwardResult(PORTS), stall=stall)
    sinks = bench.sink("o__header", FrameHeader, stall=stall), bench.sink("o__body", LinkWord, stall=stall)
    await bench.reset()
    playing = cocotb.start_soon(around.run())
    return bench, around, tasks, results, *sinks, playing


def gathered(headers, body):
    """The frames as bytes, with their ports."""
    found, place = [], 0
    for header in headers:
        size = header["length"].to_bytes(4, "little")
        length = int.from_bytes(size, "big")
        count = (length + 3) // 4
        data = bytes(header[name] for name in ("kind", "options", "high", "low", "sid"))
        data += header["path"].to_bytes(7, "little") + header["reference"].to_bytes(4, "little") + size
        found.append((header["port"], data + content(body[place : place + count])))
        place += count
    assert place == len(body)
    return found


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5], unique=[1, 0], up=[7, 2])
async def tasks_of_every_kind(dut, stall, unique, up):
    """Any subscription, any entries of the VRT, links that are down, and raw frames that are gone."""
    bench, around, tasks, results, headers, body, _ = await _bench(dut, stall, unique, up)
    chance = bench.random
    due, frames, outcomes = [], [], set()
    for number in range(1, parameters()["tasks"] + 1):
        tsid, op = number, chance.randrange(6)
        path = bytes(chance.choice((3, 4, 200, 5, 6)) for _ in range(chance.choice((0, 0, 1, 2, 3, 5, 6))))
        text = b"//n%d" % number + bytes(chance.choice(b"abc") for _ in range(chance.randrange(9)))
        sid = chance.randrange(256)
        raw = frame(
            SUBSCRIBE, options=chance.getrandbits(8), aux=chance.getrandbits(8), sid=sid, path=path, reference=number << 8, body=text
        )
        around.frames[tsid] = raw
        around.routes[text] = [(chance.choice((3, 4, 200, 77)), chance.getrandbits(1)) for _ in range(chance.randrange(4))]
        there = chance.choice((0, 1, 9, 9, 9, 9))
        around.dropped_after[tsid] = there
        barred = chance.choice((0, 0, 1, 2, 7))
        task = {"op": op, "tsid": tsid, "port": chance.randrange(3), "barred": barred, "reference": chance.getrandbits(32)}
        if op == INTEREST:
            there = 1 - bool(there) or 9
            around.dropped_after[tsid] = 0 if there == 1 else 9
        tasks.send([task])
        outcome, ports = expected(task, raw, around.routes[text], up, unique, there)
        due.append({"outcome": outcome, "sent": sum(1 << port for port in ports)})
        outcomes.add((op, outcome))
        if outcome == SENT:
            frames += [(port, sent_frame(task, raw, port)) for port in ports]
    await results.receive(len(due), within=len(due) * 1200)
    await bench.clocks(10)
    assert results.items == due
    assert gathered(headers.items, body.items) == frames
    assert {outcome for _, outcome in outcomes} == {SENT, PATH_FULL, NO_ROUTE, NO_FRAME}
    assert up != 7 or {op for op, outcome in outcomes if outcome == SENT} == set(range(6))


@cocotb.test()
async def the_longest_path_as_bytes(dut):
    """Five brokers leave with six; six would leave none for the broker that answers [T 5.4.3.5.1]."""
    _, around, tasks, results, headers, body, _ = await _bench(dut)
    for tsid, path in ((1, b"\1\2\5\6\7"), (2, b"\1\2\5\6\7\x08"), (3, b"")):
        around.frames[tsid] = frame(SUBSCRIBE, sid=5, path=path, reference=1, body=b"//F")
        around.routes[b"//F"] = [(4, 0)]
        tasks.send([{"op": SEND, "tsid": tsid}])
    await results.receive(3, within=600)
    assert [one["outcome"] for one in results.items] == [SENT, PATH_FULL, SENT]
    assert [data.hex() for _, data in gathered(headers.items, body.items)] == [
        "73000400" + "0501020506070900" + "00000001" + "00000003" + b"//F".hex(),
        "73000400" + "0509000000000000" + "00000001" + "00000003" + b"//F".hex(),
    ]


@cocotb.test()
async def identities_of_four_and_two_bits(dut):
    """{0|own} of a sample, and a path with one more, in the other widths, as literals."""
    _, around, tasks, results, headers, body, _ = await _bench(dut)
    dut.identity__bid.value = 3
    for port, bid in enumerate((1, 2, 0, 0)):
        getattr(dut, f"identity__bids__{port}").value = bid
    around.routes[b"//F"] = [(2, 0)]
    around.frames[1] = frame(SUBSCRIBE, sid=5, path=b"\x10", reference=1, body=b"//F")
    around.frames[2] = frame(SUBSCRIBE, sid=5, path=b"\x40", reference=1, body=b"//F")
    for bits, tsid in ((4, 1), (2, 2)):
        dut.identity__bits.value = bits
        before = len(results.items)
        tasks.send([{"op": SEND, "tsid": tsid}, {"op": SAMPLE, "tsid": tsid, "reference": 7}])
        await results.receive(before + 2, within=900)
    found = [data[4:16].hex() for _, data in gathered(headers.items, body.items)]
    assert found == [
        "0513000000000000" + "00000001",
        "0030000000000000" + "00000007",
        "0570000000000000" + "00000001",
        "00c0000000000000" + "00000007",
    ]


@cocotb.test()
async def a_reset_forgets_the_task(dut):
    """A reset anywhere in a task: the next task is done as a whole."""
    bench, around, tasks, results, headers, body, playing = await _bench(dut)
    around.frames[1] = frame(SUBSCRIBE, sid=5, path=b"\1", reference=1, body=b"//Feature")
    around.routes[b"//Feature"] = [(4, 0)]
    for clocks in (3, 9, 20, 30, 45, 60):
        tasks.send([{"op": SEND, "tsid": 1}])
        await bench.clocks(clocks)
        playing.cancel()
        await bench.reset()
        playing = cocotb.start_soon(around.run())
        tasks.send([{"op": SEND, "tsid": 1}])
        await results.receive(1, within=400)
        ((port, data),) = gathered(headers.items, body.items)
        assert (port, data[4:7], data[20:]) == (1, b"\5\1\x09", b"//Feature")
