"""Last stage of the parser: text and marks back in document order, and the verdict [T 4.4.6]."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code, Verdict
from hdl.scbxp.nesting import CheckedMark
from hdl.scbxp.packers import PackedText
from hdl.scbxp.segments import TOKEN_COUNT
from hdl.shapes.publication import ParsedBeat, VerdictWord, WordType

__all__ = ["Merge"]


class Merge(wiring.Component):
    """Merges text words and marks into beats: at most one of each a clock, text first.

    Latency 2 clocks for marks, 1 or 2 for text. ``mark.ready`` comes from a flip-flop: two marks wait here. Holds its inputs while the beat
    is not taken; the beat that ends a document is offered with its verdict, and waits until the verdict before it has been taken.
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

        # Marks wait in two places in turn, so that nothing has to be known of the one before to put one down. What they and the text wait
        # for is compared a clock ahead: a mark's with the number of texts, and one more; the text's with the number of marks. A node is not
        # compared in the clock in which the one before it ends. Of a text and a mark at most one is due: neither has to ask for the other.
        coming = self.mark.p
        entries = [Signal(coming.shape(), name=f"entry{at}") for at in range(2)]
        at, to = Signal(), Signal()  # the place of the mark that is next, of the one that comes
        not_at = Signal(init=1)  # for what is decided with it, beside the many bits that are chosen
        one, two, ready = Signal(), Signal(), Signal(init=1)  # that many wait; another one has room
        entry_now, entry_next, end_now, end_next = (Signal(2, name=name) for name in ("entry_now", "entry_next", "end_now", "end_next"))
        text_now = Signal()
        entry = Signal(coming.shape())
        m.d.comb += [entry.eq(Mux(at, *reversed(entries))), self.mark.ready.eq(ready)]
        entry_end, entry_last = (Mux(not_at, *parts) for parts in zip(*((one.end, one.mark.last) for one in entries), strict=True))

        free, vacant = Signal(), Signal(init=1)  # the beat; the second for its many flip-flops
        take_mark = Signal()
        give_end = Signal()
        ends_text, ends_mark = Signal(), Signal()
        # What is due, if the beat is free; an end is due by itself only.
        is_now = goes_on & Mux(not_at, entry_now[0], entry_now[1])
        due_text = goes_on & text_now & self.text.valid
        due_mark = is_now | (goes_on & Mux(not_at, entry_next[0], entry_next[1]) & text_now & self.text.valid & text.last)
        due_end = is_now & entry_end
        m.d.comb += [
            free.eq(~self.o.valid | self.o.ready),
            give_end.eq(free & owes_end),
            self.text.ready.eq(free & goes_on & text_now),
            ends_text.eq(free & due_text & text.last),
            take_mark.eq(free & due_mark),
            ends_mark.eq(take_mark & (entry_last | entry_end)),
        ]
        with m.If(ends_text):
            m.d.sync += [texts.eq(texts_next), texts_next.eq(texts_after), texts_after.eq(texts_after + 1)]
        with m.If(ends_mark):
            m.d.sync += [marks.eq(marks_next), marks_next.eq(marks_next + 1)]
        m.d.sync += text_now.eq(Mux(ends_mark, text.marks == marks_next, text.marks == marks) & self.text.valid & ~ends_text)

        puts = self.mark.valid & ready
        fills = Mux(one, puts & ~take_mark, two & ~take_mark)
        m.d.sync += [
            two.eq(fills),
            ready.eq(~fills),
            one.eq(Mux(one, puts == take_mark, Mux(two, take_mark, puts))),
            at.eq(at ^ take_mark),
            not_at.eq(not_at ^ take_mark),
            to.eq(to ^ puts),
        ]
        now = Mux(ends_text, coming.texts == texts_next, coming.texts == texts)
        following = Mux(ends_text, coming.texts == texts_after, coming.texts == texts_next)
        for place, waiting in enumerate(entries):
            # The end of a document waits until it is next and the verdict before it has gone.
            may_end = ~self.verdict.valid & (not_at != place)
            with m.If(ready & (to == place)):
                m.d.sync += [
                    waiting.eq(coming),
                    entry_now[place].eq(self.mark.valid & now & (~coming.end | may_end)),
                    entry_next[place].eq(self.mark.valid & following & ~coming.end),
                    end_now[place].eq(self.mark.valid & now & coming.end),
                    end_next[place].eq(self.mark.valid & following & coming.end),
                ]
            with m.Elif(take_mark & (not_at != place)):
                m.d.sync += [entry_now[place].eq(0), entry_next[place].eq(0), end_now[place].eq(0)]
            with m.Elif(ends_text):
                after = waiting.texts == texts_after
                m.d.sync += [
                    entry_now[place].eq(entry_next[place] | (end_next[place] & may_end)),
                    entry_next[place].eq(after & ~waiting.end),
                    end_now[place].eq(end_next[place]),
                    end_next[place].eq(after & waiting.end),
                ]
            with m.Elif(end_now[place] & may_end):
                m.d.sync += entry_now[place].eq(1)

        beat = self.o.payload
        with m.If(free):
            m.d.sync += [self.o.valid.eq(due_text | due_mark | owes_end), vacant.eq(~(due_text | due_mark | owes_end))]
        with m.If(vacant | self.o.ready):
            m.d.sync += [
                beat.text.valid.eq(due_text),
                beat.text.data.eq(text.data),
                beat.text.count.eq(text.count),
                beat.text.index.eq(text.index),
                beat.text.last.eq(text.last),
                beat.mark.eq(entry.mark),
                beat.mark.valid.eq(due_mark & ~entry.end),
                beat.done.eq(due_end),
                beat.good.eq(due_end & (entry.code == 0)),
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
        with m.If(free & due_end):
            m.d.sync += self.verdict.valid.eq(1)
        with m.If(~self.verdict.valid):
            m.d.sync += [
                self.verdict.payload.verdict.eq(kinds),
                self.verdict.payload.code.eq(entry.code),
                self.verdict.payload.offset.eq(entry.mark.data),
                self.verdict.payload.bytes.eq(entry.length),
            ]
        return m
