"""From parsed words to what matters of them to the subscriptions."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, NameMarks
from hdl.layouts import ParsedBeat, WordType, node_width
from hdl.match.ops import Item, ItemKind, Tag
from hdl.stream import Register

__all__ = ["Front"]

_VIEW = ("marks_name", "marks_en", "marks", "marks_hold", "texts")


class Front(wiring.Component):
    """Takes the parser's beats and hands on the tags, and the words of those values that are compared.

    A beat a clock; one with two items takes two.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(ParsedBeat(config)))``
    o : ``Out(stream.Signature(Item(config)))``
    view : ``In(CrtView)``, the part about names
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
                "o": Out(stream.Signature(Item(config))),
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
            view.marks_name.eq(beat[1].mark.name),
            view.marks_en.eq(move),
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
        known, known_coming = Signal(), Signal()
        marks = Signal(NameMarks(config))
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
                marks.eq(view.marks),
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
        nodes = Signal(node_width(config))  # elements and attributes are numbered together
        found, tag = Signal(Tag(config)), Signal(Tag(config))
        tag_node = Signal(node_width(config))
        m.d.comb += [
            found.name.eq(mark.name[: ceil_log2(config.names)]),
            found.marks.eq(marks.as_value() & known.replicate(len(marks.as_value()))),
        ]
        with m.If(kind.element):
            m.d.sync += [tag.eq(found), tag_node.eq(nodes)]
        # Whether the value that comes next is compared.
        listed, compares, compared = Signal(), Signal(), Signal()
        m.d.comb += [
            compares.eq(marks.strings.attribute | marks.numbers.attribute),
            listed.eq(kind.attribute & known & ~declared & (marks.presence | compares)),
        ]
        with m.If(kind.attribute):
            m.d.sync += compared.eq(known & ~declared & compares)

        # A beat's items: its text, its value, its tag.
        text_turn, value_turn, tag_turn = Signal(), Signal(), Signal()
        text_taken, value_taken = Signal(), Signal()
        lone, offers = Signal(), Signal()
        item = self.o.payload
        m.d.comb += [
            text_turn.eq(kind.text & ~text_taken),
            value_turn.eq(kind.value & compared & ~value_taken),
            tag_turn.eq(kind.done | kind.end | listed | kind.close),
            lone.eq(Mux(text_turn, ~value_turn & ~tag_turn, ~value_turn | ~tag_turn)),
            offers.eq(text_turn | value_turn | tag_turn),
            # the last item of a beat leaves with it
            self.o.valid.eq(offers & ~(lone & view.marks_hold)),
            move.eq(~view.marks_hold & (~offers | (self.o.ready & lone))),
        ]
        with m.If(move):
            m.d.sync += [text_taken.eq(0), value_taken.eq(0), nodes.eq(Mux(kind.done, 0, nodes + (kind.element | kind.attribute)))]
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += [text_taken.eq(kind.text), value_taken.eq(value_taken | ~text_turn)]
        with m.If(text_turn):
            m.d.comb += [item.kind.eq(ItemKind.TEXT), item.data.eq(text.data), item.extra.eq(Cat(text.count, text.last))]
        with m.Elif(value_turn):
            m.d.comb += [item.kind.eq(ItemKind.VALUE), item.data.eq(mark.data), item.extra.eq(Cat(mark.count, mark.last))]
        with m.Elif(kind.done):
            m.d.comb += [item.kind.eq(ItemKind.DONE), item.data.eq(beat[3].good)]
        with m.Elif(kind.end):
            m.d.comb += item.kind.eq(ItemKind.END)
        with m.Elif(listed):
            m.d.comb += [item.kind.eq(ItemKind.ATTRIBUTE), item.data.eq(found), item.extra.eq(nodes)]
        with m.Else():
            m.d.comb += [
                item.kind.eq(ItemKind.START),
                item.data.eq(Mux(kind.element, found, tag)),
                item.extra.eq(Mux(kind.element, nodes, tag_node)),
            ]
        return m
