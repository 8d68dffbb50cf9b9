"""The rows of the matching engine: all subscriptions advance at once, a slice a clock [T 5.3.3.6]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, RowMasks, row_width
from hdl.match.ops import MatchedRow, RowHits, RowOp, RowRequest
from hdl.stream import BlockRam

__all__ = ["RowEngine"]

_VIEW = ("row_en", "row_name", "row_slice", "row", "row_hold", "mask_slice", "masks", "wild", "containment")
_STAGES = 6
_GROUP = 4


def _lowest(flags):
    """The lowest 1 of the flags, alone."""
    groups = [flags[at : at + _GROUP] for at in range(0, len(flags), _GROUP)]
    found = []
    for number, group in enumerate(groups):
        free = ~Cat(*(earlier.any() for earlier in groups[:number])).any() if number else Const(1)
        found += [flag & free & ~group[:place].any() if place else flag & free for place, flag in enumerate(group)]
    return Cat(found)


def _lone(flags):
    """At most one of the flags is 1."""
    groups = [flags[at : at + _GROUP] for at in range(0, len(flags), _GROUP)]
    some = Cat(group.any() for group in groups)

    def several(group):
        return Cat(bit & group[:place].any() for place, bit in enumerate(group) if place).any() if len(group) > 1 else Const(0)

    return ~(Cat(several(group) for group in groups).any() | (several(some) if len(some) <= _GROUP else ~_lone(some)))


def _number(flag):
    """The number of the only 1 among flags."""
    return Cat(Cat(bit for place, bit in enumerate(flag) if place >> level & 1).any() for level in range(ceil_log2(len(flag))))


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
        A document is the operations of its tags in order, then DONE. SATISFY and ATTRIBUTE come before the START of their tag, TEXT
        before the END of its element.
    view : ``In(CrtView)``, the part about rows and masks
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
        members = CrtView(config).members
        super().__init__(
            {
                "i": In(stream.Signature(RowRequest(config))),
                "view": In(wiring.Signature({name: members[name] for name in _VIEW})),
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
        config, view = self.config, self.view
        width, slices = row_width(config), config.slices
        slice_bits, bit_bits = ceil_log2(slices), ceil_log2(width)
        level_bits = ceil_log2(config.depth)

        def spread(flag):
            return flag.replicate(width)

        m.submodules.stack = stack = BlockRam(shape=width, depth=1 << (level_bits + slice_bits), output_register=True)

        # What travels with a slice: 1 addresses, 2 the memories, 3 their words, 4 the row, 5 the step, 6 its outcome, 7 the matched bits, 8
        # those that are new.
        travel = data.StructLayout(
            {
                "op": RowOp,
                "slice": slice_bits,
                "bit": bit_bits,
                "listed": 1,
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
        valid = [Signal(name=f"valid{n}") for n in range(_STAGES + 3)]
        # Nothing is under way.
        empty = Signal(init=1)
        m.d.sync += [
            empty.eq(~Cat(valid).any()),
            *(stage[n].eq(stage[n - 1]) for n in range(1, _STAGES + 1)),
            *(valid[n].eq(valid[n - 1]) for n in range(1, _STAGES + 1)),
        ]

        # The operation that is being issued, the slices that are left of it, and those in which the element it starts from may hold a bit.
        request = Signal(RowRequest(config))
        active = Signal()
        remaining, held = Signal(slices), Signal(slices)
        starting, opening, needs_stack, changes_stack, closing = (
            Signal(name=name) for name in ("starting", "opening", "needs_stack", "changes_stack", "closing")
        )
        finish, issue, leaves = Signal(), Signal(), Signal()

        # By level: the slices in which the open element may hold a bit, and those with a test that its text has met.
        m.submodules.holding = holding = memory.Memory(shape=slices, depth=1 << level_bits, init=[])
        m.submodules.met = met = memory.Memory(shape=slices, depth=1 << level_bits, init=[])
        holding_read, holding_write = holding.read_port(domain="comb"), holding.write_port()
        met_read, met_write = met.read_port(domain="comb"), met.write_port()
        coming = self.i.payload
        starts, attributes, satisfies, texts, ends, dones = (
            Signal(name=name) for name in ("starts", "attributes", "satisfies", "texts", "ends", "dones")
        )
        outer, own_slice = Signal(slices), Signal(slices)
        wanted = Signal(slices)
        seen_fresh = Signal(slices)
        load, spill, pops = Signal(), Signal(), Signal()
        # Slices with a test that the text of the innermost element has met since its latest child; before the next they go to the stack.
        texted = Signal(slices)
        m.d.comb += [
            starts.eq(coming.op == RowOp.START),
            attributes.eq(coming.op == RowOp.ATTRIBUTE),
            satisfies.eq(coming.op == RowOp.SATISFY),
            texts.eq(coming.op == RowOp.TEXT),
            ends.eq(coming.op == RowOp.END),
            dones.eq(coming.op == RowOp.DONE),
            holding_read.addr.eq(coming.above),
            met_read.addr.eq(coming.above),
            outer.eq(holding_read.data & ~coming.root.replicate(slices)),
            own_slice.eq(Const(1, slices) << coming.operand[bit_bits : bit_bits + slice_bits]),
        ]
        with m.Switch(coming.op):
            with m.Case(RowOp.START):
                m.d.comb += wanted.eq(coming.slices | view.wild | outer)
            with m.Case(RowOp.ATTRIBUTE):
                m.d.comb += wanted.eq(coming.slices)
            with m.Case(RowOp.SATISFY, RowOp.SEEN):
                m.d.comb += wanted.eq(own_slice)
            with m.Case(RowOp.TEXT):
                m.d.comb += wanted.eq(own_slice & outer)
            with m.Case(RowOp.END):
                m.d.comb += wanted.eq(outer & (met_read.data | texted))
            with m.Case(RowOp.DONE):
                # containment is decided once the whole document has been seen
                m.d.comb += wanted.eq((seen_fresh | view.wild) & (coming.good & view.containment).replicate(slices))
        m.d.comb += [
            pops.eq(Mux(dones, ~active & empty & ~issue, ~active | leaves)),
            spill.eq((texted != 0) & (starts | attributes | satisfies)),
            self.i.ready.eq(pops & ~spill),
            load.eq(self.i.valid & pops),
        ]
        with m.If(load):
            m.d.sync += [
                active.eq(1),
                request.eq(coming),
                remaining.eq(wanted),
                held.eq(outer),
                starting.eq(starts | (ends & (texted != 0))),
                opening.eq(starts),
                needs_stack.eq(starts | ends),
                changes_stack.eq(starts),
                closing.eq(dones),
                texted.eq(Mux(texts, texted | wanted, Mux(spill | ends | dones, 0, texted))),
            ]
            with m.If(spill):
                m.d.sync += [
                    request.op.eq(RowOp.SPILL),
                    remaining.eq(texted),
                    starting.eq(0),
                    opening.eq(0),
                    needs_stack.eq(1),
                    changes_stack.eq(1),
                ]
        with m.Else():
            with m.If(finish | leaves):
                m.d.sync += active.eq(0)

        # A slice that was changed is on the stack six clocks later; others go first. A tag that ends something has one slice at least.
        chosen, open_slices = Signal(slices), Signal(slices)
        recent = [Signal(slices, name=f"recent{n}") for n in range(3)]
        busy = Signal(slices)
        changing = Signal(slices)
        none, final, ends_here = Signal(), Signal(), Signal()
        pick, goes = Signal(slices), Signal()
        m.d.comb += [
            none.eq(remaining == 0),
            final.eq(_lone(remaining)),
            pick.eq(_lowest(open_slices)),
            open_slices.eq(remaining & ~((busy | changing) & needs_stack.replicate(slices))),
            goes.eq(active & self.room & ~view.row_hold & (open_slices.any() | (none & starting))),
            leaves.eq(active & ~closing & none & ~starting),
            changing.eq(chosen & (issue & changes_stack).replicate(slices)),
            issued.op.eq(request.op),
            issued.slice.eq(_number(chosen)),
            issued.bit.eq(request.operand[:bit_bits]),
            issued.listed.eq((chosen & request.slices).any()),
            issued.blank.eq(~(chosen & held).any()),
            issued.root.eq(request.root),
            issued.final.eq(ends_here),
            issued.node.eq(request.node),
            issued.above.eq(request.above),
            issued.own.eq(request.above + opening),
            valid[0].eq(issue),
        ]
        m.d.sync += [
            recent[0].eq(changing),
            *(recent[n].eq(recent[n - 1]) for n in range(1, 3)),
            busy.eq(changing | recent[0] | recent[1] | recent[2]),
        ]
        # A slice is chosen a clock before it is issued.
        m.d.sync += [issue.eq(goes), chosen.eq(pick), ends_here.eq(final)]
        with m.If(goes):
            m.d.sync += [remaining.eq(remaining & ~pick), starting.eq(0)]
        asks = stage[1]
        m.d.comb += [
            view.row_en.eq(valid[1] & asks.listed),
            view.row_slice.eq(asks.slice),
            stack.read[0].addr.eq(Cat(asks.slice, asks.above)),
            stack.read[0].en.eq(1),
        ]
        m.d.sync += view.row_name.eq(request.operand)

        # The end of a document waits until everything before it is through.
        ended, good, over = Signal(), Signal(), Signal()
        m.d.comb += [
            finish.eq(active & closing & none & ~issue & empty & self.room),
            self.idle.eq(empty & ~issue & ~active & ~ended & ~self.matched.end),
        ]
        m.d.sync += [ended.eq(finish), good.eq(request.good), over.eq(request.over)]

        # The memories' words, and the operation's flags decoded a clock ahead; a single bit is 0 for operations on whole rows.
        masks = Signal(RowMasks(config))
        single_bit = Signal(width)
        flags_layout = data.StructLayout({"starts": 1, "lists": 1, "ends": 1, "spills": 1, "dones": 1, "listed": 1, "root": 1, "blank": 1})
        flags = [Signal(flags_layout, name=f"flags{n}") for n in (3, 4)]
        ahead = stage[2]
        ahead_single = (ahead.op == RowOp.SATISFY) | (ahead.op == RowOp.SEEN) | (ahead.op == RowOp.TEXT)
        m.d.comb += view.mask_slice.eq(ahead.slice)
        m.d.sync += [
            masks.eq(view.masks),
            single_bit.eq(Mux(ahead_single, Const(1, width) << ahead.bit, 0)),
            flags[0].starts.eq(ahead.op == RowOp.START),
            flags[0].lists.eq((ahead.op == RowOp.START) | (ahead.op == RowOp.ATTRIBUTE)),
            flags[0].ends.eq((ahead.op == RowOp.END) | (ahead.op == RowOp.SPILL)),
            flags[0].spills.eq(ahead.op == RowOp.SPILL),
            flags[0].dones.eq(ahead.op == RowOp.DONE),
            flags[0].listed.eq(ahead.listed & ((ahead.op == RowOp.START) | (ahead.op == RowOp.ATTRIBUTE))),
            flags[0].root.eq(ahead.root),
            flags[0].blank.eq(ahead.blank | (ahead.op == RowOp.DONE)),
            flags[1].eq(flags[0]),
        ]

        # The row of the name, the bits that hold in the parent, and which of their neighbours may come to hold.
        flag = flags[0]
        top = stack.read[0].data
        text = masks.named & masks.test
        wild = ~masks.named & ~masks.test
        row, holds, proven, enters, begins, contains, stays, unnamed, tests, lasts = (
            Signal(width, name=name)
            for name in ("row", "holds", "proven", "enters", "begins", "contains", "stays", "unnamed", "tests", "lasts")
        )
        m.d.sync += [
            row.eq((view.row & spread(flag.listed)) | single_bit),
            holds.eq(top & ~text & ~spread(flag.blank)),
            proven.eq((top & text & spread(flag.ends)) | (wild & spread(flag.dones))),
            enters.eq(~masks.test & spread(flag.starts)),
            # a containment subscription of one name is matched by the name
            begins.eq(
                (masks.first & spread(flag.starts) & (masks.far | spread(flag.root))) | (masks.contains & masks.last & spread(flag.lists))
            ),
            contains.eq(masks.contains & spread(flag.dones)),
            stays.eq((masks.far >> 1) | spread(flag.ends)),
            unnamed.eq(~masks.named),
            tests.eq(masks.test),
            lasts.eq(masks.last),
        ]

        # What the document has shown: in this tag, and anywhere for containment.
        now = stage[4]

        def gathered(name, fresh, *, adds, forget):
            """A row per slice that gathers bits until it is forgotten as a whole; returns what it holds for this slice."""
            store = memory.Memory(shape=width, depth=max(slices, 2), init=[])
            m.submodules[name] = store
            read, write = store.read_port(domain="comb"), store.write_port()
            here = Signal(name=f"{name}_here")
            m.d.comb += [
                here.eq(fresh.bit_select(now.slice, 1)),
                read.addr.eq(now.slice),
                write.addr.eq(now.slice),
                write.data.eq((read.data & spread(here)) | row),
                write.en.eq(valid[4] & adds),
            ]
            with m.If(forget):
                m.d.sync += fresh.eq(0)
            with m.Elif(write.en):
                m.d.sync += fresh.bit_select(now.slice, 1).eq(1)
            return read.data, here

        in_tag = (now.op == RowOp.ATTRIBUTE) | (now.op == RowOp.SATISFY)
        at_start = now.op == RowOp.START
        at_end = (now.op == RowOp.END) | (now.op == RowOp.SPILL)
        # Tests that hold in a tag are looked at when it is complete, those of text when it ends. A bad document may end anywhere.
        forget = ended | (valid[4] & (at_start | at_end) & now.final)
        satisfied_fresh = Signal(slices)
        satisfied, satisfied_here = gathered("satisfied", satisfied_fresh, adds=in_tag | (now.op == RowOp.TEXT), forget=forget)
        seen, seen_here = gathered("seen", seen_fresh, adds=in_tag | (now.op == RowOp.SEEN) | at_start, forget=ended)

        # The step itself; neighbours in a run are neighbours in the row, and tests follow from the step to the last as a carry does.
        flag = flags[1]
        gate, reaches, passes = (Signal(width, name=name) for name in ("gate", "reaches", "passes"))
        carrier, source = Signal(width), Signal(width)
        lasts_now, last = Signal(width), Signal(width)
        m.d.comb += [
            gate.eq(
                proven | (satisfied & tests & spread(satisfied_here & (flag.starts | flag.ends))) | (seen & spread(seen_here & flag.dones))
            ),
            reaches.eq(
                ((row | unnamed) & (((holds << 1)[:width] & enters) | begins)) | (holds & stays) | (gate & (contains | spread(flag.spills)))
            ),
            passes.eq(gate & ~(lasts << 1)[:width] & ~spread(flag.spills)),
        ]
        m.d.sync += [source.eq(reaches), carrier.eq(reaches | passes), lasts_now.eq(lasts)]
        total = Signal(width + 1)
        m.d.comb += total.eq(source + carrier)
        reach = Signal(width)
        listing, listings = Signal(width), Signal(width)
        m.d.sync += [
            reach.eq((total ^ source ^ carrier)[1:]),
            last.eq(lasts_now),
            listing.eq(row),
            listings.eq(listing),
        ]

        # The result: the element's row on the stack, the matched bits in the bank of this document.
        result = stage[_STAGES]
        settled = valid[_STAGES]
        moves = Signal()
        marks = Signal()
        m.d.comb += [
            moves.eq(result.op == RowOp.START),
            marks.eq(result.op == RowOp.SPILL),
            stack.write.addr.eq(Cat(result.slice, result.own)),
            stack.write.data.eq(reach & (~last | spread(marks))),
            stack.write.en.eq(settled & (moves | marks)),
        ]

        # The slices in which the element may hold a bit are those looked at, until it is known better.
        exact, exact_now, corrected = (Signal(slices, name=name) for name in ("exact", "exact_now", "corrected"))
        exact_level = Signal(level_bits)
        corrects = Signal()
        flying = Signal(range(8))
        opens = load & starts & ~spill
        tagged = Signal()
        m.d.comb += exact_now.eq(exact | ((Const(1, slices) << result.slice) & stack.write.data.any().replicate(slices)))
        with m.If(settled & moves):
            m.d.sync += exact.eq(Mux(result.final, 0, exact_now))
        m.d.sync += [
            corrects.eq(settled & moves & result.final),
            corrected.eq(exact_now),
            exact_level.eq(result.own),
            flying.eq(flying + opens - corrects),
        ]
        m.d.comb += [
            # not in a clock in which a tag may need the port
            tagged.eq(self.i.valid & starts & ~spill),
            holding_write.en.eq(Mux(tagged, self.i.ready, corrects & (flying == 1))),
            holding_write.addr.eq(Mux(tagged, coming.above + 1, exact_level)),
            holding_write.data.eq(Mux(tagged, wanted, corrected)),
            met_write.en.eq(load & (starts | spill)),
            met_write.addr.eq(coming.above + ~spill),
            met_write.data.eq(Mux(spill, met_read.data | texted, 0)),
        ]
        # What the document has matched before; a slice counts from the first operation on that has matched something in it.
        fresh = Signal(slices)
        m.submodules.matched = matched = memory.Memory(shape=width, depth=max(slices, 2), init=[])
        read, write = matched.read_port(domain="comb"), matched.write_port()
        found = Signal(width)
        finds = Signal()
        place = Signal(slice_bits)
        here = Signal()
        matches, tells = valid[_STAGES + 1], valid[_STAGES + 2]
        selects = moves | (result.op == RowOp.ATTRIBUTE) | (result.op == RowOp.END) | (result.op == RowOp.DONE)
        m.d.sync += [
            matches.eq(settled & selects),
            found.eq(reach & last),
            finds.eq((reach & last).any()),
            place.eq(result.slice),
            # the operation before may be writing this very slice now
            here.eq(fresh.bit_select(result.slice, 1) | (matches & finds & (place == result.slice))),
            tells.eq(matches & finds),
            self.matched.row.eq(found & ~(read.data & spread(here))),
            self.matched.slice.eq(place),
            self.matched.end.eq(ended),
            self.matched.good.eq(good),
            self.matched.over.eq(over),
        ]
        m.d.comb += [
            read.addr.eq(place),
            write.addr.eq(place),
            write.data.eq((read.data & spread(here)) | found),
            write.en.eq(matches & finds),
            self.matched_valid.eq((tells & (self.matched.row != 0)) | self.matched.end),
        ]
        with m.If(ended):
            m.d.sync += fresh.eq(0)
        with m.Elif(matches & finds):
            m.d.sync += fresh.bit_select(place, 1).eq(1)

        # What the selection log is told.
        lists = result.op == RowOp.ATTRIBUTE
        m.d.sync += [
            self.hits.row.eq(Mux(lists, listings, reach) & last),
            self.hits.op.eq(Mux(ended, RowOp.DONE, result.op)),
            self.hits.slice.eq(result.slice),
            self.hits.node.eq(result.node),
            self.hits.final.eq(moves & result.final),
            self.hits.good.eq(good),
            self.hits_valid.eq((settled & (lists | moves | (result.op == RowOp.END))) | ended),
        ]
        return m
