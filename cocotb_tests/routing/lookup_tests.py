"""Coroutines for the VRT as the router has it: TOPOLOGY frames and texts of subscriptions, against the golden network's rules."""

import cocotb

from cocotb_tests.routing.frames import KINDS, fields, frame, words
from cocotb_tests.routing.vrt_tests import Model
from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.contract import Criterion, FrameError, Refusal
from hdl.shapes.program import TextByte
from hdl.shapes.routing import FrameHeader, LinkWord, RouteHit
from sim.golden import xpath
from sim.golden.network.vrt import ALL, criteria

BIDS = [3, 200, 0]
CONFIG = BrokerConfig(**parameters().get("config", {}))
TOPOLOGY, RESULT = KINDS["TOPOLOGY"], KINDS["RESULT"]
TEXTS = [
    "//a",
    "/a/b[@p='1']/c",
    "//a[@p=5][@q='x']//b[@p='1']/@q",
    "//*[@s='']",
    "//a/b[. = 'x'][text()='y']",
    "//größe[@größe='größe']",
    "/a/a/a",
    "//a[@p != 5][@p < 3]",
    "//*/@p",
    "//a[",
    "//abcdefgh[@abcdefgh='12345678']",
    "//*",
]
BAD = [
    b"",
    b"**",
    b"@",
    b"@a",
    b"@=x",
    b"1a",
    b"a b",
    b"a=1",
    b"@a b=1",
    b"-a",
    b"\xc3",
    b"a\xc3",
    b"@a=\xff",
    b"@a=\xc3",
    b"\xb7a",
    b"a\0",
]
GOOD = [b"a", b"*", b"@p=1", b"@p=", b"@p==", b"@p=@p=1", b"a\xc2\xb7", b"a:b", b":a", "größe".encode(), "@größe=größe".encode()]
LONG = [b"abcdefghi", b"@abcdefghi=1", b"@a=123456789", b"abcdefgh", b"@abcdefgh=12345678"]


def refusal(x: bytes) -> Refusal:
    """Why X is not taken by itself."""
    try:
        found = Criterion.unpack(x)
    except FrameError:
        return Refusal.BAD_CRITERION
    if len(found.name.encode()) > CONFIG.name_bytes:
        return Refusal.NAME_LENGTH
    return Refusal.LITERAL_LENGTH if found.value is not None and len(found.value.encode()) > CONFIG.value_bytes else Refusal.NONE


def hits(model: Model, text: str) -> list[dict[str, int]]:
    """What a look-up gives: the entries for each criterion in order, then ``*``."""
    try:
        query = xpath.compile(text.encode(), CONFIG)
    except xpath.Refused as refused:
        return [{"bid": 0, "solicit": 0, "all": 0, "end": 1, "refusal": int(refused.code)}]
    found = []
    for x in (*criteria(query), ALL):
        for key, bid, solicit in model.entries:
            if key == x:
                found.append({"bid": bid, "solicit": solicit, "all": int(x == ALL), "end": 0, "refusal": 0})
    return [*found, {"bid": 0, "solicit": 0, "all": 0, "end": 1, "refusal": 0}]


async def _bench(dut, idle=0.0, stall=0.0):
    bench = Bench(dut)
    dut.identity__bid.value, dut.identity__bits.value = 1, 8
    for port, bid in enumerate(BIDS):
        getattr(dut, f"identity__bids__{port}").value = bid
    sources = [
        bench.source(name, shape, idle=idle) for name, shape in (("i_topology__header", FrameHeader), ("i_topology__body", LinkWord))
    ]
    sources.append(bench.source("i_text", TextByte, idle=idle))
    sinks = bench.sink("o_result", FrameHeader, stall=stall), bench.sink("o_hit", RouteHit, stall=stall)
    await bench.reset()
    return bench, *sources, *sinks


def text_bytes(text: str) -> list[dict[str, int]]:
    data = text.encode()
    return [{"data": byte, "last": int(place == len(data) - 1)} for place, byte in enumerate(data)]


def some_x(chance) -> bytes:
    """X of some text, good by itself, bad, or too long."""
    text = chance.choice([text for text in TEXTS if text != "//a["])
    mine = list(criteria(xpath.compile(text.encode(), CONFIG)))
    return chance.choice([*(mine or [ALL]), *(mine or [ALL]), ALL, chance.choice(GOOD), chance.choice(BAD), chance.choice(LONG)])


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.5])
async def frames_and_texts(dut, idle, stall):
    """X of every kind for neighbours and others; the golden rules say what a subscription finds."""
    bench, headers, body, texts, results, found = await _bench(dut, idle, stall)
    chance, model = bench.random, Model(parameters()["routes"])
    due, expected = [], []
    for number in range(parameters()["rounds"]):
        for _ in range(chance.randrange(1, 5)):
            x, bid = some_x(chance), chance.choice((3, 200, 200, 7, 0))
            remove, solicit, more = (int(chance.random() < 0.3) for _ in range(3))
            odd = chance.choice((0, 0, 0, 0, 0, 0, 0, 2, 0x80)) if chance.random() < 0.5 else 0
            data = frame(TOPOLOGY, options=remove | odd, aux=more << 9 | solicit << 8 | bid, reference=number, sid=3, body=x)
            cut = len(x) > 4 and chance.random() < 0.1
            sent = words(data, cut=cut)
            headers.send([fields(data[:20], 2)])
            body.send(sent[5:])
            if odd:
                code = Refusal.BAD_HEADER
            elif not bid or bid not in BIDS:
                code = Refusal.UNKNOWN_NEIGHBOUR
            else:
                code = refusal(x)
                if not cut and code is Refusal.NONE:
                    code = Refusal(model.change(x, bid, remove=remove, solicit=solicit))
            if not cut:
                due.append(fields(frame(RESULT, aux=code, sid=3, reference=number), 2))
        await headers.drained()
        await body.drained()
        await results.receive(len(due), within=20000)
        await bench.clocks(300)
        for text in chance.sample(TEXTS, 2):
            texts.send(text_bytes(text))
            expected += hits(model, text)
        await found.receive(len(expected), within=20000)
        assert int(dut.entries.value) == len(model.entries)
    assert results.items == due
    assert found.items == expected
    assert {one["low"] for one in due} >= {0, 1, 72, 73, 74}
    assert sum(not one["end"] for one in expected) > 10


@cocotb.test()
async def what_is_a_criterion(dut):
    """Each X of the lists by itself."""
    bench, headers, body, _, results, _ = await _bench(dut)
    model = Model(parameters()["routes"])
    due = []
    for x in (*BAD, *GOOD, *LONG):
        for remove in (0, 1):
            data = frame(TOPOLOGY, options=remove, aux=3, body=x)
            headers.send([fields(data[:20])])
            body.send(words(data)[5:] if x else [])
            due.append(refusal(x) or Refusal(model.change(x, 3, remove=remove, solicit=0)))
    await results.receive(len(due), within=60000)
    assert [Refusal(one["low"]) for one in results.items] == due
    assert [due.count(code) for code in (Refusal.NONE, Refusal.BAD_CRITERION, Refusal.NAME_LENGTH, Refusal.LITERAL_LENGTH)] == [
        2 * (len(GOOD) + 2),
        2 * len(BAD),
        4,
        2,
    ]
    await bench.clocks(5)
    assert int(dut.refused.value) == (2 * len(BAD) + 6) % 32


@cocotb.test()
async def a_reset_forgets_everything(dut):
    """In the middle of X, of a text, or of a look-up: the next ones are whole, and the table is empty."""
    bench, headers, body, texts, results, found = await _bench(dut)
    x = "@größe=größe".encode()
    data = frame(TOPOLOGY, aux=3, body=x)
    for clocks in (3, 20, 33, 40, 100, 150):
        for _ in range(2):
            headers.send([fields(data[:20])])
            body.send(words(data)[5:])
        texts.send(text_bytes("//größe[@größe='größe']"))
        await bench.clocks(clocks)
        await bench.reset()
        texts.send(text_bytes("//größe[@größe='größe']"))
        await found.receive(1, within=300)
        assert found.items[0]["end"] == 1
        headers.send([fields(data[:20])])
        body.send(words(data)[5:])
        await results.receive(1, within=400)
        assert results.items[0]["low"] == 0
        texts.send(text_bytes("//größe[@größe='größe']"))
        await found.receive(3, within=300)
        assert [(hit["bid"], hit["end"]) for hit in found.items[1:]] == [(3, 0), (0, 1)]
