"""The matched set of a document: from matched bits to t-SIDs [T 5.3.3.6]."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.bits import lone
from hdl.match.ops import MatchedRow
from hdl.shapes.notification import MatchedWord
from hdl.shapes.tables import MemberView, TsidLink
from hdl.shapes.widths import row_width, step_width, tsid_width
from hdl.stream import StreamFifo

__all__ = ["Reporter"]

_CHUNK = 16
_QUEUE = 16
_SLACK = 13
"""Rows that may still come when there is no more room."""


def _lowest(value):
    """Index of the lowest 1 of a short value; any index if there is none."""
    index = len(value) - 1
    for place in range(len(value) - 2, -1, -1):
        index = Mux(value[place], place, index)
    return Value.cast(index)


class Reporter(wiring.Component):
    """Streams the t-SIDs that matched bits stand for, as they come, and the end word of each document.

    A t-SID leaves in each clock; of those that share their bits one leaves every other clock, and those of two bits take turns. A row costs
    two clocks more, and each group of 16 bits with a match one.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    o : ``Out(stream.Signature(MatchedWord(config)))``
    matched, matched_valid : ``In``
        As in :class:`RowEngine`; up to 11 may follow when ``room`` falls.
    room : ``Out(1)``
    members : ``In(MemberView(config))``
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "o": Out(stream.Signature(MatchedWord(config))),
                "matched": In(MatchedRow(config)),
                "matched_valid": In(1),
                "room": Out(1),
                "members": In(MemberView(config)),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, members = self.config, self.members
        width = row_width(config)
        chunks = -(-width // _CHUNK)

        m.submodules.rows = rows = StreamFifo(MatchedRow(config), _QUEUE, promised=True)
        m.d.comb += [rows.i.payload.eq(self.matched), rows.i.valid.eq(self.matched_valid)]
        m.d.sync += self.room.eq(rows.level <= _QUEUE - _SLACK)
        given = rows.o.payload

        index = Signal(ceil_log2(config.slices))
        row = Signal(width)
        some = Signal(chunks)
        chunk = Signal(_CHUNK)
        chunk_index = Signal(ceil_log2(chunks))
        next_chunk = Signal(ceil_log2(chunks))
        rest = Signal(_CHUNK)
        good, over = Signal(), Signal()
        m.d.sync += next_chunk.eq(_lowest(some))
        m.d.comb += rest.eq(chunk & (chunk - 1))

        # Look-up of a bit's first t-SID: its number, two clocks of the memory, then a queue.
        found = data.StructLayout({"link": TsidLink(config), "step": step_width(config)})
        m.submodules.heads = heads = StreamFifo(found, 8, promised=True)
        steps = [Signal(step_width(config), name=f"step{n}") for n in range(2)]
        look = Signal()
        looks = Signal(3)
        room = Signal()
        m.d.sync += [
            room.eq(heads.level < 3),
            looks.eq(Cat(look, looks)),
            steps[0].eq(members.step),
            steps[1].eq(steps[0]),
            members.step.eq(Cat(_lowest(chunk)[: ceil_log2(_CHUNK)], chunk_index, index)[: step_width(config)]),
        ]
        m.d.comb += [heads.i.valid.eq(looks[2]), heads.i.payload.link.eq(members.head), heads.i.payload.step.eq(steps[1])]
        steps_out = Signal()
        ended = Signal()

        with m.FSM() as fsm:
            with m.State("ROW"):
                # the next row with a match
                m.d.comb += rows.o.ready.eq(1)
                m.d.sync += [row.eq(given.row), index.eq(given.slice), good.eq(given.good), over.eq(given.over)]
                m.d.sync += some.eq(Cat(given.row[n * _CHUNK : (n + 1) * _CHUNK].any() for n in range(chunks)))
                with m.If(rows.o.valid):
                    m.next = "CHOOSE"
                    with m.If(given.end):
                        m.next = "FLUSH"
            with m.State("CHOOSE"):
                # for its first group to be known; that of the next one is by the time it is picked
                m.next = "PICK"
            with m.State("PICK"):
                # the next group with a match
                m.d.sync += [chunk.eq(row.word_select(next_chunk, _CHUNK)), chunk_index.eq(next_chunk), some.eq(some & (some - 1))]
                m.next = "BITS"
            with m.State("BITS"):
                with m.If(room):
                    m.d.comb += look.eq(1)
                    m.d.sync += chunk.eq(rest)
                    with m.If(lone(chunk)):
                        m.next = "PICK"
                        with m.If(~some.any()):
                            m.next = "ROW"
            with m.State("FLUSH"):
                # until every t-SID has left
                m.d.comb += steps_out.eq((looks == 0) & (heads.level == 0))
                with m.If(ended):
                    m.next = "ROW"

        # Lists of t-SIDs that share a run: the first, then link by link. The link of one is read while it becomes the current one, and
        # comes two moves later; in the clock between them goes another list.
        current, following = Signal(tsid_width(config)), Signal(TsidLink(config))
        step, step_before, following_step = (Signal(step_width(config), name=name) for name in ("step", "step_before", "following_step"))
        valid = Signal()
        moves = Signal()
        more, goes_on = Signal(), Signal()  # another one follows the current one, and the one a move before it
        count = Signal(tsid_width(config))
        finished = Signal()  # every t-SID has left; a clock behind, and with it no other is valid
        m.d.sync += finished.eq(steps_out & ~valid & ~more & ~goes_on & ~ended)
        m.d.comb += [
            following.eq(Mux(goes_on, members.link, heads.o.payload.link)),
            following_step.eq(Mux(goes_on, step_before, heads.o.payload.step)),
            members.tsid.eq(following.tsid),
            members.en.eq(moves),
            moves.eq(~valid | self.o.ready),
            heads.o.ready.eq(moves & ~goes_on),
            self.o.valid.eq(valid | finished),
            self.o.payload.step.eq(step),
            self.o.payload.tsid.eq(current),
            self.o.payload.count.eq(Mux(good & ~valid, count, 0)),
            self.o.payload.end.eq(~valid),
            self.o.payload.good.eq(good & ~valid),
            self.o.payload.over.eq(over & ~valid),
            ended.eq(finished & self.o.ready),
            self.idle.eq((rows.level == 0) & ~self.matched_valid & fsm.ongoing("ROW")),
        ]
        with m.If(moves):
            m.d.sync += [
                current.eq(following.tsid),
                step.eq(following_step),
                step_before.eq(step),
                valid.eq(goes_on | heads.o.valid),
                more.eq(following.more & (goes_on | heads.o.valid)),
                goes_on.eq(more),
            ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += count.eq(Mux(self.o.payload.end, 0, count + 1))
        return m
