"""A coroutine for the broker's hardware, described or synthesised: what it answers goes to a file."""

import json
from pathlib import Path

import cocotb

from cocotb_tests.broker.bench import HEADER, WHOLE, BrokerBench
from cocotb_tests.broker.broker_tests import TEXTS, shares
from cocotb_tests.streams import parameters


@cocotb.test()
async def answers_are_kept(dut):
    """Subscriptions on all links and documents, good and bad, from the seed alone."""
    given = parameters()
    bench = BrokerBench(dut)
    await bench.reset(8)
    chance = bench.random
    for number, text in enumerate(TEXTS):
        bench.subscribe(number + 1, text, content=WHOLE if number % 3 == 1 else HEADER, link=number % bench.config.links)
    bench.subscribe(99, "/stock[position()=1]")
    refusals = await bench.answers(len(TEXTS) + 1, within=40000)
    for turn in range(given["documents"]):
        document = shares(chance, chance.randrange(3))
        bench.publish(document[: -1 - chance.randrange(6)] if turn % 5 == 4 else document)
    found = await bench.settled(within=400000)
    notified = {str(number): {str(key): [link, body.hex()] for key, (link, body) in one.items()} for number, one in found.items() if one}
    verdicts = [item["verdict"] for item in bench.verdict.items]
    kept = {"documents": [document.hex() for document in bench.documents], "refusals": refusals, "verdicts": verdicts, "notified": notified}
    Path(given["output"]).write_text(json.dumps(kept, sort_keys=True))
