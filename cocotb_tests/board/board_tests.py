"""Coroutines for the whole of a board, driven only through its UART pins by the host driver; libxml2 judges."""

import cocotb
from cocotb.task import bridge
from lxml import etree

from cocotb_tests.board.uart_line import UartTransport
from cocotb_tests.broker.broker_tests import shares
from cocotb_tests.streams import Bench, parameters
from fpga.host.broker import Broker, Subscription
from fpga.host.link import LinkClosed
from tests.noise import Noise

PERIOD = 2
TEXTS = (
    *(f"//share[@stockid='{number}']" for number in range(5, 12)),
    *(f"//price[.>{number}]" for number in range(0, 120, 5)),
    *(f"//share[@stockid<{number}]/price" for number in range(5, 13)),
    *("/stock", "/stock/share", "//price", "//note", "//*[@currency]", "//*/@stockid", "/share", "//price/@currency", "stock//note"),
    *(f"/stock/share[@stockid!='{number}']" for number in range(5, 12)),
    *(f"//name{number}" for number in range(9)),
)
assert len(TEXTS) == 64


def due(document: bytes) -> set[str]:
    tree = etree.fromstring(document).getroottree()
    return {text for text in TEXTS if tree.xpath(text if text.startswith("/") else "/" + text)}


class Board(Bench):
    """The board and its host."""

    def __init__(self, dut, *, rate: float = 0.0):
        super().__init__(dut)
        self.noise = Noise(self.random, rate)
        self.line = UartTransport(dut, self.noise, divisor=parameters()["divisor"], period=PERIOD)


@bridge
def open_broker(line):
    return Broker(line)


@bridge
def subscribe_and_publish(broker, documents):
    """Sixty-four subscriptions, then the documents one after the other; every notification is the one that is due."""
    found = broker.subscribe_all(TEXTS)
    assert not [one for one in found if not isinstance(one, Subscription)]
    known = {one.reference: one.xpath for one in found}
    for number, document in enumerate(documents):
        outcome = broker.publish(document)
        assert (outcome.number, outcome.code, outcome.bytes) == (number, 0, len(document))
        notes = list(broker.notifications(count=outcome.matches))
        assert sorted(known[note.reference] for note in notes) == sorted(due(document)), document
        assert {note.publication for note in notes} <= {number}
    assert not list(broker.notifications())


@bridge
def call(function, *given):
    return function(*given)


def some(bench, count):
    return [shares(bench.random, bench.random.randrange(4)) for _ in range(count)]


@cocotb.test()
async def sixty_four_subscriptions_and_twenty_documents(dut):
    """A clean line."""
    bench = Board(dut)
    await bench.reset()
    broker = await open_broker(bench.line)
    await subscribe_and_publish(broker, some(bench, parameters()["documents"]))
    assert dut.open.value == 1
    assert dut.fault.value == 0
    assert (await call(broker.counters))["registered"] == 64


@cocotb.test()
async def noise_and_resets_deliver_nothing_wrong(dut):
    """Bytes are lost, damaged and invented, and the board is reset in the middle: what comes is right, and the link recovers."""
    bench = Board(dut, rate=0.001)
    await bench.reset()
    broker = await open_broker(bench.line)
    documents = some(bench, parameters()["documents"] // 4)
    await subscribe_and_publish(broker, documents)
    broker.post(documents[0])
    broker.post(documents[1])
    await call(broker.link.pump, 0.0)
    await bench.clocks(bench.random.randrange(200, 2000))
    dut.rst.value = 1
    await bench.clocks(4)
    dut.rst.value = 0
    try:
        await call(broker.publish, documents[0])
    except LinkClosed:
        pass
    else:
        raise AssertionError("the host did not hear that the board was reset")
    await call(broker.reset)
    await subscribe_and_publish(broker, documents)
    assert bench.noise.events > 5
    assert broker.link.statistics.damaged + (await call(broker.counters))["damaged"] > 0
    assert dut.fault.value == 1
