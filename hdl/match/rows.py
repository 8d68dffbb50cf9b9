"""The rows of the matching engine: all subscriptions advance at once, a slice a clock [T 5.3.3.6]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.bits import lone, number
from hdl.match.ops import GATHERED_TAGS, MatchedRow, RowHits, RowOp, RowRequest
from hdl.shapes.tables import MaskView, RowMasks, RowView, TableSummary
from hdl.shapes.widths import row_width
from hdl.stream import BlockRam

__all__ = ["RowEngine"]

_STAGES = 6
_CHAIN = 64
"""Bits of a carry chain, but for those that it begins ahead of."""


def _carried(source, carrier, run):
    """The carry out of each bit of a sum, where none goes further than ``run`` bits: chains that begin that much ahead."""
    parts = []
    for start in range(0, len(source), _CHAIN):
        low = max(0, start - run)
        one, other = source[low : start + _CHAIN], carrier[low : start + _CHAIN]
        parts.append(((one + other) ^ one ^ other)[1 + start - low :])
    return Cat(parts)


class RowEngine(wiring.Component):
    """Advances every subscription at each tag and collects those that are matched.

    A subscription owns a run of neighbouring bits in a slice: for each step a bit for its name, then one for each of its tests. The
    stack holds one row per open element: the bits that hold for it, and those of its ancestors that wait for a descendant. A step's
    bit comes to hold when the bit before it holds in the parent and the row of the name has it; a test's bit when the bit
    before it holds in the same element and the test does; a subscription is matched when its last bit comes to hold.

    Only slices in which something may come of it are looked at, a slice a clock and a clock more, and of a start tag at least one: those in
    which the name has bits, a bit of the parent may hold or a subscription begins with ``*``; at an end tag those with a test that
    holds for the text of the element. A slice of a tag waits until that of the tag before, six clocks ahead, is on the stack.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(RowRequest(config)))``
        A document is the operations of its tags in order, then DONE. ATTRIBUTE comes before the START of its tag, TEXT before that of
        the next child.
    part, slice, gathered, freed : ``Out``, ``Out``, ``In``, ``Out``
        What was gathered for a ``fenced`` request, see :class:`hdl.match.gather.SlicePass`.
    rows, masks, summary : ``In(RowView(config))``, ``In(MaskView(config))``, ``In(TableSummary(config))``
    idle : ``Out(1)``
        Nothing is under way.
    matched : ``Out(MatchedRow(config))``, ``matched_valid`` : ``Out(1)``
        Last bits that have come to hold for the first time in their document, as soon as they do, and the end of each document.
    hits : ``Out(RowHits(config))``, ``hits_valid`` : ``Out(1)``
        Which subscriptions select the node of an operation, a slice a clock and in order, and the end of each document.
    room : ``In(1)``
        There is room for both; when it falls, at most 11 more of each come.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(RowRequest(config))),
                "rows": In(RowView(config)),
                "masks": In(MaskView(config)),
                "summary": In(TableSummary(config)),
                "part": Out(range(GATHERED_TAGS)),
                "slice": Out(ceil_log2(config.slices)),
                "gathered": In(row_width(config)),
                "freed": Out(1),
                "idle": Out(1),
                "matched": Out(MatchedRow(config)),
                "matched_valid": Out(1),
                "hits": Out(RowHits(config)),
                "hits_valid": Out(1),
                "room": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, rows, summary = self.config, self.rows, self.summary
        width, slices = row_width(config), config.slices
        slice_bits = ceil_log2(slices)
        level_bits = ceil_log2(config.depth)

        def spread(flag):
            return flag.replicate(width)

        m.submodules.stack = stack = BlockRam(shape=width, depth=1 << (level_bits + slice_bits), output_register=True)

        # What travels with a slice: 1 addresses, 2 the memories, 3 their words, 4 the row, 5 the step, 6 its outcome, 7 the matched bits
        # that are new.
        travel = data.StructLayout(
            {
                "op": RowOp,
                "spill": 1,
                "slice": slice_bits,
                "listed": 1,
                "gathered": 1,
                "part": range(GATHERED_TAGS),
                "root": 1,
                "blank": 1,
                "final": 1,
                "above": level_bits,
                "own": level_bits,
                "node": len(self.i.payload.node),
            }
        )
        issued = Signal(travel)
        stage = [issued] + [Signal(travel, name=f"stage{n}") for n in range(1, _STAGES + 1)]
        valid = [Signal(name=f"valid{n}") for n in range(_STAGES + 2)]
        # Nothing is under way.
        empty = Signal(init=1)
        m.d.sync += [
            empty.eq(~Cat(valid).any()),
            *(stage[n].eq(stage[n - 1]) for n in range(1, _STAGES + 1)),
            *(valid[n].eq(valid[n - 1]) for n in range(1, _STAGES + 1)),
        ]

        # The operation that comes next; it is fetched when the one before has been taken, which is never sooner than it is needed.
        coming, waiting = Signal(RowRequest(config)), Signal()
        popped = Signal()
        own_level, opens = Signal(level_bits), Signal()
        decides, wilder = Signal(), Signal()
        m.d.comb += self.i.ready.eq(~waiting)
        with m.If(~waiting):
            m.d.sync += [
                coming.eq(self.i.payload),
                waiting.eq(self.i.valid),
                own_level.eq(self.i.payload.above + 1),
                opens.eq(self.i.valid & self.i.payload.op.start),
                # containment is decided once the whole document has been seen
                decides.eq(self.i.payload.op.done & self.i.payload.operand[0] & summary.containment),
                wilder.eq(self.i.payload.op.start | (self.i.payload.op.done & self.i.payload.operand[0] & summary.containment)),
            ]
        with m.Elif(popped):
            m.d.sync += [waiting.eq(0), opens.eq(0)]

        # The operation that is being issued, the slices that are left of it, and those in which the element it starts from may hold a bit.
        request = Signal(RowRequest(config))
        active = Signal()
        remaining, held = Signal(slices), Signal(slices)
        starting, needs_stack, changes_stack = (Signal(name=name) for name in ("starting", "needs_stack", "changes_stack"))
        own = Signal(level_bits)
        spilling, lists = Signal(), Signal()
        closing = Signal()
        finish, issue, leaves = Signal(), Signal(), Signal()

        # By level: the slices in which the open element may hold a bit, and those with a test that its text has met.
        m.submodules.holding = holding = memory.Memory(shape=slices, depth=1 << level_bits, init=[])
        m.submodules.met = met = memory.Memory(shape=slices, depth=1 << level_bits, init=[])
        holding_read, holding_write = holding.read_port(domain="comb"), holding.write_port()
        met_read, met_write = met.read_port(domain="comb"), met.write_port()
        # What they have for the innermost element of the operation that comes next, from registers: read, or being written.
        above_next = Signal(level_bits)
        held_above, met_above = Signal(slices), Signal(slices)
        held_again, met_again = Signal(), Signal()
        m.d.comb += [
            above_next.eq(Mux(waiting, coming.above, self.i.payload.above)),
            holding_read.addr.eq(above_next),
            met_read.addr.eq(above_next),
        ]
        m.d.sync += [
            held_above.eq(Mux(held_again, holding_write.data, holding_read.data)),
            met_above.eq(Mux(met_again, met_write.data, met_read.data)),
        ]
        op = coming.op
        outer, wanted = Signal(slices), Signal(slices)
        seen_fresh = Signal(slices)
        load, spill, pops = Signal(), Signal(), Signal()
        # Slices with a test that the text of the innermost element has met since its latest child; before the next they go to the stack.
        # An operation that changes them takes two clocks at least: whether there is any is known in time.
        texted, some_texted = Signal(slices), Signal()
        m.d.sync += some_texted.eq(texted.any())
        m.d.comb += [
            outer.eq(held_above & ~coming.root.replicate(slices)),
            wanted.eq(
                coming.slices
                | (outer & (op.start.replicate(slices) | (coming.gathered & op.text.replicate(slices))))
                | (outer & (met_above | texted | coming.gathered) & op.end.replicate(slices))
                | (coming.gathered & summary.containment.replicate(slices))
                | (summary.wild & wilder.replicate(slices))
                | (seen_fresh & decides.replicate(slices))
            ),
            pops.eq(Mux(op.done, ~active & empty & ~issue, ~active | leaves)),
            spill.eq(some_texted & (op.start | op.attribute)),
            load.eq(waiting & pops),
            popped.eq(pops & ~spill),
        ]
        # A slice that was changed is on the stack six clocks later; others go first. A tag that ends something has one slice at least.
        # An operation begins two clocks after the last slice of the one before.
        chosen, open_slices = Signal(slices), Signal(slices)
        recent = [Signal(slices, name=f"recent{n}") for n in range(3)]
        blocked = Signal(slices)
        changing = Signal(slices)
        bare, single, none, ends_here = Signal(), Signal(), Signal(), Signal()
        pick, may, some, goes = Signal(slices), Signal(), Signal(), Signal()
        fewer = Signal(slices + 1)
        m.d.comb += [
            bare.eq(remaining == 0),
            single.eq(lone(remaining)),
            may.eq(active & self.room & ~rows.hold),
            # the lowest one, by the borrow of a subtraction
            fewer.eq(open_slices - 1),
            some.eq(~fewer[slices]),
            pick.eq(open_slices & ~fewer[:slices]),
            open_slices.eq(remaining & ~(blocked & needs_stack.replicate(slices))),
            goes.eq(may & (some | (bare & starting))),
            leaves.eq(active & ~closing & none & ~starting),
            changing.eq(chosen & (issue & changes_stack).replicate(slices)),
            issued.op.eq(request.op.as_value() & ~spilling.replicate(len(request.op.as_value()))),
            issued.spill.eq(spilling),
            issued.slice.eq(number(chosen)),
            issued.gathered.eq((chosen & request.gathered).any() & ~spilling),
            issued.part.eq(request.part),
            issued.listed.eq((chosen & request.slices).any() & lists),
            issued.blank.eq(~(chosen & held).any() | closing),
            issued.root.eq(request.root),
            issued.final.eq(ends_here),
            issued.node.eq(request.node),
            issued.above.eq(request.above),
            issued.own.eq(own),
            valid[0].eq(issue),
        ]
        m.d.sync += [
            recent[0].eq(changing),
            *(recent[n].eq(recent[n - 1]) for n in range(1, 3)),
            needs_stack.eq(Mux(load, spill | op.start | op.end, needs_stack)),
            blocked.eq(changing | recent[0] | recent[1] | recent[2]),
        ]
        # A slice is chosen a clock before it is issued.
        m.d.sync += [issue.eq(goes), chosen.eq(pick), ends_here.eq(single), none.eq(~load & (bare | (single & may & some)))]
        with m.If(may):
            m.d.sync += remaining.eq(remaining & ~pick)
        with m.If(goes):
            m.d.sync += starting.eq(0)
        with m.If(load):
            m.d.sync += [
                active.eq(1),
                request.eq(coming),
                remaining.eq(Mux(spill, texted, wanted)),
                held.eq(outer),
                starting.eq((op.start & ~spill) | (op.end & some_texted)),
                own.eq(Mux(op.start & ~spill, own_level, coming.above)),
                changes_stack.eq(spill | op.start),
                lists.eq((op.start | op.attribute) & ~spill),
                spilling.eq(spill),
                closing.eq(op.done),
                texted.eq(Mux(op.text, texted | (wanted & outer), Mux(spill | op.end | op.done, 0, texted))),
            ]
        with m.Else():
            with m.If(finish | leaves):
                m.d.sync += active.eq(0)
        asks = stage[1]
        m.d.comb += [
            rows.en.eq(valid[1] & asks.listed),
            rows.slice.eq(asks.slice),
            stack.read[0].addr.eq(Cat(asks.slice, asks.above)),
            stack.read[0].en.eq(1),
        ]
        m.d.sync += rows.name.eq(request.operand)

        # The end of a document waits until everything before it is through.
        ended, good, over = Signal(), Signal(), Signal()
        m.d.comb += [
            finish.eq(active & closing & none & ~issue & empty & self.room),
            self.idle.eq(empty & ~issue & ~active & ~waiting & ~ended & ~self.matched.end),
        ]
        m.d.sync += [ended.eq(finish), good.eq(request.operand[0]), over.eq(request.operand[1])]

        # The memories' words, and the operation's flags decoded a clock ahead; a single bit is 0 for operations on whole rows.
        # What is the same for all bits of an operation sets or clears their flip-flops, which can only be set to what they begin with.
        masks = Signal(RowMasks(config))
        ones = (1 << width) - 1
        open_first, open_far, contains = (
            Signal(width, name=name, init=init) for name, init in (("open_first", 0), ("open_far", ones), ("contains", ones))
        )
        flag = Signal(
            data.StructLayout(dict.fromkeys(("starts", "lists", "ends", "spills", "proves", "decides", "listed", "gathered", "blank"), 1)),
        )
        ahead = stage[2]
        m.d.comb += self.masks.slice.eq(ahead.slice)
        m.d.sync += [
            masks.eq(self.masks.masks),
            open_first.eq(self.masks.masks.first),
            open_far.eq(self.masks.masks.far),
            contains.eq(self.masks.masks.contains),
            flag.starts.eq(ahead.op.start),
            flag.lists.eq(ahead.op.start | ahead.op.attribute),
            flag.ends.eq(ahead.op.end | ahead.spill),
            flag.spills.eq(ahead.spill),
            flag.proves.eq(ahead.op.end | ahead.spill | ahead.op.done),
            flag.decides.eq(ahead.op.done | ahead.spill),
            flag.listed.eq(ahead.listed),
            flag.gathered.eq(ahead.gathered),
            flag.blank.eq(ahead.blank),
        ]
        # A subscription begins at a tag: the first step of any at the root, of others one after ``//``.
        with m.If(~ahead.op.start):
            m.d.sync += open_first.eq(0)
        with m.If(ahead.root):
            m.d.sync += open_far.eq(~0)
        # What a spill meets is decided for every subscription; none begins there.
        with m.If(ahead.spill):
            m.d.sync += contains.eq(~0)

        # The row of the name, the bits that hold in the parent, and which of their neighbours may come to hold.
        top = stack.read[0].data
        text = masks.named & masks.test
        wild = ~masks.named & ~masks.test
        row, holds, proven, begins, decided, named, tests = (
            Signal(width, name=name) for name in ("row", "holds", "proven", "begins", "decided", "named", "tests")
        )
        blocks, stays, lasts = (Signal(width, name=name, init=ones) for name in ("blocks", "stays", "lasts"))
        gathered_row = Signal(width)
        m.d.comb += [self.slice.eq(stage[3].slice), self.part.eq(stage[3].part)]
        m.d.sync += [
            row.eq(rows.row & spread(flag.listed)),
            gathered_row.eq(self.gathered & spread(flag.gathered)),
            holds.eq(top & ~text & ~masks.last),
            proven.eq(Mux(flag.ends, top & text, wild)),
            blocks.eq(masks.test),
            # a containment subscription of one name is matched by the name
            begins.eq((open_first & open_far) | (contains & masks.last)),
            decided.eq(contains),
            stays.eq(masks.far >> 1),
            named.eq(masks.named),
            tests.eq(masks.test),
            lasts.eq(masks.last),
        ]
        with m.If(flag.blank):
            m.d.sync += holds.eq(0)
        with m.If(~flag.proves):
            m.d.sync += proven.eq(0)
        with m.If(~flag.starts):
            m.d.sync += blocks.eq(~0)
        with m.If(~flag.lists):
            m.d.sync += begins.eq(0)
        with m.If(~flag.decides):
            m.d.sync += decided.eq(0)
        with m.If(flag.ends):
            m.d.sync += stays.eq(~0)
        with m.If(flag.spills):
            m.d.sync += lasts.eq(~0)

        def known_ahead(fresh, coming_slice, *, adds, added_slice, forget):
            """Whether the row of a slice counts, for the clock after: all of its bits wait for that."""
            known = Signal()
            m.d.sync += known.eq(~forget & (fresh.bit_select(coming_slice, 1) | (adds & (added_slice == coming_slice))))
            with m.If(forget):
                m.d.sync += fresh.eq(0)
            with m.Elif(adds):
                m.d.sync += fresh.bit_select(added_slice, 1).eq(1)
            return known

        # What the document has shown: in this tag, and anywhere for containment. A slice comes again two clocks later at the soonest.
        now = stage[4]

        def gathered(name, fresh, *, adds, more, forget):
            """A row per slice that gathers bits until it is forgotten as a whole; returns what it holds for this slice."""
            store = memory.Memory(shape=width, depth=max(slices, 2), init=[])
            m.submodules[name] = store
            read, write = store.read_port(domain="comb"), store.write_port()
            before = Signal(width, name=f"{name}_before")
            m.d.comb += [
                read.addr.eq(stage[3].slice),
                write.addr.eq(now.slice),
                write.data.eq(before | more),
                write.en.eq(valid[4] & adds),
            ]
            m.d.sync += before.eq(read.data)
            with m.If(~known_ahead(fresh, stage[2].slice, adds=write.en, added_slice=now.slice, forget=forget)):
                m.d.sync += before.eq(0)
            return before

        shows = Signal(width)
        m.d.comb += shows.eq(row | gathered_row)
        # Tests that hold in a tag are looked at when it is complete, those of text when it ends. A bad document may end anywhere.
        forget = ended | (valid[4] & (now.op.start | now.op.end | now.spill) & now.final)
        satisfied_fresh = Signal(slices)
        satisfied = gathered("satisfied", satisfied_fresh, adds=now.op.attribute | now.op.text, more=shows & tests, forget=forget)
        seen = gathered("seen", seen_fresh, adds=now.op.attribute | now.op.text | now.op.start | now.op.end, more=shows, forget=ended)

        # The step itself; neighbours in a run are neighbours in the row, and tests follow from the step to the last as a carry does.
        gate, reaches = Signal(width), Signal(width)
        carrier, source = Signal(width), Signal(width)
        lasts_now, last = Signal(width), Signal(width)
        m.d.comb += [
            gate.eq(proven | satisfied | gathered_row | (seen & spread(now.op.done))),
            reaches.eq(((row | ~named) & (((holds << 1)[:width] & ~blocks) | begins)) | (holds & stays) | (gate & decided)),
        ]
        m.d.sync += [source.eq(reaches), carrier.eq(reaches | (gate & ~(lasts << 1)[:width])), lasts_now.eq(lasts)]
        reach = Signal(width)
        listing, listings = Signal(width), Signal(width)
        m.d.sync += [
            reach.eq(_carried(source, carrier, self.config.subscription_steps)),
            last.eq(lasts_now),
            listing.eq(row),
            listings.eq(listing),
        ]

        # What was gathered has been read five clocks after the last slice of its operation was chosen.
        gone = Signal(5)
        m.d.sync += gone.eq(Cat((finish | leaves) & request.fenced & ~spilling, gone))
        m.d.comb += self.freed.eq(gone[-1])

        # The result: the element's row on the stack, the matched bits in the bank of this document.
        result = stage[_STAGES]
        settled = valid[_STAGES]
        moves = result.op.start
        m.d.comb += [
            stack.write.addr.eq(Cat(result.slice, result.own)),
            stack.write.data.eq(reach),
            stack.write.en.eq(settled & (moves | result.spill)),
        ]

        # The slices in which the element may hold a bit are those looked at, until it is known better.
        exact, exact_now, corrected = (Signal(slices, name=name) for name in ("exact", "exact_now", "corrected"))
        exact_level = Signal(level_bits)
        corrects = Signal()
        flying = Signal(range(8))
        kept, kept_slice, moved, final = Signal(), Signal(slice_bits), Signal(), Signal()
        m.d.comb += exact_now.eq(exact | ((Const(1, slices) << kept_slice) & kept.replicate(slices)))
        with m.If(moved):
            m.d.sync += exact.eq(Mux(final, 0, exact_now))
        m.d.sync += [
            kept.eq((reach & ~last).any()),
            kept_slice.eq(result.slice),
            moved.eq(settled & moves),
            final.eq(result.final),
            corrects.eq(moved & final),
            corrected.eq(exact_now),
        ]
        with m.If(settled & moves):
            m.d.sync += exact_level.eq(result.own)
        with m.If((opens & popped) ^ corrects):
            m.d.sync += flying.eq(Mux(corrects, flying - 1, flying + 1))
        m.d.comb += [
            # A tag that waits has the ports and writes in each clock, its last one as it is taken.
            holding_write.en.eq(opens | (corrects & (flying == 1))),
            holding_write.addr.eq(Mux(opens, own_level, exact_level)),
            holding_write.data.eq(Mux(opens, wanted, corrected)),
            met_write.en.eq(waiting & (op.start | spill)),
            met_write.addr.eq(Mux(spill, coming.above, own_level)),
            met_write.data.eq(Mux(spill, met_above | texted, 0)),
            # A tag that waits writes to its own level, which is another one, and a spill to that of the element round it.
            held_again.eq(~opens & corrects & (flying == 1) & (exact_level == above_next)),
            met_again.eq(waiting & spill),
        ]

        # What the document has matched before; a slice counts from the first operation on that could match something in it.
        m.submodules.matched = matched = memory.Memory(shape=width, depth=max(slices, 2), init=[])
        read, write = matched.read_port(domain="comb"), matched.write_port()
        fresh = Signal(slices)
        before, fresh_row = Signal(width), Signal(width)
        fresh_slice = Signal(slice_bits)
        selects, tells = Signal(), valid[_STAGES + 1]
        ahead = stage[_STAGES - 1]
        m.d.sync += [
            selects.eq(valid[_STAGES - 1] & (ahead.op.start | ahead.op.attribute | ahead.op.end | ahead.op.done)),
            before.eq(read.data),
            tells.eq(selects),
            fresh_row.eq(reach & last & ~before),
            fresh_slice.eq(result.slice),
            self.matched.row.eq(fresh_row),
            self.matched.slice.eq(fresh_slice),
            self.matched.end.eq(ended),
            self.matched.good.eq(good),
            self.matched.over.eq(over),
            self.matched_valid.eq((tells & fresh_row.any()) | ended),
        ]
        with m.If(~known_ahead(fresh, stage[_STAGES - 2].slice, adds=selects, added_slice=result.slice, forget=ended)):
            m.d.sync += before.eq(0)
        m.d.comb += [
            read.addr.eq(ahead.slice),
            write.addr.eq(result.slice),
            write.data.eq(before | (reach & last)),
            write.en.eq(selects),
        ]

        # What the selection log is told.
        m.d.sync += [
            self.hits.row.eq(Mux(result.op.attribute, listings, reach) & last),
            self.hits.attribute.eq(result.op.attribute & ~ended),
            self.hits.end.eq(result.op.end & ~ended),
            self.hits.done.eq(ended),
            self.hits.slice.eq(result.slice),
            self.hits.node.eq(result.node),
            self.hits.final.eq(moves & result.final & ~ended),
            self.hits.good.eq(good),
            self.hits_valid.eq((settled & (result.op.attribute | moves | result.op.end)) | ended),
        ]
        return m
