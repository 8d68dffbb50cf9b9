"""First stage of the parser: what every byte is, decided once [T 4.4.2, XML 2.2, XML 2.3].

Nothing after this stage looks at raw bytes to take a decision of XML syntax, except the byte-serial lane for rare markup.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code
from hdl.shapes.publication import DocumentWord
from hdl.shapes.widths import ByteCount

__all__ = ["LANES", "ClassedWord", "Classifier", "Lane"]

LANES = 4


class Lane(data.Struct):
    """A byte and its classes.

    ``start`` and ``name`` say that a NameStartChar or a NameChar begins here. ``more`` counts the bytes of the character still to
    come, ``tail`` marks those. ``broken`` is the first byte of a character that turns out ill-formed or forbidden: whatever is wrong
    with its place, a later byte or the end of the document is reported. ``error`` is 0 or the code of a byte that is wrong wherever
    it stands (UTF16, BAD_UTF8, BAD_CHAR). ``skip`` marks the LF of a CR LF, ``section_end`` the '>' of ']]>', ``bom`` the bytes of a
    byte order mark.
    """

    byte: unsigned(8)
    valid: unsigned(1)
    lt: unsigned(1)
    gt: unsigned(1)
    slash: unsigned(1)
    equals: unsigned(1)
    dq: unsigned(1)
    sq: unsigned(1)
    amp: unsigned(1)
    bang: unsigned(1)
    space: unsigned(1)
    cr: unsigned(1)
    skip: unsigned(1)
    start: unsigned(1)
    name: unsigned(1)
    colon: unsigned(1)
    tail: unsigned(1)
    more: unsigned(2)
    broken: unsigned(1)
    section_end: unsigned(1)
    bom: unsigned(1)
    error: unsigned(2)


class ClassedWord(data.Struct):
    """Four lanes. ``cut`` says that the document ends inside a character."""

    lanes: data.ArrayLayout(Lane, LANES)
    count: ByteCount
    first: unsigned(1)
    last: unsigned(1)
    cut: unsigned(1)


def _at_least(value, low):
    """``value >= low`` as plain logic: for constants it is smaller than a carry chain."""
    result = Const(1, 1)
    for k in range(len(value)):
        result = (value[k] & result) if low >> k & 1 else (value[k] | result)
    return result if low >> len(value) == 0 else Const(0, 1)


def _between(value, low, high):
    return _at_least(value, low) & ~_at_least(value, high + 1)


def _any_between(value, *ranges):
    result = Const(0)
    for low, high in ranges:
        result = result | _between(value, low, high)
    return result


class Classifier(wiring.Component):
    """Classifies four bytes a clock.

    Latency 4 clocks, and a word leaves only when its successor has come or it is the last of its document. Throughput one
    word a clock. ``o`` has no back pressure: while ``room`` is low no word is taken, and up to four more leave. Errors are marked in
    the lanes, never acted on.
    """

    i: In(stream.Signature(DocumentWord))
    room: In(1)
    o: Out(ClassedWord)
    o_valid: Out(1)

    def elaborate(self, platform):
        m = Module()

        # Window: the word being classified (cur), the one after it (nxt), and three bytes of history.
        nxt = Signal(DocumentWord)
        nxt_valid = Signal()
        nxt_first = Signal()
        cur = Signal(DocumentWord)
        cur_valid = Signal()
        cur_first = Signal()
        history = Signal(24)

        ranged_valid = Signal()
        cur_done = Signal()
        m.d.comb += [cur_done.eq(cur_valid & (nxt_valid | cur.last)), self.i.ready.eq(self.room)]
        m.d.sync += ranged_valid.eq(cur_done)
        with m.If(~cur_valid | cur_done):
            m.d.sync += [cur_valid.eq(nxt_valid), cur.eq(nxt), cur_first.eq(nxt_first), nxt_valid.eq(0)]
        with m.If(cur_done):
            m.d.sync += history.eq(Mux(cur.last, 0, cur.data[8:]))
        starting = Signal(init=1)
        with m.If(self.i.valid & self.room):
            m.d.sync += [nxt_valid.eq(1), nxt.eq(self.i.payload), nxt_first.eq(starting), starting.eq(self.i.payload.last)]
        # Bytes past the end of the document are blank. A clear that goes before the enable costs no look-up tables.
        for k in range(4):
            with m.If(self.i.valid & self.room & (self.i.payload.count <= k)):
                m.d.sync += nxt.data.word_select(k, 8).eq(0)

        ahead = nxt_valid & ~cur.last
        window = [cur.data.word_select(k, 8) for k in range(4)] + [Mux(ahead, nxt.data.word_select(k, 8), 0) for k in range(3)]
        present = [cur.count > k for k in range(4)]
        before = [history.word_select(k, 8) for k in range(3)]
        line = [Signal(8, name=f"byte{k}") for k in range(-3, 7)]  # line[3 + k] is lane k
        m.d.comb += [byte.eq(value) for byte, value in zip(line, before + window, strict=True)]

        # Stage 1: per-byte facts and the ranges of characters of two, three and four bytes.
        ranged = Signal(ClassedWord)
        two_start, two_name = Signal(LANES), Signal(LANES)
        three_start, three_name = Signal(LANES), Signal(LANES)
        four_ok = Signal(LANES)
        size = [Signal(2, name=f"size{k}") for k in range(LANES)]
        whole = Signal(LANES)

        def is_tail(byte):
            return byte[6:8] == 0b10

        def is_lead(byte, at_least):
            if at_least == 2:
                return byte[6:8] == 0b11
            if at_least == 3:
                return byte[5:8] == 0b111
            return byte[4:8] == 0b1111

        m.d.sync += [
            ranged.count.eq(cur.count),
            ranged.first.eq(cur_first),
            ranged.last.eq(cur.last),
        ]
        for k in range(LANES):
            p3, p2, p1, b, n1, n2, n3 = line[k : k + 7] if k + 7 <= len(line) else line[k:] + [Const(0, 8)] * (k + 7 - len(line))
            lane = ranged.lanes[k]
            must_tail = is_lead(p1, 2) | is_lead(p2, 3) | is_lead(p3, 4)
            bad_second = ((p1 == 0xE0) & ~b[5]) | ((p1 == 0xED) & b[5]) | ((p1 == 0xF0) & ~b[4:6].any()) | ((p1 == 0xF4) & b[4:6].any())
            bad_lead = (b[1:8] == 0b1100000) | _at_least(b, 0xF5)
            bad_utf8 = (must_tail != is_tail(b)) | bad_second | bad_lead
            white = (b == 0x20) | (b == 0x09) | (b == 0x0A) | (b == 0x0D)
            noncharacter = (p2 == 0xEF) & (p1 == 0xBF) & (b[1:8] == 0xBE >> 1)
            bad_char = (~b[5:8].any() & ~white) | noncharacter
            utf16 = Const(0)
            if k == 0:
                utf16 = cur_first & ((b == 0x00) | (b == 0xFE) | (b == 0xFF))
            elif k == 1:
                utf16 = cur_first & (p1 == ord("<")) & (b == 0x00)
            bom = Const(0)
            if k < 3:
                mark = (0xEF, 0xBB, 0xBF)
                bom = cur_first & (line[3] == mark[0]) & (line[4] == mark[1]) & (line[5] == mark[2])
            letter = _between(b | 0x20, ord("a"), ord("z")) | (b == ord("_")) | (b == ord(":"))
            digit = _between(b, ord("0"), ord("9")) | (b == ord("-")) | (b == ord("."))
            code2, code3 = Signal(11, name=f"code2_{k}"), Signal(16, name=f"code3_{k}")
            m.d.comb += [code2.eq(Cat(n1[0:6], b[0:5])), code3.eq(Cat(n2[0:6], n1[0:6], b[0:4]))]
            ranges2 = ((0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2FF), (0x370, 0x37D), (0x37F, 0x7FF))
            ranges3 = (
                (0x800, 0x1FFF),
                (0x200C, 0x200D),
                (0x2070, 0x218F),
                (0x2C00, 0x2FEF),
                (0x3001, 0xD7FF),
                (0xF900, 0xFDCF),
                (0xFDF0, 0xFFFD),
            )
            start2 = _any_between(code2, *ranges2)
            start3 = _any_between(code3, *ranges3)
            second_bad = ((b == 0xE0) & ~n1[5]) | ((b == 0xED) & n1[5]) | ((b == 0xF0) & ~n1[4:6].any()) | ((b == 0xF4) & n1[4:6].any())
            forbidden = (b == 0xEF) & (n1 == 0xBF) & (n2[1:8] == 0xBE >> 1)
            whole2 = is_tail(n1) & ~second_bad
            whole3 = whole2 & is_tail(n2) & ~forbidden
            whole4 = whole3 & is_tail(n3)
            m.d.sync += [
                lane.byte.eq(b),
                lane.valid.eq(present[k]),
                lane.lt.eq(b == ord("<")),
                lane.gt.eq(b == ord(">")),
                lane.slash.eq(b == ord("/")),
                lane.equals.eq(b == ord("=")),
                lane.dq.eq(b == ord('"')),
                lane.sq.eq(b == ord("'")),
                lane.amp.eq(b == ord("&")),
                lane.bang.eq((b == ord("!")) | (b == ord("?"))),
                lane.space.eq(white),
                lane.cr.eq(b == 0x0D),
                lane.skip.eq((b == 0x0A) & (p1 == 0x0D)),
                lane.start.eq(letter),
                lane.name.eq(letter | digit),
                lane.colon.eq(b == ord(":")),
                lane.tail.eq(is_tail(b)),
                lane.section_end.eq((b == ord(">")) & (p1 == ord("]")) & (p2 == ord("]"))),
                lane.bom.eq(bom),
                lane.error.eq(
                    Mux(
                        present[k],
                        Mux(utf16, Code.UTF16.value, Mux(bad_utf8, Code.BAD_UTF8.value, Mux(bad_char, Code.BAD_CHAR.value, 0))),
                        0,
                    )
                ),
                two_start[k].eq(start2),
                two_name[k].eq(start2 | (code2 == 0xB7) | _between(code2, 0x300, 0x36F)),
                three_start[k].eq(start3),
                three_name[k].eq(start3 | _between(code3, 0x203F, 0x2040)),
                four_ok[k].eq(~_at_least(Cat(n1[4:6], b[0:3]), 0xF)),
                size[k].eq(Mux(is_lead(b, 4), 3, Mux(is_lead(b, 3), 2, is_lead(b, 2)))),
                whole[k].eq(Mux(is_lead(b, 4), whole4, Mux(is_lead(b, 3), whole3, whole2))),
            ]
        # The document ends inside a character when its last byte, or one of the two before, asks for more.
        ends = []
        for k in range(LANES + 1):
            q = line[k : k + 3]  # the three bytes before the position after lane k - 1
            ends.append((cur.count == k) & (is_lead(q[2], 2) | is_lead(q[1], 3) | is_lead(q[0], 4)))
        m.d.sync += ranged.cut.eq(cur.last & Cat(*ends).any())

        # Stage 2: characters of several bytes.
        final = Signal(ClassedWord)
        m.d.comb += final.eq(ranged)
        for k in range(LANES):
            lane = final.lanes[k]
            with m.If(size[k] != 0):
                m.d.comb += [
                    lane.start.eq(~whole[k] | Mux(size[k] == 1, two_start[k], Mux(size[k] == 2, three_start[k], four_ok[k]))),
                    lane.name.eq(~whole[k] | Mux(size[k] == 1, two_name[k], Mux(size[k] == 2, three_name[k], four_ok[k]))),
                    lane.more.eq(Mux(whole[k], size[k], 0)),
                    lane.broken.eq(~whole[k]),
                ]
        m.d.sync += [self.o_valid.eq(ranged_valid), self.o.eq(final)]
        return m
