"""Coroutines for the units of the steady policy by themselves."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.routing.frames import KINDS, fields, frame, some_frame, words
from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.routing.interests import InterestChange
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.routing import FrameHeader, LinkWord
from hdl.shapes.subscription import SubscriptionResult

UNIT = parameters().get("unit")
CONFIG = BrokerConfig(**parameters().get("config", {}))
OWN, BIDS, PORTS = 9, [3, 4, 200], 3


def number(data: bytes) -> int:
    return int.from_bytes(data.ljust(7, b"\0"), "little")


def document(data: bytes) -> list[dict[str, int]]:
    return [{name: word[name] for name in ("data", "count", "last")} for word in words(data)]


def bench_of(dut, *, identity=True) -> Bench:
    bench = Bench(dut)
    if identity:
        dut.identity__bid.value, dut.identity__bits.value, dut.identity__up.value = OWN, 8, 0
        for port, bid in enumerate(BIDS):
            getattr(dut, f"identity__bids__{port}").value = bid
    return bench


def frames_source(bench, name, idle):
    return bench.source(f"{name}__header", FrameHeader, idle=idle), bench.source(f"{name}__body", LinkWord, idle=idle)


def frames_sink(bench, name, stall):
    return bench.sink(f"{name}__header", FrameHeader, stall=stall), bench.sink(f"{name}__body", LinkWord, stall=stall)


@cocotb.test(skip=UNIT != "frames-mux")
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def frames_of_several_units(dut, idle, stall):
    """Each unit's frames whole and in order, in turn; one that may not begin waits and holds nobody."""
    bench = bench_of(dut, identity=False)
    dut.begins.value = 0b011
    sources = [frames_source(bench, f"i__{unit}", idle) for unit in range(3)]
    headers, body = frames_sink(bench, "o", stall)
    await bench.reset()
    sent = []
    for unit, (head, rest) in enumerate(sources):
        mine = [words(some_frame(bench.random)) for _ in range(25)]
        for one in mine:
            raw = b"".join(word["data"].to_bytes(4, "little") for word in one[:5])
            head.send([fields(raw, unit)])
            rest.send(one[5:])
        sent.append(mine)
    await headers.receive(50, within=20000)
    await bench.clocks(200)
    assert len(headers.items) == 50
    dut.begins.value = 0b111
    await headers.receive(75, within=20000)
    await bench.clocks(200)
    taken = [iter(mine) for mine in sent]
    expected = [next(taken[header["port"]]) for header in headers.items]
    assert [word for one in expected for word in one[5:]] == body.items
    if not idle and not stall:
        assert [header["port"] for header in headers.items[:50]] in ([0, 1] * 25, [1, 0] * 25)


@cocotb.test(skip=UNIT != "sorter")
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.6], cyclic=[0, 1])
async def frames_by_their_kind(dut, idle, stall, cyclic):
    """Every kind of frame, interests with paths that cannot be, and bodies that were cut."""
    bench = bench_of(dut)
    dut.cyclic.value, dut.hold.value, dut.up.value = cyclic, 0, 1
    head, rest = frames_source(bench, "i", idle)
    sinks = {name: frames_sink(bench, f"o_{name}", stall) for name in ("relay", "publication", "subscription")}
    await bench.reset()
    chance = bench.random
    due = {name: ([], []) for name in sinks}
    misrouted = refusals = settled = 0
    for _ in range(parameters()["frames"]):
        kind = chance.choice(list(KINDS))
        path = chance.choice((bytes([BIDS[1]]), bytes([BIDS[1]]), b"\3", b"", bytes([BIDS[1], 5])))
        sid = chance.choice((0, 0, 0, 7))
        data = frame(KINDS[kind], options=chance.getrandbits(1), sid=sid, path=path, body=chance.randbytes(chance.choice((0, 3, 9))))
        sent = words(data, cut=len(data) > 20 and chance.random() < 0.2)
        head.send([fields(data[:20], 1)])
        rest.send(sent[5:])
        target = None
        if kind in ("FORWARD", "ROUTE") and cyclic:
            target = "relay"
        elif kind == "ROUTE":
            target = "publication"
        elif kind in ("SUBSCRIBE", "UNSUBSCRIBE") and (cyclic or (path == bytes([BIDS[1]]) and sid == 0)):
            target = "subscription"
        elif kind == "HELLO":
            settled = data[1] & 1
        elif kind == "RESULT":
            refusals += 1
        else:
            misrouted += 1
        if target:
            due[target][0].append(fields(data[:20], 1))
            due[target][1].extend(sent[5:])
    await head.drained()
    await rest.drained()
    await bench.clocks(60)
    for name, (heads, bodies) in sinks.items():
        assert (heads.items, bodies.items) == due[name], name
    assert (int(dut.misrouted.value), int(dut.refusals.value), int(dut.settled.value)) == (misrouted % 32, refusals % 32, settled)
    dut.up.value = 0
    await bench.clocks(2)
    assert int(dut.settled.value) == 0


@cocotb.test(skip=UNIT != "sorter")
async def held_subscriptions_wait(dut):
    """One that has begun goes on, the next one waits; busy says which."""
    bench = bench_of(dut)
    dut.cyclic.value, dut.hold.value, dut.up.value = 0, 0, 1
    head, rest = frames_source(bench, "i", 0.0)
    heads, bodies = frames_sink(bench, "o_subscription", 0.0)
    heads.stall = 1.0
    await bench.reset()
    data = frame(KINDS["SUBSCRIBE"], path=bytes([BIDS[1]]), body=b"//F")
    for _ in range(2):
        head.send([fields(data[:20], 1)])
        rest.send(words(data)[5:])
    await bench.clocks(10)
    assert int(dut.busy.value) == 1
    dut.hold.value = 1
    heads.stall = 0.0
    await bodies.receive(1, within=30)
    await bench.clocks(20)
    assert (len(heads.items), int(dut.busy.value)) == (1, 0)
    dut.hold.value = 0
    await bodies.receive(2, within=30)


@cocotb.test(skip=UNIT != "own")
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.6])
async def paths_of_own_subscribers_are_malformed(dut, idle, stall):
    """Frames without a path pass as they are, also short ones; those with one lose it, and their length."""
    bench = bench_of(dut, identity=False)
    source, sink = bench.source("i", DocumentWord, idle=idle), bench.sink("o", DocumentWord, stall=stall)
    await bench.reset()
    chance, due = bench.random, []
    for _ in range(80):
        path = chance.choice((b"", b"", b"\1", b"\0\0\0\1", b"\0\0\0\0\0\0\1"))
        data = frame(KINDS["SUBSCRIBE"], sid=5, path=path, reference=chance.getrandbits(32), body=b"//F" * chance.randrange(3))
        short = chance.random() < 0.2
        if short:
            data = data[: chance.randrange(1, 20)]
        source.send(document(data))
        clean, crossed = bytearray(data), False
        for place in range(5, min(12, len(data))):
            crossed |= bool(clean[place])
            clean[place] = 0
        if crossed:
            clean[16:20] = (b"\xff" * 4)[: max(0, len(data) - 16)]
        due.append(bytes(clean))
    await source.drained()
    await bench.clocks(20)
    found, now = [], b""
    for word in sink.items:
        now += word["data"].to_bytes(4, "little")[: word["count"]]
        if word["last"]:
            found.append(now)
            now = b""
    assert len(found) == len(due)
    assert found == due


def route(port, origin, reference, hops, body, *, cut=False):
    data = frame(KINDS["ROUTE"], aux=origin << 8 | hops, path=bytes([origin]), reference=reference, body=body)
    return fields(data[:20], port), words(data, cut=cut and bool(body))[5:]


class Broker:
    """Behind the gate: counts publications as notified some clocks after their last word, and gives a verdict for each."""

    def __init__(self, bench, sink, verdicts):
        self.bench, self.sink, self.verdicts = bench, sink, verdicts
        self.finished = 0

    async def run(self):
        seen, waits = 0, []
        while True:
            await RisingEdge(self.bench.dut.clk)
            for word in self.sink.items[seen:]:
                seen += 1
                if word["last"]:
                    waits.append(self.bench.now + self.bench.random.randrange(2, 40))
                    self.verdicts.send([{"matches": len(waits) % 8}])
            while self.finished < len(waits) and waits[self.finished] <= self.bench.now:
                self.finished += 1
            self.bench.dut.finished.value = self.finished


@cocotb.test(skip=UNIT != "gate")
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6], shares=[0, 1])
async def publications_enter_once(dut, idle, stall, shares):
    """Own ones and neighbours', some of them again; whole, empty or cut; what is recorded of each, and whose verdict is passed on."""
    bench = bench_of(dut)
    dut.hop_limit.value, dut.epoch.value, dut.shares.value, dut.room.value, dut.number.value, dut.finished.value = 5, 2, shares, 7, 0, 0
    local, (head, rest) = bench.source("i_local", DocumentWord, idle=idle), frames_source(bench, "i_routed", idle)
    out = bench.sink("o", DocumentWord, stall=stall)
    verdicts, passed = bench.source("i_verdict", Outcome(CONFIG), idle=idle), bench.sink("o_verdict", Outcome(CONFIG), stall=stall)
    await bench.reset()
    broker = Broker(bench, out, verdicts)
    running = cocotb.start_soon(broker.run())
    chance = bench.random
    own, others, seen, duplicates = [], [], set(), 0
    for count in range(parameters()["publications"]):
        data = b"<F n='%d'/>" % count + bytes(chance.randrange(20))
        own.append((document(data), {"local": 1, "port": 0, "origin": OWN, "reference": 2 << 24 | count, "hops": 5, "ends": 0}))
        local.send(own[-1][0])
        port, origin, reference, hops = chance.randrange(PORTS), chance.choice((5, 6)), chance.randrange(12), chance.choice((0, 1, 7))
        body = chance.choice((b"", b"<G/>", b"<longer/> than one word"))
        cut = chance.random() < 0.3
        header, words_ = route(port, origin, reference, hops, body, cut=cut)
        head.send([header])
        rest.send(words_)
        if (origin, reference) in seen:
            duplicates += 1
            continue
        seen.add((origin, reference))
        found = document(body) if words_ == words(frame(0x71, body=body))[5:] or not body else None
        if found is None:
            found = [*document(body)[:-1], {"data": ord("<"), "count": 1, "last": 1}]
        record = {"local": 0, "port": port, "origin": origin, "reference": reference, "hops": max(hops - 1, 0), "ends": int(hops == 1)}
        others.append((found, record))
    due = len(own) + len(others)
    records = []
    for _ in range(12000):
        await RisingEdge(dut.clk)
        if len(records) < sum(word["last"] for word in out.items):
            dut.number.value = len(records)
            await RisingEdge(dut.clk)
            raw = int(dut.record.value)
            layout = (("local", 1), ("port", 4), ("origin", 8), ("reference", 32), ("hops", 8), ("ends", 1))
            record = {}
            for name, width in layout:
                record[name], raw = raw & ((1 << width) - 1), raw >> width
            if record["local"]:
                record["port"] = 0
            records.append(record)
        if len(records) == due and not local.queue and not head.queue:
            break
    await bench.clocks(80)
    running.cancel()
    publications, now = [], []
    for word in out.items:
        now.append(word)
        if word["last"]:
            publications.append(now)
            now = []
    came = list(zip(publications, records, strict=True))
    assert [one for one in came if one[1]["local"]] == own
    assert [one for one in came if not one[1]["local"]] == others
    assert int(dut.duplicates.value) == duplicates % 32
    assert duplicates > 3
    assert [one["matches"] for one in passed.items] == [(place + 1) % 8 for place, one in enumerate(came) if one[1]["local"]]


@cocotb.test(skip=UNIT != "gate")
async def a_publication_waits_for_the_queues_of_the_other_ports(dut):
    """And for the one before it; what waits keeps no other out."""
    bench = bench_of(dut)
    dut.hop_limit.value, dut.epoch.value, dut.shares.value, dut.number.value, dut.finished.value = 0, 0, 1, 0, 0
    local, (head, rest) = bench.source("i_local", DocumentWord), frames_source(bench, "i_routed", 0.0)
    out = bench.sink("o", DocumentWord)
    dut.room.value = 0b101
    await bench.reset()
    local.send(document(b"<own/>"))
    await bench.clocks(60)
    assert out.items == []
    for port, origin in ((0, 5), (1, 6)):
        header, words_ = route(port, origin, 1, 0, b"<F/>")
        if port == 0:
            assert int(dut.begins.value) in (0, 0b010)
        else:
            head.send([header])
            rest.send(words_)
    # the mux in front offers what may begin: that is port 1's, whose own queue is full
    await out.receive(1, within=60)
    await bench.clocks(60)
    assert len(out.items) == 1
    dut.room.value = 0b111
    await bench.clocks(60)
    assert len(out.items) == 1, "it has not been notified"
    dut.finished.value = 1
    await out.receive(3, within=60)
    assert out.items[1:] == document(b"<own/>")


@cocotb.test(skip=UNIT != "copies")
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def one_copy_for_each_neighbour(dut, idle, stall):
    """Several notifications of a publication for a neighbour, for its sender, at the hop limit and without the publication's bytes."""
    bench = bench_of(dut)
    head, rest = frames_source(bench, "i", idle)
    heads, bodies = frames_sink(bench, "o", stall)
    await bench.reset()
    chance = bench.random
    records, due_heads, due_bodies, limited, oversized = [], [], [], 0, 0
    for publication in range(30):
        local = chance.getrandbits(1)
        record = {"local": local, "port": chance.randrange(PORTS), "origin": OWN if local else 5, "reference": chance.getrandbits(32)}
        record |= {"hops": chance.getrandbits(8), "ends": int(not local and chance.random() < 0.3)}
        records.append(record)
        whole, done = chance.random() < 0.8, set()
        body = b"<F/>" * chance.randrange(1, 5) if whole else b""
        for _ in range(chance.randrange(7)):
            port = chance.randrange(PORTS)
            data = frame(KINDS["NOTIFY"], options=(1 if whole else 2) << 1, aux=publication, path=bytes([BIDS[port]]), body=body)
            head.send([fields(data[:20], 0)])
            rest.send(words(data)[5:])
            if port in done or (not local and port == record["port"]):
                continue
            done.add(port)
            if record["ends"]:
                limited += 1
            elif not whole:
                oversized += 1
            else:
                made = frame(
                    KINDS["ROUTE"],
                    aux=record["origin"] << 8 | record["hops"],
                    path=bytes([record["origin"]]),
                    reference=record["reference"],
                    body=body,
                )
                due_heads.append(fields(made[:20], port))
                due_bodies.extend(words(made)[5:])

    async def remember():
        """The gate's records, by the number that is asked for."""
        while True:
            await FallingEdge(dut.clk)
            value = dut.number.value
            one = records[int(value) % len(records)] if value.is_resolvable else records[0]
            bits = one["local"] | one["port"] << 1 | one["origin"] << 5 | one["reference"] << 13 | one["hops"] << 45 | one["ends"] << 53
            dut.record.value = bits

    cocotb.start_soon(remember())
    await head.drained()
    await rest.drained()
    await bench.clocks(100)
    assert (int(dut.sent.value), int(dut.limited.value), int(dut.oversized.value)) == (len(due_heads) % 32, limited % 32, oversized % 32)
    assert heads.items == due_heads
    assert bodies.items == due_bodies


class Registration:
    """Behind the table of members: takes cancellations, and gives results."""

    def __init__(self, bench, results, cancels):
        self.bench, self.results, self.cancels = bench, results, cancels
        self.held: dict[int, tuple[int, int, int]] = {}
        self.done = 0

    def key(self, tsid):
        osid, reference, _ = self.held[tsid]
        return {"osid": osid, "reference": int.from_bytes(reference.to_bytes(4, "big"), "little")}

    async def run(self):
        while True:
            await RisingEdge(self.bench.dut.clk)
            for header in self.cancels.items[self.done :]:
                self.done += 1
                reference = int.from_bytes(header["reference"].to_bytes(4, "little"), "big")
                osid = header["sid"] | header["path"] << 8
                key = {"osid": osid, "reference": header["reference"]}
                tsid = next((one for one, (mine, other, _) in self.held.items() if (mine, other) == (osid, reference)), 0)
                self.results.send([{"refusal": 0 if tsid else 18, "cancel": 1, "key": key, "tsid": tsid}])
                self.held.pop(tsid, None)


@cocotb.test(skip=UNIT != "members")
@cocotb.parametrize((("idle", "stall"), [(0.0, 0.0), (0.5, 0.6)]))
async def members_and_neighbours(dut, idle, stall):
    """Accepted, cancelled and refused subscriptions of everybody; links that come and go, whose subscriptions are cancelled."""
    bench = bench_of(dut)
    results, local = bench.source("i", SubscriptionResult(CONFIG), idle=idle), bench.sink("o", SubscriptionResult(CONFIG), stall=stall)
    changes, refusals = bench.sink("o_change", InterestChange(CONFIG), stall=stall), bench.sink("o_refusal", FrameHeader, stall=stall)
    cancels = bench.sink("o_cancel__header", FrameHeader, stall=stall)
    dut.tree.value, dut.busy.value, dut.step.value = 0b011, 0, 0
    await bench.reset()
    registration = Registration(bench, results, cancels)
    running = cocotb.start_soon(registration.run())
    chance = bench.random
    classes: dict[int, int] = {}
    sources: dict[int, int] = {}
    due_local, due_refusals = 0, []

    async def rest():
        await results.drained()
        await bench.clocks(40 * (1 + int(5 * max(idle, stall))))

    dut.identity__up.value = 0b111
    await rest()
    assert [(one["op"], one["port"]) for one in changes.items] == [(2, 0), (2, 1)]
    changes.items.clear()
    for reference in range(parameters()["results"]):
        source = (-1, 0, 1)[reference % 3] if reference < 9 else chance.choice((-1, 0, 1))
        osid = 7 if source < 0 else BIDS[source] << 8
        key = {"osid": osid, "reference": int.from_bytes(reference.to_bytes(4, "big"), "little")}
        live = list(registration.held)
        act = chance.random() if reference >= 9 else 0.0
        if act < 0.5 and len(live) < CONFIG.subscriptions:
            tsid = next(one for one in range(1, CONFIG.subscriptions + 1) if one not in live)
            registration.held[tsid] = osid, reference, source
            classes[tsid], sources[tsid] = chance.randrange(4), source
            dut.step.value = classes[tsid]
            results.send([{"key": key, "tsid": tsid}])
            await rest()
            (change,) = changes.items
            assert (change["op"], change["number"], change["tsid"]) == (0, classes[tsid], tsid)
            assert (change["local"], change["port"] if source >= 0 else 0) == (int(source < 0), max(source, 0))
        elif act < 0.8 and live:
            tsid = chance.choice(live)
            source = sources[tsid]
            results.send([{"cancel": 1, "key": registration.key(tsid), "tsid": tsid}])
            del registration.held[tsid]
            await rest()
            (change,) = changes.items
            heirs = {one for one in registration.held if classes[one] == classes[tsid]}
            assert (change["op"], change["number"], change["tsid"]) == (1, classes[tsid], tsid)
            assert change["heir"] in heirs if heirs else change["heir"] == 0
        else:
            results.send([{"refusal": 5, "key": key}])
            if source >= 0:
                due_refusals.append((5, source, key["reference"]))
            await rest()
        due_local += source < 0
        changes.items.clear()
    assert len(local.items) == due_local
    assert [(one["low"], one["port"], one["reference"]) for one in refusals.items] == due_refusals
    # the first neighbour is lost: what it had goes, and nothing else
    mine = {tsid for tsid in registration.held if sources[tsid] == 0}
    others = set(registration.held) - mine
    dut.busy.value = 1
    dut.identity__up.value = 0b110
    await rest()
    assert (int(dut.holds.value), cancels.items) == (1, [])
    dut.busy.value = 0
    for _ in range(10):
        await rest()
    assert set(registration.held) == others
    assert [(one["op"], one["port"]) for one in changes.items if one["op"] > 1] == [(4, 0)]
    assert {one["tsid"] for one in changes.items if one["op"] == 1} == mine
    assert len(mine) > 0
    assert int(dut.holds.value) == 0
    changes.items.clear()
    dut.identity__up.value, dut.tree.value = 0b111, 0b001
    await rest()
    assert sorted((one["op"], one["port"]) for one in changes.items) == [(2, 0), (3, 1)]
    running.cancel()
