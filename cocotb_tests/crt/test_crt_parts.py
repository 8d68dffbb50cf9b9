"""Each part of the CRT alone, against a plain table."""

from collections import Counter

import pytest

from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.crt.bits import BitTable
from hdl.crt.commit import CommitClock
from hdl.crt.members import MemberOp, RunMembers
from hdl.crt.runs import RunOp, RunTable
from hdl.crt.visits import HCD_VISITS, NameVisits, VisitOp

CONFIG = BrokerConfig(steps=64, slices=4, names=16, learned=64, subscriptions=15, values=16, numbers=16, subscription_steps=8)
STALLS = pytest.mark.parametrize("stall", [0.0, 0.4])


@STALLS
def test_visits(stall: float) -> None:
    """Counts, marks, names given back, commonality; a reset forgets all of it, and so does CLEAR."""

    async def bench(part: Part) -> None:
        dut = part.dut
        presence, strings = 1 << CONFIG.slices, 2 << CONFIG.slices
        for _ in range(2):
            visits: Counter[int] = Counter()
            marks: Counter[int] = Counter()
            for _ in range(150):
                name = part.random.choice((1, 1, 1, 7, 14, 15, 0))
                if visits[name] and part.random.random() < 0.45:
                    await part.give(dut.request, {"op": VisitOp.LEAVE, "name": name})
                    visits[name] -= 1
                    if not visits[name]:
                        assert await part.take(dut.released) == name
                        marks[name] = 0
                else:
                    op = VisitOp.MARK if visits[name] and part.random.random() < 0.3 else VisitOp.ENTER
                    new = part.random.choice((0, presence, strings, 5))
                    await part.give(dut.request, {"op": op, "name": name, "marks": new})
                    visits[name] += op is VisitOp.ENTER
                    marks[name] |= new
                assert not part.get(dut.released.valid)
                if part.random.random() < 0.3:
                    await part.clock(4)
                    assert part.get(dut.high) == any(count > HCD_VISITS for count in visits.values())
                    part.set(dut.view.name, name)
                    part.set(dut.view.en, 1)
                    while part.get(dut.view.hold):
                        await part.clock()
                    await part.clock()
                    part.set(dut.view.en, 0)
                    assert part.get(dut.view.marks) == marks[name]
            await part.reset()
            assert not part.get(dut.high)
        for name in (0, 3, 15):
            await part.give(dut.request, {"op": VisitOp.ENTER, "name": name})
        await part.give(dut.request, {"op": VisitOp.CLEAR})
        assert [await part.take(dut.released) for _ in range(3)] == [0, 3, 15]
        await part.give(dut.request, {"op": VisitOp.ENTER, "name": 3})
        await part.give(dut.request, {"op": VisitOp.LEAVE, "name": 3})
        assert await part.take(dut.released) == 3

    run(NameVisits(CONFIG), bench, stall=stall)


def test_high_commonality_is_one_visit_beyond_31() -> None:
    async def bench(part: Part) -> None:
        dut = part.dut
        for count, op in ((HCD_VISITS, VisitOp.ENTER), (1, VisitOp.ENTER), (1, VisitOp.LEAVE)):
            for _ in range(count):
                await part.give(dut.request, {"op": op, "name": 5})
            await part.clock(4)
            assert part.get(dut.high) == (count == 1 and op is VisitOp.ENTER)

    run(NameVisits(CONFIG), bench)


@pytest.mark.parametrize("subscriptions", [15, 16])
def test_members(subscriptions: int) -> None:
    """Lists grow at the front and shrink anywhere, for the engine to walk; the highest t-SID has a place when it is a power of two."""
    config = BrokerConfig(steps=64, slices=4, names=16, learned=64, subscriptions=subscriptions, values=16, numbers=16)

    async def bench(part: Part) -> None:
        dut = part.dut

        async def listed(last: int) -> list[int]:
            part.set(dut.view.step, last)
            await part.clock(2)
            found = [part.value(dut.view.head)]
            while found[-1]["more"]:
                assert len(found) <= subscriptions
                part.set(dut.view.tsid, found[-1]["tsid"])
                part.set(dut.view.en, 1)
                await part.clock(2)
                part.set(dut.view.en, 0)
                found.append(part.value(dut.view.link))
            return [one["tsid"] for one in found]

        runs: dict[int, list[int]] = {}
        for turn in range(250):
            held = {tsid: last for last, tsids in runs.items() for tsid in tsids}
            free = [tsid for tsid in range(1, subscriptions + 1) if tsid not in held]
            if held and (not free or part.random.random() < 0.5):
                tsid = part.random.choice(sorted(held))
                last = held[tsid]
                runs[last].remove(tsid)
                assert await part.ask(dut.request, dut.answer, {"op": MemberOp.LEAVE, "tsid": tsid, "last": last}) == (not runs[last])
                if not runs[last]:
                    del runs[last]
            else:
                tsid, last = part.random.choice(free), part.random.choice((0, 5, 63))
                op = MemberOp.JOIN if last in runs else MemberOp.FOUND
                runs.setdefault(last, []).insert(0, tsid)
                assert await part.ask(dut.request, dut.answer, {"op": op, "tsid": tsid, "last": last}) == 0
            if turn == 100:
                await part.reset()
                runs.clear()
            for last, tsids in runs.items():
                assert await listed(last) == tsids

    run(RunMembers(config), bench, idle=0.2)


def test_leaving_takes_as_long_whatever_the_number() -> None:
    config = BrokerConfig()

    async def bench(part: Part) -> None:
        dut = part.dut
        for tsid in range(1, 60):
            op = MemberOp.JOIN if tsid > 1 else MemberOp.FOUND
            await part.ask(dut.request, dut.answer, {"op": op, "tsid": tsid, "last": 9})
        for tsid in (30, 1, 59, 2):
            before = part.now
            await part.ask(dut.request, dut.answer, {"op": MemberOp.LEAVE, "tsid": tsid, "last": 9})
            assert part.now - before <= 9

    run(RunMembers(config), bench)


def test_runs() -> None:
    """Runs by t-SID; chains of a hash, from which a run goes wherever it is."""

    async def bench(part: Part) -> None:
        dut = part.dut

        async def ask(op: RunOp, tsid: int = 0, **run_: int) -> dict:
            return await part.ask(dut.request, dut.answer, {"op": op, "tsid": tsid, "run": run_})

        async def chain(bucket: int) -> list[int]:
            found = []
            answer = await ask(RunOp.CHAIN, bucket=bucket)
            while answer["first"]["valid"]:
                found.append(answer["first"]["step"])
                answer = await ask(RunOp.NEXT, first=found[-1])
            return found

        async def clear() -> None:
            part.set(dut.clear, 1)
            for bucket in range(256):
                part.set(dut.clear_address, bucket)
                await part.clock()
            part.set(dut.clear, 0)
            await part.clock()

        await clear()
        chains: dict[int, list[int]] = {bucket: [] for bucket in (0, 17, 255)}
        runs: dict[int, dict[str, int]] = {}
        for _ in range(200):
            bucket = part.random.choice(sorted(chains))
            if chains[bucket] and part.random.random() < 0.5:
                first = part.random.choice(chains[bucket])
                await ask(RunOp.FORGET, first=first, bucket=bucket)
                chains[bucket].remove(first)
            else:
                first = part.random.choice([one for one in range(64) if all(one not in held for held in chains.values())])
                tsid = part.random.randint(1, 15)
                runs[tsid] = {"first": first, "length": part.random.randint(1, 8), "contains": part.random.getrandbits(1), "bucket": bucket}
                await ask(RunOp.FOUND, tsid, **runs[tsid])
                chains[bucket].insert(0, first)
                other = part.random.randint(1, 15)
                runs[other] = runs[tsid]
                await ask(RunOp.JOIN, other, **runs[other])
            for tsid in part.random.sample(sorted(runs), min(2, len(runs))):
                assert (await ask(RunOp.LOOK, tsid))["run"] == runs[tsid]
            for bucket, held in chains.items():
                assert await chain(bucket) == held
        await clear()
        assert await chain(17) == []

    run(RunTable(CONFIG), bench, idle=0.2)


@STALLS
def test_room(stall: float) -> None:
    """Runs never overlap or leave their slice; there is room as long as some slice has a gap; what is read is what was written."""

    async def bench(part: Part) -> None:
        dut = part.dut
        for turn in range(3):
            used: dict[int, int] = {}
            runs: list[tuple[int, int]] = []
            for _ in range(60):
                if runs and part.random.random() < 0.45:
                    first, length = runs.pop(part.random.randrange(len(runs)))
                    await part.give(dut.read, {"first": first, "length": length})
                    for step in range(first, first + length):
                        bit = await part.take(dut.bit)
                        assert (bit["step"], bit["record"]["name"], bit["last"]) == (step, used[step], step == first + length - 1)
                    for step in range(first, first + length):
                        del used[step]
                        await write(part, step, 0)
                else:
                    length = part.random.choice((1, 2, 3, 7, 8))
                    room = await part.ask(dut.length, dut.room, length)
                    gaps = [at for at in range(64) if at % 16 + length <= 16 and all(at + n not in used for n in range(length))]
                    assert room["found"] == bool(gaps)
                    if room["found"]:
                        assert room["first"] in gaps
                        part.set(dut.take, 1)
                        await part.clock()
                        part.set(dut.take, 0)
                        runs.append((room["first"], length))
                        for step in range(room["first"], room["first"] + length):
                            used[step] = part.random.getrandbits(4)
                            await write(part, step, used[step], used=1)
            if turn == 0:
                await part.reset()
            part.set(dut.empty, 1)
            await part.clock()
            part.set(dut.empty, 0)

    async def write(part: Part, step: int, name: int, used: int = 0) -> None:
        part.set(part.dut.write, 1)
        part.set(part.dut.step, step)
        part.set(part.dut.record, {"used": used, "name": name})
        await part.clock()
        part.set(part.dut.write, 0)

    run(BitTable(CONFIG), bench, stall=stall)


def test_room_to_the_last_bit() -> None:
    """Runs as long as may be fill the table; one more does not fit, a run of one neither; an empty table has room again."""

    async def bench(part: Part) -> None:
        dut = part.dut
        for _ in range(2):
            for at in range(0, 64, 8):
                assert await part.ask(dut.length, dut.room, 8) == {"found": 1, "first": at}
                for step in range(at, at + 8):
                    part.set(dut.write, 1)
                    part.set(dut.step, step)
                    part.set(dut.record, {"used": 1})
                    await part.clock()
                part.set(dut.write, 0)
                part.set(dut.take, 1)
                await part.clock()
                part.set(dut.take, 0)
            for length in (1, 8):
                assert (await part.ask(dut.length, dut.room, length))["found"] == 0
            part.set(dut.empty, 1)
            await part.clock()
            part.set(dut.empty, 0)

    run(BitTable(CONFIG), bench)


def test_commit() -> None:
    """Documents that began before the commit are waited for; a moment that was granted before does not count."""

    async def bench(part: Part) -> None:
        dut = part.dut
        # the engine grants what is wanted a clock later, and takes it back
        for begun, ended in ((0, 0), (5, 3), (0, 0xFFFE), (0xFFFF, 0xFFFF)):
            part.set(dut.begun, begun)
            part.set(dut.view.ended, ended)
            part.set(dut.view.quiet, 1)  # a moment granted before
            part.set(dut.start, 1)
            await part.clock()
            part.set(dut.start, 0)
            part.set(dut.begun, begun + 1 & 0xFFFF)  # a later document does not count
            assert part.get(dut.under_way)
            for clock in range(12):
                wants, quiet = part.get(dut.view.wants), part.get(dut.view.quiet)
                if begun != ended:
                    assert not wants
                if clock < 2:
                    assert not part.get(dut.open)
                else:
                    assert part.get(dut.open) == quiet
                if begun != ended and clock > 6:
                    ended = ended + 1 & 0xFFFF
                    part.set(dut.view.ended, ended)
                await part.clock()
                part.set(dut.view.quiet, wants)
            for _ in range(3):
                await part.clock()
                part.set(dut.view.quiet, part.get(dut.view.wants))
            await part.clock()
            assert part.get(dut.open)
            part.set(dut.finish, 1)
            await part.clock()
            part.set(dut.finish, 0)
            assert not part.get(dut.open)
            assert not part.get(dut.under_way)
            assert not part.get(dut.view.wants)

    run(CommitClock(), bench)
