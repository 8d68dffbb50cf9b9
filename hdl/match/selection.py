"""The selection log: which steps selected which nodes of a document, for the notifications that carry them [T 5.3.4]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2, exact_log2

from hdl.match.bits import few, lone
from hdl.match.ops import RowHits
from hdl.shapes.notification import SELECTED_STEPS, SelectedDocument, SelectedNode, SelectMark
from hdl.shapes.widths import log_width, node_width, row_width
from hdl.stream import BlockRam, StreamFifo

__all__ = ["SelectionLog"]

_QUEUE = 16
_SLACK = 13
"""Rows that may still come when there is no more room."""
_RESERVE = 7
"""Entries that may still come when no more are let in."""


class SelectionLog(wiring.Component):
    """Writes down the nodes that subscriptions select, of those subscriptions alone that want them.

    The log is a ring of ``config.selected`` entries, in which the documents lie one behind the other; the room of a document is given
    back when it has been notified. A document waits for the room of earlier ones; one that fills the whole ring by itself is void.
    A log of no entries is void for every document.
    A row without a wanted step takes nothing, another one a clock for each 16 steps with a hit. Entries of attributes stay only if a
    subscription selects something of their tag, those of a document only if it is good.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    hits, hits_valid : In(RowHits(config)), In(1)
        Rows of the engine; up to 11 may follow when ``room`` falls.
    room : Out(1)
    mark : In(stream.Signature(SelectMark(config), always_ready=True))
        A subscription has been accepted. One at a time.
    marking : Out(1)
        It is not heeded yet; a document that begins now would be matched without it.
    idle : Out(1)
        Nothing of a document is under way.
    o : Out(stream.Signature(SelectedDocument(config)))
        One per document.
    begin : In
        Where the entries that are still needed begin, modulo twice the size of the log.
    read : Out(memory.ReadPort.Signature(...))
        An entry, two clocks after its address.
    """

    def __init__(self, config):
        self._config = config
        self._width = log_width(config)
        super().__init__(
            {
                "hits": In(RowHits(config)),
                "hits_valid": In(1),
                "room": Out(1),
                "mark": In(stream.Signature(SelectMark(config), always_ready=True)),
                "marking": Out(1),
                "idle": Out(1),
                "o": Out(stream.Signature(SelectedDocument(config))),
                "begin": In(self._width + 1),
                "read": Out(memory.ReadPort.Signature(addr_width=self._width, shape=SelectedNode(config))),
            }
        )

    def elaborate(self, platform):
        return self._log() if self._config.selected else self._nothing()

    def _nothing(self):
        """No log: that of every document is void."""
        m = Module()
        m.submodules.ends = ends = StreamFifo(1, _QUEUE)
        m.d.comb += [
            ends.i.valid.eq(self.hits_valid & self.hits.done),
            ends.i.payload.eq(self.hits.good),
            ends.o.ready.eq(self.o.ready),
            self.o.valid.eq(ends.o.valid),
            self.o.payload.good.eq(ends.o.payload),
            self.idle.eq((ends.level == 0) & ~self.hits_valid),
        ]
        m.d.sync += self.room.eq(ends.level <= _QUEUE - _SLACK)
        return m

    def _log(self):
        m = Module()
        config = self._config
        width, slices = row_width(config), config.slices
        chunks = width // SELECTED_STEPS
        chunk_bits, slice_bits = ceil_log2(chunks), ceil_log2(slices)
        bit_bits = exact_log2(SELECTED_STEPS)
        m.submodules.entries = entries = BlockRam(shape=SelectedNode(config), depth=config.selected, output_register=True)
        m.d.comb += [entries.read[0].addr.eq(self.read.addr), entries.read[0].en.eq(1), self.read.data.eq(entries.read[0].data)]

        # Rows with a hit in a group that has a wanted step, and ends of documents and of tags with listed attributes.
        # which groups of a slice have a wanted step; after a reset nothing is known until they have been cleared
        m.submodules.groups = groups = memory.Memory(shape=chunks, depth=max(slices, 2), init=[])
        groups_read, groups_mark, groups_write = groups.read_port(domain="comb"), groups.read_port(domain="comb"), groups.write_port()
        clearing, cleared = Signal(init=1), Signal(slice_bits)
        m.d.sync += cleared.eq(cleared + 1)
        with m.If(cleared == slices - 1):
            m.d.sync += clearing.eq(0)
        shape = data.StructLayout({"hits": RowHits(config), "some": chunks, "lone": 1})
        row = Signal(shape)
        row_valid, row_some, row_stays, row_final = Signal(), Signal(), Signal(), Signal()
        mine = Signal(chunks)
        some = Cat(mine[n] & ~self.hits.done & self.hits.row[n * SELECTED_STEPS : (n + 1) * SELECTED_STEPS].any() for n in range(chunks))
        m.d.comb += [groups_read.addr.eq(self.hits.slice), mine.eq(groups_read.data)]
        m.d.sync += [
            row_valid.eq(self.hits_valid),
            row.hits.eq(self.hits),
            row.some.eq(some),
            row_some.eq(some.any()),
            row_stays.eq(self.hits_valid & (some.any() | self.hits.done)),
            row_final.eq(self.hits_valid & self.hits.final),
        ]
        listed = Signal()
        closes = Signal()
        m.submodules.rows = rows = StreamFifo(shape, _QUEUE, promised=True)
        m.d.comb += [
            closes.eq(row_final & listed),
            rows.i.payload.eq(row),
            rows.i.payload.lone.eq(lone(row.some)),
            rows.i.payload.hits.final.eq(closes),
            rows.i.valid.eq(row_stays | closes),
        ]
        with m.If(row_valid):
            with m.If(row.hits.attribute):
                m.d.sync += listed.eq(listed | row_some)
            with m.Elif(closes | row.hits.done):
                m.d.sync += listed.eq(0)
        m.d.sync += self.room.eq(rows.level <= _QUEUE - _SLACK)

        # One group after the other, as long as there is room behind the entries of earlier documents. Nothing waits from here on but the
        # end of a document, behind which nothing is let in.
        item_shape = data.StructLayout(
            {
                "attribute": 1,
                "end": 1,
                "done": 1,
                "steps": SELECTED_STEPS,
                "place": chunk_bits + slice_bits,
                "node": node_width(config),
                "final": 1,
                "good": 1,
            }
        )
        items = [Signal(item_shape, name=f"item{n}") for n in range(3)]
        # the group that is taken next and its row
        picked = Signal(data.StructLayout({"hits": RowHits(config), "chunk": chunk_bits, "some": 1}))
        picks = Signal()
        valid = Signal(3)
        mark, marked = Signal(SelectMark(config)), Signal()
        admits = Signal()
        ending = Signal()
        issue = Signal()
        gone = Signal(chunks)
        left = Signal(chunks)
        others = Signal(chunks)
        begun, nearly = Signal(), Signal()  # a group of the row was taken before; one more is the last
        ends = Signal()
        head = rows.o.payload
        chosen = Signal(range(max(chunks, 2)))
        m.d.comb += [
            issue.eq(rows.o.valid & admits & ~ending & ~marked),
            left.eq(head.some & ~gone),
            others.eq(left & (left - 1)[:chunks]),
            ends.eq(Mux(begun, nearly, head.lone)),
            rows.o.ready.eq(issue & ends),
        ]
        for n in reversed(range(chunks)):
            with m.If(left[n]):
                m.d.comb += chosen.eq(n)
        with m.If(issue):
            m.d.sync += [gone.eq(Mux(ends, 0, head.some & ~others)), begun.eq(~ends), nearly.eq(few(left))]
        hits = picked.hits
        m.d.sync += [
            picks.eq(issue),
            picked.hits.eq(head.hits),
            picked.hits.final.eq(head.hits.final & ends),
            picked.chunk.eq(chosen),
            # a row without a group only ends something
            picked.some.eq(left.any()),
            valid.eq(Cat(picks, valid[:2])),
            items[0].attribute.eq(hits.attribute),
            items[0].end.eq(hits.end),
            items[0].done.eq(hits.done),
            items[0].steps.eq(Mux(picked.some, hits.row.word_select(picked.chunk, SELECTED_STEPS) if chunks > 1 else hits.row, 0)),
            items[0].place.eq(Cat(picked.chunk, hits.slice)),
            items[0].node.eq(hits.node),
            items[0].final.eq(hits.final),
            items[0].good.eq(hits.good),
        ]

        # The steps that are wanted; a new mark waits until they are not in use.
        attrs = {"ram_style": "distributed"}
        m.submodules.wanted = wanted = memory.Memory(shape=SELECTED_STEPS, depth=max(slices * chunks, 2), init=[], attrs=attrs)
        wanted_read, wanted_write = wanted.read_port(domain="comb"), wanted.write_port()
        # Their place is chosen a clock before they are read, and they are heeded in the clock after.
        wanted_place, wanted_steps = Signal(chunk_bits + slice_bits), Signal(SELECTED_STEPS)
        phase = Signal(4)  # chosen, read, changed, written
        place = mark.step[bit_bits:]
        bit = Signal(SELECTED_STEPS)
        before, after = Signal(SELECTED_STEPS), Signal(SELECTED_STEPS)
        known = groups_mark.data.bit_select(place[:chunk_bits], 1)
        m.d.comb += [
            groups_mark.addr.eq(place[chunk_bits:]),
            groups_write.addr.eq(Mux(clearing, cleared, place[chunk_bits:])),
            groups_write.data.eq(groups_mark.data),
            groups_write.en.eq(clearing | phase[2]),
            wanted_read.addr.eq(wanted_place),
            bit.eq(Const(1, SELECTED_STEPS) << mark.step[:bit_bits]),
            wanted_write.addr.eq(place),
            wanted_write.data.eq(after),
            wanted_write.en.eq(phase[2]),
            self.marking.eq(marked | self.mark.valid | clearing),
            self.idle.eq(~picks & ~valid.any() & ~ending & (rows.level == 0) & ~row_valid & ~self.hits_valid),
        ]
        m.d.sync += [
            phase.eq(Cat(marked & ~picks & ~valid[0] & ~clearing & (phase == 0), phase)),
            wanted_place.eq(Mux(picks, Cat(picked.chunk, hits.slice), place)),
            wanted_steps.eq(wanted_read.data),
            before.eq(Mux(known, wanted_read.data, 0)),
            after.eq(Mux(mark.wanted, before | bit, Mux(mark.shared, before, before & ~bit))),
        ]
        with m.If(clearing):
            m.d.comb += groups_write.data.eq(0)
        with m.Else():
            m.d.comb += groups_write.data.bit_select(place[:chunk_bits], 1).eq(after.any())
        with m.If(phase[3]):
            m.d.sync += marked.eq(0)
        with m.If(self.mark.valid):
            m.d.sync += [mark.eq(self.mark.payload), marked.eq(1)]
        hit = Signal()
        heeded = items[1].steps & wanted_steps
        m.d.sync += [items[1].eq(items[0]), items[2].eq(items[1]), items[2].steps.eq(heeded), hit.eq(valid[1] & heeded.any())]

        # The log itself.
        item = items[2]
        write, kept, first = (Signal(self._width + 1, name=name) for name in ("write", "kept", "first"))
        over, unsorted = Signal(), Signal()
        highest = Signal(node_width(config))
        full = Signal()
        begin = Signal.like(self.begin)  # from afar; places are free a clock later
        m.d.sync += begin.eq(self.begin)
        entry = entries.write.data
        m.d.comb += [
            full.eq((write - begin)[self._width]),
            entry.steps.eq(item.steps),
            entry.place.eq(item.place),
            entry.node.eq(item.node),
            entry.attribute.eq(item.attribute),
            entries.write.addr.eq(write),
            entries.write.en.eq(hit & ~full & ~over),
        ]
        following = Signal(self._width + 1)
        stays = Signal(self._width + 1)
        m.d.comb += [
            following.eq(write + entries.write.en),
            stays.eq(Mux(entries.write.en & ~item.attribute, following, kept)),
        ]
        with m.If(valid[2]):
            m.d.sync += [write.eq(Mux(item.final, stays, following)), kept.eq(stays)]
        with m.If(hit & full):
            m.d.sync += over.eq(1)
        with m.If(hit & item.end):
            m.d.sync += [highest.eq(item.node), unsorted.eq(unsorted | (item.node < highest))]

        # The end of a document; what comes next is let in when the room is known again.
        rests = Signal(3)
        m.d.sync += rests.eq(rests << 1)
        with m.If(issue & head.hits.done):
            m.d.sync += ending.eq(1)
        with m.If(valid[2] & item.done):
            m.d.sync += [
                self.o.valid.eq(1),
                self.o.payload.end.eq(Mux(item.good, kept, first)),
                self.o.payload.whole.eq(~over),
                self.o.payload.sorted.eq(~unsorted),
                self.o.payload.good.eq(item.good),
            ]
        with m.If(self.o.valid & self.o.ready):
            end = self.o.payload.end
            m.d.sync += [self.o.valid.eq(0), first.eq(end), write.eq(end), kept.eq(end), over.eq(0), unsorted.eq(0), highest.eq(0)]
            m.d.sync += rests.eq(1)
        with m.If(rests[-1]):
            m.d.sync += ending.eq(0)
        used = Signal(self._width + 1)
        m.d.comb += used.eq(write - begin)
        m.d.sync += admits.eq((used <= config.selected - _RESERVE) | (first == begin))
        return m
