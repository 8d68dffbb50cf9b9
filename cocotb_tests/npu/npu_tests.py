"""Coroutines for the NPU: every matched t-SID becomes one frame, on its link, with the bytes that it asked for."""

from collections import defaultdict

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench, pack, parameters
from hdl.config import BrokerConfig
from hdl.contract import Code, Verdict
from hdl.shapes.notification import MatchedWord, SelectedDocument, SelectedNode
from hdl.shapes.publication import DocumentWord, NodeSpan, Outcome, VerdictWord
from hdl.shapes.subscription import SmtEntry
from hdl.shapes.widths import tsid_width

SELECTED, WHOLE, HEADER = 0, 1, 2


def words(document: bytes) -> list[dict[str, int]]:
    """A document as words, written out by hand."""
    pieces = [document[start : start + 4] for start in range(0, len(document), 4)] or [b""]
    return [
        {"data": int.from_bytes(piece, "little"), "count": len(piece), "last": int(index == len(pieces) - 1)}
        for index, piece in enumerate(pieces)
    ]


class Table:
    """The SMT on the NPU's look-up port: an entry a few clocks after its t-SID, one at a time."""

    def __init__(self, bench, entries):
        self.bench, self.entries = bench, entries
        dut = bench.dut
        dut.o_lookup__ready.value = 0
        dut.i_lookup__valid.value = 0

    async def run(self):
        dut = self.bench.dut
        while True:
            dut.o_lookup__ready.value = 1
            await FallingEdge(dut.clk)
            asked = dut.o_lookup__valid.value == 1
            tsid = int(dut.o_lookup__payload.value) if asked else 0
            await RisingEdge(dut.clk)
            if not asked:
                continue
            dut.o_lookup__ready.value = 0
            for _ in range(self.bench.random.choice((1, 1, 2, 5))):
                await RisingEdge(dut.clk)
            osid, reference, semantics, content, link = self.entries[tsid]
            key = {"osid": int.from_bytes(osid, "little"), "reference": int.from_bytes(reference, "little")}
            dut.i_lookup__payload.value = pack(SmtEntry, {"key": key, "semantics": semantics, "content": content, "link": link})
            dut.i_lookup__valid.value = 1
            await FallingEdge(dut.clk)
            while dut.i_lookup__ready.value != 1:
                await FallingEdge(dut.clk)
            await RisingEdge(dut.clk)
            dut.i_lookup__valid.value = 0

    def forget(self):
        self.bench.dut.i_lookup__valid.value = 0


class NpuBench(Bench):
    """Documents, verdicts and matched sets in; frames out. ``blocked`` links are not read."""

    def __init__(self, dut, *, idle=0.0, stall=0.0, blocked=()):
        super().__init__(dut)
        self.config = BrokerConfig(**parameters()["config"])
        chance = self.random
        # t-SID to (o-SID bytes, reference bytes, semantics, content, link); kept apart from the frame builder under test.
        self.entries = {
            tsid: (
                bytes([tsid % 256, *([7, 9][: tsid % 3])]).ljust(8, b"\0"),
                chance.randbytes(4),
                tsid % 2,
                (HEADER, WHOLE, SELECTED)[chance.choice((0, 0, 1, 2))],
                tsid % self.config.links,
            )
            for tsid in range(1, self.config.subscriptions + 1)
        }
        self.loader = self.source("publication", DocumentWord, idle=idle)
        self.parser = self.sink("parsed", DocumentWord, stall=stall)
        self.verdicts = self.source("i_verdict", VerdictWord, idle=idle)
        self.matched = self.source("i_matched", MatchedWord(self.config), idle=idle)
        self.selected = self.source("i_selected", SelectedDocument(self.config), idle=idle)
        self.outcomes = self.sink("o_outcome", Outcome(self.config), stall=stall)
        self.links = [self.sink(f"link{link}", DocumentWord, stall=1.0 if link in blocked else stall) for link in range(self.config.links)]
        self.agents.append(Table(self, self.entries))
        dut.keep.value = 1
        dut.write_entry.value = dut.write_span.value = 0
        self.end = 0
        self.published = 0
        self.position = 0
        assert tsid_width(self.config) == len(dut.o_lookup__payload)

    def step(self, tsid):
        """The last bit of a subscription's run; some have neighbours in a group of the log."""
        return tsid * 5

    async def select(self, document, nodes, *, whole, ordered, good=1):
        """Write the node map and the selection log of the next document: ``nodes`` are the spans of the nodes that each t-SID selects."""
        dut, config, chance = self.dut, self.config, self.random
        ring = config.xram_bytes
        spans = sorted({span for chosen in nodes.values() for span in chosen})
        numbers = {}
        for span in spans:
            numbers[span] = len(numbers) + (0 if len(spans) > len(document) // 4 else 1)
        groups = defaultdict(lambda: defaultdict(int))
        alone = []
        for tsid, chosen in nodes.items():
            place, bit = divmod(self.step(tsid), 16)
            for span in chosen:
                if tsid & 4:
                    accepted = {"steps": 1 << bit, "place": place, "node": chance.randrange(ring // 4)}
                    alone.append((numbers[span], [{**accepted, "node": numbers[span], "attribute": 1}, accepted]))
                else:
                    groups[numbers[span]][place] |= 1 << bit
        for number, places in groups.items():
            alone += [(number, [{"steps": bits, "place": place, "node": number}]) for place, bits in places.items()]
        alone.sort(key=lambda one: one[0])
        if not ordered:
            chance.shuffle(alone)
        entries = [entry for _, several in alone for entry in several]
        assert len(entries) <= config.selected
        while (self.end - int(dut.selected_begin.value)) % (2 * config.selected) + len(entries) > config.selected:
            await RisingEdge(dut.clk)
        for offset, entry in enumerate(entries):
            dut.write_address.value = (self.end + offset) % config.selected
            dut.entry.value = pack(SelectedNode(config), entry)
            dut.write_entry.value = 1
            await RisingEdge(dut.clk)
        dut.write_entry.value = 0
        start = self.position - len(words(document))
        if len(document) <= ring:
            for (first, last), number in numbers.items():
                dut.write_address.value = (start + number) % (ring // 4)
                span = {"start": (4 * start + first) % ring, "end": (4 * start + last - 1) % ring}
                dut.span.value = pack(NodeSpan(config), span)
                dut.write_span.value = 1
                await RisingEdge(dut.clk)
            dut.write_span.value = 0
        self.end = (self.end + len(entries)) % (2 * config.selected)
        self.selected.send([{"end": self.end, "whole": int(whole), "sorted": int(ordered), "good": int(good)}])

    async def publish(self, document, tsids, *, code=Code.OK, over=False, loaded=False, nodes=None, whole=True, ordered=True):
        """Load a document unless that is under way, wait until the parser's side has taken it, then give its verdict and matched set."""
        if not loaded:
            self.loader.send(words(document))
        self.position += len(words(document))
        await self.parser.receive(self.position, within=40000)
        good = int(code is Code.OK and not over)
        await self.select(document, nodes or {}, whole=whole, ordered=ordered, good=good)
        offset = 0 if code is Code.OK else 3
        self.verdicts.send([{"verdict": int(code.verdict), "code": int(code), "offset": offset, "bytes": len(document)}])
        self.matched.send([{"tsid": tsid, "good": 1, "step": self.step(tsid)} for tsid in tsids])
        self.matched.send([{"end": 1, "good": good, "over": int(over), "count": len(tsids) if good else 0}])
        self.published += 1

    def frames(self, link):
        """The packets that a link got, as bytes."""
        found, current = [], b""
        for word in self.links[link].items:
            current += word["data"].to_bytes(4, "little")[: word["count"]]
            if word["last"]:
                found.append(current)
                current = b""
        assert not current, f"link {link} ends inside a frame"
        return found

    def frame(self, tsid, number, document, whole, chosen=None):
        """The frame due, byte by byte as docs/formats.md says; ``chosen`` are the spans of the selected nodes."""
        osid, reference, _, content, link = self.entries[tsid]
        body = document if content == WHOLE and whole else b""
        carried = WHOLE if body else HEADER
        if content == SELECTED and whole and chosen:
            carried, body = SELECTED, b"".join(document[first:last] for first, last in sorted(chosen))
        options = carried << 1 | link << 4
        return b"n" + bytes([options]) + number.to_bytes(2, "big") + osid + reference + len(body).to_bytes(4, "big") + body


def some_spans(chance, length):
    """A few nodes of a document: their first bytes differ, otherwise they may lie as they like."""
    firsts = chance.sample(range(length), min(chance.choice((1, 1, 2, 5)), max(length // 8, 1)))
    return [(first, min(length, first + chance.choice((1, 2, 3, 4, 5, 7, 30, 400)))) for first in firsts]


@cocotb.test()
@cocotb.parametrize(stress=[0.0, 0.5])
async def every_match_becomes_a_frame(dut, stress):
    """Random documents, good and bad, some longer than the ring: frames by link, outcomes and counters are those due."""
    bench = NpuBench(dut, idle=stress, stall=stress)
    await bench.reset()
    chance, ring = bench.random, bench.config.xram_bytes
    due, outcomes, short = defaultdict(list), [], 0
    further = [chance.randrange(1, 200) for _ in range(parameters()["documents"])]
    lengths = [1, 4, 5, 30, ring, ring + 1, 3 * ring + 2, 17, ring - 3, *further]
    documents = [chance.randbytes(length) for length in lengths]
    bench.loader.send([word for document in documents for word in words(document)])
    for number, (length, document) in enumerate(zip(lengths, documents, strict=True)):
        kind = chance.choice(("good", "good", "good", "bad", "over"))
        tsids = chance.sample(sorted(bench.entries), chance.choice((0, 1, 2, 5, 9)))
        code = Code.BAD_TAG if kind == "bad" else Code.OK
        fits, complete, ordered = length <= ring, chance.random() < 0.8, chance.random() < 0.5
        nodes = {}
        for tsid in tsids:
            if kind == "good" and bench.entries[tsid][3] == SELECTED and bench.entries[tsid][2] == 0:
                nodes[tsid] = some_spans(chance, length)
        await bench.publish(document, tsids, code=code, over=kind == "over", loaded=True, nodes=nodes, whole=complete, ordered=ordered)
        tsids = tsids if kind == "good" else []  # what a bad document matched before its end is void
        for tsid in tsids:
            entry = bench.entries[tsid]
            chosen = nodes.get(tsid) if complete else None
            due[entry[4]].append(bench.frame(tsid, number, document, fits, chosen))
            short += (entry[3] == SELECTED and not (chosen and fits)) or (entry[3] == WHOLE and not fits)
        if kind == "over":
            verdict = {"verdict": int(Verdict.OVER_LIMIT), "code": int(Code.NUMBER_DIGITS), "offset": length, "bytes": length}
        else:
            verdict = {"verdict": int(code.verdict), "code": int(code), "offset": 3 if kind == "bad" else 0, "bytes": length}
        outcomes.append({"verdict": verdict, "matches": len(tsids)})
    await bench.outcomes.receive(len(outcomes), within=40000)
    assert bench.outcomes.items == outcomes
    for link, sink in enumerate(bench.links):
        await sink.receive(sum(-(-len(frame) // 4) for frame in due[link]), within=40000)
    await bench.clocks(50)
    for link in range(bench.config.links):
        assert bench.frames(link) == due[link]
        assert int(getattr(dut, f"notified__{link}").value) == len(due[link]) % 32
    assert int(dut.without_content.value) == short % 32
    assert short > 0
    assert int(dut.hold.value) == 0
    assert int(dut.finished.value) == int(dut.begun.value) == bench.published


@cocotb.test()
async def a_blocked_link_stops_nobody_else(dut):
    """While one link is not read, the others get their notifications; when it is read again, nothing of it is lost."""
    bench = NpuBench(dut, blocked=(0,))
    await bench.reset()
    bench.entries.update({tsid: (*entry[:3], HEADER, entry[4]) for tsid, entry in bench.entries.items()})
    blocked = [tsid for tsid, entry in bench.entries.items() if entry[4] == 0][:4]
    others = [tsid for tsid, entry in bench.entries.items() if entry[4] != 0][:4]
    document = bytes(range(64, 100))
    due = defaultdict(list)
    for number in range(2):
        mixed = [tsid for pair in zip(blocked, others, strict=True) for tsid in pair]
        await bench.publish(document, mixed)
        for tsid in mixed:
            due[bench.entries[tsid][4]].append(bench.frame(tsid, number, document, True))
    await bench.clocks(600)
    assert not bench.links[0].items
    for link in range(1, bench.config.links):
        assert bench.frames(link) == due[link]
    # Far more than the queues hold: matching waits, and nothing is dropped.
    for number in range(2, 8):
        await bench.publish(document, blocked)
        due[0] += [bench.frame(tsid, number, document, True) for tsid in blocked]
    await bench.clocks(300)
    assert int(dut.hold.value) == 1
    bench.links[0].stall = 0.0
    await bench.links[0].receive(sum(len(frame) // 4 for frame in due[0]), within=5000)
    await bench.clocks(50)
    assert bench.frames(0) == due[0]


@cocotb.test()
async def bodies_of_several_links_overlap(dut):
    """Whole publications for every link at once share the ring's port without losing a clock of it to the headers of others."""
    bench = NpuBench(dut)
    await bench.reset()
    bench.entries.update({tsid: (*entry[:3], WHOLE, entry[4]) for tsid, entry in bench.entries.items()})
    document = bench.random.randbytes(bench.config.xram_bytes)
    tsids = list(range(1, bench.config.links + 1))
    await bench.publish(document, tsids)
    first = bench.now
    count = 5 + len(document) // 4
    for link in range(bench.config.links):
        await bench.links[link].receive(count, within=20000)
        tsid = next(tsid for tsid in tsids if bench.entries[tsid][4] == link)
        assert bench.frames(link) == [bench.frame(tsid, 0, document, True)]
    took = max(sink.clocks[-1] for sink in bench.links) - first
    assert took < bench.config.links * len(document) // 4 + 120, took


@cocotb.test()
async def nothing_is_held_unless_wanted(dut):
    """Without a subscription that wants publications, a ring's worth is loaded while the first matched set is still awaited."""
    bench = NpuBench(dut)
    await bench.reset()
    dut.keep.value = 0
    await bench.clocks(3)
    bench.loader.send([word for _ in range(8) for word in words(bytes(bench.config.xram_bytes // 2))])
    await bench.parser.receive(8 * bench.config.xram_bytes // 8, within=8 * bench.config.xram_bytes)
    assert int(dut.finished.value) == 0


@cocotb.test()
async def a_held_publication_waits_in_the_ring(dut):
    """With such a subscription, the bytes of a publication stay until it has been notified, and then loading goes on."""
    bench = NpuBench(dut)
    await bench.reset()
    tsid = 1
    bench.entries[tsid] = (*bench.entries[tsid][:3], WHOLE, 0)
    ring = bench.config.xram_bytes
    documents = [bench.random.randbytes(size) for size in (ring // 2, ring // 2 - 5, ring)]
    bench.loader.send([word for document in documents for word in words(document)])
    await bench.clocks(2 * ring)
    assert int(dut.finished.value) == 0
    assert len(bench.parser.items) == ring // 4
    for number, document in enumerate(documents):
        bench.selected.send([{"end": 0, "whole": 1, "sorted": 1, "good": 1}])
        bench.verdicts.send([{"verdict": 0, "code": 0, "offset": 0, "bytes": len(document)}])
        bench.matched.send([{"tsid": tsid, "good": 1}, {"end": 1, "good": 1, "count": 1}])
        await bench.clocks(3 * ring)
        assert bench.frames(0)[number] == bench.frame(tsid, number, document, True)
    assert len(bench.frames(0)) == len(documents)
    assert int(dut.without_content.value) == 0


@cocotb.test()
async def nodes_for_a_blocked_link_stop_nobody_else(dut):
    """A body longer than a link's queue is cut out for a link that is not read; the other links get theirs meanwhile."""
    bench = NpuBench(dut, blocked=(1,))
    await bench.reset()
    bench.entries.update({tsid: (*entry[:2], 0, SELECTED, entry[4]) for tsid, entry in bench.entries.items()})
    document = bench.random.randbytes(600)
    tsids = [1, 2, 3, 8]
    nodes = {1: [(3, 300), (5, 290), (7, 501)], 2: [(0, 1)], 3: [(1, 599), (2, 3)], 8: [(20, 25), (24, 31)]}
    await bench.publish(document, tsids, nodes=nodes)
    await bench.clocks(1500)
    due = {bench.entries[tsid][4]: [bench.frame(tsid, 0, document, True, nodes[tsid])] for tsid in tsids}
    for link in (0, 2, 3):
        assert bench.frames(link) == due[link]
    assert len(bench.links[1].items) == 0
    assert int(dut.finished.value) == 0
    bench.links[1].stall = 0.0
    await bench.clocks(1500)
    assert bench.frames(1) == due[1]
    assert int(dut.finished.value) == 1
