"""A coroutine for a broker without a selection log: what would carry selected nodes goes without, and says so."""

import cocotb

from cocotb_tests.broker.bench import HEADER, SELECTED, WHOLE, BrokerBench
from cocotb_tests.broker.selected_tests import NAMED, TEXTS, due


@cocotb.test()
async def selected_nodes_are_left_out(dut):
    """The matches are the same; publications that are wanted whole are whole."""
    bench = BrokerBench(dut)
    await bench.reset()
    for number, text in enumerate(TEXTS):
        bench.subscribe(number + 1, text, content=SELECTED)
        bench.subscribe(number + 101, text, content=WHOLE)
    assert await bench.answers(2 * len(TEXTS)) == [0] * (2 * len(TEXTS))
    for document in NAMED:
        bench.publish(document)
    found = await bench.settled()
    without = 0
    for number, document in enumerate(NAMED):
        matched = due(document, links=1)
        assert found[number] == dict.fromkeys(matched, (0, b"")) | {place + 100: (0, document) for place in matched}
        assert all(bench.carried[number, place] == HEADER and bench.carried[number, place + 100] == WHOLE for place in matched)
        without += len(matched)
    assert await bench.counted("without_content") == without >= 40
