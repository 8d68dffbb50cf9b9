"""Coroutines for the relay, against paths as lists."""

import cocotb

from cocotb_tests.routing.frames import KINDS, MARK, fields, frame, words
from cocotb_tests.streams import Bench, parameters
from hdl.shapes.routing import FrameHeader, LinkWord

OWN, BIDS = 9, [3, 4, 200, 0]
FORWARD, ROUTE = KINDS["FORWARD"], KINDS["ROUTE"]


def relayed(kind: int, sid: int, path: list[int], sender: int):
    """("on", port, path), ("ended", 0, []) or None."""
    if len(path) < 2 or 0 in path or path[-2] != OWN or path[-1] != sender or (kind == ROUTE) != (sid == 0):
        return None
    if len(path) == 2:
        return "ended", 0, []
    return ("on", BIDS.index(path[-3]), path[:-1]) if path[-3] in BIDS else None


async def _bench(dut, idle=0.0, stall=0.0):
    bench = Bench(dut)
    dut.identity__bid.value, dut.identity__bits.value = OWN, 8
    for port, bid in enumerate(BIDS):
        getattr(dut, f"identity__bids__{port}").value = bid
    sources = bench.source("i__header", FrameHeader, idle=idle), bench.source("i__body", LinkWord, idle=idle)
    sinks = {}
    for way, name in (("on", "o"), ("ended", "o_ended")):
        sinks[way] = bench.sink(f"{name}__header", FrameHeader, stall=stall), bench.sink(f"{name}__body", LinkWord, stall=stall)
    await bench.reset()
    return bench, *sources, sinks


def some_path(chance):
    """A path that is right, one time in two, or wrong in one place."""
    sender = chance.randrange(3)
    path = [*(chance.randrange(1, 256) for _ in range(chance.randrange(4))), chance.choice(BIDS[:3]), OWN, BIDS[sender]]
    match chance.randrange(10):
        case 0:
            path = path[-1:]
        case 1:
            path[-2] = 10
        case 2:
            path[-1] = 201
        case 3:
            path[-3] = 77
        case 4:
            path = []
        case 5 | 6:
            path = path[-2:]
        case _:
            pass
    return path, sender


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.6])
async def frames_go_back(dut, idle, stall):
    """Right and wrong paths, with bodies, without and cut: what comes out where, and what is counted."""
    bench, headers, body, sinks = await _bench(dut, idle, stall)
    chance = bench.random
    due = {way: ([], []) for way in sinks}
    misrouted = 0
    for number in range(parameters()["frames"]):
        path, sender = some_path(chance)
        kind = chance.choice((FORWARD, ROUTE))
        sid = 0 if (kind == ROUTE) != (chance.random() < 0.05) else chance.randrange(1, 256)
        data = frame(kind, options=chance.getrandbits(8), aux=chance.getrandbits(16), sid=sid, path=bytes(path), reference=number)
        sent = words(data)
        if chance.random() < 0.7:
            data = frame(kind, sid=sid, path=bytes(path), reference=number, body=chance.randbytes(chance.randrange(1, 30)))
            sent = words(data, cut=chance.random() < 0.2)
        headers.send([fields(data[:20], sender)])
        body.send(sent[5:])
        found = relayed(kind, sid, path, BIDS[sender])
        if found is None:
            misrouted += 1
            continue
        way, port, rest = found
        expected = fields(data[:20], port if way == "on" else sender) | {"path": int.from_bytes(bytes(rest).ljust(7, b"\0"), "little")}
        due[way][0].append(expected)
        due[way][1].extend(sent[5:])
    await headers.drained()
    await body.drained()
    await bench.clocks(60)
    for way, (found, content) in sinks.items():
        assert found.items == due[way][0], way
        assert content.items == due[way][1], way
        assert MARK in content.items
    assert int(dut.misrouted.value) == misrouted % 32
    assert misrouted > 10


@cocotb.test()
async def scenario_3_as_bytes(dut):
    """The o-SID of Scenario 3 at its second broker, as literals [T 5.4.4]: {5|1,2,3} from B3 leaves B2 as {5|1,2} for B1."""
    _, headers, body, sinks = await _bench(dut)
    dut.identity__bid.value = 2
    for port, bid in enumerate((1, 3, 0, 0)):
        getattr(dut, f"identity__bids__{port}").value = bid
    data = bytes.fromhex("66000000" + "0501020300000000" + "00000005" + "00000002") + b"ab"
    headers.send([fields(data[:20], 1)])
    body.send(words(data)[5:])
    (found,) = await sinks["on"][0].receive(1, within=40)
    await sinks["on"][1].receive(1, within=10)
    assert found == fields(bytes.fromhex("66000000" + "0501020000000000" + "00000005" + "00000002"), 0)


@cocotb.test()
@cocotb.parametrize(bits=[8, 4])
async def frames_take_a_clock_for_each_field_and_three(dut, bits):
    """Headers one after the other, dropped or not."""
    _, headers, _, sinks = await _bench(dut)
    dut.identity__bits.value = bits
    data = frame(FORWARD, sid=5, path=bytes([1, 4, OWN, 3]))
    headers.send([fields(data[:20], 0)] * 6)
    await headers.drained()
    assert {later - sooner for sooner, later in zip(headers.clocks, headers.clocks[1:], strict=False)} == {56 // bits + 3}
    assert len(sinks["on"][0].items) == (6 if bits == 8 else 0)


@cocotb.test()
async def a_reset_forgets_the_frame(dut):
    """A reset in a header that is decided on, or in a body: the next frame is whole."""
    bench, headers, body, sinks = await _bench(dut)
    data = frame(FORWARD, sid=5, path=bytes([1, 4, OWN, 3]), body=b"0123456789")
    for clocks in (1, 4, 9, 11, 12):
        headers.send([fields(data[:20], 0)])
        body.send(words(data)[5:])
        await bench.clocks(clocks)
        await bench.reset()
        headers.send([fields(data[:20], 0)])
        body.send(words(data)[5:])
        await sinks["on"][1].receive(3, within=60)
        assert sinks["on"][0].items == [fields(data[:20], 1) | {"path": int.from_bytes(bytes([1, 4, OWN]), "little")}]
        assert sinks["on"][1].items == words(data)[5:]
