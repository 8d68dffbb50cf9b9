"""Coroutines for the router by itself: what it hands to the broker, and what it makes of the broker's answers."""

import cocotb
from amaranth.hdl import unsigned

from cocotb_tests.routing.frames import KINDS, content, frame, words
from cocotb_tests.routing.steady_tests import document, number
from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.shapes.program import TextByte
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.routing import LinkWord, RouteHit
from hdl.shapes.subscription import SubscriptionResult
from hdl.shapes.widths import tsid_width

CONFIG = BrokerConfig(**parameters().get("config", {}))


@cocotb.test()
async def frames_reach_the_broker_and_answers_their_askers(dut):
    """A neighbour's interest asks for whole publications on the last link; its refusal goes back; copies go to who asked."""
    bench = Bench(dut)
    settings = {"bid": 9, "bits": 8, "bids__0": 3, "bids__1": 4, "tree": 3, "hop_limit": 0, "epoch": 0}
    for name, value in (settings | dict.fromkeys(("hello_period", "hello_patience", "link_patience"), 0)).items():
        getattr(dut, f"settings__{name}").value = value
    dut.carrier.value, dut.step.value, dut.finished.value = 3, 0, 0
    shapes = {"publication": DocumentWord, "subscription": DocumentWord, "i_link__0": LinkWord, "i_link__1": LinkWord}
    shapes |= {"i_result": SubscriptionResult(CONFIG), "i_verdict": Outcome(CONFIG), "i_notification": DocumentWord}
    sources = {name: bench.source(name, shape) for name, shape in (shapes | {"i_fetch": DocumentWord, "i_hit": RouteHit}).items()}
    shapes = {"o_publication": DocumentWord, "o_subscription": DocumentWord, "o_link__0": LinkWord, "o_link__1": LinkWord}
    shapes |= {"result": SubscriptionResult(CONFIG), "verdict": Outcome(CONFIG), "o_text": TextByte}
    shapes |= {"o_fetch": unsigned(tsid_width(CONFIG))}
    sinks = {name: bench.sink(name, shape) for name, shape in shapes.items()}
    await bench.reset()
    await bench.clocks(400)
    asked = frame(KINDS["SUBSCRIBE"], aux=9 << 8, path=b"\3", reference=5, body=b"//F")
    sources["i_link__0"].send(words(asked))
    await sinks["o_subscription"].receive(6, within=100)
    assert content(sinks["o_subscription"].items) == frame(KINDS["SUBSCRIBE"], options=0x12, path=b"\3", reference=5, body=b"//F")
    key = {"osid": number(b"\0\3"), "reference": 5 << 24}
    sources["i_result"].send([{"refusal": 20, "key": key}])
    await bench.clocks(60)
    assert content(sinks["o_link__0"].items)[-20:] == frame(KINDS["RESULT"], aux=20, path=b"\3", reference=5)
    own = frame(KINDS["SUBSCRIBE"], sid=7, reference=1, body=b"//G")
    sources["subscription"].send(document(own))
    await sinks["o_subscription"].receive(12, within=100)
    assert content(sinks["o_subscription"].items[6:]) == own
    sources["i_result"].send([{"tsid": 1, "key": {"osid": 7, "reference": 1 << 24}}])
    await sinks["result"].receive(1, within=100)
    await sinks["o_fetch"].receive(1, within=200)
    assert sinks["o_fetch"].items == [1]
    sources["publication"].send(document(b"<F/>"))
    await sinks["o_publication"].receive(1, within=200)
    note = frame(KINDS["NOTIFY"], options=0x12, aux=0, path=b"\4", body=b"<F/>")
    sources["i_notification"].send(document(note))
    sources["i_verdict"].send([{"matches": 1}])
    await sinks["verdict"].receive(1, within=100)
    await bench.clocks(80)
    assert content(sinks["o_link__1"].items)[-24:] == frame(KINDS["ROUTE"], aux=9 << 8, path=b"\x09", reference=0, body=b"<F/>")
