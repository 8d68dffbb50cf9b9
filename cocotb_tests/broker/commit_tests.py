"""Coroutines for the moment from which a frame counts."""

import cocotb

from cocotb_tests.broker.bench import BrokerBench
from cocotb_tests.streams import parameters

FORGETTING = 300
"""Clocks that forgetting learned names takes at least."""
LEAD = b"<stock><share stockid='7'><price>20.5</price></share></stock>"
RESULT, WORD = 1, 2
"""Places of what a document's beginning is counted from."""


def turns(heeded, place):
    """Whether each document heeds the frame, in the order of their beginnings."""
    return [entry[0] for entry in sorted(heeded, key=lambda entry: (entry[place], entry[0]))]


@cocotb.test()
async def a_frame_counts_from_one_clock_on(dut):
    """Documents that begin clock by clock around a frame, with and without others before them on their way: one that begins before the
    frame's last word does not heed it, one that begins after its result does, and in between it turns at one clock, counted from
    the result: a frame may have to wait. While learned names are forgotten it may wait after it counts too, so that its result comes
    late: such a frame turns where the others do, counted from its result or from its last word."""
    bench = BrokerBench(dut)
    await bench.reset()
    for leads in (0, 2):
        for joins in (True, False):
            heeded = []
            for offset in range(0, 160, parameters()["step"]):
                if not joins:
                    bench.subscribe(1, "//price")
                    await bench.answers(len(bench.starts))
                for _ in range(leads):
                    bench.publish(LEAD)
                frame = bench.subscribe(1, "//price") if joins else bench.unsubscribe(1)
                await bench.clocks(offset)
                number = bench.publish(b"<price>1</price>")
                await bench.answers(len(bench.starts))
                await bench.verdict.receive(len(bench.documents), within=2000)
                begun = bench.publication.clocks[bench.begins[number]]
                heard = bool(bench.verdict.items[number]["matches"])
                if begun <= bench.subscription.clocks[-1]:
                    assert heard != joins, (leads, joins, offset)
                if begun > bench.result.clocks[frame]:
                    assert heard == joins, (leads, joins, offset)
                result, last = bench.result.clocks[frame], bench.subscription.clocks[-1]
                heeded.append((heard == joins, begun - result, begun - last))
                if joins:
                    bench.unsubscribe(1)
                    await bench.answers(len(bench.starts))
            quickest = min(word - result for _, result, word in heeded)
            late = [entry for entry in heeded if entry[2] - entry[1] - quickest >= FORGETTING]
            prompt = [entry for entry in heeded if entry not in late]
            assert len(late) <= 1
            turned = turns(prompt, RESULT)
            assert turned == sorted(turned), (leads, joins, sorted(heeded))
            for one in late:
                assert any(turns([*prompt, one], place) == sorted(turns([*prompt, one], place)) for place in (RESULT, WORD)), (one, heeded)
            assert leads or not turned[0], joins
            assert turned[-1], (leads, joins)


@cocotb.test()
async def names_are_released_beside_long_documents(dut):
    """The last subscription to a name goes, one by one and all together, while documents with many tags follow each other without a gap."""
    bench = BrokerBench(dut)
    await bench.reset()
    document = b"<r>" + b"<a><b/></a>" * 60 + b"</r>"
    for turn in range(2):
        for _ in range(24):
            bench.publish(document)
        for reference in range(1, 9):
            bench.subscribe(reference, f"//n{turn}x{reference}/m{reference}[@k{reference}]")
        for reference in range(1, 9):
            bench.unsubscribe(reference)
        await bench.answers(len(bench.starts))
        bench.subscribe(1, "//a/b")
        bench.subscribe(2, "/r/a/c[@d]")
        await bench.answers(len(bench.starts))
        dut.clear.value = 1
        for _ in range(8000):
            await bench.clocks(1)
            if dut.cleared.value == 1:
                break
        else:
            raise AssertionError("never cleared")
        dut.clear.value = 0
        await bench.clocks(1)
    assert await bench.answers(len(bench.starts)) == [0] * len(bench.starts)
    await bench.verdict.receive(len(bench.documents), within=40000)
    assert int(dut.steps_used.value) == 0
