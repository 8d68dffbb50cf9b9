"""Coroutines for the whole broker, judged by libxml2."""

import cocotb
from lxml import etree

from cocotb_tests.broker.bench import HEADER, WHOLE, BrokerBench
from cocotb_tests.streams import parameters
from hdl.contract import Code, Refusal

TEXTS = (
    "/stock/share",
    "//price",
    "/stock/share/@stockid",
    "//share[@stockid='7']/price",
    "//price[.>20]",
    "/stock//price[text()='20.5']",
    "//*[@currency!='EUR']",
    "stock/*/price",
    "/share/stock",
    "//share[@stockid>=8 and @stockid<10]",
    "//note",
    "//price[. = 5]",
)


def shares(chance, count: int) -> bytes:
    """A small stock document."""
    pieces = []
    for _ in range(count):
        price = chance.choice(("20.5", "5", " 5.0 ", "100", "x"))
        currency = chance.choice(('currency="EUR"', "currency='USD' ", ""))
        pieces.append(f'<share stockid="{chance.randrange(5, 12)}"><price {currency}>{price}</price></share>')
    if chance.random() < 0.3:
        pieces.append("<!-- c --><note/>")
    return f"<stock>{''.join(pieces)}</stock>".encode()


def found_by_libxml2(document: bytes, text: str) -> bool:
    tree = etree.fromstring(document).getroottree()
    return bool(tree.xpath(text if text.startswith("/") else "/" + text))


async def started(dut) -> BrokerBench:
    given = parameters()
    bench = BrokerBench(dut, idle=given.get("stress", 0.0), stall=given.get("stress", 0.0))
    await bench.reset()
    return bench


@cocotb.test()
async def notifies_what_libxml2_finds(dut):
    """Good and bad documents against subscriptions on all links, some with the whole publication as content; bad frames are refused."""
    bench = await started(dut)
    chance = bench.random
    for number, text in enumerate(TEXTS):
        bench.subscribe(number + 1, text, content=WHOLE if number % 3 == 1 else HEADER, link=number % bench.config.links)
    bench.subscribe(99, "/stock[position()=1]")
    bench.subscribe(1, "/again")
    bench.unsubscribe(77)
    refusals = await bench.answers(len(TEXTS) + 3)
    assert refusals == [0] * len(TEXTS) + [Refusal.FUNCTION, Refusal.DUPLICATE_SID, Refusal.UNKNOWN_SID]
    expected = []
    for turn in range(parameters()["documents"]):
        document = shares(chance, chance.randrange(4))
        if turn % 4 == 3:
            bench.publish(document[:-1])
            expected.append((Code.UNCLOSED, len(document) - 1))
            continue
        if turn == 6:
            document = document.replace(b"</stock>", b"<price>1234567890123456</price></stock>")
            expected.append((Code.NUMBER_DIGITS, len(document)))
        else:
            expected.append((Code.OK, 0))
        bench.publish(document)
    found = await bench.settled()
    for number, (document, (code, offset)) in enumerate(zip(bench.documents, expected, strict=True)):
        verdict = bench.verdict.items[number]["verdict"]
        given = (verdict["verdict"], verdict["code"], verdict["offset"], verdict["bytes"])
        assert given == (code.verdict, code, offset, len(document))
        due = {}
        if code is Code.OK:
            hits = [place for place, text in enumerate(TEXTS) if found_by_libxml2(document, text)]
            due = {place + 1: (place % bench.config.links, document if place % 3 == 1 else b"") for place in hits}
        assert found[number] == due, (number, document)
    assert sum(len(one) for one in found.values()) > 2 * len(expected)
    assert int(dut.registered.value) == await bench.counted("accepted") == len(TEXTS)
    assert await bench.counted("refused") == 3
    assert await bench.counted("without_content") == 0


@cocotb.test()
async def subscriptions_change_while_documents_flow(dut):
    """Frames come in the middle of documents: a document that begins after the result of a frame heeds it, one that ended before the
    frame's first word does not."""
    bench = await started(dut)
    chance = bench.random
    document = b"<stock><share stockid='7'><price>20.5</price></share></stock>"
    for _ in range(parameters()["documents"]):
        bench.publish(document + b" " * chance.randrange(9))
    kept = bench.subscribe(1, "//price")
    joins = [bench.subscribe(reference, TEXTS[reference % 4], link=reference % bench.config.links) for reference in range(2, 10)]
    leaves = {reference: bench.unsubscribe(reference) for reference in (3, 4, 8, 1)}
    again = bench.subscribe(3, "/stock", content=WHOLE)
    frames = len(bench.starts)
    assert await bench.answers(frames) == [0] * frames
    for _ in range(4):
        bench.publish(document)
    found = await bench.settled()
    begun = [bench.publication.clocks[place] for place in bench.begins]
    ended = bench.verdict.clocks

    def clocks(frame):
        return bench.subscription.clocks[bench.starts[frame]], bench.result.clocks[frame]

    entered = {1: kept, **{reference: joins[reference - 2] for reference in range(2, 10)}}
    for reference, frame in entered.items():
        first, last = clocks(frame)
        gone = clocks(leaves[reference]) if reference in leaves else (10**9, 10**9)
        back = clocks(again) if reference == 3 else (10**9, 10**9)
        for number in range(len(bench.documents)):
            heard = reference in found[number]
            if ended[number] < first or (begun[number] > gone[1] and ended[number] < back[0]):
                assert not heard, (reference, number)
            elif (begun[number] > last and ended[number] < gone[0]) or begun[number] > back[1]:
                assert heard, (reference, number)
    assert all(found[len(bench.documents) - 1 - number].keys() == {2, 3, 5, 6, 7, 9} for number in range(4))
    assert all(found[len(bench.documents) - 1 - number][3] == (0, document) for number in range(4))
    assert int(dut.registered.value) == 6


@cocotb.test()
async def a_skeleton_changes_no_match(dut):
    """Names loaded beforehand, beside the registration of subscriptions that use them or not; bad names are counted and change nothing."""
    bench = await started(dut)
    bench.learn("stock", "", "price", "n" * 64, "n" * 65, "n" * 200, "never", "stock")
    for number, text in enumerate(TEXTS[:4]):
        bench.subscribe(number + 1, text)
    assert await bench.answers(4) == [0] * 4
    await bench.skeleton.drained()
    document = b"<stock><share stockid='7'><price>20.5</price></share></stock>"
    bench.publish(document)
    bench.unsubscribe(2)
    assert await bench.answers(5) == [0] * 5
    await bench.verdict.receive(1, within=4000)
    bench.publish(document)
    found = await bench.settled()
    assert found[0].keys() >= {1, 3, 4}
    assert found[1].keys() == {1, 3, 4}
    assert (await bench.counted("pinned"), await bench.counted("unpinned")) == (5, 3)


@cocotb.test()
async def reset_in_the_middle_forgets_everything(dut):
    """After a reset in the middle of a document and of a frame, nothing is registered and everything works."""
    bench = await started(dut)
    bench.subscribe(1, "//price")
    assert await bench.answers(1) == [0]
    bench.publish(shares(bench.random, 3))
    bench.subscribe(2, "//share")
    await bench.clocks(9)
    await bench.reset()
    bench.documents.clear()
    bench.publish(b"<price/>")
    bench.subscribe(3, "/price")
    assert await bench.answers(1) == [0]
    bench.publish(b"<price/>")
    found = await bench.settled()
    assert found[1] == {3: (0, b"")}
    assert 1 not in found[0]
    assert int(dut.registered.value) == 1


@cocotb.test()
async def clear_removes_every_subscription(dut):
    """Clearing between documents: none is matched any more, and the same subscriptions can be registered again."""
    bench = await started(dut)
    for number, text in enumerate(TEXTS):
        bench.subscribe(number + 1, text, content=WHOLE)
    assert await bench.answers(len(TEXTS)) == [0] * len(TEXTS)
    bench.publish(b"<stock><share/></stock>")
    await bench.verdict.receive(1, within=2000)
    dut.clear.value = 1
    while dut.cleared.value != 1:
        await bench.clocks(1)
    dut.clear.value = 0
    assert int(dut.steps_used.value) == 0
    bench.publish(b"<stock><share/></stock>")
    await bench.verdict.receive(2, within=2000)
    bench.subscribe(1, TEXTS[0], content=WHOLE)
    assert await bench.answers(len(TEXTS) + 1) == [0] * (len(TEXTS) + 1)
    document = b"<stock><share/></stock>"
    bench.publish(document)
    found = await bench.settled()
    assert found[0].keys() == {1}
    assert not found[1]
    assert found[2] == {1: (0, document)}
