"""Finds the nodes that a subscription selected, one after the other, for whichever link asks."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.layouts import SELECTED_STEPS, NodeSpan, SelectedNode, log_width, node_width, step_width

__all__ = ["Found", "NodeFinder", "Search"]


class Search(data.StructLayout):
    """The next node after ``node`` that the subscription with the last bit ``step`` selected, an ``attribute`` or an element; the first one
    if ``fresh``. ``index`` is where the search before it left off in the log."""

    def __init__(self, config):
        super().__init__(
            {
                "step": step_width(config),
                "attribute": 1,
                "fresh": 1,
                "node": node_width(config),
                "index": log_width(config) + 1,
            }
        )


class Found(data.StructLayout):
    """The answer: ``none`` is left, or a node that begins at byte ``start`` of the X-RAM and has ``bytes``; ``node`` and ``index``
    are for the next search."""

    def __init__(self, config):
        width = node_width(config)
        super().__init__({"none": 1, "start": width + 2, "bytes": width + 3, "node": width, "index": log_width(config) + 1})


class NodeFinder(wiring.Component):
    """Searches the selection log of the current publication and looks up where the nodes lie, in the order of the document.

    One search at a time, links by turns: an entry of the log a clock, and ten clocks. Where the log is not in the order of the
    document, each search goes through all of it.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    asks : In(links)
    search : In(Search(config)), one per link
        A link asks until it is answered.
    answers : Out(links)
    found : Out(Found(config))
    begin, end, sorted : In
        The current publication's part of the log, which stays while links ask.
    base : In
        Position of the publication in the X-RAM, modulo the ring.
    log : In(memory.ReadPort.Signature(...))
    spans : In(memory.ReadPort.Signature(...))
        The selection log and the node map; each answers in two clocks.
    """

    def __init__(self, config):
        self._config = config
        pointer = log_width(config) + 1
        width = node_width(config)
        super().__init__(
            {
                "asks": In(config.links),
                "search": In(Search(config)).array(config.links),
                "answers": Out(config.links),
                "found": Out(Found(config)),
                "begin": In(pointer),
                "end": In(pointer),
                "sorted": In(1),
                "base": In(width),
                "log": In(memory.ReadPort.Signature(addr_width=pointer - 1, shape=SelectedNode(config))),
                "spans": In(memory.ReadPort.Signature(addr_width=width, shape=NodeSpan(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        links = config.links
        width = node_width(config)
        bit_bits = exact_log2(SELECTED_STEPS)
        pointer = log_width(config) + 1

        turn = Signal(range(max(links, 2)))
        search = Signal(Search(config))
        m.d.comb += [self.log.en.eq(1), self.spans.en.eq(1)]

        # An entry is asked for, comes two clocks later, and is judged in the clock after that.
        index = Signal(pointer)
        asked = Signal(2)
        places = [Signal(pointer, name=f"place{n}") for n in range(3)]
        reads = Signal()
        judged = Signal(data.StructLayout({"valid": 1, "hit": 1, "attribute": 1, "node": width}))
        entry = self.log.data
        m.d.comb += [self.log.addr.eq(index), reads.eq(index != self.end)]
        m.d.sync += [
            asked.eq(Cat(reads, asked[0])),
            places[0].eq(index),
            places[1].eq(places[0]),
            places[2].eq(places[1]),
            judged.hit.eq((entry.place == search.step[bit_bits:]) & entry.steps.bit_select(search.step[:bit_bits], 1)),
            judged.attribute.eq(entry.attribute),
            judged.node.eq(entry.node),
            judged.valid.eq(asked[1]),
        ]

        # The latest attribute belongs to the element after it.
        owned = Signal(width)
        candidate = Signal(width)
        better = Signal()
        some = Signal()
        m.d.comb += candidate.eq(Mux(search.attribute, owned, judged.node))
        m.d.comb += better.eq(
            judged.valid
            & judged.hit
            & ~judged.attribute
            & (self.sorted | ((search.fresh | (candidate > search.node)) & (~some | (candidate < self.found.node))))
        )

        step = Signal(2)
        m.d.comb += self.spans.addr.eq(self.base + self.found.node)
        with m.FSM():
            # Links by turns.
            with m.State("IDLE"):
                chosen = Signal(Search(config))
                m.d.comb += chosen.eq(Array(self.search)[turn])
                m.d.sync += [search.eq(chosen), some.eq(0), asked.eq(0), judged.valid.eq(0), step.eq(0)]
                m.d.sync += index.eq(Mux(chosen.fresh | ~self.sorted, self.begin, chosen.index))
                with m.If(self.asks.bit_select(turn, 1)):
                    m.next = "SEARCH"
                with m.Else():
                    m.d.sync += turn.eq(Mux(turn == links - 1, 0, turn + 1))

            with m.State("SEARCH"):
                with m.If(reads):
                    m.d.sync += index.eq(index + 1)
                with m.If(judged.valid & judged.hit & judged.attribute):
                    m.d.sync += owned.eq(judged.node)
                with m.If(better):
                    m.d.sync += [some.eq(1), self.found.node.eq(candidate), self.found.index.eq(places[2] + 1)]
                with m.If((better & self.sorted) | (~reads & (asked == 0) & ~judged.valid)):
                    m.next = "SPAN"

            # Where it lies.
            with m.State("SPAN"):
                m.d.sync += [step.eq(step + 1), self.found.none.eq(~some)]
                m.d.sync += [
                    self.found.start.eq(self.spans.data.start),
                    self.found.bytes.eq(Cat((self.spans.data.end - self.spans.data.start)[: width + 2]) + 1),
                ]
                with m.If(step == 3):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += self.answers.bit_select(turn, 1).eq(1)
                m.d.sync += turn.eq(Mux(turn == links - 1, 0, turn + 1))
                m.next = "IDLE"
        return m
