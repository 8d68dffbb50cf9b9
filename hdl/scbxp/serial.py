"""The byte-serial lane of the lexer: references, comments, CDATA, processing instructions, XML declaration and DOCTYPE.

Words without any of these never come here. What does is rare, intricate, and taken one byte a clock with all checks; the bytes of tags,
text and values that stand in the same word pass through.
"""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code
from hdl.scbxp.classify import LANES, Lane
from hdl.scbxp.onehot import OneHot, any_of, chosen

__all__ = ["Calm", "Event", "Mode", "SerialByte", "SerialLane", "SerialWord", "mode_after"]


class Mode(enum.Enum, shape=unsigned(2)):
    """Where a byte stands."""

    TEXT = 0
    TAG = 1
    DQ = 2
    SQ = 3


def mode_after(lane, mode):
    """The mode after a byte of a tag, of text or of a value."""
    to_tag = Mux(mode == Mode.TEXT, lane.lt, Mux(mode == Mode.DQ, lane.dq, (mode == Mode.SQ) & lane.sq))
    from_tag = Mux(lane.gt, Mode.TEXT.value, Mux(lane.dq, Mode.DQ.value, Mux(lane.sq, Mode.SQ.value, Mode.TAG.value)))
    return Mux(mode == Mode.TAG, from_tag, Mux(to_tag, Mode.TAG.value, mode))


class Event(enum.Enum, shape=unsigned(3)):
    """What the lexer tells the stages after it besides bytes."""

    NONE = 0
    BREAK = 1
    """A comment or processing instruction ended: it splits text."""
    SECTION = 2
    """The last '[' of '<![CDATA['."""
    DOCTYPE = 3
    """The 'E' of '<!DOCTYPE'."""
    ERROR = 4
    """The document is bad; ``code`` says why."""
    END = 5
    """The document ended."""


class Calm(data.Struct):
    """What a whole word may be passed over in, if it has none of the bytes that matter there."""

    comment: unsigned(1)
    instruction: unsigned(1)
    section: unsigned(1)


class SerialByte(data.Struct):
    """A byte, its place in the document, and whether it is the second of the document, so that '<?' may begin the XML declaration."""

    lane: Lane
    position: unsigned(32)
    second: unsigned(1)


class SerialWord(data.Struct):
    """What comes out in a clock: the byte ``lane`` in its place, or with ``literal`` up to four bytes of text or value from the first
    lane on; and an event. With Event.ERROR ``late`` is to be added to the offset of the byte taken last: a character is decided by
    its last byte."""

    bytes: unsigned(32)
    lane: Lane
    active: unsigned(LANES)
    literal: unsigned(1)
    mode: Mode
    event: Event
    code: unsigned(5)
    late: unsigned(2)


_WORDS = ("CDATA[", "OCTYPE", "ersion", "ncoding", "tandalone")
_ROM = bytearray()
_AT = {}
for _word in _WORDS:
    _AT[_word] = len(_ROM)
    _ROM += _word.encode()
_LAST = [_AT[word] + len(word) - 1 for word in _WORDS]


class _Decoded(data.Struct):
    """A byte with what the states ask about it."""

    lane: Lane
    position: unsigned(32)
    second: unsigned(1)
    kept: unsigned(8)
    """The byte as CDATA delivers it [XML 2.11]."""
    lower: unsigned(8)
    upper: unsigned(1)
    digit: unsigned(1)
    hex_letter: unsigned(1)
    alpha: unsigned(1)
    dash: unsigned(1)
    question: unsigned(1)
    closing: unsigned(1)
    opening: unsigned(1)
    semicolon: unsigned(1)
    sharp: unsigned(1)
    big_d: unsigned(1)
    dot: unsigned(1)
    underscore: unsigned(1)
    one: unsigned(1)
    small_e: unsigned(1)
    small_n: unsigned(1)
    small_o: unsigned(1)
    small_s: unsigned(1)
    small_v: unsigned(1)
    small_x: unsigned(1)
    small_y: unsigned(1)
    any_l: unsigned(1)
    any_m: unsigned(1)
    any_x: unsigned(1)
    feed: unsigned(1)
    wrong: unsigned(1)
    """The byte is wrong wherever it stands."""
    late: unsigned(1)
    """The byte begins no character, or one that is ill-formed: an error is found at a later byte."""


_CHARS = {
    "dash": "-", "question": "?", "closing": "]", "opening": "[", "semicolon": ";", "sharp": "#", "big_d": "D", "dot": ".",
    "underscore": "_", "one": "1", "small_e": "e", "small_n": "n", "small_o": "o", "small_s": "s", "small_v": "v", "small_x": "x",
    "small_y": "y", "feed": "\n",
}  # fmt: skip
_EITHER = {"any_l": "l", "any_m": "m", "any_x": "x"}

_WAITING = ("ENTITY_END", "NUMBER_END", "FIELD_JUDGE")
"""States that take no byte."""
_TAKING = (
    "PASS", "REFERENCE", "ENTITY", "NUMBER", "DECIMAL", "HEX", "MARKUP", "LITERAL", "COMMENT_OPEN", "COMMENT", "COMMENT_DASH",
    "COMMENT_END", "SECTION", "SECTION_BRACKET", "SECTION_END", "TARGET", "TARGET_MORE", "TARGET_END", "INSTRUCTION", "INSTRUCTION_END",
    "DECLARATION", "EQUALS", "QUOTE", "FIELD", "FIELD_END", "DECLARATION_END", "DOCTYPE_SPACE", "DOCTYPE", "DOCTYPE_STRING", "SUBSET",
    "SUBSET_LT", "SUBSET_MARKUP", "SUBSET_DASH", "SUBSET_END",
)  # fmt: skip


class SerialLane(wiring.Component):
    """Takes rare markup apart, one byte a clock.

    While ``enable``, bytes move in the clocks in which ``go`` is 1: the one at ``i`` is taken, and acted on one ``go`` later; ``took``
    says that a byte is acted on, ``i_lt`` that it is '<', ``position`` where it stands. What comes of it is at ``o`` in the clock after
    that. At the end of a reference and of an encoding's name it stands still for a clock.
    ``valid`` says that a byte is inside, ``empty`` that none is and it would take one, ``passing`` that bytes pass through, ``calm`` what
    may be passed over by words, both decided by the bytes acted on. ``mode`` is the mode before the byte that is acted on, ``after`` that
    after it. After Event.ERROR ``failed`` is 1 and nothing moves until ``clear``, which empties the lane.
    """

    i: In(SerialByte)
    i_valid: In(1)
    enable: In(1)
    clear: In(1)
    after_lt: In(1)
    mode: In(Mode)
    after: Out(Mode)
    go: Out(1)
    took: Out(1)
    i_lt: Out(1)
    position: Out(32)
    valid: Out(1)
    empty: Out(1)
    passing: Out(1)
    calm: Out(Calm)
    failed: Out(1)
    o: Out(SerialWord)
    o_valid: Out(1)

    def elaborate(self, platform):
        m = Module()
        fsm = OneHot(*_TAKING, *_WAITING, name="serial_state")
        waits, has = Signal(), Signal()  # in a state that takes no byte; in another one, and there is a byte
        wants = ~waits
        enable = Signal()
        m.d.comb += [enable.eq(self.enable & ~self.failed), self.go.eq(enable & wants)]

        # Decoding.
        byte = Signal(_Decoded)
        valid = self.valid
        source = self.i.lane.byte
        is_upper = (source >= ord("A")) & (source <= ord("Z"))
        folded = source | 0x20
        is_letter = (folded >= ord("a")) & (folded <= ord("z"))
        next_valid = Mux(self.go, self.i_valid, valid) & ~self.clear
        m.d.sync += valid.eq(next_valid)
        with m.If(self.go):
            m.d.sync += [
                byte.lane.eq(self.i.lane),
                byte.position.eq(self.i.position),
                byte.second.eq(self.i.second),
                byte.kept.eq(Mux(self.i.lane.cr, 0x0A, source)),
                byte.lower.eq(source | (is_upper << 5)),
                byte.upper.eq(is_upper),
                byte.digit.eq((source >= ord("0")) & (source <= ord("9"))),
                byte.hex_letter.eq((folded >= ord("a")) & (folded <= ord("f"))),
                byte.alpha.eq(is_letter),
                byte.wrong.eq(self.i.lane.error != 0),
                byte.late.eq(self.i.lane.broken | self.i.lane.tail),
                *(getattr(byte, name).eq(source == ord(char)) for name, char in _CHARS.items()),
                *(getattr(byte, name).eq(folded == ord(char)) for name, char in _EITHER.items()),
            ]
        lane = byte.lane
        take = Signal()
        m.d.comb += [
            take.eq(enable & has),
            self.took.eq(take),
            self.i_lt.eq(lane.lt),
            self.position.eq(byte.position),
            self.empty.eq(~valid & wants),
            self.passing.eq(fsm["PASS"]),
        ]

        in_doctype, in_subset, spaced = Signal(), Signal(), Signal()
        may_declare = Signal()
        double = Signal()  # the quote that closes
        after_cr = Signal()
        recent = Signal(64)  # the latest bytes, newest first
        length = Signal(4)
        field = Signal(4, init=1)  # one-hot: the latest field of the declaration
        first_is_y = Signal()
        errors, codes = [], []

        def error(state, condition, code):
            """The only error of a state, so that the state alone tells the code."""
            errors.append(fsm[state] & condition)
            codes.append((fsm[state], code))

        closes = Mux(double, lane.dq, lane.sq)
        with m.If(take):
            m.d.sync += after_cr.eq(lane.cr)

        def on(state, *moves):
            """Moves by the byte taken."""
            fsm.on(state, *((take & condition, target) for condition, target in moves))

        # Tags, text and values pass; '&', '<!' and '<?' begin something.
        in_tag = self.mode == Mode.TAG
        refers = lane.amp & ~in_tag
        marks = lane.bang & self.after_lt & in_tag
        passes = fsm["PASS"] & take & ~marks & ~lane.bom
        on("PASS", (refers, "REFERENCE"), (marks & byte.question, "TARGET"), (marks, "MARKUP"))
        m.d.comb += self.after.eq(Mux(fsm["PASS"] & take, Mux(marks, Mode.TEXT.value, mode_after(lane, self.mode)), self.mode))
        with m.If(fsm["PASS"]):
            m.d.sync += [
                in_doctype.eq(0), in_subset.eq(0), spaced.eq(0), length.eq(0), field.eq(1),
                may_declare.eq(byte.second),
            ]  # fmt: skip

        # References [XML 4.1]: after '&'.
        remembers = fsm["REFERENCE"] | (fsm["ENTITY"] & ~byte.semicolon) | (fsm["FIELD"] & ~closes)
        counts = remembers | fsm["TARGET"] | fsm["TARGET_MORE"]
        with m.If(take & remembers):
            m.d.sync += recent.eq(Cat(Mux(fsm["FIELD"], byte.lower, lane.byte), recent))
        with m.If(take & counts):
            m.d.sync += length.eq(Mux(length.all(), length, length + 1))

        def spelled(text):
            return (length == len(text)) & (recent[: 8 * len(text)] == int.from_bytes(text.encode(), "big"))

        starts = lane.start & ~lane.tail
        on("REFERENCE", (byte.sharp, "NUMBER"), (starts, "ENTITY"))
        error("REFERENCE", ~byte.sharp & ~starts, Code.BAD_REFERENCE)
        on("ENTITY", (byte.semicolon, "ENTITY_END"))
        error("ENTITY", ~byte.semicolon & ~lane.name & ~lane.tail, Code.BAD_REFERENCE)
        entities = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}
        named = Signal(len(entities))
        m.d.sync += named.eq(Cat(*(spelled(name) for name in entities)))
        fsm.on("ENTITY_END", (enable, "PASS"))

        number = Signal(25)
        too_large = Signal()  # the number, or one that it grew from, is beyond U+10FFFF
        hex_digit = Signal(4)
        m.d.comb += hex_digit.eq(Mux(byte.digit, lane.byte[:4], lane.byte[:3] + 9))
        with m.If(fsm["REFERENCE"]):
            m.d.sync += [too_large.eq(0), spaced.eq(0)]
        with m.Else():
            m.d.sync += too_large.eq(too_large | (number[20] & number[16:20].any()) | number[21:].any())
        in_hex = fsm["HEX"] & (byte.digit | byte.hex_letter)
        in_decimal = (fsm["NUMBER"] | fsm["DECIMAL"]) & byte.digit
        with m.If(take & (fsm["REFERENCE"] | in_hex | in_decimal)):
            grown = Mux(fsm["HEX"], Cat(hex_digit, number), (number << 3) + (number << 1) + lane.byte[:4])
            m.d.sync += number.eq(Mux(fsm["REFERENCE"], 0, grown))
        with m.If(take & in_hex):
            m.d.sync += spaced.eq(1)
        on("NUMBER", (byte.small_x, "HEX"), (byte.digit, "DECIMAL"))
        error("NUMBER", ~byte.small_x & ~byte.digit, Code.BAD_REFERENCE)
        on("DECIMAL", (byte.semicolon, "NUMBER_END"))
        error("DECIMAL", ~byte.semicolon & ~byte.digit, Code.BAD_REFERENCE)
        on("HEX", (byte.semicolon & spaced, "NUMBER_END"))  # ``spaced`` is that a digit was seen
        error("HEX", ~(byte.semicolon & spaced) & ~byte.digit & ~byte.hex_letter, Code.BAD_REFERENCE)
        fsm.on("NUMBER_END", (enable, "PASS"))
        no_character = Signal()
        size = Signal(4)
        white = (number == 0x9) | (number == 0xA) | (number == 0xD)
        high = [number[at:].any() for at in (7, 11, 16)]
        m.d.sync += [
            no_character.eq((~number[5:].any() & ~white) | (number[11:] == 0xD800 >> 11) | (number[1:] == 0xFFFE >> 1)),
            size.eq(Cat(~high[0], high[0] & ~high[1], high[1] & ~high[2], high[2])),
        ]

        def tail(low):
            return Cat(number[low : low + 6], Const(0b10, 2))

        # '<!' [XML 2.4, 2.5, 2.8].
        rom = Array([Const(b, 8) for b in _ROM])
        spell_at = Signal(range(len(_ROM)))
        expected, expected_last = Signal(8), Signal()
        to_section, to_doctype = Signal(), Signal()

        def spell(condition, word):
            """The rest of a word follows; whether the byte is taken does not matter, for only then is it asked for."""
            with m.If(condition):
                m.d.sync += [
                    expected.eq(ord(word[0])), expected_last.eq(0), spell_at.eq(_AT[word] + 1),
                    to_section.eq(word == "CDATA["), to_doctype.eq(word == "OCTYPE"),
                ]  # fmt: skip

        with m.If(take & fsm["LITERAL"]):
            m.d.sync += [expected.eq(rom[spell_at]), expected_last.eq(any_of(spell_at == at for at in _LAST)), spell_at.eq(spell_at + 1)]
        agrees = Signal()
        m.d.comb += agrees.eq(lane.byte == expected)
        ends_word = agrees & expected_last
        spell(fsm["MARKUP"] & byte.opening, "CDATA[")
        spell(fsm["MARKUP"] & byte.big_d, "OCTYPE")
        on("MARKUP", (byte.dash, "COMMENT_OPEN"), (byte.opening | byte.big_d, "LITERAL"))
        error("MARKUP", ~byte.dash & ~byte.opening & ~byte.big_d, Code.BAD_MARKUP)
        on("LITERAL", (ends_word & to_section, "SECTION"), (ends_word & to_doctype, "DOCTYPE_SPACE"), (ends_word, "EQUALS"))
        errors.append(fsm["LITERAL"] & ~agrees)
        codes.append((fsm["LITERAL"] & (to_section | to_doctype), Code.BAD_MARKUP))
        codes.append((fsm["LITERAL"] & ~to_section & ~to_doctype, Code.BAD_DECL))

        on("COMMENT_OPEN", (byte.dash, "COMMENT"))
        error("COMMENT_OPEN", ~byte.dash, Code.BAD_MARKUP)
        on("COMMENT", (byte.dash, "COMMENT_DASH"))
        on("COMMENT_DASH", (byte.dash, "COMMENT_END"), (1, "COMMENT"))
        on("COMMENT_END", (lane.gt & in_doctype, "SUBSET"), (lane.gt, "PASS"))
        error("COMMENT_END", ~lane.gt, Code.BAD_COMMENT)

        # Line ends in a CDATA section are normalised like those of text [XML 2.11].
        drop = after_cr & byte.feed
        on("SECTION", (byte.closing, "SECTION_BRACKET"))
        on("SECTION_BRACKET", (byte.closing, "SECTION_END"), (1, "SECTION"))
        on("SECTION_END", (byte.closing, "SECTION_END"), (lane.gt, "PASS"), (1, "SECTION"))

        # Processing instructions [XML 2.6].
        target_start = lane.start & ~lane.colon & ~lane.tail
        target_more = (lane.name & ~lane.colon) | lane.tail
        like_xml = Signal()
        with m.If(take & fsm["TARGET"]):
            m.d.sync += [like_xml.eq(byte.any_x), may_declare.eq(may_declare & byte.small_x)]
        with m.If(take & fsm["TARGET_MORE"] & target_more):
            m.d.sync += [
                like_xml.eq(like_xml & (((length == 1) & byte.any_m) | ((length == 2) & byte.any_l))),
                may_declare.eq(may_declare & ~byte.upper),
            ]
        is_xml = Signal()
        m.d.comb += is_xml.eq(like_xml & (length == 3))
        on("TARGET", (target_start, "TARGET_MORE"))
        error("TARGET", ~target_start, Code.BAD_PI)
        target_ends = ~target_more & (lane.space | byte.question)
        on(
            "TARGET_MORE", (target_ends & is_xml, "DECLARATION"), (target_ends & lane.space, "INSTRUCTION"), (target_ends, "TARGET_END"),
        )  # fmt: skip
        error("TARGET_MORE", (~target_more & ~target_ends) | (target_ends & is_xml & ~(may_declare & lane.space)), Code.BAD_PI)
        on("TARGET_END", (lane.gt, "PASS"))
        error("TARGET_END", ~lane.gt, Code.BAD_PI)
        on("INSTRUCTION", (byte.question, "INSTRUCTION_END"))
        on("INSTRUCTION_END", (lane.gt & in_doctype, "SUBSET"), (lane.gt, "PASS"), (~byte.question, "INSTRUCTION"))

        # The XML declaration [XML 2.8]: version, encoding, standalone.
        none_yet, version, encoding, _ = field
        asks_version = byte.small_v & none_yet
        asks_encoding = byte.small_e & version
        asks_standalone = byte.small_s & (version | encoding)
        asks = asks_version | asks_encoding | asks_standalone
        ends_here = byte.question & ~none_yet
        with m.If(fsm["DECLARATION"]):
            m.d.sync += length.eq(0)
        for condition, word, bit in ((asks_version, "ersion", 1), (asks_encoding, "ncoding", 2), (asks_standalone, "tandalone", 3)):
            spell(fsm["DECLARATION"] & condition, word)
            with m.If(take & fsm["DECLARATION"] & condition):
                m.d.sync += field.eq(1 << bit)
        on("DECLARATION", (asks, "LITERAL"), (ends_here, "DECLARATION_END"))
        error("DECLARATION", ~asks & ~ends_here & ~lane.space, Code.BAD_DECL)
        on("EQUALS", (lane.equals, "QUOTE"))
        error("EQUALS", ~lane.equals & ~lane.space, Code.BAD_DECL)
        quotes = lane.dq | lane.sq
        on("QUOTE", (quotes, "FIELD"))
        error("QUOTE", ~quotes & ~lane.space, Code.BAD_DECL)
        with m.If(take & fsm.any("QUOTE", "DOCTYPE", "SUBSET", "SUBSET_LT", "SUBSET_MARKUP", "SUBSET_DASH")):
            m.d.sync += double.eq(lane.dq)

        at = Signal(5, init=1)  # one-hot: bytes of the field so far
        with m.If(fsm["QUOTE"]):
            m.d.sync += at.eq(1)
        with m.If(take & fsm["FIELD"]):
            m.d.sync += at.eq(Cat(0, at[:3], at[3] | at[4]))
            with m.If(at[0]):
                m.d.sync += first_is_y.eq(byte.small_y)
        # '1.' and one digit or more.
        version_done = closes & (at[3] | at[4])
        version_bad = Mux(at[0], ~byte.one, Mux(at[1], ~byte.dot, ~version_done & ~byte.digit))
        encoding_done = closes & ~at[0]
        encoding_bad = ~encoding_done & ~byte.alpha & ~((byte.digit | byte.dot | byte.underscore | byte.dash) & ~at[0])
        standalone_done = closes & ((at[3] & first_is_y) | (at[2] & ~first_is_y))
        spelling = chosen(
            (at[0], byte.small_y | byte.small_n),
            (at[1], Mux(first_is_y, byte.small_e, byte.small_o)),
            (at[2], first_is_y & byte.small_s),
            width=1,
        )
        standalone_bad = ~standalone_done & ~spelling
        on(
            "FIELD", (field[2] & encoding_done, "FIELD_JUDGE"),
            ((field[1] & version_done) | (field[3] & standalone_done), "FIELD_END"),
        )  # fmt: skip
        error("FIELD", (field[1] & version_bad) | (field[2] & encoding_bad) | (field[3] & standalone_bad), Code.BAD_DECL)
        supported = Signal()
        m.d.sync += supported.eq(any_of(spelled(name) for name in ("utf-8", "utf8", "us-ascii", "ascii")))
        fsm.on("FIELD_JUDGE", (enable, "FIELD_END"))
        on("FIELD_END", (lane.space, "DECLARATION"), (byte.question, "DECLARATION_END"))
        error("FIELD_END", ~lane.space & ~byte.question, Code.BAD_DECL)
        on("DECLARATION_END", (lane.gt, "PASS"))
        error("DECLARATION_END", ~lane.gt, Code.BAD_DECL)

        # DOCTYPE: scanned over, never acted on [XML 2.8].
        with m.If(take & fsm["DOCTYPE_SPACE"]):
            m.d.sync += [in_doctype.eq(1), spaced.eq(1)]
        on("DOCTYPE_SPACE", (spaced & ~lane.space & lane.start, "DOCTYPE"))
        error("DOCTYPE_SPACE", ~lane.space & ~(spaced & lane.start), Code.BAD_DOCTYPE)
        on("DOCTYPE", (quotes, "DOCTYPE_STRING"), (byte.opening, "SUBSET"), (lane.gt, "PASS"))
        error("DOCTYPE", lane.lt | byte.closing, Code.BAD_DOCTYPE)
        with m.If(take & fsm["DOCTYPE"] & byte.opening):
            m.d.sync += in_subset.eq(1)
        on("DOCTYPE_STRING", (closes & in_subset, "SUBSET"), (closes, "DOCTYPE"))
        usual = ((quotes, "DOCTYPE_STRING"), (byte.closing, "SUBSET_END"), (lane.lt, "SUBSET_LT"), (1, "SUBSET"))
        on("SUBSET", *usual)
        on("SUBSET_LT", (lane.bang & byte.question, "INSTRUCTION"), (lane.bang, "SUBSET_MARKUP"), *usual)
        on("SUBSET_MARKUP", (byte.dash, "SUBSET_DASH"), *usual)
        on("SUBSET_DASH", (byte.dash, "COMMENT"), *usual)
        on("SUBSET_END", (lane.gt, "PASS"))
        error("SUBSET_END", ~lane.gt & ~lane.space, Code.BAD_DOCTYPE)

        waits_next = fsm.moving_to(*_WAITING) & ~self.clear
        m.d.sync += [waits.eq(waits_next), has.eq(next_valid & ~waits_next)]
        fsm.finish(m, clear=self.clear)
        m.d.comb += [
            self.calm.comment.eq(fsm["COMMENT"]),
            self.calm.instruction.eq(fsm["INSTRUCTION"]),
            self.calm.section.eq(fsm["SECTION"] & ~after_cr),
        ]

        # What comes out.
        no_entity = fsm["ENTITY_END"] & ~named.any()
        not_allowed = fsm["NUMBER_END"] & (no_character | too_large)
        not_supported = fsm["FIELD_JUDGE"] & ~supported
        refused = enable & (no_entity | not_allowed | not_supported)
        wrong = take & ~fsm["PASS"] & byte.wrong
        against = Signal()
        m.d.comb += against.eq(take & ~byte.late & any_of(errors))
        ends_markup = ((fsm["COMMENT_END"] | fsm["INSTRUCTION_END"]) & lane.gt & ~in_doctype) | (fsm["TARGET_END"] & lane.gt)
        by_code: dict[Code, list] = {}
        for state, code in codes:
            by_code.setdefault(code, []).append(state)
        literal = chosen(
            (fsm["SECTION"] & ~byte.closing & ~drop, 0b0001),
            (fsm["SECTION_BRACKET"] & ~byte.closing, 0b0011),
            (fsm["SECTION_END"] & byte.closing, 0b0001),
            (fsm["SECTION_END"] & ~byte.closing & ~lane.gt, 0b0111),
            width=4,
        )
        resolved = chosen(
            (fsm["ENTITY_END"] & named.any(), 0b0001), (fsm["NUMBER_END"], Cat(1, ~size[0], size[2] | size[3], size[3])), width=4
        )
        out = self.o
        bracket = Const(ord("]"), 8)
        entity = chosen(*((named[k], Const(ord(char), 8)) for k, char in enumerate(entities.values())), width=8)
        character = chosen(
            (size[0], number[:8]),
            (size[1], Cat(number[6:11], Const(0b110, 3), tail(0))),
            (size[2], Cat(number[12:16], Const(0b1110, 4), tail(6), tail(0))),
            (size[3], Cat(number[18:21], Const(0b11110, 5), tail(12), tail(6), tail(0))),
            width=32,
        )
        made = Signal(32)
        m.d.comb += made.eq(
            chosen(
                (fsm["PASS"], lane.byte.replicate(4)),
                (fsm["SECTION"], byte.kept),
                (fsm["SECTION_BRACKET"], Cat(bracket, byte.kept)),
                (fsm["SECTION_END"], Cat(bracket, bracket, byte.kept)),
                (fsm["ENTITY_END"], entity),
                (fsm["NUMBER_END"], character),
                width=32,
            )
        )
        passed = (Const(1, LANES) << byte.position[:2])[:LANES]
        sends = take & ~byte.wrong
        active = Signal(LANES)
        event = Signal(Event)
        fails = Signal()
        m.d.comb += [
            fails.eq(refused | wrong | against),
            active.eq((passed & passes.replicate(4)) | (literal & sends.replicate(4)) | (resolved & (enable & ~refused).replicate(4))),
            event.eq(
                chosen(
                    (take & ends_markup, Event.BREAK.value),
                    (take & fsm["LITERAL"] & ends_word & to_section, Event.SECTION.value),
                    (take & fsm["LITERAL"] & ends_word & to_doctype, Event.DOCTYPE.value),
                    width=3,
                )
            ),
        ]
        m.d.sync += [
            self.failed.eq((self.failed | fails) & ~self.clear),
            self.o_valid.eq(active.any() | fails | (event != Event.NONE)),
            out.bytes.eq(made),
            out.lane.eq(lane),
            out.literal.eq(~fsm["PASS"]),
            out.mode.eq(self.mode),
            out.active.eq(active),
            out.late.eq(Mux(byte.wrong | ~wants, 0, lane.more)),
            out.event.eq(Mux(fails, Event.ERROR, event)),
            out.code.eq(
                Mux(
                    wants,
                    Mux(byte.wrong, lane.error, chosen(*((any_of(which), code.value) for code, which in by_code.items()), width=5)),
                    chosen(
                        (fsm["ENTITY_END"], Code.ENTITY.value),
                        (fsm["NUMBER_END"], Code.BAD_REFERENCE.value),
                        (fsm["FIELD_JUDGE"], Code.ENCODING.value),
                        width=5,
                    ),
                )
            ),
        ]
        return m
