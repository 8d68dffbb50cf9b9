"""The matched set of a document: from matched bits to t-SIDs [T 5.3.3.6]."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, TsidLink, row_width, step_width
from hdl.layouts import MatchedWord, tsid_width
from hdl.stream import StreamFifo

__all__ = ["Reporter"]

_CHUNK = 16
_VIEW = ("head_step", "head", "link_tsid", "link")


def _lowest(value):
    """Index of the lowest 1 of a short value; any index if there is none."""
    index = len(value) - 1
    for place in range(len(value) - 2, -1, -1):
        index = Mux(value[place], place, index)
    return Value.cast(index)


class Reporter(wiring.Component):
    """Reads the matched rows of a finished document and streams the t-SIDs that they stand for, then the end word.

    A t-SID leaves in each clock; a slice with a match costs four clocks, a group of 16 bits with a match one.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    o : ``Out(stream.Signature(MatchedWord(config)))``
    done, good, over, taken, scan_some, scan_slice, scan_row, scan_ready :
        As in :class:`RowEngine`, seen from the other side.
    view : ``In(CrtView)``, the part about t-SIDs
    idle : ``Out(1)``
    """

    def __init__(self, config):
        self.config = config
        members = CrtView(config).members
        super().__init__(
            {
                "o": Out(stream.Signature(MatchedWord(config))),
                "done": In(1),
                "good": In(1),
                "over": In(1),
                "taken": Out(1),
                "scan_some": In(config.slices),
                "scan_slice": Out(ceil_log2(config.slices)),
                "scan_row": In(row_width(config)),
                "scan_ready": In(1),
                "view": In(wiring.Signature({name: members[name] for name in _VIEW})),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view = self.config, self.view
        width = row_width(config)
        chunks = -(-width // _CHUNK)

        left = Signal(config.slices)
        index = Signal(ceil_log2(config.slices))
        row = Signal(width)
        some = Signal(chunks)
        chunk = Signal(_CHUNK)
        chunk_index = Signal(ceil_log2(chunks))
        next_chunk = Signal(ceil_log2(chunks))
        rest = Signal(_CHUNK)
        m.d.comb += [self.scan_slice.eq(index), next_chunk.eq(_lowest(some)), rest.eq(chunk & (chunk - 1))]

        # Look-up of a bit's first t-SID: its number, two clocks of the memory, then a queue.
        found = data.StructLayout({"link": TsidLink(config), "step": step_width(config)})
        m.submodules.heads = heads = StreamFifo(found, 8)
        steps = [Signal(step_width(config), name=f"step{n}") for n in range(2)]
        look = Signal()
        looks = Signal(3)
        room = Signal()
        m.d.sync += [
            room.eq(heads.level < 3),
            looks.eq(Cat(look, looks)),
            steps[0].eq(view.head_step),
            steps[1].eq(steps[0]),
            view.head_step.eq(Cat(_lowest(chunk)[: ceil_log2(_CHUNK)], chunk_index, index)[: step_width(config)]),
        ]
        m.d.comb += [heads.i.valid.eq(looks[2]), heads.i.payload.link.eq(view.head), heads.i.payload.step.eq(steps[1])]
        steps_out = Signal()

        with m.FSM():
            with m.State("WAIT"):
                # for a document to end
                m.d.sync += left.eq(self.scan_some)
                with m.If(self.done):
                    with m.If(self.good):
                        m.next = "SLICE"
                    with m.Else():
                        m.next = "FLUSH"
            with m.State("SLICE"):
                # the next slice with a match
                m.d.sync += [index.eq(_lowest(left)), left.eq(left & (left - 1))]
                m.next = "LOAD"
                with m.If(~left.any()):
                    m.next = "FLUSH"
            with m.State("LOAD"):
                m.d.sync += row.eq(self.scan_row)
                with m.If(self.scan_ready):
                    m.next = "GROUPS"
            with m.State("GROUPS"):
                m.d.sync += some.eq(Cat(row[n * _CHUNK : (n + 1) * _CHUNK].any() for n in range(chunks)))
                m.next = "PICK"
            with m.State("PICK"):
                # the next group with a match
                m.d.sync += [chunk.eq(row.word_select(next_chunk, _CHUNK)), chunk_index.eq(next_chunk), some.eq(some & (some - 1))]
                m.next = "BITS"
            with m.State("BITS"):
                with m.If(room):
                    m.d.comb += look.eq(1)
                    m.d.sync += chunk.eq(rest)
                    with m.If(~rest.any()):
                        m.next = "PICK"
                        with m.If(~some.any()):
                            m.next = "SLICE"
            with m.State("FLUSH"):
                # until every t-SID has left
                m.d.comb += steps_out.eq((looks == 0) & (heads.level == 0))
                with m.If(self.taken):
                    m.next = "WAIT"

        # A list of t-SIDs that share a run: its first, then link by link.
        current = Signal(TsidLink(config))
        valid = Signal()
        onward = Signal()
        count = Signal(tsid_width(config))
        step = Signal(step_width(config))
        with m.If(onward & ~(valid & current.more)):
            m.d.sync += step.eq(heads.o.payload.step)
        m.d.comb += [
            self.o.payload.step.eq(step),
            view.link_tsid.eq(current.tsid),
            onward.eq(~valid | self.o.ready),
            heads.o.ready.eq(onward & ~(valid & current.more)),
            self.o.valid.eq(valid | steps_out),
            self.o.payload.tsid.eq(current.tsid),
            self.o.payload.count.eq(count),
            self.o.payload.end.eq(~valid),
            self.o.payload.good.eq(self.good),
            self.o.payload.over.eq(self.over),
            self.taken.eq(steps_out & ~valid & self.o.ready),
            self.idle.eq(~self.done),
        ]
        with m.If(onward):
            m.d.sync += [
                current.eq(Mux(valid & current.more, view.link, heads.o.payload.link)),
                valid.eq((valid & current.more) | heads.o.valid),
            ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += count.eq(Mux(self.o.payload.end, 0, count + 1))
        return m
