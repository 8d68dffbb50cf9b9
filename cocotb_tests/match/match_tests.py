"""Documents against subscriptions."""

import cocotb

from cocotb_tests.match.bench import UnitBench
from cocotb_tests.match.judges import by_libxml2, by_model
from cocotb_tests.match.samples import paths, random_document
from cocotb_tests.streams import parameters
from hdl.config import BrokerConfig
from hdl.contract import Refusal
from sim.golden.xml import parse


async def started(dut) -> UnitBench:
    given = parameters()
    config = BrokerConfig(**given.get("config", {}))
    bench = UnitBench(dut, config, idle=given.get("idle", 0.0), stall=given.get("stall", 0.0))
    await bench.reset()
    return bench


@cocotb.test()
async def equals_libxml2(dut):
    """Random subscriptions and documents: the matched sets are libxml2's."""
    bench = await started(dut)
    given = parameters()
    texts: dict[int, str] = {}
    for tsid in range(1, given["subscriptions"] + 1):
        text = paths(bench.random, given["level"])
        refusal = await bench.register(tsid, text)
        assert refusal in (Refusal.NONE, Refusal.STEPS, Refusal.FULL_STEPS), (text, refusal)
        if refusal == Refusal.NONE:
            texts[tsid] = text
    assert len(texts) > given["subscriptions"] / 2
    total = 0
    for _ in range(given["documents"]):
        document = random_document(bench.random)
        bench.publish(parse(document))
        found, end = await bench.report()
        wanted = by_libxml2(document, texts)
        assert end["good"]
        assert found == wanted, (document, [texts[tsid] for tsid in found - wanted], [texts[tsid] for tsid in wanted - found])
        total += len(found)
    assert total > given["documents"], "the subscriptions must hit at all"


@cocotb.test()
async def equals_the_model(dut):
    """Both semantics, subscriptions coming and going between documents, documents queued back to back."""
    bench = await started(dut)
    given = parameters()
    subscriptions: dict[int, tuple[str, int]] = {}
    total = 0
    for _ in range(given["rounds"]):
        if subscriptions and (bench.random.random() < 0.4 or len(subscriptions) == bench.config.subscriptions):
            tsid = bench.random.choice(list(subscriptions))
            await bench.unregister(tsid)
            del subscriptions[tsid]
        else:
            tsid = bench.random.choice([free for free in range(1, bench.config.subscriptions + 1) if free not in subscriptions])
            text = paths(bench.random, bench.random.choice((0, 1, 2, 4, 4)))
            semantics = int(bench.random.random() < 0.4)
            if subscriptions and bench.random.random() < 0.3:
                text, semantics = bench.random.choice(list(subscriptions.values()))
            refusal = await bench.register(tsid, text, semantics)
            assert refusal in (Refusal.NONE, Refusal.STEPS, Refusal.FULL_STEPS, Refusal.FULL_VALUES), (text, refusal)
            if refusal == Refusal.NONE:
                subscriptions[tsid] = (text, semantics)
        if bench.random.random() < 0.5:
            continue
        documents = [random_document(bench.random) for _ in range(bench.random.choice((1, 3)))]
        good = [bench.random.random() < 0.9 for _ in documents]
        for document, fine in zip(documents, good, strict=True):
            bench.publish(parse(document), good=fine)
        for document, fine in zip(documents, good, strict=True):
            found, end = await bench.report()
            wanted = by_model(document, subscriptions, bench.config) if fine else set()
            assert end["good"] == int(fine and wanted is not None)
            assert end["over"] == int(wanted is None)
            wanted = wanted or set()
            assert found == wanted, (
                document,
                [subscriptions.get(tsid, tsid) for tsid in found - wanted],
                [subscriptions[tsid] for tsid in wanted - found],
            )
            total += len(found)
    assert total > given["rounds"] / 4, total


@cocotb.test()
async def numbers_over_the_limit(dut):
    """A value with too many digits puts the document over the limit by name alone; NaN never does."""
    bench = await started(dut)
    long = "1234567890123456"
    cases = [
        (f"<a id='{long}'/>", "/b[@id>1]", True),
        (f"<a id='{long}'/>", "/b[@id='1']", False),
        (f"<a id='{long}'/>", "/b[@id<'x']", False),
        (f"<a b='{long}'/>", "/b[@id>1]", False),
        (f"<a xmlns:id='{long}'/>", "//a[@xmlns:id>1]", False),
        (f"<a>{long}</a>", "//a[.>1]", True),
        ("<a><b>1234567 </b><b>890123456</b></a>", "//a[.>1]", False),
        ("<a><b>1234567</b><b>890123456</b></a>", "//a[.>1]", True),
        ("<a>1234567<!-- -->890123456</a>", "//a[text()>1]", False),
        (f"<a>{long}x</a>", "//*[text()>1]", False),
        (f"<a>{'0' * 60}.5{' ' * 99}</a>", "//*[text()>1]", False),
        (f"<a>{'0' * 65}</a>", "//*[text()>1]", True),
        (f"<a>{'-' * 65}</a>", "/z[@q]//*[.>1]", True),
        (f"<a>{long}0000</a>", "//c[.>1]", False),
        ("<a id='1000000000000000000000'/>", "//a[@id>1]", False),
    ]
    for document, text, over in cases:
        assert await bench.register(1, text) == 0
        bench.publish(parse(document.encode()))
        _, end = await bench.report()
        assert end["over"] == over, (document, text)
        assert end["good"] != over, (document, text)
        await bench.unregister(1)


@cocotb.test()
async def numbers_come_while_documents_stand_still(dut):
    """Subscriptions with new numbers are answered while a document waits anywhere in its middle; the document is
    matched without them, the next one with them."""
    bench = await started(dut)
    texts = {1: "//a[.>5]", 2: "//a[text()>3 and @n<=2]", 3: "//*[.=7]", 4: "//b[@n!=2]"}
    for tsid, text in texts.items():
        assert await bench.register(tsid, text) == Refusal.NONE
    document = b"<r><b n='2'/><a n='1'>7</a><a n='2'>4<b n='3'/>6</a><a>2<!-- -->5</a></r>"
    judged = by_libxml2(document, texts)
    for left in range(2, 26, 2):
        number = bench.random.randrange(1, 16) / 2
        late = f"//a[.>{number}]"
        rest = await bench.begin(parse(document), left)
        assert await bench.register(5, late) == Refusal.NONE
        bench.beats.send(rest)
        bench.publish(parse(document))
        assert (await bench.report())[0] == judged, left
        assert (await bench.report())[0] == by_libxml2(document, texts | {5: late}), (left, late)
        await bench.unregister(5)


@cocotb.test()
async def sets_change_between_documents(dut):
    """A subscription that comes or goes while a document is under way counts from the next one on."""
    bench = await started(dut)
    document = parse(b"<a id='5'><b>x</b><b/></a>")
    assert await bench.register(1, "//b") == 0
    for number in range(6):
        text = ("//b", "//a[@id=5]", "//b[.='x']", "//a/b", "//*[text()='x']", "/a/@id")[number]
        rest = await bench.begin(document)
        # The answer comes at once, though the document is not over.
        assert await bench.register(2, text) == 0
        assert not any(word["end"] for word in bench.matched.items[bench.reported :])
        bench.beats.send(rest)
        bench.publish(document)
        assert (await bench.report())[0] == {1}
        assert (await bench.report())[0] == {1, 2}
        rest = await bench.begin(document)
        removal = cocotb.start_soon(bench.unregister(2))
        await bench.clocks(60)
        bench.beats.send(rest)
        assert (await bench.report())[0] == {1, 2}
        await removal
        bench.publish(document)
        assert (await bench.report())[0] == {1}
