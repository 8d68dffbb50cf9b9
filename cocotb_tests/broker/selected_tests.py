"""Coroutines for notifications that carry the selected nodes: libxml2 says which, expat where they stand."""

import cocotb

from cocotb_tests.broker.bench import HEADER, SELECTED, WHOLE, BrokerBench
from cocotb_tests.broker.spans import selected_bytes
from cocotb_tests.streams import parameters

TEXTS = (
    "//a",
    "/r/a",
    "//b/@k",
    "/r//@m",
    "//a[@k]",
    "//a/@k",
    "//c[.='x']",
    "//*[text()='y']",
    "//a[.>3]",
    "/r",
    "//d[@m='1' and @k]",
    "r/*/*",
    "//a//c",
)

NAMED = (
    # attributes in every spelling, names that begin like others, quotes of the other kind, references
    b"<r m='0'><b k = \"1\" kk='2' xmlns:k='u' k:k='3'/><b\n\tkk=\">\" k='&lt;&#x22;\"'\r\n/><a k=''>4</a ></r>",
    # an element and its attribute begin in one word, and end in one
    b"<r><a k=''/><a m=''/><b k='' m=''/><b m=\"\" k=\"\"/><a><c>x</c></a></r >",
    # sections, comments, instructions and references inside, and what looks like tags
    b"<r><a><![CDATA[</a><a/>]]><!-- </a> --><?p </a> ?>&gt;5</a><c><![CDATA[x]]></c><d m='1' k='>'/></r>",
    # nested selections, accepted at the start and at the end
    b"<r><a><a><c>x</c><a>7</a></a><c>x<c>x</c></c></a><c><c>x</c></c><e>y<e>y<e>z</e></e></e></r>",
    # the same where the order of the ends is not that of the document
    b"<r><c><c><c>x</c></c></c><c>x</c><a><a><a>9</a></a>9</a></r>",
    # characters of several bytes, a byte order mark, a declaration, a document type
    "\ufeff<?xml version='1.0'?><!DOCTYPE r [<!-- <a> -->]><r><a k='é'>日本</a><é m='ñ'/><c>x</c><a>4€</a></r>".encode(),
    b"<r/>",
    b"<a/>",
    b"<r><a/></r>",
    b"<r>" + b"<a><b><c><d>" * 3 + b"x" + b"</d></c></b></a>" * 3 + b"</r>",
    # an end tag each word
    b"<r>" + b"<a>" * 20 + b"</a>" * 20 + b"</r>",
)


async def started(dut) -> BrokerBench:
    given = parameters()
    bench = BrokerBench(dut, idle=given.get("stress", 0.0), stall=given.get("stress", 0.0))
    await bench.reset()
    return bench


async def registered(bench: BrokerBench, texts=TEXTS, **options) -> None:
    for number, text in enumerate(texts):
        bench.subscribe(number + 1, text, **({"content": SELECTED, "link": number % bench.config.links} | options))
    assert await bench.answers(len(texts)) == [0] * len(texts)


def random_document(chance, size: int) -> bytes:
    """Small names, close tags, and everything that may stand between them."""

    def attributes() -> str:
        chosen = chance.sample(("k", "m", "kk", "q"), chance.choice((0, 0, 0, 1, 2)))
        quote = chance.choice("\"'")
        return "".join(
            f" {name}{chance.choice(('=', ' =', '= '))}{quote}{chance.choice(('', '1', 'x>', '&amp;', 'é'))}{quote}" for name in chosen
        )

    def element(depth: int) -> str:
        name = chance.choice("abcde")
        if chance.random() < 0.4:
            return f"<{name}{attributes()}{chance.choice(('', ' '))}/>"
        inside = "".join(
            element(depth + 1)
            if depth < 5 and chance.random() < 0.5
            else chance.choice(("x", "y", "4", "", "日", "<!--<a>-->", "<![CDATA[x]]>", "<?p?>"))
            for _ in range(chance.randrange(4))
        )
        return f"<{name}{attributes()}>{inside}</{name}{chance.choice(('', ' '))}>"

    pieces = []
    while sum(len(piece) for piece in pieces) < size:
        pieces.append(element(0))
    return f"<r{attributes()}>{''.join(pieces)}</r>".encode()


def due(document: bytes, texts=TEXTS, links: int = 4) -> dict[int, tuple[int, bytes]]:
    """What is due to each subscription of ``texts``, spread over the links."""
    found = {}
    for number, text in enumerate(texts):
        if body := selected_bytes(document, text):
            found[number + 1] = (number % links, body)
    return found


@cocotb.test()
async def selected_nodes_are_cut_out(dut):
    """Every kind of node and of surroundings, on all links, with bad documents between the good ones."""
    bench = await started(dut)
    await registered(bench)
    for document in NAMED:
        bench.publish(document)
        if bench.random.random() < 0.5:
            bench.publish(document[: bench.random.randrange(len(document))])
    found = await bench.settled()
    seen = 0
    for number, document in enumerate(bench.documents):
        expected = due(document, links=bench.config.links) if document in NAMED else {}
        assert found[number] == expected, document
        assert all(bench.carried[number, reference] == SELECTED for reference in expected)
        seen += len(expected)
    assert seen >= 60
    assert await bench.counted("without_content") == 0


@cocotb.test()
async def random_documents_are_cut_right(dut):
    """Random documents back to back, more than the ring holds at once, some of them bad."""
    bench = await started(dut)
    await registered(bench)
    chance = bench.random
    expected = []
    for turn in range(parameters()["documents"]):
        document = random_document(chance, chance.choice((8, 30, 90, 200)))
        good = turn % 5 != 4
        bench.publish(document if good else document[:-1])
        expected.append(due(document, links=bench.config.links) if good else {})
    found = await bench.settled(within=200000)
    entries = bench.config.selected
    for number, wanted in enumerate(expected):
        document = bench.documents[number]
        assert found[number].keys() == wanted.keys(), document
        for reference, (link, body) in wanted.items():
            if bench.carried[number, reference] == HEADER:
                # it must have had a reason: at most two entries for each node and expression
                nodes = sum(2 * (body.count(b"<") + body.count(b"=")) for _, body in wanted.values())
                assert nodes > entries, document
                assert found[number][reference] == (link, b"")
            else:
                assert found[number][reference] == (link, body), document


@cocotb.test()
async def contents_of_all_kinds_share_an_expression(dut):
    """The same expression for nodes, for publications, for headers and for containment; `/e[@a]` and `/e/@a` share their bits as well."""
    bench = await started(dut)
    links = bench.config.links
    for reference, (text, content, containment) in enumerate(
        (
            ("/r/a", HEADER, False),
            ("/r/a", SELECTED, False),
            ("/r/a", WHOLE, False),
            ("/r/a", SELECTED, True),
            ("/r/a[@k]", SELECTED, False),
            ("/r/a/@k", SELECTED, False),
            ("/r/a/@k", HEADER, False),
        )
    ):
        bench.subscribe(reference, text, content=content, link=reference % links, containment=containment)
    assert await bench.answers(7) == [0] * 7
    document = b"<r><a k='1'>x</a><b/><a>y</a><a m='' k=\"2\"/></r>"
    for _ in range(3):
        bench.publish(document)
    found = await bench.settled()
    nodes = b"<a k='1'>x</a><a>y</a><a m='' k=\"2\"/>"
    with_k = b"<a k='1'>x</a><a m='' k=\"2\"/>"
    bodies = [b"", nodes, document, b"", with_k, b"k='1'k=\"2\"", b""]
    kinds = [HEADER, SELECTED, WHOLE, HEADER, SELECTED, SELECTED, HEADER]
    for number in range(3):
        assert found[number] == {reference: (reference % links, body) for reference, body in enumerate(bodies)}
        assert [bench.carried[number, reference] for reference in range(7)] == kinds
    # containment selects no nodes
    assert await bench.counted("without_content") == 3


@cocotb.test()
async def what_does_not_fit_says_so(dut):
    """As many nodes as the log holds, and one more; as many bytes as the ring holds, and one more. The next document is whole again."""
    bench = await started(dut)
    await registered(bench, ("//a", "/r/b"))
    entries, ring = bench.config.selected, bench.config.xram_bytes
    exact = b"<r>" + b"<a/>" * entries + b"</r>"
    above = b"<r>" + b"<a/>" * (entries + 1) + b"</r>"
    after = b"<r><a/>1<b/></r>"
    # the log is about all subscriptions together
    mixed = b"<r>" + b"<a/>" * entries + b"<b/></r>"
    long = b"<r><a/>" + b"x" * (ring - 11) + b"</r>"
    longer = b"<r><a/>" + b"x" * (ring - 10) + b"</r>"
    documents = [exact, above, after, mixed, after, long, longer, after, above, exact, long, above, after]
    for document in documents:
        bench.publish(document)
    found = await bench.settled()
    short = 0
    for number, document in enumerate(documents):
        wanted = due(document, ("//a", "/r/b"), bench.config.links)
        fits = document not in (above, mixed, longer)
        for reference, (link, body) in wanted.items():
            assert found[number][reference] == (link, body if fits else b""), (number, reference)
            assert bench.carried[number, reference] == (SELECTED if fits else HEADER)
        assert found[number].keys() == wanted.keys()
        short += 0 if fits else len(wanted)
    assert await bench.counted("without_content") == short > 3


@cocotb.test()
async def rings_full_of_nodes_keep_apart(dut):
    """Documents of nothing but short nodes, deep and flat, fill the ring behind each other while the notifications wait."""
    bench = await started(dut)
    await registered(bench, ("/r/b", "//z"))
    ring, depth = bench.config.xram_bytes, bench.config.depth - 2
    flat = b"<r><b>" + b"<a/>" * ((ring // 2 - 20) // 4) + b"</b></r>"
    deep = b"<r><b>" + b"<a>" * (depth - 1) + b"<z/>" + b"</a>" * (depth - 1) + b"</b></r>"
    open_ = b"<r>" + b"<b>" * depth
    documents = [flat, deep, open_, flat, open_, open_, deep, flat, deep, deep, deep, deep, flat, open_, flat]
    for sink in bench.links:
        sink.stall = 0.9
    for document in documents:
        bench.publish(document)
    found = await bench.settled(within=200000)
    for number, document in enumerate(documents):
        assert found[number] == ({} if document is open_ else due(document, ("/r/b", "//z"), bench.config.links)), number
    assert await bench.counted("without_content") == 0


@cocotb.test()
async def nodes_follow_subscriptions_that_change(dut):
    """A subscription that wants nodes comes to share a run, leaves it, and its place is taken by another one."""
    bench = await started(dut)
    document = b"<r><a k='1'/><b><a>2</a></b></r>"
    bench.subscribe(1, "//a", content=HEADER)
    bench.subscribe(2, "//a", content=SELECTED)
    assert await bench.answers(2) == [0, 0]
    bench.publish(document)
    assert (await bench.settled())[0] == {1: (0, b""), 2: (0, b"<a k='1'/><a>2</a>")}
    bench.unsubscribe(2)
    bench.unsubscribe(1)
    bench.subscribe(3, "//b", content=SELECTED)
    bench.subscribe(2, "//a/@k", content=SELECTED, link=1)
    assert await bench.answers(6) == [0] * 6
    bench.publish(document)
    assert (await bench.settled())[1] == {3: (0, b"<b><a>2</a></b>"), 2: (1, b"k='1'")}
    # the t-SID that selected attributes selects elements now
    bench.unsubscribe(2)
    bench.subscribe(4, "//a[@k]", content=SELECTED, link=1)
    assert await bench.answers(8) == [0] * 8
    bench.publish(document)
    assert (await bench.settled())[2] == {3: (0, b"<b><a>2</a></b>"), 4: (1, b"<a k='1'/>")}


@cocotb.test()
async def reset_in_the_middle_of_nodes(dut):
    """After a reset while nodes are being selected and sent, the next notifications are right."""
    bench = await started(dut)
    for wait in (60, 90, 130, 170):
        await registered(bench)
        for document in NAMED[3:5] * 2:
            bench.publish(document)
        await bench.clocks(wait)
        await bench.reset()
        bench.documents.clear()
        bench.begins.clear()
    await registered(bench)
    bench.publish(NAMED[2])
    bench.publish(NAMED[4])
    found = await bench.settled()
    for number, document in enumerate((NAMED[2], NAMED[4])):
        assert found[number] == due(document, links=bench.config.links)
