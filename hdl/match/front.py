"""From parsed words to operations on the rows."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, NameHeads, TestLink, number_shape
from hdl.layouts import ParsedBeat, ProgramOperator, WordType, node_width
from hdl.match.ops import RowOp, RowRequest
from hdl.match.text import TextStream
from hdl.stream import Register
from hdl.values import Comparison, DecimalReader, compare, compares

__all__ = ["Front"]

_VIEW = ("heads_name", "heads_en", "heads", "any_heads", "node_en", "node_step", "node", "number", "string", "texts")
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
    ended : ``Out(16)``
        Documents taken in whole, modulo 65536.
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
                "ended": Out(16),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view = self.config, self.view

        # A beat asks for what the CRT knows of its name, waits a clock for the memory, then has it; all of them move together.
        m.submodules.input = taken = Register(ParsedBeat(config))
        beat = [Signal(ParsedBeat(config), name=f"beat{n}", reset_less=True) for n in range(4)]
        valid = [Signal(name=f"valid{n}") for n in range(4)]
        move = Signal()
        # The CRT may ask for a pause a clock after a document has ended.
        fresh, ending_now = Signal(init=1), Signal()
        wiring.connect(m, wiring.flipped(self.i), taken.i)
        m.d.comb += [
            beat[0].eq(taken.o.payload),
            valid[0].eq(taken.o.valid & taken.o.ready),
            taken.o.ready.eq(move & ~(fresh & (self.pause | ending_now))),
            view.heads_name.eq(beat[1].mark.name),
            view.heads_en.eq(move),
            self.between.eq(fresh & ~valid[1] & ~valid[2] & ~valid[3]),
        ]
        with m.If(move):
            m.d.sync += [*(beat[n].eq(beat[n - 1]) for n in range(1, 4)), *(valid[n].eq(valid[n - 1]) for n in range(1, 4))]
        m.d.sync += ending_now.eq(valid[0] & beat[0].done)
        with m.If(valid[0]):
            m.d.sync += fresh.eq(beat[0].done)
            with m.If(beat[0].done):
                m.d.sync += self.ended.eq(self.ended + 1)

        # What the beat is, decided as it comes to its turn.
        coming = beat[2].mark
        ends_token = valid[2] & coming.valid & coming.last
        kinds = data.StructLayout({"element": 1, "attribute": 1, "value": 1, "end": 1, "close": 1, "done": 1, "text": 1})
        kind = Signal(kinds)
        known = Signal()
        known_coming = Signal()
        heads = Signal(NameHeads(config))
        with m.If(move):
            m.d.sync += known_coming.eq((beat[1].mark.name != 0) & (beat[1].mark.name <= config.names))
            m.d.sync += [
                kind.element.eq(ends_token & (coming.type == WordType.ELEMENT)),
                kind.attribute.eq(ends_token & (coming.type == WordType.ATTRIBUTE)),
                kind.value.eq(valid[2] & coming.valid & (coming.type == WordType.VALUE)),
                kind.end.eq(ends_token & (coming.type == WordType.END)),
                kind.close.eq(ends_token & coming.close),
                kind.done.eq(valid[2] & beat[2].done),
                kind.text.eq(valid[2] & beat[2].text.valid & view.texts),
                known.eq(known_coming),
                heads.eq(view.heads),
            ]

        # Namespace declarations are no attributes [XPath 5.3].
        xmln, declares, declaration, declared = Signal(), Signal(), Signal(), Signal()
        with m.If(move):
            m.d.sync += declared.eq(declaration)
            with m.If(valid[2] & coming.valid & (coming.type == WordType.ATTRIBUTE)):
                with m.If(coming.index == 0):
                    m.d.sync += [xmln.eq((coming.data == int.from_bytes(b"xmln", "little")) & (coming.count == 4)), declares.eq(0)]
                with m.Elif(coming.index == 1):
                    m.d.sync += declares.eq(declaration)
        with m.If(coming.index == 1):
            m.d.comb += declaration.eq(xmln & (coming.data[:8] == ord("s")) & ((coming.count == 1) | (coming.data[8:16] == ord(":"))))
        with m.Elif(coming.index != 0):
            m.d.comb += declaration.eq(declares)

        mark, text = beat[3].mark, beat[3].text
        request = self.o.payload

        # The element of the tag that is being read, and those open round it, with the first tests on their text.
        links = data.StructLayout({"self": TestLink(config), "text": TestLink(config), "node": node_width(config)})
        tag_name = Signal(ceil_log2(config.names))
        tag_slices = Signal(config.slices)
        slices = Signal(config.slices)
        tag = Signal(links)
        found = Signal(links)
        top = Signal(links)
        level = Signal(range(config.depth + 1))
        m.submodules.elements = elements = memory.Memory(shape=links, depth=config.depth + 1, init=[])
        outer, keep = elements.read_port(domain="comb"), elements.write_port()
        under = Signal(len(level), init=(1 << len(level)) - 1)  # one less
        m.d.comb += [outer.addr.eq(under), keep.addr.eq(level), keep.data.eq(top)]
        nodes = Signal(node_width(config))  # elements and attributes are numbered together
        m.d.comb += [found.node.eq(nodes), slices.eq(heads.slices & known.replicate(config.slices))]
        for subject in ("self", "text"):
            m.d.comb += [found[subject].step.eq(heads[subject].step), found[subject].valid.eq(heads[subject].valid & known)]
        with m.If(kind.element):
            m.d.sync += [tag_name.eq(mark.name), tag_slices.eq(slices), tag.eq(found)]

        # The attribute whose value comes next, if it is compared.
        attribute = Signal(TestLink(config))
        with m.If(kind.attribute):
            m.d.sync += [attribute.step.eq(heads.attribute.step), attribute.valid.eq(heads.attribute.valid & known & ~declared)]

        m.submodules.stream = stream_ = TextStream(config)
        m.submodules.decimal = decimal = DecimalReader(config)
        string = view.string
        m.d.comb += [stream_.data.eq(text.data), stream_.count.eq(text.count), string.data.eq(mark.data), string.count.eq(mark.count)]

        # Turns of a beat: its text, then its mark; a value that is compared is read byte by byte.
        text_turn, text_taken = Signal(), Signal()
        fed, valued, selfed = Signal(), Signal(), Signal()
        about = Signal(2)
        letters, letter, ending = Signal(32), Signal(3), Signal()
        is_text, is_self = Signal(), Signal()
        m.d.comb += [
            is_text.eq(top.text.valid | view.any_heads.text.valid),
            is_self.eq(top.self.valid | view.any_heads.self.valid),
            text_turn.eq(kind.text & ~text_taken),
            valued.eq(kind.value & attribute.valid & ~fed),
            selfed.eq(kind.end & is_self & ~fed),
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
        # A comparison's parts, then its result.
        parts = Signal(Comparison)
        same, excess, differs = Signal(), Signal(), Signal()
        holds = Signal()
        m.d.sync += [
            parts.eq(compare(value, view.number)),
            same.eq(string.found & ~long & (string.value == node.value)),
            excess.eq(((decimal.over & ~unlike) | beyond) & ~view.number.nan),
            differs.eq(node.operator == ProgramOperator.NE),
        ]
        # Words and bytes of the string-value come two clocks after they are asked for.
        fetch = Signal()
        flying = Signal(2)
        cut = Signal(2)
        words = Signal(range(config.value_bytes // 4 + 1))
        rest = stream_.length[:2]
        m.d.sync += [
            words.eq((stream_.length + 3) >> 2),
            flying.eq(Cat(fetch, flying)),
            cut.eq(Cat((index + 1 == words) & (rest != 0), cut)),
        ]

        # What the beat asks of the rows when its turns are over.
        asks, presence, tells = Signal(), Signal(), Signal()
        m.d.comb += [
            presence.eq(kind.attribute & known & heads.presence & ~declared),
            asks.eq(kind.done | (kind.end & (is_self | is_text)) | presence | kind.close),
        ]
        with m.If(kind.done):
            m.d.comb += [request.op.eq(RowOp.DONE), request.good.eq(beat[3].good & ~over), request.over.eq(beat[3].good & over)]
        with m.Elif(kind.end):
            m.d.comb += [request.op.eq(RowOp.END), request.node.eq(top.node)]
        with m.Elif(presence):
            m.d.comb += [
                request.op.eq(RowOp.ATTRIBUTE),
                request.operand.eq(mark.name[: len(tag_name)]),
                request.slices.eq(slices),
                request.node.eq(nodes),
            ]
        with m.Else():
            m.d.comb += [
                request.op.eq(RowOp.START),
                request.operand.eq(Mux(kind.element, mark.name[: len(tag_name)], tag_name)),
                request.slices.eq(Mux(kind.element, slices, tag_slices)),
                request.node.eq(Mux(kind.element, nodes, tag.node)),
            ]
        with m.If(tells):
            m.d.comb += request.op.eq(Mux(about == _ATTRIBUTE, RowOp.SATISFY, Mux(node.contains, RowOp.SEEN, RowOp.TEXT)))
            m.d.comb += request.operand.eq(walk.step)
        m.d.comb += [request.above.eq(under), request.root.eq(level == 0)]
        running, stops = Signal(), Signal()
        m.d.comb += [
            stops.eq(text_turn | valued | selfed),
            move.eq(running & ~stops & (~asks | self.o.ready)),
            self.o.valid.eq((running & ~stops & asks) | (tells & holds)),
        ]
        tidy = Signal()
        m.d.comb += string.clear.eq(tidy)
        m.d.sync += decimal.clear.eq(tidy)

        with m.FSM():
            with m.State("RUN"):
                m.d.comb += running.eq(1)
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
                with m.Elif(selfed):
                    m.d.sync += [fed.eq(1), walk.eq(top.self), also.eq(view.any_heads.self), about.eq(_SELF)]
                    m.next = "SETTLE"
                with m.Elif(move):
                    m.d.sync += [text_taken.eq(0), fed.eq(0), nodes.eq(nodes + (kind.element | kind.attribute))]
                    with m.If(kind.done):
                        m.d.comb += [stream_.clear.eq(1), tidy.eq(1)]
                        m.d.sync += [level.eq(0), under.eq(~0), top.eq(0), over.eq(0), nodes.eq(0)]
                    with m.Elif(kind.end):
                        m.d.comb += stream_.close.eq(1)
                        m.d.sync += [level.eq(under), under.eq(under - 1), top.eq(outer.data)]
                    with m.Elif(kind.close & ~presence):
                        m.d.comb += [stream_.open.eq(1), keep.en.eq(1)]
                        m.d.sync += [level.eq(level + 1), under.eq(level), top.eq(Mux(kind.element, found, tag))]
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
                with m.If(index == TextStream.SETTLED - 1):
                    m.d.sync += [index.eq(0), long.eq(stream_.long), unlike.eq(stream_.nan), beyond.eq(stream_.many & ~stream_.nan)]
                    m.next = "WORDS"
            with m.State("WORDS"):
                m.d.comb += [
                    fetch.eq(~long & (index != words)),
                    string.push.eq(flying[1]),
                    string.data.eq(Mux(cut[1], stream_.word & ((1 << (rest << 3)) - 1), stream_.word)),
                    string.count.eq(Mux(cut[1], rest, 4)),
                ]
                m.d.sync += index.eq(index + 1)
                with m.If(~fetch):
                    m.d.sync += index.eq(index)
                    with m.If(~flying.any()):
                        m.d.sync += index.eq(0)
                        m.next = "BYTES"
            with m.State("BYTES"):
                m.d.comb += [
                    fetch.eq(~unlike & ~beyond & (index != stream_.solid)),
                    decimal.byte.eq(stream_.byte),
                    decimal.push.eq(flying[1]),
                ]
                m.d.sync += index.eq(index + 1)
                with m.If(~fetch):
                    m.d.sync += index.eq(index)
                    with m.If(~flying.any()):
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
                m.next = "JUDGE"
            with m.State("JUDGE"):
                m.d.comb += view.node_en.eq(1)
                with m.If(node.number):
                    m.d.sync += [holds.eq(compares(node.operator, parts)), over.eq(over | excess)]
                with m.Else():
                    m.d.sync += holds.eq(same ^ differs)
                m.next = "TELL"
            with m.State("TELL"):
                m.d.comb += [view.node_en.eq(1), tells.eq(1)]
                with m.If(self.o.ready | ~holds):
                    m.d.sync += walk.eq(node.next)
                    m.next = "WALK"
        return m
