"""From parsed words to operations on the rows."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, NameHeads, TestLink, number_shape
from hdl.layouts import ParsedBeat, ProgramOperator, WordType, node_width
from hdl.match.ops import RowOp, RowRequest
from hdl.match.text import TextStream
from hdl.values import DecimalReader, compares

__all__ = ["Front"]

_VIEW = ("heads_name", "heads", "any_heads", "node_en", "node_step", "node", "number", "string", "texts")
_ATTRIBUTE, _TEXT, _SELF = range(3)


class Front(wiring.Component):
    """Takes the parser's beats and asks the rows for what they mean to the subscriptions.

    A beat a clock, unless a value has to be compared.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(ParsedBeat(config)))``
    o : ``Out(stream.Signature(RowRequest(config)))``
    view : ``In(CrtView)``, the part about names and values
    pause : ``In(1)``
        Take no beat of a new document.
    between : ``Out(1)``
        No document is under way here.
    ended : ``Out(8)``
        Documents taken in whole, modulo 256.
    """

    def __init__(self, config):
        self.config = config
        members = CrtView(config).members
        super().__init__(
            {
                "i": In(stream.Signature(ParsedBeat(config))),
                "o": Out(stream.Signature(RowRequest(config))),
                "view": In(wiring.Signature({name: members[name] for name in _VIEW})),
                "pause": In(1),
                "between": Out(1),
                "ended": Out(8),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view = self.config, self.view

        # A beat waits two clocks for what the CRT knows of its name; while it is held up, the beat behind it asks again.
        beat = [Signal(ParsedBeat(config), name=f"beat{n}", reset_less=True) for n in range(3)]
        valid = [Signal(name=f"valid{n}") for n in range(3)]
        move = Signal()
        arrived = Signal()
        kept = Signal(NameHeads(config))
        heads = Signal(NameHeads(config))
        fresh = Signal(init=1)
        m.d.comb += [
            beat[0].eq(self.i.payload),
            valid[0].eq(self.i.valid & self.i.ready),
            self.i.ready.eq(move & ~(fresh & self.pause)),
            view.heads_name.eq(Mux(move, beat[0].mark.name, beat[1].mark.name)),
            heads.eq(Mux(arrived, view.heads, kept)),
            self.between.eq(fresh & ~valid[1] & ~valid[2]),
        ]
        m.d.sync += [arrived.eq(move), kept.eq(heads)]
        with m.If(move):
            m.d.sync += [beat[1].eq(beat[0]), beat[2].eq(beat[1]), valid[1].eq(valid[0]), valid[2].eq(valid[1])]
        with m.If(valid[0]):
            m.d.sync += fresh.eq(beat[0].done)
            with m.If(beat[0].done):
                m.d.sync += self.ended.eq(self.ended + 1)

        mark, text = beat[2].mark, beat[2].text
        here = valid[2]
        request = self.o.payload
        ends = Signal()
        known = Signal()
        m.d.comb += [
            ends.eq(here & mark.valid & mark.last),
            known.eq((mark.name != 0) & (mark.name <= config.names)),
        ]

        # The element of the tag that is being read, and those open round it, with the first tests on their text.
        links = data.StructLayout({"self": TestLink(config), "text": TestLink(config), "node": node_width(config)})
        tag_name = Signal(ceil_log2(config.names))
        tag_known = Signal()
        tag = Signal(links)
        found = Signal(links)
        top = Signal(links)
        level = Signal(range(config.depth + 1))
        is_element = mark.type == WordType.ELEMENT
        m.submodules.elements = elements = memory.Memory(shape=links, depth=config.depth + 1, init=[])
        outer, keep = elements.read_port(domain="comb"), elements.write_port()
        m.d.comb += [outer.addr.eq(level - 1), keep.addr.eq(level), keep.data.eq(top)]
        nodes = Signal(node_width(config))  # elements and attributes are numbered together
        m.d.comb += [found.self.eq(heads.self), found.text.eq(heads.text), found.node.eq(nodes)]
        with m.If(~known):
            m.d.comb += [found.self.valid.eq(0), found.text.valid.eq(0)]
        with m.If(ends & is_element):
            m.d.sync += [tag_name.eq(mark.name), tag_known.eq(known), tag.eq(found)]

        # Namespace declarations are no attributes [XPath 5.3].
        xmln = Signal()
        declares = Signal()
        declaration = Signal()
        with m.If(here & mark.valid & (mark.type == WordType.ATTRIBUTE) & move):
            with m.If(mark.index == 0):
                m.d.sync += [xmln.eq((mark.data == int.from_bytes(b"xmln", "little")) & (mark.count == 4)), declares.eq(0)]
            with m.Elif(mark.index == 1):
                m.d.sync += declares.eq(declaration)
        with m.If(mark.index == 1):
            m.d.comb += declaration.eq(xmln & (mark.data[:8] == ord("s")) & ((mark.count == 1) | (mark.data[8:16] == ord(":"))))
        with m.Elif(mark.index != 0):
            m.d.comb += declaration.eq(declares)

        # The attribute whose value comes next, if it is compared.
        attribute = Signal(TestLink(config))
        with m.If(ends & (mark.type == WordType.ATTRIBUTE)):
            m.d.sync += [attribute.step.eq(heads.attribute.step), attribute.valid.eq(heads.attribute.valid & known & ~declaration)]

        m.submodules.stream = stream_ = TextStream(config)
        m.submodules.decimal = decimal = DecimalReader(config)
        string = view.string
        m.d.comb += [stream_.data.eq(text.data), stream_.count.eq(text.count), string.data.eq(mark.data), string.count.eq(mark.count)]

        # Turns of a beat: its text, then its mark; a value that is compared is read byte by byte.
        text_turn, text_taken = Signal(), Signal()
        fed, valued = Signal(), Signal()
        about = Signal(2)
        letters, letter, ending = Signal(32), Signal(3), Signal()
        is_text = top.text.valid | view.any_heads.text.valid
        is_self = top.self.valid | view.any_heads.self.valid
        m.d.comb += [
            text_turn.eq(here & text.valid & view.texts & ~text_taken),
            valued.eq(here & mark.valid & (mark.type == WordType.VALUE) & attribute.valid & ~fed),
        ]
        over = Signal()
        long = Signal()
        unlike, beyond = Signal(), Signal()
        walk, also = Signal(TestLink(config)), Signal(TestLink(config))
        index = Signal(range(config.value_bytes + 1))
        node = view.node
        value = Signal(number_shape(config))
        m.d.comb += [
            value.eq(decimal.key),
            stream_.index.eq(index),
            stream_.place.eq(index),
            view.node_step.eq(walk.step),
        ]
        with m.If(unlike):
            m.d.comb += value.nan.eq(1)
        same = Signal()
        excess = Signal()
        holds = Signal()
        m.d.comb += [
            same.eq(string.found & ~long & (string.value == node.value)),
            excess.eq((decimal.over & ~unlike) | beyond),
        ]
        asks = Signal()
        m.d.comb += self.o.valid.eq(asks)
        tidy = Signal()
        m.d.comb += [string.clear.eq(tidy), decimal.clear.eq(tidy)]

        with m.FSM():
            with m.State("RUN"):
                m.d.sync += [letters.eq(mark.data), letter.eq(mark.count), ending.eq(mark.last), about.eq(_ATTRIBUTE)]
                m.d.sync += [unlike.eq(0), beyond.eq(0), long.eq(0), index.eq(0)]
                with m.If(text_turn):
                    m.d.comb += stream_.push.eq(1)
                    m.d.sync += [letters.eq(text.data), letter.eq(text.count), ending.eq(text.last), about.eq(_TEXT), text_taken.eq(1)]
                    m.d.sync += [walk.eq(top.text), also.eq(view.any_heads.text)]
                    with m.If(is_text):
                        m.d.comb += [string.push.eq(1), string.data.eq(text.data), string.count.eq(text.count)]
                        m.next = "FEED"
                with m.Elif(valued):
                    m.d.comb += string.push.eq(1)
                    m.d.sync += [fed.eq(1), walk.eq(attribute), also.eq(0)]
                    m.next = "FEED"
                with m.Elif(ends & (mark.type == WordType.END) & is_self & ~fed):
                    m.d.sync += [fed.eq(1), walk.eq(top.self), also.eq(view.any_heads.self), about.eq(_SELF)]
                    m.next = "SETTLE"
                with m.Else():
                    with m.If(here & beat[2].done):
                        m.d.comb += [
                            asks.eq(1),
                            request.op.eq(RowOp.DONE),
                            request.good.eq(beat[2].good & ~over),
                            request.over.eq(beat[2].good & over),
                        ]
                    with m.Elif(ends):
                        with m.If(mark.type == WordType.END):
                            m.d.comb += [
                                asks.eq(1),
                                request.op.eq(RowOp.END),
                                request.check.eq(is_self | is_text),
                                request.node.eq(top.node),
                            ]
                        with m.Elif((mark.type == WordType.ATTRIBUTE) & known & heads.presence & ~declaration):
                            m.d.comb += [asks.eq(1), request.op.eq(RowOp.ATTRIBUTE), request.name.eq(mark.name), request.known.eq(1)]
                            m.d.comb += request.node.eq(nodes)
                        with m.Elif(mark.close):
                            m.d.comb += [
                                asks.eq(1),
                                request.op.eq(RowOp.START),
                                request.name.eq(Mux(is_element, mark.name, tag_name)),
                                request.known.eq(Mux(is_element, known, tag_known)),
                                request.node.eq(Mux(is_element, nodes, tag.node)),
                            ]
                    m.d.comb += move.eq(~here | ~asks | self.o.ready)
                    with m.If(move):
                        m.d.sync += [text_taken.eq(0), fed.eq(0)]
                        with m.If(ends & (is_element | (mark.type == WordType.ATTRIBUTE))):
                            m.d.sync += nodes.eq(nodes + 1)
                    with m.If(asks & self.o.ready):
                        with m.Switch(request.op):
                            with m.Case(RowOp.START):
                                m.d.comb += [stream_.open.eq(1), keep.en.eq(1)]
                                m.d.sync += [level.eq(level + 1), top.eq(Mux(is_element, found, tag))]
                            with m.Case(RowOp.END):
                                m.d.comb += stream_.close.eq(1)
                                m.d.sync += [level.eq(level - 1), top.eq(outer.data)]
                            with m.Case(RowOp.DONE):
                                m.d.comb += [stream_.clear.eq(1), tidy.eq(1)]
                                m.d.sync += [level.eq(0), top.eq(0), over.eq(0), nodes.eq(0)]
            with m.State("FEED"):
                # a byte a clock for as long as it may be a number
                m.d.comb += [decimal.push.eq(letter != 0), decimal.byte.eq(letters[:8])]
                m.d.sync += [letters.eq(letters >> 8), letter.eq(letter - 1)]
                with m.If((letter <= 1) | decimal.never):
                    m.next = "RUN"
                    with m.If(ending):
                        m.next = "SEARCH"
            with m.State("SETTLE"):
                # the string-value of the element that ends, once its text has arrived
                m.d.sync += index.eq(index + 1)
                with m.If(index == 3):
                    m.d.sync += [index.eq(0), long.eq(stream_.long), unlike.eq(stream_.nan), beyond.eq(stream_.many & ~stream_.nan)]
                    m.next = "WORDS"
            with m.State("WORDS"):
                left = Signal(range(config.value_bytes + 1))
                m.d.comb += [
                    left.eq(stream_.length - (index << 2)),
                    string.push.eq(~long & ((index << 2) < stream_.length)),
                    string.data.eq(Mux(left >= 4, stream_.word, stream_.word & ((1 << (left[:2] << 3)) - 1))),
                    string.count.eq(Mux(left >= 4, 4, left)),
                ]
                m.d.sync += index.eq(index + 1)
                with m.If(~string.push):
                    m.d.sync += index.eq(0)
                    m.next = "BYTES"
            with m.State("BYTES"):
                m.d.comb += [decimal.byte.eq(stream_.byte), decimal.push.eq(~unlike & ~beyond & (index != stream_.solid))]
                m.d.sync += index.eq(index + 1)
                with m.If(~decimal.push):
                    m.next = "SEARCH"
            with m.State("SEARCH"):
                m.d.comb += string.search.eq(1)
                m.next = "ANSWER"
            with m.State("ANSWER"):
                with m.If(string.done):
                    m.next = "WALK"
            with m.State("WALK"):
                # every test on this value, one list, then the other
                m.d.comb += view.node_en.eq(1)
                m.next = "NODE"
                with m.If(~walk.valid):
                    m.d.sync += [walk.eq(also), also.eq(0)]
                    m.next = "WALK"
                    with m.If(~also.valid):
                        m.d.comb += tidy.eq(1)
                        m.next = "RUN"
            with m.State("NODE"):
                m.d.comb += view.node_en.eq(1)
                m.next = "COMPARE"
            with m.State("COMPARE"):
                m.d.comb += view.node_en.eq(1)
                with m.If(node.number):
                    m.d.sync += holds.eq(compares(node.operator, value, view.number))
                    m.d.sync += over.eq(over | (excess & ~view.number.nan))
                with m.Else():
                    m.d.sync += holds.eq(same ^ (node.operator == ProgramOperator.NE))
                m.next = "TELL"
            with m.State("TELL"):
                m.d.comb += [
                    view.node_en.eq(1),
                    asks.eq(holds),
                    request.step.eq(walk.step),
                    request.op.eq(Mux(about == _ATTRIBUTE, RowOp.SATISFY, Mux(node.contains, RowOp.SEEN, RowOp.TEXT))),
                ]
                with m.If(self.o.ready | ~holds):
                    m.d.sync += walk.eq(node.next)
                    m.next = "WALK"
        return m
