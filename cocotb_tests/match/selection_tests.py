"""Coroutines for the selection log: rows as the engine gives them, against a list of what must be in it."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench, pack, parameters, unpack
from hdl.config import BrokerConfig
from hdl.match.ops import RowHits
from hdl.shapes.notification import SELECTED_STEPS, SelectedDocument, SelectedNode, SelectMark
from hdl.shapes.widths import row_width

OVERRUN = 8


class Rows:
    """The engine's side: a row a clock as long as there is room, and up to eight more."""

    def __init__(self, bench, idle):
        self.bench, self.idle, self.queue = bench, idle, []
        bench.dut.hits_valid.value = 0

    async def run(self):
        dut, chance = self.bench.dut, self.bench.random
        credit = 0
        while True:
            await FallingEdge(dut.clk)
            credit = OVERRUN if dut.room.value == 1 else max(credit - 1, 0)
            await RisingEdge(dut.clk)
            dut.hits_valid.value = 0
            if self.queue and credit and chance.random() >= self.idle:
                dut.hits.value = pack(RowHits(self.bench.config), self.queue.pop(0))
                dut.hits_valid.value = 1

    def forget(self):
        self.queue.clear()
        self.bench.dut.hits_valid.value = 0


class LogBench(Bench):
    """The log with its documents taken by the bench; ``mirror`` is what each place must hold."""

    def __init__(self, dut, *, idle=0.0, stall=0.0):
        super().__init__(dut)
        self.config = BrokerConfig(**parameters()["config"])
        self.rows = Rows(self, idle)
        self.agents.append(self.rows)
        self.documents = self.sink("o", SelectedDocument(self.config), stall=stall)
        dut.mark__valid.value = 0
        dut.begin.value = 0
        dut.read__addr.value = 0
        self.wanted = set()

    async def want(self, step, *, wanted=True, shared=False):
        """A subscription with that last bit is accepted."""
        self.dut.mark__payload.value = pack(SelectMark(self.config), {"step": step, "wanted": int(wanted), "shared": int(shared)})
        self.dut.mark__valid.value = 1
        await RisingEdge(self.dut.clk)
        self.dut.mark__valid.value = 0
        await self.clocks(8)
        if wanted:
            self.wanted.add(step)
        elif not shared:
            self.wanted.discard(step)

    async def entry(self, place):
        """What the log holds there."""
        self.dut.read__addr.value = place % self.config.selected
        await self.clocks(4)
        return unpack(SelectedNode(self.config), int(self.dut.read__data.value))

    def groups(self, steps):
        """The wanted ones of these steps, as entries of the log by place."""
        found = {}
        for step in sorted(set(steps) & self.wanted):
            place, bit = divmod(step, SELECTED_STEPS)
            found[place] = found.get(place, 0) | 1 << bit
        return sorted(found.items())

    def give(self, op, node, steps, *, good=0):
        """The rows of an operation, a slice each."""
        width, slices = row_width(self.config), self.config.slices
        for number in range(slices):
            row = sum(1 << step - number * width for step in steps if number * width <= step < (number + 1) * width)
            flags = {op: 1} if op != "start" else {"final": int(number == slices - 1)}
            self.rows.queue.append({"row": row, "slice": number, "node": node} | flags)

    def document(self, chance, tags, density):
        """Rows of a random document; returns its entries, and whether the ends come in order."""
        steps = range(self.config.steps)
        entries, ends, node = [], [], 0
        for _ in range(tags):
            listed = []
            owner, node = node, node + 1
            for _ in range(chance.choice((0, 0, 1, 2))):
                chosen = chance.sample(steps, chance.choice((0, 1, density)))
                self.give("attribute", node, chosen)
                listed += [(place, bits, node, 1) for place, bits in self.groups(chosen)]
                node += 1
            chosen = chance.sample(steps, chance.choice((0, 0, 1, density)))
            self.give("start", owner, chosen)
            accepted = [(place, bits, owner, 0) for place, bits in self.groups(chosen)]
            entries += listed + accepted if accepted else []
            if chance.random() < 0.3:
                chosen = chance.sample(steps, chance.choice((0, 1, 2)))
                ended = chance.randrange(node)
                self.give("end", ended, chosen)
                if found := self.groups(chosen):
                    ends += [ended] * len(found)
                    entries += [(place, bits, ended, 0) for place, bits in found]
        return entries, ends == sorted(ends)

    def done(self, good=True):
        """The end of a document."""
        self.rows.queue.append({"done": 1, "good": int(good)})


@cocotb.test()
@cocotb.parametrize(stress=[0.0, 0.5])
async def documents_lie_one_behind_the_other(dut, stress):
    """Random documents, good, bad and too long: each is in the log as it should, while earlier ones are given back one by one."""
    bench = LogBench(dut, idle=stress, stall=stress)
    await bench.reset()
    chance, size = bench.random, bench.config.selected
    for step in chance.sample(range(bench.config.steps), bench.config.steps // 3):
        await bench.want(step)
    for step in chance.sample(sorted(bench.wanted), 5):
        await bench.want(step, wanted=False, shared=True)
    for step in chance.sample(sorted(bench.wanted), 5):
        await bench.want(step, wanted=False)
    begin, held, seen = 0, [], 0
    for turn in range(parameters()["documents"]):
        good = chance.random() < 0.8
        entries, ordered = bench.document(chance, chance.choice((0, 1, 4, 10)), chance.choice((2, 12)))
        bench.done(good)
        held.append((entries if good else [], ordered, good))
        # one or two wait, as in the broker
        while len(held) > chance.choice((0, 1)):
            items = await bench.documents.receive(turn + 2 - len(held), within=20000)
            document = items[turn + 1 - len(held)]
            expected, in_order, was_good = held.pop(0)
            if document["whole"]:
                assert (document["end"] - begin) % (2 * size) == len(expected), turn
                for offset, (place, bits, node, attribute) in enumerate(expected):
                    found = await bench.entry(begin + offset)
                    assert found == {"steps": bits, "place": place, "node": node, "attribute": attribute}, (turn, offset)
                assert document["sorted"] == in_order or not was_good
                seen += len(expected)
            begin = document["end"]
            dut.begin.value = begin
    await bench.clocks(300)
    assert dut.idle.value == 1
    assert seen > 50
    assert len(bench.documents.items) == parameters()["documents"]


@cocotb.test()
async def a_document_fills_the_log_to_the_last_place(dut):
    """As many entries as there are places, then one more, at every place of the ring; a document in front of it makes it wait."""
    bench = LogBench(dut)
    await bench.reset()
    await bench.want(3)
    size = bench.config.selected
    begin = 0
    for count, whole in ((size, 1), (size + 1, 0), (1, 1), (size, 1), (size - 1, 1), (size + 9, 0), (size, 1)):
        before = len(bench.documents.items)
        bench.give("start", 7, [3])
        bench.done()
        for number in range(count):
            bench.give("start", number % 256, [3])
        bench.done()
        await bench.documents.receive(before + 1, within=2000)
        await bench.clocks(40 + 6 * size)
        # the second one does not fit behind the first unless it is short
        assert (len(bench.documents.items) == before + 2) == (count < size - 6), count
        begin = bench.documents.items[before]["end"]
        dut.begin.value = begin
        await bench.documents.receive(before + 2, within=40 * size)
        document = bench.documents.items[before + 1]
        assert document["whole"] == whole, count
        if whole:
            assert (document["end"] - begin) % (2 * size) == count
            assert (await bench.entry(begin + count - 1))["node"] == (count - 1) % 256
        begin = document["end"]
        dut.begin.value = begin
        await bench.clocks(3)
