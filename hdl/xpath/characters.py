"""UTF-8 bytes to classes of characters: nothing after this looks at raw bytes to take decisions."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CharacterClass", "Character", "Characters"]


class CharacterClass(enum.Enum, shape=unsigned(5)):
    """What a byte is to the grammar of [spec 3]."""

    OTHER = 0
    """A character that only a string may hold."""
    SPACE = 1
    SLASH = 2
    AT = 3
    STAR = 4
    DOT = 5
    BRACKET_OPEN = 6
    BRACKET_CLOSE = 7
    EQUAL = 8
    BANG = 9
    LESS = 10
    GREATER = 11
    DOUBLE = 12
    """'"'"""
    SINGLE = 13
    """The apostrophe."""
    PAREN_OPEN = 14
    PAREN_CLOSE = 15
    COLON = 16
    DIGIT = 17
    MINUS = 18
    START = 19
    """A NameStartChar other than ':' and the letters below; one of several bytes is classed at its last byte [XML 2.3]."""
    NAME = 20
    """A NameChar of no other class, classed likewise."""
    PART = 21
    """A byte of a character that is not yet complete."""
    OPERATOR = 22
    """'+' or '|', which XPath 1.0 has and the grammar has not."""
    DOLLAR = 23
    A = 24
    """The letters of 'and', which are NameStartChar too."""
    N = 25
    D = 26
    ILLEGAL = 27
    """A character that XML does not allow [XML 2.2]."""


_ASCII = {
    CharacterClass.SPACE: b" \t\r\n",
    CharacterClass.SLASH: b"/",
    CharacterClass.AT: b"@",
    CharacterClass.STAR: b"*",
    CharacterClass.DOT: b".",
    CharacterClass.BRACKET_OPEN: b"[",
    CharacterClass.BRACKET_CLOSE: b"]",
    CharacterClass.EQUAL: b"=",
    CharacterClass.BANG: b"!",
    CharacterClass.LESS: b"<",
    CharacterClass.GREATER: b">",
    CharacterClass.DOUBLE: b'"',
    CharacterClass.SINGLE: b"'",
    CharacterClass.PAREN_OPEN: b"(",
    CharacterClass.PAREN_CLOSE: b")",
    CharacterClass.COLON: b":",
    CharacterClass.DIGIT: b"0123456789",
    CharacterClass.MINUS: b"-",
    CharacterClass.START: b"ABCDEFGHIJKLMNOPQRSTUVWXYZbcefghijklmopqrstuvwxyz_",
    CharacterClass.OPERATOR: b"+|",
    CharacterClass.DOLLAR: b"$",
    CharacterClass.A: b"a",
    CharacterClass.N: b"n",
    CharacterClass.D: b"d",
    CharacterClass.ILLEGAL: bytes({*range(0x20)} - {*b"\t\n\r"}),
}

_NAME_START = (
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x2FF),
    (0x370, 0x37D),
    (0x37F, 0x1FFF),
    (0x200C, 0x200D),
    (0x2070, 0x218F),
    (0x2C00, 0x2FEF),
    (0x3001, 0xD7FF),
    (0xF900, 0xFDCF),
    (0xFDF0, 0xFFFD),
    (0x10000, 0xEFFFF),
)
"""NameStartChar beyond ASCII [XML 2.3]."""

_NAME_ONLY = ((0xB7, 0xB7), (0x300, 0x36F), (0x203F, 0x2040))
"""NameChar that are no NameStartChar, beyond ASCII [XML 2.3]."""

_ILLEGAL = ((0xFFFE, 0xFFFF),)
"""No Char, beyond ASCII and apart from surrogates, which are not UTF-8 [XML 2.2]."""

_CODE_BITS = 21


def _patterns(ranges):
    """The ranges as patterns of leading bits, which make shallower logic than comparisons do."""
    for low, high in ranges:
        while low <= high:
            free = 0
            while low % (2 << free) == 0 and low + (2 << free) - 1 <= high:
                free += 1
            yield format(low >> free, f"0{_CODE_BITS - free}b") + "-" * free
            low += 1 << free


class Character(data.Struct):
    """A byte with the class of its character, of which it is the ``first`` one or not. ``bad`` marks a byte that is not UTF-8
    here; ``last`` ends the text."""

    byte: unsigned(8)
    kind: CharacterClass
    first: unsigned(1)
    bad: unsigned(1)
    last: unsigned(1)


class _Utf8(enum.Enum, shape=unsigned(3)):
    """What may follow in an unfinished character [Unicode table 3-7]."""

    NONE = 0
    ONE = 1
    TWO = 2
    THREE = 3
    AFTER_E0 = 4
    AFTER_ED = 5
    AFTER_F0 = 6
    AFTER_F4 = 7


class Characters(wiring.Component):
    """Classifies a byte a clock.

    A byte is taken in each clock with ``i_valid``; three clocks later ``o_valid`` is 1 and ``o`` holds its class. There is no back
    pressure: the caller keeps room for what is under way.

    Members
    -------
    i_valid, i_byte, i_last : In
        The bytes of texts; ``i_last`` with the last byte of each.
    o_valid, o : Out
        The same bytes as :class:`Character`.
    """

    i_valid: In(1)
    i_byte: In(8)
    i_last: In(1)
    o_valid: Out(1)
    o: Out(Character)

    def elaborate(self, platform):
        m = Module()

        byte = self.i_byte
        state = Signal(_Utf8)
        code = Signal(_CODE_BITS)

        # First clock: UTF-8 state, code point, class of an ASCII byte.
        follow = Signal(_Utf8)
        bad = Signal()
        continuing = Signal()
        m.d.comb += continuing.eq(state != _Utf8.NONE)
        with m.Switch(state):
            with m.Case(_Utf8.NONE):
                with m.Switch(byte):
                    with m.Case("0-------"):
                        m.d.comb += follow.eq(_Utf8.NONE)
                    with m.Case("1100000-"):
                        m.d.comb += bad.eq(1)
                    with m.Case("110-----"):
                        m.d.comb += follow.eq(_Utf8.ONE)
                    with m.Case(0xE0):
                        m.d.comb += follow.eq(_Utf8.AFTER_E0)
                    with m.Case(0xED):
                        m.d.comb += follow.eq(_Utf8.AFTER_ED)
                    with m.Case("1110----"):
                        m.d.comb += follow.eq(_Utf8.TWO)
                    with m.Case(0xF0):
                        m.d.comb += follow.eq(_Utf8.AFTER_F0)
                    with m.Case(0xF1, 0xF2, 0xF3):
                        m.d.comb += follow.eq(_Utf8.THREE)
                    with m.Case(0xF4):
                        m.d.comb += follow.eq(_Utf8.AFTER_F4)
                    with m.Default():
                        m.d.comb += bad.eq(1)
            with m.Case(_Utf8.ONE):
                m.d.comb += [follow.eq(_Utf8.NONE), bad.eq(byte[6:8] != 0b10)]
            with m.Case(_Utf8.TWO):
                m.d.comb += [follow.eq(_Utf8.ONE), bad.eq(byte[6:8] != 0b10)]
            with m.Case(_Utf8.THREE):
                m.d.comb += [follow.eq(_Utf8.TWO), bad.eq(byte[6:8] != 0b10)]
            with m.Case(_Utf8.AFTER_E0):
                m.d.comb += [follow.eq(_Utf8.ONE), bad.eq(byte[5:8] != 0b101)]
            with m.Case(_Utf8.AFTER_ED):
                m.d.comb += [follow.eq(_Utf8.ONE), bad.eq(byte[5:8] != 0b100)]
            with m.Case(_Utf8.AFTER_F0):
                m.d.comb += [follow.eq(_Utf8.TWO), bad.eq((byte[6:8] != 0b10) | (byte[4:6] == 0))]
            with m.Case(_Utf8.AFTER_F4):
                m.d.comb += [follow.eq(_Utf8.TWO), bad.eq(byte[4:8] != 0b1000)]

        ascii_kind = Signal(CharacterClass)
        with m.Switch(byte):
            for kind, members in _ASCII.items():
                with m.Case(*members):
                    m.d.comb += ascii_kind.eq(kind)

        valid_1 = Signal()
        byte_1 = Signal(8)
        last_1 = Signal()
        bad_1 = Signal()
        first_1 = Signal()
        ascii_1 = Signal(CharacterClass)
        partial_1 = Signal()
        m.d.sync += valid_1.eq(self.i_valid)
        with m.If(self.i_valid):
            m.d.sync += [
                byte_1.eq(byte),
                last_1.eq(self.i_last),
                bad_1.eq(bad),
                first_1.eq(~continuing),
                ascii_1.eq(ascii_kind),
                partial_1.eq(~bad & (follow != _Utf8.NONE)),
                state.eq(Mux(bad | self.i_last, _Utf8.NONE, follow)),
            ]
            with m.If(continuing):
                m.d.sync += code.eq(Cat(byte[:6], code[: _CODE_BITS - 6]))
            with m.Else():
                # A lead byte: its low bits, as many as its length leaves.
                m.d.sync += code.eq(Cat(byte[:4], byte[4] & ~byte[5]))

        # Second clock: what a character beyond ASCII is, from its code point.
        kind_1 = Signal(CharacterClass)
        m.d.comb += kind_1.eq(Mux(partial_1, CharacterClass.PART, ascii_1))
        valid_2 = Signal()
        character_2 = Signal(Character)
        wide_2 = Signal()
        start_2 = Signal(len(_NAME_START))
        name_2 = Signal()
        illegal_2 = Signal()
        m.d.sync += valid_2.eq(valid_1)
        with m.If(valid_1):
            m.d.sync += [
                character_2.byte.eq(byte_1),
                character_2.kind.eq(kind_1),
                character_2.first.eq(first_1),
                character_2.bad.eq(bad_1),
                character_2.last.eq(last_1),
                wide_2.eq(byte_1[7] & (kind_1 != CharacterClass.PART)),
                start_2.eq(Cat(code.matches(*_patterns([one])) for one in _NAME_START)),
                name_2.eq(code.matches(*_patterns(_NAME_ONLY))),
                illegal_2.eq(code.matches(*_patterns(_ILLEGAL))),
            ]

        # Third clock: its class.
        m.d.sync += self.o_valid.eq(valid_2)
        with m.If(valid_2):
            m.d.sync += self.o.eq(character_2)
            with m.If(wide_2 & start_2.any()):
                m.d.sync += self.o.kind.eq(CharacterClass.START)
            with m.If(wide_2 & name_2):
                m.d.sync += self.o.kind.eq(CharacterClass.NAME)
            with m.If(wide_2 & illegal_2):
                m.d.sync += self.o.kind.eq(CharacterClass.ILLEGAL)
        return m
