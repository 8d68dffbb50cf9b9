"""Clocks of the matching engine on documents that consist of what every subscription compares."""

import cocotb

from cocotb_tests.match.bench import UnitBench
from cocotb_tests.match.judges import by_libxml2
from cocotb_tests.streams import parameters
from hdl.config import BrokerConfig
from hdl.contract import Refusal
from sim.golden.xml import parse

__all__ = ["SHAPES"]

SHAPES = {
    # element, subscriptions, and the most clocks that an element may take
    "quotes": ('<stock symbol="S{n}" price="{n}4.50"/>', "//stock[@symbol='S{n}' and @price > {n}]", 21),
    "attribute >": ("<a b='1'/>", "//a[@b > {n}]", 40),
    "attribute = string": ("<a b='1'/>", "//a[@b = 's{n}']", 40),
    "attribute != string": ("<a b='1'/>", "//a[@b != '{n}']", 40),
    "string-value": ("<a>1</a>", "//a[. > {n}]", 32),
    "text node": ("<a>1</a>", "//a[text() <= {n}]", 32),
    "nested string-values": ("<a><a>1</a></a>", "//a[. != {n}]", 60),
    "text round elements": ("<a>1<a>2</a>3</a>", "//a[text() != '{n}']", 68),
    "empty string-value": ("<a/>", "//a[. != '{n}']", 16),
    "any name": ("<a>1</a>", "//*[. != '{n}']", 40),
}
"""Documents that consist of what is compared. 30 subscriptions take as many slices of 16 bits as 240 take of 128."""

_FEW, _MANY = 10, 30


@cocotb.test()
async def every_shape_keeps_pace(dut):
    """An element costs clocks by the slices that its subscriptions take, within the bar. The matched sets are libxml2's."""
    given = parameters()
    config = BrokerConfig(**given["config"])
    bench = UnitBench(dut, config)
    await bench.reset()
    for name, (element, text, most) in SHAPES.items():
        texts = {tsid: text.format(n=tsid) for tsid in range(1, 31)}
        begun = bench.now
        for tsid, one in texts.items():
            assert await bench.register(tsid, one) == Refusal.NONE
        registered = (bench.now - begun) / len(texts)
        ended = []
        for count in (_FEW, _MANY, _FEW, _MANY):
            document = b"<r>" + b"".join(element.format(n=number).encode() for number in range(count)) + b"</r>"
            begun = bench.now
            bench.publish(parse(document))
            found, end = await bench.report()
            assert end["good"]
            assert found == by_libxml2(document, texts), name
            ended.append(bench.now - begun)
        clocks = (ended[3] - ended[2]) / (_MANY - _FEW)
        dut._log.info(
            "%s: %.1f clocks an element of %d bytes, at most %d; %.0f to register", name, clocks, len(element.format(n=1)), most, registered
        )
        assert clocks <= most, (name, clocks)
        for tsid in texts:
            await bench.unregister(tsid)
