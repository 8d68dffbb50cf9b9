"""The byte-serial lane of the lexer: references, comments, CDATA, processing instructions, XML declaration and DOCTYPE.

Tags, text and attribute values never come here; what does is rare, intricate, and taken one byte a clock with all checks.
"""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code
from hdl.scbxp.classify import Lane

__all__ = ["Calm", "Event", "Opening", "SerialLane"]


class Opening(enum.Enum, shape=unsigned(2)):
    """What the byte-serial lane is entered with."""

    REFERENCE = 0
    """'&' was taken."""
    MARKUP = 1
    """'<!' was taken."""
    INSTRUCTION = 2
    """'<?' was taken."""


class Event(enum.Enum, shape=unsigned(3)):
    """What the byte-serial lane tells the stages after it besides bytes of text."""

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


class Calm(enum.Enum, shape=unsigned(2)):
    """What a whole word may be passed over in, if it has none of the bytes that matter there."""

    NO = 0
    COMMENT = 1
    INSTRUCTION = 2
    SECTION = 3


_WORDS = {"CDATA[": 0, "OCTYPE": 8, "ersion": 16, "ncoding": 24, "tandalone": 32}
_ROM = bytearray(64)
for _word, _at in _WORDS.items():
    _ROM[_at : _at + len(_word)] = _word.encode()


class SerialLane(wiring.Component):
    """Takes rare markup apart, one byte a clock.

    ``begin`` with ``opening`` enters it. Then ``wants`` asks for a byte; ``step`` gives it in ``lane`` in the same clock. In any
    clock ``count`` bytes of text may come out in ``text``, and an ``event``. ``done`` says that this clock was the last, and the
    byte stepped, if any, the last of the construct. With Event.ERROR ``code`` is set; ``late`` is to be added to the offset of
    the byte (a character is decided by its last byte), ``back`` says that the byte before the current one decides.
    """

    begin: In(1)
    opening: In(Opening)
    at_start: In(1)
    step: In(1)
    lane: In(Lane)
    wants: Out(1)
    calm: Out(Calm)
    text: Out(32)
    count: Out(3)
    event: Out(Event)
    code: Out(5)
    late: Out(2)
    back: Out(1)
    done: Out(1)

    def elaborate(self, platform):
        m = Module()
        lane = self.lane
        byte = lane.byte

        rom = Array([Const(b, 8) for b in _ROM])
        word = Signal(6)
        first_seen = Signal()
        subset = Signal()
        in_doctype = Signal()
        number = Signal(22)
        recent = Signal(64)  # the latest bytes in lower case, newest first
        length = Signal(4)
        field = Signal(2)
        quote = Signal(8)
        after_cr = Signal()
        may_declare = Signal()
        digit_seen = Signal()

        def error(code, *, back=False):
            with m.If((~lane.broken & ~lane.tail) | back):
                m.d.comb += [
                    self.event.eq(Event.ERROR),
                    self.code.eq(code),
                    self.late.eq(0 if back else lane.more),
                    self.back.eq(back),
                    self.done.eq(1),
                ]
                m.next = "IDLE"

        def is_(char):
            return byte == ord(char)

        lower = Signal(8)
        upper = (byte >= ord("A")) & (byte <= ord("Z"))
        m.d.comb += lower.eq(byte | (upper << 5))
        digit = (byte >= ord("0")) & (byte <= ord("9"))
        hex_letter = (lower >= ord("a")) & (lower <= ord("f"))
        alpha = (lower >= ord("a")) & (lower <= ord("z"))

        def remember():
            m.d.sync += [recent.eq(Cat(lower, recent)), length.eq(Mux(length == 15, 15, length + 1))]

        def spelled(text):
            return (length == len(text)) & (recent[: 8 * len(text)] == int.from_bytes(text.encode(), "big"))

        def literal(text, name, code, then):
            """A state that spells the rest of a literal; ``then`` acts at its last byte."""
            with m.State(name):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    m.d.sync += word.eq(word + 1)
                    with m.If(byte != rom[word]):
                        error(code)
                    with m.Elif(word == _WORDS[text] + len(text) - 1):
                        then()

        def emit(count, data_):
            m.d.comb += [self.count.eq(count), self.text.eq(data_)]

        with m.If(self.step):
            m.d.sync += after_cr.eq(lane.cr)

        with m.FSM(name="serial"):
            with m.State("IDLE"):
                m.d.sync += [
                    in_doctype.eq(0),
                    length.eq(0),
                    number.eq(0),
                    first_seen.eq(0),
                    subset.eq(0),
                    may_declare.eq(self.at_start),
                    field.eq(0),
                ]
                with m.If(self.begin):
                    with m.Switch(self.opening):
                        with m.Case(Opening.REFERENCE):
                            m.next = "REFERENCE"
                        with m.Case(Opening.MARKUP):
                            m.next = "MARKUP"
                        with m.Case(Opening.INSTRUCTION):
                            m.next = "TARGET"

            # References [XML 4.1]: after '&'.
            with m.State("REFERENCE"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    remember()
                    with m.If(is_("#")):
                        m.next = "NUMBER"
                    with m.Elif(lane.start & ~lane.tail):
                        m.next = "ENTITY"
                    with m.Else():
                        error(Code.BAD_REFERENCE)
            with m.State("ENTITY"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_(";")):
                        m.next = "ENTITY_END"
                    with m.Elif(lane.name | lane.tail):
                        remember()
                        # The five names are told apart in their own case.
                        with m.If(upper):
                            m.d.sync += recent[:8].eq(byte)
                    with m.Else():
                        error(Code.BAD_REFERENCE)
            with m.State("ENTITY_END"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
                for name, char in (("lt", "<"), ("gt", ">"), ("amp", "&"), ("apos", "'"), ("quot", '"')):
                    with m.If(spelled(name)):
                        emit(1, ord(char))
                with m.If(~(spelled("lt") | spelled("gt") | spelled("amp") | spelled("apos") | spelled("quot"))):
                    error(Code.ENTITY, back=True)
            with m.State("NUMBER"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    m.d.sync += digit_seen.eq(0)
                    with m.If(is_("x")):
                        m.next = "HEX"
                    with m.Elif(digit):
                        m.d.sync += number.eq(byte[:4])
                        m.next = "DECIMAL"
                    with m.Else():
                        error(Code.BAD_REFERENCE)

            # A number grows to at most 22 bits, of which the top one says too large.
            def grow(value):
                big = Signal(27, name="grown")
                m.d.comb += big.eq(value)
                m.d.sync += number.eq(Mux(number[21] | (big > 0x10FFFF), 1 << 21, big[:22]))

            with m.State("DECIMAL"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_(";")):
                        m.next = "NUMBER_END"
                    with m.Elif(digit):
                        grow((number << 3) + (number << 1) + byte[:4])
                    with m.Else():
                        error(Code.BAD_REFERENCE)
            with m.State("HEX"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_(";") & digit_seen):
                        m.next = "NUMBER_END"
                    with m.Elif(digit | hex_letter):
                        m.d.sync += digit_seen.eq(1)
                        grow((number << 4) + Mux(digit, byte[:4], byte[:3] + 9))
                    with m.Else():
                        error(Code.BAD_REFERENCE)
            with m.State("NUMBER_END"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
                white = (number == 0x9) | (number == 0xA) | (number == 0xD)
                bad = number[21] | ((number < 0x20) & ~white) | ((number >= 0xD800) & (number < 0xE000)) | ((number >> 1) == 0xFFFE >> 1)

                def tail(low):
                    return Cat(number[low : low + 6], Const(0b10, 2))

                with m.If(bad):
                    error(Code.BAD_REFERENCE, back=True)
                with m.Elif(number < 0x80):
                    emit(1, number[:8])
                with m.Elif(number < 0x800):
                    emit(2, Cat(number[6:11], Const(0b110, 3), tail(0)))
                with m.Elif(number < 0x10000):
                    emit(3, Cat(number[12:16], Const(0b1110, 4), tail(6), tail(0)))
                with m.Else():
                    emit(4, Cat(number[18:21], Const(0b11110, 5), tail(12), tail(6), tail(0)))

            # '<!' [XML 2.4, 2.5, 2.8].
            with m.State("MARKUP"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_("-")):
                        m.next = "COMMENT_OPEN"
                    with m.Elif(is_("[")):
                        m.d.sync += word.eq(_WORDS["CDATA["])
                        m.next = "SECTION_OPEN"
                    with m.Elif(is_("D")):
                        m.d.sync += word.eq(_WORDS["OCTYPE"])
                        m.next = "DOCTYPE_OPEN"
                    with m.Else():
                        error(Code.BAD_MARKUP)
            with m.State("COMMENT_OPEN"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_("-")):
                        m.next = "COMMENT"
                    with m.Else():
                        error(Code.BAD_MARKUP)
            with m.State("COMMENT"):
                m.d.comb += [self.wants.eq(1), self.calm.eq(Calm.COMMENT)]
                with m.If(self.step & is_("-")):
                    m.next = "COMMENT_DASH"
            with m.State("COMMENT_DASH"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    m.next = "COMMENT"
                    with m.If(is_("-")):
                        m.next = "COMMENT_END"
            with m.State("COMMENT_END"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(~is_(">")):
                        error(Code.BAD_COMMENT)
                    with m.Elif(in_doctype):
                        m.next = "SUBSET"
                    with m.Else():
                        m.d.comb += [self.event.eq(Event.BREAK), self.done.eq(1)]
                        m.next = "IDLE"

            def section():
                m.d.comb += self.event.eq(Event.SECTION)
                m.next = "SECTION"

            literal("CDATA[", "SECTION_OPEN", Code.BAD_MARKUP, section)
            # Line ends in a CDATA section are normalised like those of text [XML 2.11].
            kept = Signal(8)
            drop = Signal()
            m.d.comb += [kept.eq(Mux(lane.cr, 0x0A, byte)), drop.eq(after_cr & (byte == 0x0A))]
            with m.State("SECTION"):
                m.d.comb += [self.wants.eq(1), self.calm.eq(Mux(after_cr, Calm.NO, Calm.SECTION))]
                with m.If(self.step):
                    with m.If(is_("]")):
                        m.next = "SECTION_BRACKET"
                    with m.Elif(~drop):
                        emit(1, kept)
            with m.State("SECTION_BRACKET"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_("]")):
                        m.next = "SECTION_END"
                    with m.Else():
                        emit(2, Cat(Const(ord("]"), 8), kept))
                        m.next = "SECTION"
            with m.State("SECTION_END"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_("]")):
                        emit(1, ord("]"))
                    with m.Elif(is_(">")):
                        m.d.comb += self.done.eq(1)
                        m.next = "IDLE"
                    with m.Else():
                        emit(3, Cat(Const(ord("]"), 8), Const(ord("]"), 8), kept))
                        m.next = "SECTION"

            # Processing instructions [XML 2.6].
            with m.State("TARGET"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    remember()
                    with m.If(lane.start & ~lane.colon & ~lane.tail):
                        m.d.sync += may_declare.eq(may_declare & is_("x"))
                        m.next = "TARGET_MORE"
                    with m.Else():
                        error(Code.BAD_PI)
            with m.State("TARGET_MORE"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    remember()
                    with m.If((lane.name & ~lane.colon) | lane.tail):
                        m.d.sync += may_declare.eq(may_declare & ~upper)
                    with m.Elif((lane.space | is_("?")) & spelled("xml") & ~(may_declare & lane.space)):
                        error(Code.BAD_PI)
                    with m.Elif(lane.space):
                        m.next = "INSTRUCTION"
                        with m.If(spelled("xml")):
                            m.next = "DECLARATION"
                    with m.Elif(is_("?")):
                        m.next = "TARGET_END"
                    with m.Else():
                        error(Code.BAD_PI)
            with m.State("TARGET_END"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_(">")):
                        m.d.comb += [self.event.eq(Event.BREAK), self.done.eq(1)]
                        m.next = "IDLE"
                    with m.Else():
                        error(Code.BAD_PI)
            with m.State("INSTRUCTION"):
                m.d.comb += [self.wants.eq(1), self.calm.eq(Calm.INSTRUCTION)]
                with m.If(self.step & is_("?")):
                    m.next = "INSTRUCTION_END"
            with m.State("INSTRUCTION_END"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_(">")):
                        with m.If(in_doctype):
                            m.next = "SUBSET"
                        with m.Else():
                            m.d.comb += [self.event.eq(Event.BREAK), self.done.eq(1)]
                            m.next = "IDLE"
                    with m.Elif(~is_("?")):
                        m.next = "INSTRUCTION"

            # The XML declaration [XML 2.8]: ``field`` is the number of the next field that may come.
            with m.State("DECLARATION"):
                m.d.comb += self.wants.eq(1)
                m.d.sync += length.eq(0)
                with m.If(self.step & ~lane.space):
                    with m.If(is_("v") & (field == 0)):
                        m.d.sync += word.eq(_WORDS["ersion"])
                        m.next = "VERSION"
                    with m.Elif(is_("e") & (field == 1)):
                        m.d.sync += word.eq(_WORDS["ncoding"])
                        m.next = "ENCODING"
                    with m.Elif(is_("s") & ((field == 1) | (field == 2))):
                        m.d.sync += word.eq(_WORDS["tandalone"])
                        m.next = "STANDALONE"
                    with m.Elif(is_("?") & (field != 0)):
                        m.next = "DECLARATION_END"
                    with m.Else():
                        error(Code.BAD_DECL)

            def field_is(number_):
                def then():
                    m.d.sync += field.eq(number_)
                    m.next = "EQUALS"

                return then

            literal("ersion", "VERSION", Code.BAD_DECL, field_is(1))
            literal("ncoding", "ENCODING", Code.BAD_DECL, field_is(2))
            literal("tandalone", "STANDALONE", Code.BAD_DECL, field_is(3))
            with m.State("EQUALS"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step & ~lane.space):
                    with m.If(lane.equals):
                        m.next = "QUOTE"
                    with m.Else():
                        error(Code.BAD_DECL)
            with m.State("QUOTE"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step & ~lane.space):
                    m.d.sync += quote.eq(byte)
                    with m.If(lane.dq | lane.sq):
                        m.next = "FIELD"
                    with m.Else():
                        error(Code.BAD_DECL)
            with m.State("FIELD"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    remember()
                    closes = byte == quote
                    with m.Switch(field):
                        with m.Case(1):  # '1.' and one digit or more
                            with m.If(length == 0):
                                with m.If(~is_("1")):
                                    error(Code.BAD_DECL)
                            with m.Elif(length == 1):
                                with m.If(~is_(".")):
                                    error(Code.BAD_DECL)
                            with m.Elif(closes & (length > 2)):
                                m.next = "FIELD_END"
                            with m.Elif(~digit):
                                error(Code.BAD_DECL)
                        with m.Case(2):
                            with m.If(closes & (length != 0)):
                                m.next = "FIELD_END"
                                with m.If(~(spelled("utf-8") | spelled("utf8") | spelled("us-ascii") | spelled("ascii"))):
                                    error(Code.ENCODING)
                            with m.Elif(~(alpha | ((digit | is_(".") | is_("_") | is_("-")) & (length != 0)))):
                                error(Code.BAD_DECL)
                        with m.Default():
                            yes = Array([Const(b, 8) for b in b"yes"])
                            no = Array([Const(b, 8) for b in b"no"])
                            is_yes = (length == 0) | (recent.word_select((length - 1)[:2], 8) == ord("y"))
                            with m.If(closes & (((length == 3) & is_yes) | ((length == 2) & ~is_yes))):
                                m.next = "FIELD_END"
                            with m.Elif((length < 3) & is_yes & (byte == yes[length[:2]])):
                                pass
                            with m.Elif((length < 2) & ((length == 0) | ~is_yes) & (byte == no[length[0]])):
                                pass
                            with m.Else():
                                error(Code.BAD_DECL)
            with m.State("FIELD_END"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(lane.space):
                        m.next = "DECLARATION"
                    with m.Elif(is_("?")):
                        m.next = "DECLARATION_END"
                    with m.Else():
                        error(Code.BAD_DECL)
            with m.State("DECLARATION_END"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(is_(">")):
                        m.d.comb += self.done.eq(1)
                        m.next = "IDLE"
                    with m.Else():
                        error(Code.BAD_DECL)

            # DOCTYPE: scanned over, never acted on [XML 2.8].
            def doctype():
                m.d.comb += self.event.eq(Event.DOCTYPE)
                m.next = "DOCTYPE_SPACE"

            literal("OCTYPE", "DOCTYPE_OPEN", Code.BAD_MARKUP, doctype)
            with m.State("DOCTYPE_SPACE"):
                m.d.comb += self.wants.eq(1)
                m.d.sync += in_doctype.eq(1)
                with m.If(self.step):
                    with m.If(lane.space):
                        m.d.sync += first_seen.eq(1)
                    with m.Elif(first_seen & lane.start):
                        m.next = "DOCTYPE"
                    with m.Else():
                        error(Code.BAD_DOCTYPE)
            with m.State("DOCTYPE"):
                m.d.comb += self.wants.eq(1)
                m.d.sync += quote.eq(byte)
                with m.If(self.step):
                    with m.If(lane.dq | lane.sq):
                        m.next = "DOCTYPE_STRING"
                    with m.Elif(is_("[")):
                        m.d.sync += subset.eq(1)
                        m.next = "SUBSET"
                    with m.Elif(lane.gt):
                        m.d.comb += self.done.eq(1)
                        m.next = "IDLE"
                    with m.Elif(lane.lt | is_("]")):
                        error(Code.BAD_DOCTYPE)
            with m.State("DOCTYPE_STRING"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step & (byte == quote)):
                    m.next = "DOCTYPE"
                    with m.If(subset):
                        m.next = "SUBSET"

            def in_subset():
                m.d.sync += quote.eq(byte)
                m.next = "SUBSET"
                with m.If(lane.dq | lane.sq):
                    m.next = "DOCTYPE_STRING"
                with m.Elif(is_("]")):
                    m.next = "SUBSET_END"
                with m.Elif(lane.lt):
                    m.next = "SUBSET_LT"

            with m.State("SUBSET"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    in_subset()
            with m.State("SUBSET_LT"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    in_subset()
                    with m.If(is_("!")):
                        m.next = "SUBSET_MARKUP"
                    with m.If(is_("?")):
                        m.next = "INSTRUCTION"
            with m.State("SUBSET_MARKUP"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    in_subset()
                    with m.If(is_("-")):
                        m.next = "SUBSET_DASH"
            with m.State("SUBSET_DASH"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    in_subset()
                    with m.If(is_("-")):
                        m.next = "COMMENT"
            with m.State("SUBSET_END"):
                m.d.comb += self.wants.eq(1)
                with m.If(self.step):
                    with m.If(lane.gt):
                        m.d.comb += self.done.eq(1)
                        m.next = "IDLE"
                    with m.Elif(~lane.space):
                        error(Code.BAD_DOCTYPE)

        # A byte that is wrong anywhere ends it, whatever the state says.
        with m.If(self.step & (lane.error != 0)):
            m.d.comb += [self.event.eq(Event.ERROR), self.code.eq(lane.error), self.late.eq(0), self.back.eq(0), self.done.eq(1)]
        return m
