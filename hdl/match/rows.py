"""The rows of the matching engine: all subscriptions advance at once, a slice a clock [T 5.3.3.6]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, RowMasks, row_width
from hdl.match.ops import RowHits, RowOp, RowRequest
from hdl.stream import BlockRam

__all__ = ["RowEngine"]

_VIEW = ("row_en", "row_name", "row_slice", "row", "mask_slice", "masks", "last_slice", "tests", "containment")


class RowEngine(wiring.Component):
    """Advances every subscription at each tag and collects those that are matched.

    A subscription owns a run of neighbouring bits in a slice: for each step a bit for its name, then one for each of its tests. The
    stack holds one row per open element: the bits that hold for it, and those of its ancestors that wait for a descendant. A step's
    bit comes to hold when the bit before it holds in the parent and the row of the name has it; a test's bit when the bit
    before it holds in the same element and the test does; a subscription is matched when its last bit comes to hold.

    A start tag takes one clock per slice and at least five; when one of its attributes is tested, one more per slice and test of a step,
    and the latency of the rows per slice. An end tag takes nothing, or as much as a tested start tag when text is tested.

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
    done : ``Out(1)``, ``good`` : ``Out(1)``, ``over`` : ``Out(1)``
        A document's matched rows are complete in the bank that ``scan`` reads; held until ``taken``.
    taken : ``In(1)``
        The rows have been read; the engine may use the bank again.
    scan_some : ``Out``
        By slice, whether it has matched bits in the finished document.
    scan_slice : ``In``, ``scan_row`` : ``Out``, ``scan_ready`` : ``Out``
        The matched bits of such a slice, sampled in a clock in which ``scan_ready`` is 1.
    hits : ``Out(RowHits(config))``, ``hits_valid`` : ``Out(1)``
        Which subscriptions select the node of an operation, a slice a clock and in order, and the end of each document.
    room : ``In(1)``
        When it falls, at most 8 more come.
    """

    def __init__(self, config):
        self.config = config
        members = CrtView(config).members
        super().__init__(
            {
                "i": In(stream.Signature(RowRequest(config))),
                "view": In(wiring.Signature({name: members[name] for name in _VIEW})),
                "idle": Out(1),
                "done": Out(1),
                "good": Out(1),
                "over": Out(1),
                "taken": In(1),
                "scan_some": Out(config.slices),
                "scan_slice": In(ceil_log2(config.slices)),
                "scan_row": Out(row_width(config)),
                "scan_ready": Out(1),
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
        request = self.i.payload

        def spread(flag):
            return flag.replicate(width)

        level_bits = ceil_log2(config.depth)
        m.submodules.stack = stack = BlockRam(shape=width, depth=1 << (level_bits + slice_bits), output_register=True)

        # What travels with a slice: 1 addresses, 2 the memories, 3 their words, 4 the row, 5 the step, 6 the matched bits.
        travel = data.StructLayout(
            {
                "op": RowOp,
                "slice": slice_bits,
                "bit": bit_bits,
                "known": 1,
                "root": 1,
                "tested": 1,
                "above": level_bits,
                "own": level_bits,
                "node": len(request.node),
            }
        )
        issued = Signal(travel)
        stage = [issued] + [Signal(travel, name=f"stage{n}") for n in range(1, 6)]
        valid = [Signal(name=f"valid{n}") for n in range(7)]
        more = Signal()
        # Nothing is under way; an operation that may stay at its end for more than one clock has the stages to itself.
        empty = Signal(init=1)
        m.d.sync += [
            empty.eq(~Cat(valid[:6]).any()),
            *(stage[n].eq(stage[n - 1]) for n in range(1, 5)),
            *(valid[n].eq(valid[n - 1]) for n in range(1, 5)),
        ]

        # Issue: one slice a clock, or one at a time when the slice may need more than one clock at its end.
        index = Signal(slice_bits)
        tested = Signal()
        alone = Signal()
        follows = Signal()
        recent = Signal(4)
        gapped = Signal()
        drain = Signal()
        issue = Signal()
        final = Signal()
        closing = Signal()
        single = Signal()
        starts = Signal()
        m.d.comb += [
            starts.eq(request.op == RowOp.START),
            single.eq((request.op == RowOp.SATISFY) | (request.op == RowOp.TEXT) | (request.op == RowOp.SEEN)),
            alone.eq((starts & tested) | (request.op == RowOp.TEXT) | (request.op == RowOp.END)),
            # The row that the tag before has made is on the stack five clocks later; one that was held up is waited for.
            follows.eq(starts & (index == 0) & (recent.any() | (gapped & ~empty))),
            issued.op.eq(request.op),
            issued.slice.eq(Mux(single, request.step[bit_bits:], index)),
            issued.bit.eq(request.step[:bit_bits]),
            issued.known.eq(request.known),
            issued.node.eq(request.node),
            issued.root.eq(request.level == 0),
            issued.tested.eq(tested),
            issued.above.eq(request.level - 1),
            issued.own.eq(Mux(starts, request.level, request.level - 1)),
            valid[0].eq(issue),
            final.eq(single | (index == view.last_slice)),
        ]
        m.d.sync += recent.eq(Cat(issue & starts & (index == 0), recent))
        asks = stage[1]
        m.d.comb += [
            view.row_en.eq(valid[1] & ((asks.op == RowOp.START) | (asks.op == RowOp.ATTRIBUTE))),
            view.row_slice.eq(asks.slice),
            stack.read[0].addr.eq(Cat(asks.slice, asks.above)),
            stack.read[0].en.eq(1),
        ]
        m.d.sync += view.row_name.eq(request.name)

        pending = Signal()
        bank = Signal()
        with m.If(issue & (index == 0)):
            m.d.sync += gapped.eq(0)
        with m.Elif(~self.room & (index != 0)):
            m.d.sync += gapped.eq(1)
        with m.If(self.i.valid & self.room & ~(drain & ~empty)):
            with m.Switch(request.op):
                with m.Case(RowOp.DONE):
                    # Containment is decided once the whole document has been seen.
                    with m.If(~closing & (view.containment != 0) & request.good):
                        m.d.comb += issue.eq(empty)
                        with m.If(issue & final):
                            m.d.sync += closing.eq(1)
                    with m.Elif(empty & ~pending):
                        m.d.comb += self.i.ready.eq(1)
                with m.Default():
                    m.d.comb += [issue.eq(Mux(alone, empty, ~follows)), self.i.ready.eq(issue & final)]
        with m.If(issue & ~single):
            m.d.sync += index.eq(Mux(final, 0, index + 1))
        # The slices of a tag follow each other without a gap, so that what holds for the first distance holds for all.
        with m.If(issue | (self.i.valid & self.i.ready)):
            m.d.sync += drain.eq(alone)
        with m.If(self.i.valid & self.i.ready):
            with m.Switch(request.op):
                with m.Case(RowOp.START):
                    m.d.sync += tested.eq(0)
                with m.Case(RowOp.ATTRIBUTE, RowOp.SATISFY):
                    m.d.sync += tested.eq(1)
                with m.Case(RowOp.DONE):
                    m.d.sync += [tested.eq(0), closing.eq(0)]
                    m.d.sync += [pending.eq(1), bank.eq(~bank), self.good.eq(request.good), self.over.eq(request.over)]
        with m.If(self.taken):
            m.d.sync += pending.eq(0)
        m.d.comb += [self.done.eq(pending), self.idle.eq(empty & ~pending)]

        # The memories' words, and the operation's flags decoded a clock ahead; a single bit is 0 for operations on whole rows.
        masks = Signal(RowMasks(config))
        single_bit = Signal(width)
        flags_layout = data.StructLayout({"starts": 1, "ends": 1, "dones": 1, "listed": 1, "root": 1})
        flags = [Signal(flags_layout, name=f"flags{n}") for n in (3, 4)]
        ahead = stage[2]
        ahead_single = (ahead.op == RowOp.SATISFY) | (ahead.op == RowOp.SEEN) | (ahead.op == RowOp.TEXT)
        m.d.comb += view.mask_slice.eq(ahead.slice)
        m.d.sync += [
            masks.eq(view.masks),
            single_bit.eq(Mux(ahead_single, Const(1, width) << ahead.bit, 0)),
            flags[0].starts.eq(ahead.op == RowOp.START),
            flags[0].ends.eq((ahead.op == RowOp.END) | (ahead.op == RowOp.TEXT)),
            flags[0].dones.eq(ahead.op == RowOp.DONE),
            flags[0].listed.eq(ahead.known & ((ahead.op == RowOp.START) | (ahead.op == RowOp.ATTRIBUTE))),
            flags[0].root.eq(ahead.root),
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
            holds.eq(top & ~text & ~spread(flag.root)),
            proven.eq((((top & text) | single_bit) & spread(flag.ends)) | (wild & spread(flag.dones))),
            enters.eq(~masks.test & spread(flag.starts)),
            begins.eq(masks.first & spread(flag.starts) & (masks.far | spread(flag.root))),
            contains.eq(masks.contains & spread(flag.dones)),
            stays.eq((masks.far >> 1) | spread(flag.ends)),
            unnamed.eq(~masks.named),
            tests.eq(masks.test),
            lasts.eq(masks.last),
        ]

        # What the document has shown: in this tag, and anywhere for containment.
        now = stage[4]

        def gathered(name, *, adds, forget):
            """A row per slice that gathers bits until it is forgotten as a whole; returns what it holds for this slice."""
            fresh = Signal(slices, name=f"{name}_fresh")
            store = memory.Memory(shape=width, depth=max(slices, 2), init=[])
            m.submodules[name] = store
            read, write = store.read_port(domain="comb"), store.write_port()
            here = Signal(name=f"{name}_here")
            held = read.data & spread(here)
            m.d.comb += [
                here.eq(fresh.bit_select(now.slice, 1)),
                read.addr.eq(now.slice),
                write.addr.eq(now.slice),
                write.data.eq(held | row),
                write.en.eq(valid[4] & adds),
            ]
            with m.If(forget):
                m.d.sync += fresh.eq(0)
            with m.Elif(write.en):
                m.d.sync += fresh.bit_select(now.slice, 1).eq(1)
            return read.data, here

        in_tag = (now.op == RowOp.ATTRIBUTE) | (now.op == RowOp.SATISFY)
        ended = Signal()
        forget_tag = Signal()
        satisfied, satisfied_here = gathered("satisfied", adds=in_tag, forget=forget_tag)
        seen, seen_here = gathered("seen", adds=in_tag | (now.op == RowOp.SEEN) | (now.op == RowOp.START), forget=ended)
        m.d.sync += ended.eq(self.i.valid & self.i.ready & (request.op == RowOp.DONE))

        # The step itself; neighbours in a run are neighbours in the row. Tests follow one a clock, from the step to the last of them.
        reach, gate, first, last, listing = (Signal(width, name=name) for name in ("reach", "gate", "first", "last", "listing"))
        count = Signal(range(config.subscription_steps + 1))
        due = Signal.like(count)
        some_tests, stays_on = Signal(), Signal()
        m.d.sync += some_tests.eq(view.tests.any())
        m.d.comb += due.eq(Mux(now.op == RowOp.DONE, view.containment, view.tests))
        with m.Switch(now.op):
            with m.Case(RowOp.START):
                m.d.comb += stays_on.eq(satisfied_here & some_tests)
            with m.Case(RowOp.END):
                m.d.comb += stays_on.eq(some_tests)
            with m.Case(RowOp.DONE):
                m.d.comb += stays_on.eq(1)
        flag = flags[1]
        with m.If(more):
            m.d.sync += [
                reach.eq(reach | ((((reach & ~last) << 1)[:width] | first) & gate)),
                count.eq(count - 1),
                more.eq(count != 1),
            ]
        with m.Else():
            m.d.sync += [
                stage[5].eq(stage[4]),
                valid[5].eq(valid[4]),
                reach.eq(((row | unnamed) & (((holds << 1)[:width] & enters) | begins)) | (holds & stays)),
                gate.eq(proven | (satisfied & tests & spread(satisfied_here & flag.starts)) | (seen & spread(seen_here & flag.dones))),
                first.eq(contains),
                last.eq(lasts),
                listing.eq(row),
                count.eq(due),
                more.eq(valid[4] & stays_on),
            ]

        # The result: the element's row on the stack, the matched bits in the bank of this document.
        result = stage[5]
        settled = Signal()
        moves = Signal()
        marks = Signal()
        m.d.comb += [
            settled.eq(valid[5] & ~more),
            moves.eq(result.op == RowOp.START),
            marks.eq(result.op == RowOp.TEXT),
            stack.write.addr.eq(Cat(result.slice, result.own)),
            stack.write.data.eq((reach & (~last | spread(marks))) | (gate & spread(marks))),
            stack.write.en.eq(settled & (moves | marks)),
        ]
        # A document that is not well-formed may end inside a tag.
        m.d.sync += forget_tag.eq((settled & moves & result.tested & (result.slice == view.last_slice)) | ended)
        # A slice counts from the first operation on that has matched something in it.
        fresh = Signal(2 << slice_bits)
        m.submodules.matched = matched = memory.Memory(shape=width, depth=2 << slice_bits, init=[])
        read, write = matched.read_port(domain="comb"), matched.write_port()
        found = Signal(width)
        finds = Signal()
        place, following = Signal(slice_bits + 1), Signal(slice_bits + 1)
        here = Signal()
        m.d.comb += following.eq(Cat(result.slice, bank))
        m.d.sync += [
            valid[6].eq(settled & (moves | (result.op == RowOp.END) | (result.op == RowOp.DONE))),
            found.eq(reach & last),
            finds.eq((reach & last).any()),
            place.eq(following),
            # the operation before may be writing this very slice now
            here.eq(fresh.bit_select(following, 1) | (valid[6] & finds & (place == following))),
        ]
        m.d.comb += [
            read.addr.eq(Mux(valid[6], place, Cat(self.scan_slice, ~bank))),
            write.addr.eq(place),
            write.data.eq((read.data & spread(here)) | found),
            write.en.eq(valid[6]),
            self.scan_some.eq(fresh.word_select(~bank, 1 << slice_bits)),
            self.scan_row.eq(read.data),
            self.scan_ready.eq(~valid[6]),
        ]
        with m.If(valid[6] & finds):
            m.d.sync += fresh.bit_select(place, 1).eq(1)
        with m.If(self.taken | (ended & ~self.good)):
            m.d.sync += fresh.word_select(~bank, 1 << slice_bits).eq(0)

        # What the selection log is told.
        lists = result.op == RowOp.ATTRIBUTE
        m.d.sync += [
            self.hits.row.eq(Mux(lists, listing, reach) & last),
            self.hits.op.eq(Mux(ended, RowOp.DONE, result.op)),
            self.hits.slice.eq(result.slice),
            self.hits.node.eq(result.node),
            self.hits.final.eq(moves & (result.slice == view.last_slice)),
            self.hits.good.eq(self.good),
            self.hits_valid.eq((settled & (lists | moves | (result.op == RowOp.END))) | ended),
        ]
        return m
