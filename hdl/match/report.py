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
_VIEW = ("head_step", "head", "link_tsid", "link", "last_slice")


def _lowest(value):
    """Index of the lowest 1 of a short value; any index if there is none."""
    index = len(value) - 1
    for place in range(len(value) - 2, -1, -1):
        index = Mux(value[place], place, index)
    return index


class Reporter(wiring.Component):
    """Reads the matched rows of a finished document and streams the t-SIDs that they stand for, then the end word.

    A t-SID leaves in each clock; a slice costs three clocks, a group of 16 bits with a match one.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    o : ``Out(stream.Signature(MatchedWord(config)))``
    done, good, over, taken, scan_slice, scan_row, scan_ready :
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

        index = Signal(ceil_log2(config.slices))
        row = Signal(width)
        chunk = Signal(_CHUNK)
        chunk_index = Signal(ceil_log2(chunks))
        steps_out = Signal()  # the bits of the document have all been looked up
        m.d.comb += self.scan_slice.eq(index)

        # Groups with a match, one after the other.
        some = Signal(chunks)
        m.d.comb += Cat(some).eq(Cat(row[n * _CHUNK : (n + 1) * _CHUNK].any() for n in range(chunks)))
        next_chunk = Signal(ceil_log2(chunks))
        m.d.comb += next_chunk.eq(_lowest(some))

        # Look-up of a bit's first t-SID: two clocks, then a queue.
        found = data.StructLayout({"link": TsidLink(config), "step": step_width(config)})
        m.submodules.heads = heads = StreamFifo(found, 8)
        steps = [Signal(step_width(config), name=f"step{n}") for n in range(2)]
        look = Signal()
        looks = Signal(2)
        room = Signal()
        m.d.comb += [
            room.eq(heads.level < 4),
            heads.i.valid.eq(looks[1]),
            heads.i.payload.link.eq(view.head),
            heads.i.payload.step.eq(steps[1]),
            view.head_step.eq(Cat(Value.cast(_lowest(chunk))[: ceil_log2(_CHUNK)], chunk_index, index)[: step_width(config)]),
        ]
        m.d.sync += [looks.eq(Cat(look, looks[0])), steps[0].eq(view.head_step), steps[1].eq(steps[0])]

        with m.FSM():
            with m.State("WAIT"):
                # for a document to end
                m.d.sync += index.eq(0)
                with m.If(self.done):
                    with m.If(self.good):
                        m.next = "LOAD"
                    with m.Else():
                        m.next = "FLUSH"
            with m.State("LOAD"):
                m.d.sync += row.eq(self.scan_row)
                with m.If(self.scan_ready):
                    m.next = "PICK"
            with m.State("PICK"):
                m.d.sync += [
                    chunk.eq(row.word_select(next_chunk, _CHUNK)),
                    chunk_index.eq(next_chunk),
                    row.word_select(next_chunk, _CHUNK).eq(0),
                ]
                with m.If(some.any()):
                    m.next = "BITS"
                with m.Elif(index == view.last_slice):
                    m.next = "FLUSH"
                with m.Else():
                    m.d.sync += index.eq(index + 1)
                    m.next = "LOAD"
            with m.State("BITS"):
                with m.If(room):
                    m.d.comb += look.eq(1)
                    m.d.sync += chunk.eq(chunk & (chunk - 1))
                    with m.If((chunk & (chunk - 1)) == 0):
                        m.next = "PICK"
            with m.State("FLUSH"):
                # until every t-SID has left
                m.d.comb += steps_out.eq((looks == 0) & (heads.level == 0))
                with m.If(self.taken):
                    m.next = "WAIT"

        # A list of t-SIDs that share a run: its first, then link by link; the link read now leads to the next one.
        count = Signal(tsid_width(config))
        current = Signal(tsid_width(config))
        shared = Signal(step_width(config))
        m.d.comb += [self.o.payload.count.eq(count), view.link_tsid.eq(current)]
        m.d.sync += current.eq(view.link_tsid)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += count.eq(Mux(self.o.payload.end, 0, count + 1))
        with m.FSM():
            with m.State("HEAD"):
                m.d.comb += [
                    self.o.valid.eq(heads.o.valid | steps_out),
                    self.o.payload.tsid.eq(heads.o.payload.link.tsid),
                    self.o.payload.step.eq(heads.o.payload.step),
                    self.o.payload.end.eq(~heads.o.valid),
                    self.o.payload.good.eq(self.good),
                    self.o.payload.over.eq(self.over),
                    heads.o.ready.eq(self.o.ready),
                    self.taken.eq(steps_out & ~heads.o.valid & self.o.ready),
                    view.link_tsid.eq(heads.o.payload.link.tsid),
                ]
                m.d.sync += shared.eq(heads.o.payload.step)
                with m.If(heads.o.valid & self.o.ready & heads.o.payload.link.more):
                    m.next = "LINK"
            with m.State("LINK"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.tsid.eq(view.link.tsid), self.o.payload.good.eq(1)]
                m.d.comb += self.o.payload.step.eq(shared)
                with m.If(self.o.ready):
                    m.d.comb += view.link_tsid.eq(view.link.tsid)
                    with m.If(~view.link.more):
                        m.next = "HEAD"
        m.d.comb += self.idle.eq(~self.done)
        return m
