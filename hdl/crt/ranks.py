"""The order of the stored numbers: which of them has which rank."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.tests import number_width

__all__ = ["RankAnswer", "RankOp", "RankOrder", "RankRequest"]

_LANES = 16
"""Ranks of a word."""


class RankOp(enum.Enum, shape=unsigned(2)):
    """Requests about ranks."""

    FIND = 0
    """The rank of a number in use."""
    INSERT = 1
    """A free number gets the ``rank``; those from there on move up."""
    REMOVE = 2
    """The number of the ``rank`` is free again; those above it move down."""


class RankRequest(data.StructLayout):
    """A request about a ``rank``, or with FIND about the number ``identity``."""

    def __init__(self, config):
        super().__init__({"op": RankOp, "rank": number_width(config), "identity": number_width(config)})


class RankAnswer(data.StructLayout):
    """The ``rank`` and the ``identity`` of the number that the request was about."""

    def __init__(self, config):
        super().__init__({"rank": number_width(config), "identity": number_width(config)})


class RankOrder(wiring.Component):
    """Keeps the identities of numbers by rank: those in use from rank 0 on, then the free ones in any order.

    A word has 16 ranks. FIND takes 3 clocks and one a word up to the number; INSERT and REMOVE take 3 and one for each word with a rank
    that moves.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    rank, identity : ``In``, ``Out``
        The identity of a rank, in the same clock; not while ``moving``.
    moving : ``Out(1)``
        INSERT or REMOVE is under way.
    request : ``In(stream.Signature(RankRequest(config)))``
        Taken when nothing is under way. There must be a free number for INSERT, and the number must be in use for the others.
    answer : ``Out(stream.Signature(RankAnswer(config), always_ready=True))``
        One for each request, when it has been worked out.
    used : ``Out``
        Numbers in use.
    clear, clear_address : ``In``
        Frees the numbers of this word, in this clock, while nothing is under way; all words from 0 up must be.
    """

    def __init__(self, config):
        self.config = config
        self.clear_depth = max(2, -(-config.numbers // _LANES))
        width = number_width(config)
        super().__init__(
            {
                "rank": In(width),
                "identity": Out(width),
                "moving": Out(1),
                "request": In(stream.Signature(RankRequest(config))),
                "answer": Out(stream.Signature(RankAnswer(config), always_ready=True)),
                "used": Out(range(config.numbers + 1)),
                "clear": In(1),
                "clear_address": In(range(self.clear_depth)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width, places = number_width(self.config), ceil_log2(_LANES)
        lanes = data.ArrayLayout(width, _LANES)
        m.submodules.store = store = memory.Memory(shape=lanes.size, depth=self.clear_depth, init=[])
        look, read, write = store.read_port(domain="comb"), store.read_port(domain="comb"), store.write_port()

        def number(rank):
            """A rank as a place in a word and a word."""
            return (rank | Const(0, width + places))[:places], (rank | Const(0, width + places))[places : places + len(read.addr)]

        place, word = number(self.rank)
        m.d.comb += [look.addr.eq(word), self.identity.eq(Array(data.View(lanes, look.data)[n] for n in range(_LANES))[place])]

        # The request: the ranks from ``low`` to ``high`` move by one, and the number of the one end goes to the other.
        given = self.request.payload
        op, target = Signal(RankOp), Signal(width)
        low, high = Signal(width), Signal(width)
        at = Signal(len(read.addr))
        now, moved = data.View(lanes, read.data), data.View(lanes, write.data)
        (low_place, low_word), (high_place, high_word) = number(low), number(high)
        carry = Signal(width)
        up = op == RankOp.INSERT
        m.d.comb += [read.addr.eq(at), write.addr.eq(at), self.answer.payload.rank.eq(low), self.answer.payload.identity.eq(target)]
        for lane in range(_LANES):
            within = ((at != low_word) | (low_place <= lane)) & ((at != high_word) | (high_place >= lane))
            below, above = (now[lane - 1] if lane else carry), (now[lane + 1] if lane + 1 < _LANES else carry)
            comes = Mux(up, below, above)
            last = Mux(up, (at == low_word) & (low_place == lane), (at == high_word) & (high_place == lane))
            m.d.comb += moved[lane].eq(Mux(within, Mux(last, target, comes), now[lane]))

        # A word of the search, and which of its lanes has the number.
        found = Signal(_LANES)
        searched, searching = Signal(len(at)), Signal()
        m.d.sync += [found.eq(Cat(now[lane] == target for lane in range(_LANES))), searched.eq(at), self.answer.valid.eq(0)]

        with m.FSM():
            with m.State("IDLE"):
                # Waits for a request.
                m.d.comb += self.request.ready.eq(~self.answer.valid)
                m.d.sync += [op.eq(given.op), target.eq(given.identity), low.eq(given.rank), at.eq(0), searching.eq(0)]
                m.d.sync += high.eq(Mux(given.op == RankOp.INSERT, self.used, self.used - 1))
                with m.If(self.request.valid & self.request.ready):
                    m.next = "SEARCH"
                    with m.If(given.op != RankOp.FIND):
                        m.d.sync += at.eq(number(Mux(given.op == RankOp.INSERT, self.used, given.rank))[1])
                        m.next = "END"
            with m.State("SEARCH"):
                # Reads a word a clock until one has the number.
                m.d.sync += [at.eq(at + 1), searching.eq(1)]
                with m.If(searching & found.any()):
                    lane = Cat(Cat(found[n] for n in range(_LANES) if n >> bit & 1).any() for bit in range(places))
                    m.d.sync += [low.eq(Cat(lane, searched)), self.answer.valid.eq(1)]
                    m.next = "IDLE"
            with m.State("END"):
                # Takes the number that goes to the other end.
                m.d.comb += self.moving.eq(1)
                m.d.sync += [
                    target.eq(Array(now[n] for n in range(_LANES))[Mux(up, high_place, low_place)]),
                    at.eq(Mux(up, low_word, high_word)),
                ]
                m.next = "MOVE"
            with m.State("MOVE"):
                # A word a clock: upwards for INSERT, downwards for REMOVE.
                m.d.comb += [self.moving.eq(1), write.en.eq(1)]
                m.d.sync += [carry.eq(Mux(up, now[_LANES - 1], now[0])), at.eq(Mux(up, at + 1, at - 1))]
                with m.If(at == Mux(up, high_word, low_word)):
                    m.d.sync += [self.used.eq(Mux(up, self.used + 1, self.used - 1)), self.answer.valid.eq(1)]
                    m.next = "IDLE"

        with m.If(self.clear):
            numbers = ((self.clear_address << places) | lane for lane in range(_LANES))
            m.d.comb += [write.en.eq(1), write.addr.eq(self.clear_address), write.data.eq(Cat(one[:width] for one in numbers))]
            m.d.sync += self.used.eq(0)
        return m
