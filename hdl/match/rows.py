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

    A start tag takes one clock per slice; when one of its attributes is tested, one more per slice and test of a step, and the
    latency of the rows per slice. An end tag takes one clock, or as much as a tested start tag when text is tested.

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
    scan_slice : ``In``, ``scan_row`` : ``Out``, ``scan_ready`` : ``Out``
        The matched bits of a slice of the finished document, sampled in a clock in which ``scan_ready`` is 1.
    hits : ``Out(RowHits(config))``, ``hits_valid`` : ``Out(1)``
        Which subscriptions select the node of an operation, a slice a clock and in order, and the end of each document.
    room : ``In(1)``
        When it falls, at most 4 more come.
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

        depth = Signal(range(config.depth + 1))
        m.submodules.stack = stack = BlockRam(shape=width, depth=(config.depth + 1) << slice_bits, output_register=True)

        # What travels with a slice from its address to its result.
        travel = data.StructLayout(
            {
                "op": RowOp,
                "slice": slice_bits,
                "bit": bit_bits,
                "known": 1,
                "root": 1,
                "contains": 1,
                "tested": 1,
                "address": (config.depth + 1).bit_length(),
                "node": len(request.node),
            }
        )
        stage = [Signal(travel, name=f"stage{n}") for n in range(4)]
        valid = [Signal(name=f"valid{n}") for n in range(4)]
        empty = Signal()
        m.d.comb += empty.eq(~(valid[1] | valid[2] | valid[3]))

        # Issue: one slice a clock, or one at a time when the slice may need more than one clock at its end.
        index = Signal(slice_bits)
        tested = Signal()
        alone = Signal()
        follows = Signal()
        drain = Signal()
        issue = Signal()
        final = Signal()
        closing = Signal()
        single = Signal()
        m.d.comb += [
            single.eq((request.op == RowOp.SATISFY) | (request.op == RowOp.TEXT) | (request.op == RowOp.SEEN)),
            alone.eq(((request.op == RowOp.START) & tested) | (request.op == RowOp.TEXT) | ((request.op == RowOp.END) & request.check)),
            # With few slices the row that the tag before has made is not on the stack yet.
            follows.eq((request.op == RowOp.START) & (index == 0) & (view.last_slice < 3)),
            stage[0].op.eq(request.op),
            stage[0].slice.eq(Mux(single, request.step[bit_bits:], index)),
            stage[0].bit.eq(request.step[:bit_bits]),
            stage[0].known.eq(request.known),
            stage[0].root.eq(depth == 0),
            stage[0].contains.eq(request.op == RowOp.DONE),
            stage[0].tested.eq(tested),
            stage[0].node.eq(request.node),
            stage[0].address.eq(Mux(request.op == RowOp.START, depth + 1, depth)),
            valid[0].eq(issue),
            final.eq(single | (index == view.last_slice)),
            view.row_en.eq(issue & ((request.op == RowOp.START) | (request.op == RowOp.ATTRIBUTE))),
            view.row_name.eq(request.name),
            view.row_slice.eq(index),
            stack.read[0].addr.eq(Cat(stage[0].slice, depth)),
            stack.read[0].en.eq(1),
        ]

        pending = Signal()
        bank = Signal()
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
                with m.Case(RowOp.END):
                    with m.If(request.check):
                        m.d.comb += [issue.eq(empty), self.i.ready.eq(issue & final)]
                    with m.Else():
                        m.d.comb += self.i.ready.eq(1)
                with m.Default():
                    m.d.comb += [issue.eq(empty | ~(alone | follows)), self.i.ready.eq(issue & final)]
        with m.If(issue & ~single):
            m.d.sync += index.eq(Mux(final, 0, index + 1))
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += drain.eq(alone)
            with m.Switch(request.op):
                with m.Case(RowOp.START):
                    m.d.sync += [depth.eq(depth + 1), tested.eq(0)]
                with m.Case(RowOp.ATTRIBUTE, RowOp.SATISFY):
                    m.d.sync += tested.eq(1)
                with m.Case(RowOp.END):
                    m.d.sync += depth.eq(depth - 1)
                with m.Case(RowOp.DONE):
                    m.d.sync += [depth.eq(0), tested.eq(0), closing.eq(0)]
                    m.d.sync += [pending.eq(1), bank.eq(~bank), self.good.eq(request.good), self.over.eq(request.over)]
        with m.If(self.taken):
            m.d.sync += pending.eq(0)
        m.d.comb += [self.done.eq(pending), self.idle.eq(empty & ~pending)]

        # Two clocks for the memories; the masks are read in the second.
        hold = Signal()
        masks = Signal(RowMasks(config))
        decode = Signal(width)
        with m.If(~hold):
            m.d.sync += [
                Cat(valid[1], valid[2], valid[3]).eq(Cat(valid[0], valid[1], valid[2])),
                stage[1].eq(stage[0]),
                stage[2].eq(stage[1]),
                stage[3].eq(stage[2]),
            ]
        m.d.comb += view.mask_slice.eq(stage[1].slice)
        m.d.sync += masks.eq(view.masks)

        # The operation's flags, decoded a clock ahead; a single bit is 0 for operations on whole rows.
        starts, ends, texts, dones, listed = Signal(), Signal(), Signal(), Signal(), Signal()
        ahead = stage[1]
        ahead_single = (ahead.op == RowOp.SATISFY) | (ahead.op == RowOp.SEEN) | (ahead.op == RowOp.TEXT)
        with m.If(~hold):
            m.d.sync += [
                decode.eq(Mux(ahead_single, Const(1, width) << ahead.bit, 0)),
                starts.eq(ahead.op == RowOp.START),
                ends.eq((ahead.op == RowOp.END) | (ahead.op == RowOp.TEXT)),
                texts.eq(ahead.op == RowOp.TEXT),
                dones.eq(ahead.op == RowOp.DONE),
                listed.eq(ahead.known & ((ahead.op == RowOp.START) | (ahead.op == RowOp.ATTRIBUTE))),
            ]

        # What the document has shown: in this tag, and anywhere for containment.
        now = stage[2]
        row = Signal(width)
        seen = Signal(width)

        def spread(flag):
            return flag.replicate(width)

        m.d.comb += row.eq((view.row & spread(listed)) | decode | (seen & spread(dones)))

        def gathered(name, *, adds, forget):
            """A row per slice that gathers bits until it is forgotten as a whole; returns what it holds for this slice."""
            fresh = Signal(slices, name=f"{name}_fresh")
            store = memory.Memory(shape=width, depth=max(slices, 2), init=[])
            m.submodules[name] = store
            read, write = store.read_port(domain="comb"), store.write_port()
            held = Signal(width, name=f"{name}_held")
            here = Signal(name=f"{name}_here")
            m.d.comb += [
                here.eq(fresh.bit_select(now.slice, 1)),
                read.addr.eq(now.slice),
                write.addr.eq(now.slice),
                held.eq(read.data & here.replicate(width)),
                write.data.eq(held | row),
                write.en.eq(valid[2] & ~hold & adds),
            ]
            with m.If(forget):
                m.d.sync += fresh.eq(0)
            with m.Elif(write.en):
                m.d.sync += fresh.bit_select(now.slice, 1).eq(1)
            return held, here

        in_tag = (now.op == RowOp.ATTRIBUTE) | (now.op == RowOp.SATISFY)
        ended = Signal()
        forget_tag = Signal()
        sat, sat_here = gathered("satisfied", adds=in_tag, forget=forget_tag)
        anywhere, _ = gathered("seen", adds=in_tag | (now.op == RowOp.SEEN) | (now.op == RowOp.START), forget=ended)
        m.d.comb += seen.eq(anywhere)
        m.d.comb += ended.eq(self.i.valid & self.i.ready & (request.op == RowOp.DONE))

        # The step itself; neighbours in a run are neighbours in the row.
        top = stack.read[0].data
        text = masks.named & masks.test
        wild = ~masks.named & ~masks.test
        holds = Signal(width)
        hit = Signal(width)
        enter = Signal(width)
        stay = Signal(width)
        m.d.comb += [
            holds.eq(top & ~text),
            hit.eq((row | ~masks.named) & ~masks.test),
            enter.eq(
                hit
                & (
                    ((holds << 1)[:width] & spread(starts))
                    | (masks.first & spread(starts) & (masks.far | spread(now.root)))
                    | (masks.contains & spread(dones))
                )
            ),
            stay.eq(holds & ((masks.far >> 1) | spread(ends))),
        ]
        reach = Signal(width)
        gate = Signal(width)
        last = Signal(width)
        listing = Signal(width)
        count = Signal(range(config.subscription_steps + 1))
        shown = Signal(width)
        m.d.comb += shown.eq((row & spread(dones)) | (sat & masks.test & spread(starts)))
        with m.If(~hold):
            m.d.sync += [
                last.eq(masks.last),
                listing.eq(row),
                reach.eq(enter | stay),
                gate.eq(shown | (wild & spread(dones)) | (((top & text) | decode) & spread(ends))),
            ]
            with m.Switch(now.op):
                with m.Case(RowOp.START):
                    m.d.sync += count.eq(Mux(sat_here, view.tests, 0))
                with m.Case(RowOp.END):
                    m.d.sync += count.eq(view.tests)
                with m.Case(RowOp.DONE):
                    m.d.sync += count.eq(view.containment)
                with m.Default():
                    m.d.sync += count.eq(0)
        with m.Else():
            m.d.sync += [reach.eq(reach | (((reach & ~last) << 1)[:width] & gate)), count.eq(count - 1)]
        m.d.comb += hold.eq(valid[3] & (count != 0))

        # The result: the element's row on the stack, the matched bits in the bank of this document.
        result = stage[3]
        settled = Signal()
        moves = Signal()
        marks = Signal()
        m.d.comb += [
            settled.eq(valid[3] & ~hold),
            moves.eq(result.op == RowOp.START),
            marks.eq(result.op == RowOp.TEXT),
            stack.write.addr.eq(Cat(result.slice, result.address)),
            stack.write.data.eq((reach & (~last | spread(marks))) | (gate & spread(marks))),
            stack.write.en.eq(settled & (moves | marks)),
            # a document that is not well-formed may end inside a tag
            forget_tag.eq((settled & moves & result.tested & (result.slice == view.last_slice)) | ended),
        ]
        fresh = Signal(2 << slice_bits)
        m.submodules.matched = matched = memory.Memory(shape=width, depth=2 << slice_bits, init=[])
        read, write = matched.read_port(domain="comb"), matched.write_port()
        finds = Signal()
        held = Signal(width)
        m.d.comb += [
            finds.eq(moves | (result.op == RowOp.END) | result.contains),
            read.addr.eq(Mux(settled, Cat(result.slice, bank), Cat(self.scan_slice, ~bank))),
            held.eq(read.data & fresh.bit_select(read.addr, 1).replicate(width)),
            write.addr.eq(read.addr),
            write.data.eq(held | (reach & last)),
            write.en.eq(settled & finds),
            self.scan_row.eq(held),
            self.scan_ready.eq(~settled),
        ]
        with m.If(write.en):
            m.d.sync += fresh.bit_select(write.addr, 1).eq(1)
        with m.If(ended & ~request.good):
            m.d.sync += fresh.word_select(bank, 1 << slice_bits).eq(0)
        with m.If(self.taken):
            m.d.sync += fresh.word_select(~bank, 1 << slice_bits).eq(0)

        # What the selection log is told.
        lists = result.op == RowOp.ATTRIBUTE
        m.d.sync += [
            self.hits.row.eq(Mux(lists, listing, reach) & last),
            self.hits.op.eq(Mux(ended, RowOp.DONE, result.op)),
            self.hits.slice.eq(result.slice),
            self.hits.node.eq(result.node),
            self.hits.final.eq(moves & (result.slice == view.last_slice)),
            self.hits.good.eq(request.good),
            self.hits_valid.eq((settled & (lists | moves | (result.op == RowOp.END))) | ended),
        ]
        return m
