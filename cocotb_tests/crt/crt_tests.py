"""Registration: what is shared, what is refused, what is given back."""

import cocotb

from cocotb_tests.match.bench import UnitBench
from cocotb_tests.match.samples import paths
from cocotb_tests.streams import parameters
from cocotb_tests.xpath.programs import expected
from hdl.config import BrokerConfig
from hdl.contract import Refusal
from hdl.shapes.program import CrtOp
from sim.golden.xml import parse


async def started(dut) -> UnitBench:
    given = parameters()
    bench = UnitBench(dut, BrokerConfig(**given["config"]), idle=given.get("idle", 0.0), stall=given.get("stall", 0.0))
    await bench.reset()
    return bench


async def held(bench: UnitBench) -> tuple[int, int, int]:
    """Subscriptions, bits and names held, once registration has come to rest."""
    await bench.clocks(40)
    return int(bench.dut.registered.value), int(bench.dut.steps_used.value), len(bench.names.pinned)


@cocotb.test()
async def thesis_example(dut):
    """T-Fig 5.12: four subscriptions with common and unique filters; the common ones are stored once."""
    bench = await started(dut)
    for tsid, value in enumerate(("34", "35", "36", "37"), 1):
        assert await bench.register(tsid, f'/stock[@stockid="{value}"]') == 0
    # Two names serve all four; each subscription has a bit for its step and one for its test.
    assert await held(bench) == (4, 8, 2)
    for value, wanted in (("34", {1}), ("37", {4}), ("38", set())):
        bench.publish(parse(f'<stock stockid="{value}"/>'.encode()))
        assert (await bench.report())[0] == wanted
    # The same question asked again takes no bit more.
    assert await bench.register(5, "/stock[ @stockid = '34' ]") == 0
    assert await held(bench) == (5, 8, 2)
    bench.publish(parse(b'<stock stockid="34"/>'))
    assert (await bench.report())[0] == {1, 5}
    await bench.unregister(1)
    assert await held(bench) == (4, 8, 2)
    bench.publish(parse(b'<stock stockid="34"/>'))
    assert (await bench.report())[0] == {5}
    for tsid in (5, 3, 2, 4):
        await bench.unregister(tsid)
    assert await held(bench) == (0, 0, 0)


@cocotb.test()
async def equal_subscriptions_in_any_order(dut):
    """Lists of equal subscriptions shrink from the front, the middle and the back."""
    bench = await started(dut)
    document = parse(b"<a b='1'>x</a>")
    for order in ((1, 2, 3), (3, 2, 1), (2, 1, 3), (2, 3, 1), (1, 3, 2)):
        left = {1, 2, 3}
        for tsid in left:
            assert await bench.register(tsid, "//a[@b>0][.='x']") == 0
        for tsid in order:
            bench.publish(document)
            assert (await bench.report())[0] == left
            await bench.unregister(tsid)
            left.discard(tsid)
        assert await held(bench) == (0, 0, 0)


@cocotb.test()
async def full_tables(dut):
    """Bits, names and strings run out: refused with nothing left behind, and used again after something was given back."""
    bench = await started(dut)
    config = bench.config
    long = "/a" * config.subscription_steps
    room = config.steps // config.subscription_steps
    for tsid in range(1, room + 1):
        assert await bench.register(tsid, f"{long[:-1]}{chr(96 + tsid)}") == 0
    before = await held(bench)
    assert before[1] == config.steps
    assert await bench.register(room + 1, "/z/a") == Refusal.FULL_STEPS
    assert await held(bench) == before
    assert bench.dut.full.value == 1
    await bench.unregister(3)
    assert await bench.register(3, "/z/a") == 0
    assert (await held(bench))[0] == before[0]
    assert bench.dut.full.value == 0
    assert await bench.ask(CrtOp.CLEAR) == 0
    assert await held(bench) == (0, 0, 0)

    for tsid in range(1, config.names + 1):
        assert await bench.register(tsid, f"/n{tsid}") == 0
    before = await held(bench)
    assert await bench.register(config.names + 1, "/n1[@n2][@other]") == Refusal.FULL_NAMES
    assert await held(bench) == before
    await bench.unregister(5)
    assert await bench.register(5, "/other") == 0
    bench.publish(parse(b"<other/>"))
    assert (await bench.report())[0] == {5}
    assert await bench.ask(CrtOp.CLEAR) == 0

    tsid = 0
    while True:
        tsid += 1
        refusal = await bench.register(tsid, f"/a[@b='{tsid:064d}']")
        if refusal:
            break
    assert refusal == Refusal.FULL_VALUES
    assert tsid > config.values // 4
    before = await held(bench)
    assert await bench.register(tsid, f"/a[@b='{tsid:064d}']") == Refusal.FULL_VALUES
    assert await held(bench) == before
    await bench.unregister(2)
    assert await bench.register(tsid, f"/a[@b='{tsid:064d}']") == 0
    bench.publish(parse(f"<a b='{tsid:064d}'/>".encode()))
    assert (await bench.report())[0] == {tsid}
    assert await bench.ask(CrtOp.CLEAR) == 0
    assert await held(bench) == (0, 0, 0)


@cocotb.test()
async def refused_programs_leave_nothing(dut):
    """A program that is broken off behind any of its pieces."""
    bench = await started(dut)
    assert await bench.register(1, "//keep[@it='x']") == 0
    before = await held(bench)
    for text in ("/a/b[", "/a[@b='x'][@c=5]/", "/a[.='x'][@k<'7']/b", "/a[text()='keep'] or b", "*[@b", "", "/a//b[@c='x'"):
        assert await bench.register(2, text) not in (0, Refusal.FULL_STEPS)
        assert await held(bench) == before, text
    bench.publish(parse(b"<a b='x'><keep it='x'/></a>"))
    assert (await bench.report())[0] == {1}


@cocotb.test()
async def high_commonality(dut):
    """HCD is reported while more than 31 subscriptions visit a name [T 5.3.3.4]."""
    bench = await started(dut)
    for tsid in range(1, 32):
        assert await bench.register(tsid, f"//common[@a{tsid % 8}]") == 0
    await held(bench)
    assert bench.dut.hcd.value == 0
    # A visit by a step counts like one by a subscription of its own.
    await bench.unregister(1)
    assert await bench.register(1, "//common//common") == 0
    await held(bench)
    assert bench.dut.hcd.value == 1
    await bench.unregister(7)
    await held(bench)
    assert bench.dut.hcd.value == 0


@cocotb.test()
async def churn_leaves_nothing(dut):
    """Thousands of random registrations and removals, then all removed: the table is empty."""
    bench = await started(dut)
    kept: set[int] = set()
    for _ in range(parameters()["changes"]):
        if kept and bench.random.random() < 0.5:
            tsid = bench.random.choice(sorted(kept))
            await bench.unregister(tsid)
            kept.discard(tsid)
        elif len(kept) < bench.config.subscriptions:
            tsid = bench.random.choice([free for free in range(1, bench.config.subscriptions + 1) if free not in kept])
            if await bench.register(tsid, paths(bench.random, bench.random.choice((0, 1, 4))), bench.random.getrandbits(1)) == 0:
                kept.add(tsid)
    for tsid in sorted(kept):
        await bench.unregister(tsid)
    assert await held(bench) == (0, 0, 0)
    # Every bit and string can be used again.
    for tsid in range(1, bench.config.steps // bench.config.subscription_steps + 1):
        assert await bench.register(tsid, "/a" * bench.config.subscription_steps + chr(97 + tsid)) == 0


@cocotb.test()
async def registration_is_quick(dut):
    """One step and a name of four bytes: at most 25 clocks each, with a name unit that answers within six."""
    bench = await started(dut)
    for tsid in range(1, 9):
        bench.command.send([{"op": CrtOp.REGISTER.value, "tsid": tsid, "semantics": 0}])
        bench.program.send(expected(f"/abc{tsid}".encode(), bench.config))
    answers = await bench.response.receive(8, within=1000)
    assert [answer["refusal"] for answer in answers] == [0] * 8
    clocks = [after - before for before, after in zip(bench.response.clocks, bench.response.clocks[1:], strict=False)]
    assert max(clocks) <= 25, clocks


@cocotb.test()
async def reset_in_the_middle(dut):
    """A reset at any point forgets every subscription and the document under way."""
    bench = await started(dut)
    for clocks in parameters().get("resets", (3, 30, 60, 90, 140, 170, 200)):
        bench.command.send([{"op": CrtOp.REGISTER.value, "tsid": 1, "semantics": 0}])
        bench.program.send(expected(b"//a[@b='x'][.=5]", bench.config))
        bench.publish(parse(b"<a b='x'><a>5</a></a>"))
        await bench.clocks(clocks)
        await bench.reset()
        bench.answered = bench.reported = 0
        assert await held(bench) == (0, 0, 0)
        bench.publish(parse(b"<a b='x'>5</a>"))
        assert (await bench.report())[0] == set()
        assert await bench.register(2, "//a[@b='x'][.=5]") == 0
        bench.publish(parse(b"<a b='x'>5</a>"))
        assert (await bench.report())[0] == {2}
        await bench.unregister(2)
