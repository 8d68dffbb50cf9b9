"""Packing marks and merging them with text: every token comes out once, in order, and nothing ever waits for itself."""

from types import SimpleNamespace

from amaranth.hdl import Assert, Assume, Const, Module, Mux, Signal

from formal.claims import constant, keeps_rules, obeys_rules
from formal.prover import Checked, Property
from hdl.scbxp.merge import Merge
from hdl.scbxp.packers import MarkPacker
from hdl.shapes.publication import WordType

__all__ = ["PROPERTIES"]


class _Packs(Checked):
    """Segments as the segmenter makes them: bytes continue a token that is begun and not closed. Each token has one last word, all
    words but it are full, no byte is lost, and the end of the document comes after everything."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = MarkPacker()
        self.place = Signal(6, name="place")
        self.free = [dut.i.valid, dut.i.payload, dut.o.ready, self.place]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        segment, word = dut.i.p, dut.o.p
        takes, gives = dut.i.valid & dut.i.ready, dut.o.valid & dut.o.ready
        obeys_rules(m, dut.i, "i")
        keeps_rules(m, dut.o, "o")

        # What may come: the end, a new token, or more of the open one.
        opened = Signal()
        m.d.comb += Assume(
            ~dut.i.valid
            | (segment.end & ~segment.begins)
            | ((segment.count <= 4) & (segment.begins | (opened & ((segment.count != 0) | segment.closes))) & ~segment.end)
        )
        with m.If(takes):
            m.d.sync += opened.eq(~segment.end & ~segment.closes)

        # Tokens and bytes inside.
        tokens = Signal(3)
        content = Signal(6)
        ends = gives & word.end
        m.d.sync += [
            tokens.eq(tokens + (takes & ~segment.end & segment.begins) - (gives & word.last & ~word.end)),
            content.eq(content + Mux(takes & ~segment.end, segment.count, 0) - Mux(gives & ~word.end, word.count, 0)),
        ]
        m.d.comb += [
            Assert(tokens <= 2),
            Assert(content <= 12),
            Assert(~dut.o.valid | word.last | (word.count == 4)),
            Assert(~dut.o.valid | word.end | (word.count <= 4)),
            Assert(~ends | ((tokens == 0) & (content == 0) & word.last)),
        ]
        # The byte at one place of all that went in stands at that place of all that comes out.
        constant(m, self.place)
        went, came = Signal(6), Signal(6)
        followed = Signal(8)
        m.d.comb += Assume((segment.data >> (segment.count << 3)) == 0)
        with m.If(takes & ~segment.end):
            m.d.sync += went.eq(went + segment.count)
            with m.If((went <= self.place) & (self.place < went + segment.count)):
                m.d.sync += followed.eq(segment.data.word_select((self.place - went)[:2], 8))
        with m.If(gives & ~word.end):
            m.d.sync += came.eq(came + word.count)
            with m.If((came <= self.place) & (self.place < came + word.count)):
                m.d.comb += Assert(word.data.word_select((self.place - came)[:2], 8) == followed)
        # With the output taken, a segment waits one clock at most, and a token that is closed comes out.
        waits = Signal(2)
        m.d.sync += waits.eq(Mux(dut.i.valid & ~dut.i.ready & dut.o.ready, waits + 1, 0))
        idle = Signal(3)
        m.d.sync += idle.eq(Mux((tokens != 0) & ~opened & ~dut.i.valid & dut.o.ready, idle + 1, 0))
        m.d.comb += [Assert(waits < 2), Assert(idle < 4)]


_TOKENS = 5
_CONFIG = SimpleNamespace(names=1, learned=2)


class _Merges(Checked):
    """A document of some tokens in an order that the prover chooses, text as 0 and marks as 1, each stream offering its own whenever
    the prover likes. They come out in that order; when both streams offer what they have and everything is taken, something moves."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = Merge(_CONFIG)
        self.order = Signal(_TOKENS, name="order")
        self.empties = Signal(1 << 4, name="which_empty")
        self.free = [
            *(member for stream in (dut.text, dut.mark) for member in (stream.valid, stream.payload)),
            dut.o.ready,
            dut.verdict.ready,
            self.order,
            self.empties,
        ]

    def _place(self, which: int, count):
        """How many tokens of the other kind stand before token ``count`` of this kind, and whether there is such a token."""
        other, found = Const(0, 4), Const(0)
        here, before = Const(0, 4), Const(0, 4)
        for at in range(_TOKENS):
            mine = self.order[at] == which
            other = Mux(mine & (count == here), before, other)
            found = found | (mine & (count == here))
            here, before = (here + mine)[:4], (before + ~mine)[:4]
        return other, found

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = dut
        constant(m, self.order)
        constant(m, self.empties)
        text, entry = dut.text.p, dut.mark.p
        for stream, name in ((dut.text, "text"), (dut.mark, "mark")):
            obeys_rules(m, stream, name)
        for stream, name in ((dut.o, "o"), (dut.verdict, "verdict")):
            keeps_rules(m, stream, name)

        # Which token of each stream is on offer.
        texts, marks = Signal(4), Signal(4)
        takes_text, takes_mark = dut.text.valid & dut.text.ready, dut.mark.valid & dut.mark.ready
        m.d.sync += [texts.eq(texts + (takes_text & text.last)), marks.eq(marks + (takes_mark & (entry.mark.last | entry.end)))]
        marks_before, some_text = Signal(4), Signal()
        texts_before, some_mark = Signal(4), Signal()
        for place, count, which in (((marks_before, some_text), texts, 0), ((texts_before, some_mark), marks, 1)):
            other, found = self._place(which, count)
            m.d.comb += [place[0].eq(other), place[1].eq(found)]
        m.d.comb += [
            Assume(~dut.text.valid | (some_text & (text.marks == marks_before))),
            Assume(~dut.mark.valid | (some_mark & (entry.texts == texts_before) & entry.mark.valid & (entry.mark.type != WordType.END))),
            Assume(~dut.mark.valid | (entry.empty == (entry.mark.last & ~entry.end & self.empties.bit_select(marks, 1)))),
        ]

        # Tokens handed over, in the chosen order; the END mark of an empty element belongs to its token.
        beat = dut.o.p
        out = Signal(range(_TOKENS + 2))
        gives = dut.o.valid & dut.o.ready
        after_text = Signal(range(_TOKENS + 2))
        m.d.comb += after_text.eq(out + (beat.text.valid & beat.text.last))
        with m.If(gives):
            with m.If(beat.text.valid):
                m.d.comb += [Assert(out < _TOKENS), Assert(~(self.order >> out)[0])]
            with m.If(beat.mark.valid | beat.done):
                m.d.comb += [Assert(after_text < _TOKENS), Assert((self.order >> after_text)[0])]
            m.d.comb += Assert(beat.text.valid | beat.mark.valid | beat.done)
        empties = Signal(3)
        is_end = beat.mark.valid & (beat.mark.type == WordType.END)
        m.d.sync += empties.eq(empties + (takes_mark & entry.empty) - (gives & is_end))
        marks_out = Signal(4)
        is_empty = self.empties.bit_select(marks_out, 1)
        ends_token = beat.done | (beat.mark.valid & beat.mark.last & (is_end | ~is_empty))
        with m.If(gives):
            m.d.comb += Assert(~is_end | is_empty)
            m.d.sync += [out.eq(after_text + ends_token), marks_out.eq(marks_out + ends_token)]
        m.d.comb += Assert(empties <= 4)

        # Progress: marks that wait inside may both end a document, each after the verdict before it has gone.
        offers = (dut.text.valid | ~some_text) & (dut.mark.valid | ~some_mark) & (some_text | some_mark)
        stuck = Signal(range(9))
        m.d.sync += stuck.eq(Mux(offers & dut.o.ready & dut.verdict.ready & ~takes_text & ~takes_mark, stuck + 1, 0))
        m.d.comb += Assert(stuck < 8)


PROPERTIES = [
    Property(name="scbxp-packer-tokens", make=_Packs, depth=7),
    Property(name="scbxp-packer-tokens-mutant", make=_Packs, depth=6, mutation=2),
    Property(name="scbxp-merge-order", make=_Merges, depth=10),
]
