"""Last stage of the parser: text and marks back in document order, and the verdict [T 4.4.6]."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code, Verdict
from hdl.layouts import ParsedBeat, VerdictWord, WordType
from hdl.scbxp.nesting import CheckedMark
from hdl.scbxp.packers import PackedText
from hdl.scbxp.segments import TOKEN_COUNT

__all__ = ["Merge"]


class Merge(wiring.Component):
    """Merges text words and marks into beats: at most one of each a clock, text first.

    Latency 2 clocks for marks, 1 or 2 for text. Holds its inputs while the beat is not taken; the beat that
    ends a document is offered with its verdict, and waits until the verdict before it has been taken.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "text": In(stream.Signature(PackedText)),
                "mark": In(stream.Signature(CheckedMark(config))),
                "o": Out(stream.Signature(ParsedBeat(config))),
                "verdict": Out(stream.Signature(VerdictWord)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        text = self.text.payload
        texts, texts_next, texts_after = Signal(TOKEN_COUNT), Signal(TOKEN_COUNT, init=1), Signal(TOKEN_COUNT, init=2)
        marks, marks_next = Signal(TOKEN_COUNT), Signal(TOKEN_COUNT, init=1)
        # The same twice: what is decided with it does not wait for the beat that is made with it.
        owes_end, goes_on = Signal(), Signal(init=1)

        # A mark waits here, and what it and the text wait for is compared a clock ahead: with the number of texts, and one more; the text
        # with the number of marks. A node is not compared in the clock in which the one before it ends. The end of a document waits apart
        # until the verdict before it has gone. Of a text and a mark at most one is due: neither has to ask for the other.
        entry = Signal(self.mark.p.shape())
        entry_valid, entry_ends, text_now = Signal(), Signal(), Signal()
        mark_now, mark_next, end_now, end_next = (Signal(name=name) for name in ("mark_now", "mark_next", "end_now", "end_next"))

        free, vacant = Signal(), Signal(init=1)  # the beat; the second for its many flip-flops
        take_text = Signal()
        take_mark = Signal()
        give_end = Signal()
        ends_text, ends_mark = Signal(), Signal()
        follows = mark_next & self.text.valid & text_now & text.last
        m.d.comb += [
            free.eq(~self.o.valid | self.o.ready),
            give_end.eq(free & owes_end),
            self.text.ready.eq(free & goes_on & text_now),
            take_text.eq(self.text.ready & self.text.valid),
            ends_text.eq(take_text & text.last),
            take_mark.eq(free & goes_on & (mark_now | follows)),
            self.mark.ready.eq(~entry_valid | take_mark),
            ends_mark.eq(take_mark & entry_ends),
        ]
        with m.If(ends_text):
            m.d.sync += [texts.eq(texts_next), texts_next.eq(texts_after), texts_after.eq(texts_after + 1)]
        with m.If(ends_mark):
            m.d.sync += [marks.eq(marks_next), marks_next.eq(marks_next + 1)]
        coming = self.mark.p
        m.d.sync += text_now.eq(Mux(ends_mark, text.marks == marks_next, text.marks == marks) & self.text.valid & ~ends_text)
        with m.If(self.mark.ready):
            now = self.mark.valid & Mux(ends_text, coming.texts == texts_next, coming.texts == texts)
            following = self.mark.valid & Mux(ends_text, coming.texts == texts_after, coming.texts == texts_next)
            m.d.sync += [
                entry_valid.eq(self.mark.valid),
                entry.eq(coming),
                entry_ends.eq(coming.mark.last | coming.end),
                mark_now.eq(now & (~coming.end | ~(self.verdict.valid | entry.end))),
                mark_next.eq(following & ~coming.end),
                end_now.eq(now & coming.end),
                end_next.eq(following & coming.end),
            ]
        with m.Elif(ends_text):
            following = entry.texts == texts_after
            m.d.sync += [
                mark_now.eq(mark_next | (end_next & ~self.verdict.valid)),
                mark_next.eq(following & ~entry.end),
                end_now.eq(end_next),
                end_next.eq(following & entry.end),
            ]
        with m.Elif(end_now & ~self.verdict.valid):
            m.d.sync += mark_now.eq(1)

        beat = self.o.payload
        with m.If(free):
            m.d.sync += [self.o.valid.eq(take_text | take_mark | give_end), vacant.eq(~(take_text | take_mark | give_end))]
        with m.If(vacant | self.o.ready):
            m.d.sync += [
                beat.text.valid.eq(take_text),
                beat.text.data.eq(text.data),
                beat.text.count.eq(text.count),
                beat.text.index.eq(text.index),
                beat.text.last.eq(text.last),
                beat.mark.eq(entry.mark),
                beat.mark.valid.eq(take_mark & ~entry.end),
                beat.done.eq(take_mark & entry.end),
                beat.good.eq(take_mark & entry.end & (entry.code == 0)),
            ]
            with m.If(owes_end):
                m.d.sync += [beat.mark.eq(0), beat.mark.valid.eq(1), beat.mark.type.eq(WordType.END), beat.mark.last.eq(1)]
        with m.If(take_mark):
            m.d.sync += [owes_end.eq(entry.empty), goes_on.eq(~entry.empty)]
        with m.If(give_end):
            m.d.sync += [owes_end.eq(0), goes_on.eq(1)]

        kinds = Signal(2)
        with m.Switch(entry.code):
            for kind in Verdict:
                codes = [code.value for code in Code if code.verdict == kind]
                if kind != Verdict.WELL_FORMED:
                    with m.Case(*codes):
                        m.d.comb += kinds.eq(kind.value)
        with m.If(self.verdict.ready):
            m.d.sync += self.verdict.valid.eq(0)
        with m.If(take_mark & entry.end):
            m.d.sync += self.verdict.valid.eq(1)
        with m.If(~self.verdict.valid):
            m.d.sync += [
                self.verdict.payload.verdict.eq(kinds),
                self.verdict.payload.code.eq(entry.code),
                self.verdict.payload.offset.eq(entry.mark.data),
                self.verdict.payload.bytes.eq(entry.length),
            ]
        return m
