"""Coroutines for the node map: expat says where elements stand, their tags where attributes do."""

import re
from xml.parsers import expat

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.scbxp.bench import as_words
from cocotb_tests.streams import Bench, parameters, unpack
from hdl.config import BrokerConfig
from hdl.shapes.publication import DocumentWord, NodeSpan

_TAG = re.compile(rb"""<[^\s/>]+((\s+[^\s=/>"']+\s*=\s*("[^"]*"|'[^']*'))*)\s*(/?)>""")
_ATTRIBUTE = re.compile(rb"""[^\s=/>"']+\s*=\s*("[^"]*"|'[^']*')""")

DOCUMENTS = (
    b"<a/>",
    b"<a></a>",
    b"<a b=''/>",
    b"<a b=\"\"c:d='' />".replace(b'"c', b'" c'),
    b"<r><a/><a/><a/><a b='&lt;\"'/></r>",
    b"<r>" + b"<a>" * 4 + b"</a>" * 4 + b"<b k='' m=''/><b k=''>]</b ></r\n>",
    b"<r><![CDATA[<a/>]]><!--<a b=''>--><?p <a/>?>&amp;<a\nb\t=\r\n'>' /></r>",
    "\ufeff<?xml version='1.0' encoding='UTF-8'?><!DOCTYPE é [<!-- <a> -->]><é ñ='日本' m=\"é'\"><日/>€</é>".encode(),
    b"   <r>x<a>y</a>z</r>  ",
)


def nodes(document):
    """First and last byte of each element and attribute, in the order of their names."""
    parser = expat.ParserCreate()
    spans, unclosed = [], []

    def start(name, attributes):
        at = parser.CurrentByteIndex
        unclosed.append(len(spans))
        tag = _TAG.match(document, at)
        spans.append([at, tag.end() - 1 if tag[4] else None])
        spans.extend([found.start(), found.end() - 1] for found in _ATTRIBUTE.finditer(document, tag.start(1), tag.end(1)))

    def end(name):
        span = spans[unclosed.pop()]
        if span[1] is None:
            span[1] = document.index(b">", parser.CurrentByteIndex)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(document, True)
    return spans


def random_document(chance, size, depth):
    def element(level):
        name = chance.choice(("a", "b", "cc", "é"))
        attributes = "".join(
            f" {key}={chance.choice(('', ' '))}'{chance.choice(('', 'x', '&#x3e;'))}'" for key in "kmq"[: chance.choice((0, 0, 1, 3))]
        )
        if level == depth - 1 or chance.random() < 0.4:
            return f"<{name}{attributes}/>"
        inside = "".join(element(level + 1) for _ in range(chance.randrange(3))) + chance.choice(("", "", "x", "&lt;", "<!---->"))
        return f"<{name}{attributes}>{inside}</{name}>"

    body = ""
    while len(body) < size:
        body += element(1)
    return f"<r>{body}</r>".encode()


class Pauses:
    """Lets the lexer go on, but for random clocks."""

    def __init__(self, bench, stall):
        self.bench, self.stall = bench, stall
        bench.dut.go.value = 0

    async def run(self):
        while True:
            self.bench.dut.go.value = int(self.bench.random.random() >= self.stall)
            await RisingEdge(self.bench.dut.clk)

    def forget(self):
        self.bench.dut.go.value = 0


class MapBench(Bench):
    """Documents in, and the map read back."""

    def __init__(self, dut, *, idle=0.0, stall=0.0):
        super().__init__(dut)
        self.config = BrokerConfig(**parameters()["config"])
        self.source_ = self.source("i", DocumentWord, idle=idle)
        self.agents.append(Pauses(self, stall))
        dut.hold_valid.value = dut.hold.value = dut.address.value = 0
        self.words, self.sent = 0, 0

    def send(self, document):
        """Queue a document; returns its word position."""
        position = self.words
        self.source_.send(as_words(document))
        self.words += len(as_words(document))
        self.sent += 1
        return position

    async def finished(self, count, within=20000):
        for _ in range(within):
            if int(self.dut.ended.value) >= count:
                await self.clocks(8)
                return
            await RisingEdge(self.dut.clk)
        raise AssertionError(f"only {int(self.dut.ended.value)} of {count} documents ended")

    async def check(self, document, position):
        """Every node of the document is where it should be."""
        ring = self.config.xram_bytes
        for number, (first, last) in enumerate(nodes(document)):
            self.dut.address.value = (position + number) % (ring // 4)
            await self.clocks(4)
            found = unpack(NodeSpan(self.config), int(self.dut.span.value))
            due = {"start": (4 * position + first) % ring, "end": (4 * position + last) % ring}
            assert found == due, (document, number)


@cocotb.test()
@cocotb.parametrize(stress=[0.0, 0.4])
async def every_node_is_mapped(dut, stress):
    """Documents of every kind, with bad ones between them, wherever they come to lie in the ring."""
    bench = MapBench(dut, idle=stress, stall=stress)
    await bench.reset()
    chance = bench.random
    documents = [
        *DOCUMENTS,
        *(random_document(chance, chance.choice((4, 20, 90, 300)), bench.config.depth) for _ in range(parameters()["documents"])),
    ]
    for document in documents:
        if chance.random() < 0.5:
            bench.send(document[: chance.randrange(len(document))])
        position = bench.send(document)
        await bench.finished(bench.sent)
        await bench.check(document, position)


@cocotb.test()
async def what_is_held_is_not_touched(dut):
    """Nothing but start tags behind a held document that fills the ring with nodes: the lexer waits until the hold moves on."""
    bench = MapBench(dut)
    await bench.reset()
    words, depth = bench.config.xram_bytes // 4, bench.config.depth
    for spare in (0, 3, 9, 20, 40):
        inner = words - spare - depth - 4
        held = b"<r>" + b"<a/>" * inner + b"</r>"
        position = bench.send(held)
        dut.hold.value = position
        dut.hold_valid.value = 1
        await bench.finished(bench.sent)
        opened = b"<r>" + b"<b>" * (depth - 1)
        follows = bench.send(opened + b"</b>" * (depth - 1) + b"</r>")
        await bench.clocks(600)
        await bench.check(held, position)
        waited = dut.room.value == 0
        dut.hold.value = follows
        await bench.finished(bench.sent)
        await bench.check(opened + b"</b>" * (depth - 1) + b"</r>", follows)
        dut.hold_valid.value = 0
        assert waited or spare > 0
