"""Finds the nodes that a subscription selected, one after the other, for whichever link asks."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.shapes.notification import SELECTED_STEPS, SelectedNode
from hdl.shapes.publication import NodeSpan
from hdl.shapes.widths import log_width, node_width, step_width

__all__ = ["NodeFinder", "Search", "Span", "body_width"]


def body_width(config) -> int:
    """Width of the length of a body: a byte is in at most one attribute and all elements round it."""
    return (config.xram_bytes * (config.depth + 1)).bit_length()


class Search(data.StructLayout):
    """What a body is made of: the ``whole`` publication, or the nodes that the subscription with the last bit ``step`` selected, which
    are attributes or elements."""

    def __init__(self, config):
        super().__init__({"whole": 1, "step": step_width(config), "attribute": 1})


class Span(data.StructLayout):
    """Bytes in the X-RAM: those of the word at ``position`` without the first ``skip``, and of ``left`` words after it; the last byte is
    the one numbered ``tail`` of its word. ``single`` says that there is one word, ``final`` that it is the last span of a body."""

    def __init__(self, config):
        width = node_width(config)
        super().__init__({"position": width, "left": width, "single": 1, "skip": 2, "tail": 2, "final": 1})


class NodeFinder(wiring.Component):
    """Searches the selection log of the current publication and looks up where the nodes lie, in the order of the document.

    A link that asks is given the length of its body first, when it asks again the first span of the body, and so on to the ``final`` one;
    a body of no bytes has no spans. One search at a time, links by turns: an entry of the log a clock, and twelve clocks. Where the log
    is not in the order of the document, each search goes through all of it.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    asks : In(links)
    search : In(Search(config)), one per link
        A link asks until it is answered; what it searches stays until the end of the body.
    measured, total : Out(links), Out
        Answers a link with the length of its body.
    found, span : Out(links), Out(Span(config))
        Answers a link with a span, which stays for one clock more but for ``final``.
    begin, end, sorted : In
        The current publication's part of the log, which stays while links ask.
    base, length : In
        Position of the publication in the X-RAM, modulo the ring, and its bytes.
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
                "measured": Out(config.links),
                "total": Out(body_width(config)),
                "found": Out(config.links),
                "span": Out(Span(config)),
                "begin": In(pointer),
                "end": In(pointer),
                "sorted": In(1),
                "base": In(width),
                "length": In(width + 3),
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
        asking = Signal(links)
        m.d.sync += asking.eq(self.asks)
        search = Signal(Search(config))
        m.d.comb += [self.log.en.eq(1), self.spans.en.eq(1)]

        # How far each link is: the bytes and nodes found so far, or the nodes left once they have been counted; the latest node, and
        # where the search for it left off in the log.
        state = data.StructLayout({"total": body_width(config), "count": pointer, "node": width, "index": pointer})
        m.submodules.states = states = memory.Memory(shape=state, depth=max(links, 2), init=[])
        read, write = states.read_port(domain="comb"), states.write_port()
        known = Signal(state)
        begun, counted = Signal(links), Signal(links)
        fresh, reads_on = Signal(), Signal()
        m.d.comb += [read.addr.eq(turn), write.addr.eq(turn), self.total.eq(known.total)]

        # An entry is asked for, comes two clocks later, and is judged in the clock after that.
        index = Signal(pointer)
        asked = Signal(2)
        places = [Signal(pointer, name=f"place{n}") for n in range(3)]  # the one after it
        reads = Signal()
        judged = Signal(data.StructLayout({"valid": 1, "hit": 1, "attribute": 1, "node": width}))
        entry = self.log.data
        m.d.comb += [self.log.addr.eq(index), reads.eq(index != self.end)]
        m.d.sync += [
            asked.eq(Cat(reads, asked[0])),
            places[0].eq(index + 1),
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
        node, left_off = Signal(width), Signal(pointer)
        m.d.comb += candidate.eq(Mux(search.attribute, owned, judged.node))
        m.d.comb += better.eq(
            judged.valid
            & judged.hit
            & ~judged.attribute
            & (self.sorted | ((fresh | (candidate > known.node)) & (~some | (candidate < node))))
        )

        step = Signal(2)
        span = self.span
        start, end = self.spans.data.start, self.spans.data.end
        # The bytes of a node, negative.
        less = Signal(width + 2)
        m.d.comb += [self.spans.addr.eq(self.base + node), span.single.eq(span.left == 0)]
        with m.FSM():
            # Links by turns.
            with m.State("IDLE"):
                chosen = Signal(Search(config))
                chosen_begun = begun.bit_select(turn, 1)
                m.d.comb += chosen.eq(Array(self.search)[turn])
                m.d.sync += [search.eq(chosen), known.eq(read.data), fresh.eq(~chosen_begun), reads_on.eq(counted.bit_select(turn, 1))]
                m.d.sync += [some.eq(0), asked.eq(0), judged.valid.eq(0), step.eq(0)]
                m.d.sync += index.eq(Mux(chosen_begun & self.sorted, read.data.index, self.begin))
                with m.If(asking.bit_select(turn, 1)):
                    m.next = "SEARCH" if config.selected else "WHOLE"
                with m.Else():
                    m.d.sync += turn.eq(Mux(turn == links - 1, 0, turn + 1))

            # The whole publication.
            with m.State("WHOLE"):
                m.d.sync += [span.position.eq(self.base), span.skip.eq(0), Cat(span.tail, span.left).eq(self.length - 1)]
                m.d.sync += known.total.eq(self.length)
                m.next = "ANSWER"

            if config.selected:
                with m.State("SEARCH"):
                    # what is counted afresh
                    with m.If(fresh & ~reads_on):
                        m.d.sync += [known.total.eq(0), known.count.eq(0)]
                    with m.If(reads):
                        m.d.sync += index.eq(index + 1)
                    with m.If(judged.valid & judged.hit & judged.attribute):
                        m.d.sync += owned.eq(judged.node)
                    with m.If(better):
                        m.d.sync += [some.eq(1), node.eq(candidate), left_off.eq(places[2])]
                    with m.If((better & self.sorted) | (~reads & (asked == 0) & ~judged.valid)):
                        m.next = "SPAN"
                    with m.If(search.whole):
                        m.next = "WHOLE"

                # Where it lies.
                with m.State("SPAN"):
                    m.d.sync += [
                        step.eq(step + 1),
                        span.position.eq(start[2:]),
                        span.skip.eq(start[:2]),
                        span.left.eq(end[2:] - start[2:]),
                        span.tail.eq(end[:2]),
                        less.eq(start + ~end),
                    ]
                    with m.If(step == 3):
                        m.next = "ANSWER"

            # A node more of those to be counted, or all of them; or one less.
            with m.State("ANSWER"):
                ends = Signal()
                m.d.comb += [
                    ends.eq(search.whole | (known.count == 1)),
                    span.final.eq(ends),
                    write.data.node.eq(node),
                    write.data.index.eq(left_off),
                    write.data.total.eq(known.total - Cat(less, ~Const(0, len(known.total) - len(less)))),
                    write.data.count.eq(known.count + Mux(reads_on, -1, 1)),
                    write.en.eq(some),
                ]
                with m.If(reads_on):
                    m.d.comb += self.found.bit_select(turn, 1).eq(1)
                    m.d.sync += [begun.bit_select(turn, 1).eq(~ends), counted.bit_select(turn, 1).eq(~ends)]
                with m.Elif(some):
                    m.d.sync += begun.bit_select(turn, 1).eq(1)
                with m.Else():
                    m.d.comb += self.measured.bit_select(turn, 1).eq(1)
                    m.d.sync += [begun.bit_select(turn, 1).eq(0), counted.bit_select(turn, 1).eq(known.total != 0)]
                m.d.sync += turn.eq(Mux(turn == links - 1, 0, turn + 1))
                m.next = "ANSWERED"

            # Until it is known that the link does not ask any more.
            with m.State("ANSWERED"):
                m.next = "IDLE"
        return m
