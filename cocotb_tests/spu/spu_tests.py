"""Coroutines for the SPU, with a CRT that answers what the text tells it to, after any time."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.spu.model import CONFIGS, Model, raw_words, verdict_of
from cocotb_tests.streams import Bench, parameters
from hdl.contract import Content, Frame, Header, Kind, OSid, Refusal, Semantics
from hdl.shapes.program import CrtOp, CrtResponse, RegistrationCommand, TextByte
from hdl.shapes.publication import DocumentWord
from hdl.shapes.subscription import SmtEntry, SubscriptionResult
from hdl.shapes.widths import tsid_width


def subscribe(sid: int, reference: int = 0, text: bytes = b"/abc", **more) -> bytes:
    return Frame(Header(Kind.SUBSCRIBE, OSid(sid, more.pop("path", ())), reference, **more), text).pack()


def cancel(sid: int, reference: int = 0, **more) -> bytes:
    return Frame(Header(Kind.UNSUBSCRIBE, OSid(sid, more.pop("path", ())), reference, **more)).pack()


class Unit:
    """The SPU with a source of frames, readers of its tables and a CRT."""

    def __init__(self, dut, *, idle: float = 0.0, stall: float = 0.0, crt: tuple[int, int] = (0, 0)):
        self.dut = dut
        self.config = CONFIGS[parameters()["config"]]
        self.model = Model(self.config, parameters()["store_words"])
        self.bench = bench = Bench(dut)
        self.crt = crt
        self.blocked = False
        tsid = tsid_width(self.config)
        self.frames = bench.source("i", DocumentWord, idle=idle)
        self.responses = bench.source("i_response", CrtResponse)
        self.lookups = bench.source("i_lookup", tsid)
        self.fetches = bench.source("i_fetch", tsid)
        self.texts = bench.sink("o_text", TextByte, stall=stall)
        self.commands = bench.sink("o_command", RegistrationCommand(self.config), stall=stall)
        self.results = bench.sink("o_result", SubscriptionResult(self.config), stall=stall)
        self.entries = bench.sink("o_lookup", SmtEntry, stall=stall)
        self.fetched = bench.sink("o_fetch", DocumentWord, stall=stall)
        dut.hold.value = 0
        dut.clear.value = 0
        self.tsids: dict[bytes, int] = {}
        self.answered = 0
        self._crt = None

    async def reset(self) -> None:
        if self._crt is not None:
            self._crt.cancel()
        self.model = Model(self.config, parameters()["store_words"])
        self.tsids.clear()
        await self.bench.reset()
        self.answered = 0
        self._crt = cocotb.start_soon(self._answer())

    async def _answer(self) -> None:
        """The CRT: takes a whole text for each REGISTER, waits, answers."""
        done = used = 0
        while True:
            await RisingEdge(self.dut.clk)
            if self.blocked or len(self.commands.items) == done:
                continue
            command = self.commands.items[done]["command"]
            code = Refusal.NONE
            if command["op"] in (CrtOp.REGISTER.value, CrtOp.CHECK.value):
                ends = [index for index, item in enumerate(self.texts.items[used:], start=used) if item["last"]]
                if not ends:
                    continue
                text = bytes(item["data"] for item in self.texts.items[used : ends[0] + 1])
                used = ends[0] + 1
                code = verdict_of(text)
            await self.bench.clocks(self.bench.random.randint(*self.crt))
            self.responses.send([{"refusal": int(code)}])
            done += 1

    def send(self, *frames: bytes) -> list:
        """Queue frames; returns what each must lead to."""
        for frame in frames:
            self.frames.send(raw_words(frame))
        return [self.model.take(frame) for frame in frames]

    async def check(self, outcomes: list, *, within: int) -> None:
        """The results, commands and texts of the frames sent since the last check are those wanted, and there are no more."""
        start = self.answered
        await self.results.receive(start + len(outcomes), within=within)
        await self.bench.clocks(20)
        results = self.results.items[start:]
        assert len(results) == len(outcomes)
        self.answered = len(self.results.items)
        for outcome, result in zip(outcomes, results, strict=True):
            key = outcome.osid + outcome.reference
            found = {
                "refusal": Refusal(result["refusal"]),
                "cancel": result["cancel"],
                "key": result["key"]["osid"].to_bytes(8, "little") + result["key"]["reference"].to_bytes(4, "little"),
                "link": result["link"],
            }
            assert found == {"refusal": outcome.refusal, "cancel": int(outcome.cancel), "key": key, "link": outcome.link}
            if outcome.refusal is not Refusal.NONE:
                assert result["tsid"] == 0
            elif outcome.cancel:
                assert result["tsid"] == self.tsids.pop(key)
            else:
                assert 1 <= result["tsid"] <= self.config.subscriptions
                assert result["tsid"] not in self.tsids.values()
                self.tsids[key] = result["tsid"]
        wanted = [(outcome.op, outcome.semantics) for outcome in outcomes if outcome.op]
        seen = [item["command"] for item in self.commands.items]
        commands = [(CrtOp(command["op"]).name, command["semantics"] if command["op"] == 0 else 0) for command in seen]
        assert commands[len(commands) - len(wanted) :] == wanted
        texts = b"".join(outcome.text for outcome in outcomes)
        assert bytes(item["data"] for item in self.texts.items[len(self.texts.items) - len(texts) :]) == texts
        assert int(self.dut.registered.value) == len(self.model.registered) == len(self.tsids)

    async def look_up(self, tsid: int) -> dict:
        count = len(self.entries.items)
        self.lookups.send([tsid])
        return (await self.entries.receive(count + 1, within=200))[count]

    async def fetch(self, tsid: int) -> bytes:
        count = len(self.fetched.items)
        self.fetches.send([tsid])
        frame = b""
        while True:
            word = (await self.fetched.receive(count + 1, within=200))[count]
            frame += word["data"].to_bytes(4, "little")[: word["count"]]
            assert word["count"] == 4 or word["last"]
            count += 1
            if word["last"]:
                return frame

    async def check_tables(self) -> None:
        """Every registered subscription can be looked up and its raw frame read out."""
        for key, tsid in self.tsids.items():
            frame = self.model.registered[key]
            flags = frame[1]
            assert await self.look_up(tsid) == {
                "key": {"osid": int.from_bytes(key[:8], "little"), "reference": int.from_bytes(key[8:], "little")},
                "semantics": flags & 1,
                "content": flags >> 1 & 3,
                "link": flags >> 4,
            }
            assert await self.fetch(tsid) == self.model.stored(key)


@cocotb.test()
async def one_by_one(dut):
    """Accept, look up, read out, refuse twice, cancel, refuse to cancel twice, use the t-SID again."""
    unit = Unit(dut)
    await unit.reset()
    frame = subscribe(7, 0x01020304, b"/stock/item[@id='7']", path=(3, 200), semantics=Semantics.CONTAINMENT, content=Content.WHOLE, link=2)
    assert frame[:20].hex() == "7323" + "0000" + "0703c80000000000" + "01020304" + "00000014"
    await unit.check(unit.send(frame), within=300)
    assert unit.tsids == {bytes.fromhex("0703c8000000000001020304"): 1}
    assert unit.commands.items == [{"command": {"op": CrtOp.REGISTER.value, "tsid": 1, "semantics": 1}, "content": Content.WHOLE}]
    assert (await unit.look_up(1)) == {"key": {"osid": 0xC80307, "reference": 0x04030201}, "semantics": 1, "content": 1, "link": 2}
    assert (await unit.fetch(1)) == frame
    outcomes = unit.send(frame, subscribe(7, 0x01020305), subscribe(8, 0x01020304), cancel(9))
    assert [outcome.refusal.name for outcome in outcomes] == ["DUPLICATE_SID", "NONE", "NONE", "UNKNOWN_SID"]
    await unit.check(outcomes, within=400)
    await unit.check_tables()
    identity = {"sid": 7, "reference": 0x01020304, "path": (3, 200)}
    outcomes = unit.send(cancel(**identity), cancel(**identity), subscribe(**identity))
    assert [outcome.refusal.name for outcome in outcomes] == ["NONE", "UNKNOWN_SID", "NONE"]
    await unit.check(outcomes, within=400)
    await unit.check_tables()
    counters = [int(getattr(dut, name).value) for name in ("accepted", "cancelled", "refused", "dropped")]
    assert counters == [4, 1, 3, 0]


@cocotb.test()
async def malformed_frames(dut):
    """Headers that are wrong in one way each, and frames cut at every byte; the next frame is unaffected."""
    unit = Unit(dut, idle=0.2)
    await unit.reset()
    good = subscribe(1, 5, b"/abcdefg")
    bad = [good[:cut] for cut in range(len(good))]
    bad += [good[:1] + bytes([options]) + good[2:] for options in (0x06, unit.config.links << 4, 0xF0, 0x86)]
    bad += [cancel(1, 5)[:1] + bytes([options, 0, low]) + cancel(1, 5)[4:] for options, low in ((1, 0), (2, 0), (8, 0), (0, 1), (0, 16))]
    paths = ("0100020000000000", "0001020300050000", "0101000000000001", "0000000000000001")
    bad += [good[:4] + bytes.fromhex(path) + good[12:] for path in paths]
    bad += [good + b"x", good[:19] + b"\x09" + good[20:], good[:16] + b"\x80\x00\x00\x08" + good[20:], cancel(1, 5) + b"x"]
    bad += [cancel(1, 5)[:19] + b"\x01" + b"x"]
    outcomes = unit.send(*bad, good)
    assert {outcome.refusal for outcome in outcomes[:-1]} == {Refusal.BAD_HEADER}
    await unit.check(outcomes, within=8000)
    # What is in order but not for this broker, each with a code that says why; version 1 is a frame as it was then.
    full = b"\1" * unit.config.brokers
    foreign = {
        Refusal.UNSUPPORTED_VERSION: [bytes([kind]) + good[1:] for kind in b"\x00SURPVNFQLTKA\x93\xff"],
        Refusal.UNSUPPORTED_KIND: [bytes([kind]) + good[1:] for kind in b"rpvnfqlthka\x60\x7f"],
        Refusal.WRONG_BROKER: [good[:2] + bytes([bid]) + good[3:] for bid in (1, 2, 128)] + [cancel(1, 5)[:2] + b"\4" + cancel(1, 5)[3:]],
        Refusal.UNSUPPORTED_LANGUAGE: [good[:3] + bytes([language]) + good[4:] for language in range(1, 16)],
        Refusal.UNSUPPORTED_ATTACHMENT: [good[:1] + b"\x08" + good[2:]],
        Refusal.UNSUPPORTED_LEASE: [good[:3] + bytes([lease << 4]) + good[4:] for lease in (1, 2, 4, 8, 15)],
        Refusal.PATH_FULL: [good[:5] + full.ljust(7, b"\0") + good[12:], good[:4] + b"\0" + full.ljust(7, b"\0") + good[12:]],
        Refusal.LOCAL_SAMPLE: [good[:4] + bytes(8) + good[12:]],
    }
    for code, frames in foreign.items():
        outcomes = unit.send(*frames)
        assert {outcome.refusal for outcome in outcomes} == {code}
        await unit.check(outcomes, within=3000)
    # The longest path that leaves a place for the answer, and a sample of a neighbour.
    first, second = good[:5] + full[1:].ljust(7, b"\0") + good[12:], good[:4] + b"\0\7".ljust(8, b"\0") + good[12:]
    await unit.check(unit.send(first, second), within=500)
    await unit.check(unit.send(*(b"u\0\0\0" + frame[4:16] + bytes(4) for frame in (first, second))), within=500)
    # All places but five are taken.
    await unit.check(unit.send(*(subscribe(sid) for sid in range(3, unit.config.subscriptions - 3))), within=2000)
    limit = unit.config.xpath_bytes
    sized = [subscribe(2, size, b"a" * size) for size in (0, 1, 2, 3, 4, 5, limit - 1, limit, limit + 1, limit + 4, limit + 5, 3 * limit)]
    outcomes = unit.send(*sized)
    assert [outcome.refusal.name for outcome in outcomes] == ["EMPTY"] + ["NONE"] * 5 + ["FULL_SUBSCRIPTIONS"] * 2 + ["TEXT_LENGTH"] * 4
    await unit.check(outcomes, within=2000)
    await unit.check(unit.send(cancel(2, 1), cancel(2, 2), sized[6], sized[7]), within=1000)
    await unit.check_tables()


@cocotb.test()
async def full_freed_reused(dut):
    """The table fills up, refuses, and every t-SID can be freed and used again, in any order."""
    unit = Unit(dut, crt=(0, 5))
    await unit.reset()
    count = unit.config.subscriptions
    for turn in range(4):
        await unit.check(unit.send(*(subscribe(sid, turn) for sid in range(1, count + 3))), within=2000)
        assert len(unit.tsids) == count
        order = list(range(1, count + 1))
        unit.bench.random.shuffle(order)
        mixed = []
        for sid in order[:3]:
            mixed += [cancel(sid, turn), subscribe(100 + sid, turn)]
        await unit.check(unit.send(*mixed), within=2000)
        await unit.check(unit.send(*(cancel(sid, turn) for sid in (*order[3:], *(100 + sid for sid in order[:3])))), within=2000)
        assert unit.tsids == {}


@cocotb.test()
@cocotb.parametrize((("idle", "stall", "crt"), [(0.0, 0.0, (0, 0)), (0.0, 0.0, (20, 60)), (0.5, 0.6, (0, 30))]))
async def random_frames(dut, idle, stall, crt):
    """Frames that depend on one another through few keys, with a CRT that refuses some: always as if one came after the other."""
    unit = Unit(dut, idle=idle, stall=stall, crt=crt)
    await unit.reset()
    chance = unit.bench.random
    for _ in range(parameters()["rounds"]):
        frames = []
        for _ in range(25):
            sid, reference = chance.randint(1, 3), chance.choice((0, 1, 0x100, 0x10000))
            if chance.random() < 0.45:
                frames.append(cancel(sid, reference))
            elif chance.random() < 0.08:
                frames.append(subscribe(sid, reference)[: chance.randint(0, 23)])
            else:
                text = bytes(chance.choices(b"abc/", k=chance.choice((1, 2, 3, 4, 5, 8, 9))))
                if chance.random() < 0.3:
                    text = b"!" + bytes([chance.choice((5, 20, 22, 64, 75))]) + text
                frames.append(subscribe(sid, reference, text, link=chance.randint(0, 2), content=Content(chance.randint(0, 2))))
        await unit.check(unit.send(*frames), within=8000)
        await unit.check_tables()


@cocotb.test()
async def four_frames_at_once(dut):
    """While the CRT keeps one waiting, two more are mapped and sent and a fourth is loaded; the fifth waits outside."""
    unit = Unit(dut)
    await unit.reset()
    await unit.bench.clocks(300)
    unit.blocked = True
    outcomes = unit.send(*(subscribe(sid) for sid in range(1, 6)))
    await unit.bench.clocks(150)
    assert len(unit.frames.clocks) == 4 * 6
    assert len(unit.texts.items) == 3 * 4
    assert len(unit.commands.items) == 1
    unit.blocked = False
    await unit.check(outcomes, within=300)


@cocotb.test()
async def dropped_from_the_store(dut):
    """Frames that do not fit push the oldest out of the store: still registered, no longer to be read out, counted."""
    unit = Unit(dut, crt=(0, 3))
    await unit.reset()
    frames = [subscribe(sid, 0, bytes([96 + sid]) * unit.config.xpath_bytes) for sid in range(1, 7)]
    await unit.check(unit.send(*frames), within=2000)
    assert int(dut.dropped.value) == 4
    for number, frame in enumerate(frames):
        assert await unit.fetch(unit.tsids[frame[4:16]]) == (frame if number >= 4 else b"")
    await unit.check(unit.send(cancel(5), cancel(6), cancel(1)), within=500)
    small = [subscribe(10, reference, b"/a") for reference in range(3)]
    await unit.check(unit.send(*small), within=500)
    assert int(dut.dropped.value) == 4
    for frame in small:
        assert await unit.fetch(unit.tsids[frame[4:16]]) == frame


@cocotb.test()
async def held_entries(dut):
    """Under ``hold`` a t-SID used before is not given out, and its entry stays to be read."""
    unit = Unit(dut)
    await unit.reset()
    await unit.check(unit.send(*(subscribe(sid) for sid in range(1, unit.config.subscriptions + 1))), within=1000)
    dut.hold.value = 1
    tsid = unit.tsids[subscribe(3)[4:16]]
    await unit.check(unit.send(cancel(3)), within=200)
    outcomes = unit.send(subscribe(50))
    await unit.bench.clocks(100)
    assert len(unit.results.items) == unit.answered
    assert (await unit.look_up(tsid))["key"]["osid"] == 3
    dut.hold.value = 0
    await unit.check(outcomes, within=200)
    assert (await unit.look_up(tsid))["key"]["osid"] == 50


@cocotb.test()
async def cleared(dut):
    """A clear between frames forgets everything at once."""
    unit = Unit(dut)
    await unit.reset()
    await unit.check(unit.send(*(subscribe(sid) for sid in range(1, 5))), within=1000)
    dut.clear.value = 1
    for _ in range(400):
        await FallingEdge(dut.clk)
        if dut.cleared.value == 1:
            break
    else:
        raise AssertionError("the clear never ended")
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    assert CrtOp(unit.commands.items[-1]["command"]["op"]) is CrtOp.CLEAR
    unit.model.registered.clear()
    unit.tsids.clear()
    assert await unit.fetch(1) == b""
    await unit.check(unit.send(cancel(1), *(subscribe(sid) for sid in range(2, 5))), within=1000)
    assert sorted(unit.tsids.values()) == [1, 2, 3]
    await unit.check_tables()


@cocotb.test()
async def reset_in_the_middle(dut):
    """A reset at any point leaves nothing registered and nothing half taken."""
    unit = Unit(dut, crt=(0, 10))
    for clocks in range(290, 380, 11):
        await unit.reset()
        unit.send(*(subscribe(sid, 9) for sid in range(1, 7)))
        await unit.bench.clocks(clocks)
        await unit.reset()
        await unit.check(unit.send(subscribe(1, 9), subscribe(2, 9)), within=800)
        await unit.check_tables()
        assert unit.tsids == {subscribe(1, 9)[4:16]: 1, subscribe(2, 9)[4:16]: 2}
