"""From the beats of publications to what matters of them to the subscriptions."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.ops import Item, ItemKind, Tag
from hdl.shapes.publication import MatchBeat, WordType
from hdl.shapes.tables import NameMarks, NameView, TableSummary
from hdl.shapes.widths import node_width
from hdl.stream import Register

__all__ = ["Front"]


class Front(wiring.Component):
    """Takes the front ends' beats and hands on the tags, and the words of those values that are compared.

    A beat a clock; one with two items takes two.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(MatchBeat(config)))``
    o : ``Out(stream.Signature(Item(config)))``
    names, summary : ``In(NameView(config))``, ``In(TableSummary(config))``
    pause : ``In(1)``
        Take no beat of a new document.
    between : ``Out(1)``
        No document is under way here.
    ended : ``Out(16)``
        Documents taken in whole, modulo 65536.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(MatchBeat(config))),
                "o": Out(stream.Signature(Item(config))),
                "names": In(NameView(config)),
                "summary": In(TableSummary(config)),
                "pause": In(1),
                "between": Out(1),
                "ended": Out(16),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, names = self.config, self.names

        # A beat asks for what the CRT knows of its name, waits a clock for the memory, then has it; all of them move together.
        m.submodules.input = taken = Register(MatchBeat(config))
        beat = [Signal(MatchBeat(config), name=f"beat{n}") for n in range(4)]
        valid = [Signal(name=f"valid{n}") for n in range(5)]
        move = Signal()
        # Of the items of the last beat there is nothing left, or at most one; more than one, apart from these for the way to the input.
        nothing, lone, crowded = Signal(init=1), Signal(init=1), Signal()
        # The CRT may ask for a pause a clock after a document has ended.
        fresh, ending_now = Signal(init=1), Signal()
        wiring.connect(m, wiring.flipped(self.i), taken.i)
        m.d.comb += [
            beat[0].eq(taken.o.payload),
            valid[0].eq(taken.o.valid & taken.o.ready),
            taken.o.ready.eq(~names.hold & ~crowded & (nothing | self.o.ready) & ~(fresh & (self.pause | ending_now))),
            names.name.eq(beat[1].mark.name),
            names.en.eq(move),
            self.between.eq(fresh & ~Cat(valid[1:]).any()),
        ]
        with m.If(move):
            m.d.sync += [*(beat[n].eq(beat[n - 1]) for n in range(1, 4)), *(valid[n].eq(valid[n - 1]) for n in range(1, 5))]
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
        marks = Signal(NameMarks(config))  # none of a name that is not known
        with m.If(move):
            m.d.sync += known_coming.eq(
                beat[1].mark.valid
                & ((beat[1].mark.type == WordType.ELEMENT) | (beat[1].mark.type == WordType.ATTRIBUTE))
                & (beat[1].mark.name != 0)
            )
            m.d.sync += [
                kind.element.eq(ends_token & (coming.type == WordType.ELEMENT)),
                kind.attribute.eq(ends_token & (coming.type == WordType.ATTRIBUTE)),
                kind.value.eq(valid[2] & coming.valid & (coming.type == WordType.VALUE)),
                kind.end.eq(ends_token & (coming.type == WordType.END)),
                kind.close.eq(ends_token & coming.close),
                kind.done.eq(valid[2] & beat[2].done),
                kind.text.eq(valid[2] & beat[2].text.valid & self.summary.texts),
                known.eq(known_coming),
                marks.eq(names.marks),
            ]
            with m.If(~known_coming):
                m.d.sync += marks.eq(0)

        # What the subscriptions make of it, and the tag that its attributes belong to.
        mark = beat[3].mark
        nodes = Signal(node_width(config))  # elements and attributes are numbered together
        found, tag = Signal(Tag(config)), Signal(Tag(config))
        tag_node = Signal(node_width(config))
        listed, compares, compared = Signal(), Signal(), Signal()
        m.d.comb += [
            found.name.eq(mark.name[: ceil_log2(config.names)]),
            found.marks.eq(marks),
            compares.eq(marks.strings.attribute | marks.numbers.attribute),
            listed.eq(kind.attribute & known & (marks.presence | compares)),
        ]
        item = self.o.payload
        text = Signal.like(beat[3].text)
        word, extra = Signal(len(item.data)), Signal(len(item.extra))
        has_text, has_value, has_tag = Signal(), Signal(), Signal()
        last = Signal(ItemKind)
        textless, valued, tagged = Signal(init=1), Signal(), Signal()
        m.d.comb += [valued.eq(kind.value & compared), tagged.eq(kind.done | kind.end | listed | kind.close)]
        with m.If(move):
            m.d.sync += [
                nodes.eq(Mux(kind.done, 0, nodes + (kind.element | kind.attribute))),
                text.eq(beat[3].text),
                word.eq(Mux(kind.value, mark.data, found)),
                extra.eq(Mux(kind.value, Cat(mark.count, mark.last), nodes)),
                has_text.eq(kind.text),
                has_value.eq(valued),
                has_tag.eq(tagged),
                nothing.eq(~(kind.text | valued | tagged)),
                lone.eq(Mux(kind.text, ~valued & ~tagged, ~valued | ~tagged)),
                crowded.eq(Mux(kind.text, valued | tagged, valued & tagged)),
                textless.eq(~kind.text),
                last.eq(0),
                last.done.eq(kind.done),
                last.end.eq(kind.end),
                last.attribute.eq(listed),
                last.asks.eq(~kind.end & (~listed | marks.presence)),
                last.start.eq(~kind.done & ~kind.end & ~listed),
            ]
            with m.If(kind.done):
                m.d.sync += word[0].eq(beat[3].good)
            with m.If(kind.element):
                m.d.sync += [tag.eq(found), tag_node.eq(nodes)]
            # whether the value that comes next is compared
            with m.If(kind.attribute):
                m.d.sync += compared.eq(known & compares)

        # A beat's items: its text, its value, its tag. The last one leaves with it.
        m.d.comb += [
            self.o.valid.eq(~nothing & ~(lone & names.hold)),
            move.eq(~names.hold & (nothing | (self.o.ready & lone))),
        ]
        with m.If(~nothing & ~lone & self.o.ready):
            m.d.sync += [has_text.eq(0), has_value.eq(has_value & has_text), textless.eq(1)]
            m.d.sync += [lone.eq(~(has_text & has_value & has_tag)), crowded.eq(has_text & has_value & has_tag)]
        with m.If(~textless):
            m.d.comb += [item.kind.text.eq(1), item.data.eq(text.data), item.extra.eq(Cat(text.count, text.last))]
        with m.Elif(has_value):
            m.d.comb += [item.kind.value.eq(1), item.data.eq(word), item.extra.eq(extra)]
        with m.Else():
            m.d.comb += [item.kind.eq(last), item.data.eq(Mux(last.start, tag, word)), item.extra.eq(Mux(last.start, tag_node, extra))]
        return m
