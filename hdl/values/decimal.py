"""Numbers as XPath 1.0 reads them from strings [XPath 4.4], kept as exact decimals."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.widths import number_shape

__all__ = ["Comparison", "DecimalReader", "compare", "ordered"]

_BIAS = 66


_THIRDS = 3


class Comparison(data.Struct):
    """How a number lies to another one: a clock's worth of a comparison. Magnitudes are compared by thirds, the lowest first."""

    same: unsigned(_THIRDS)
    less: unsigned(_THIRDS)
    unlike: unsigned(1)
    """Of different signs."""
    negative: unsigned(1)
    sound: unsigned(1)
    """Neither is NaN."""


def compare(value, literal):
    """The :class:`Comparison` of two numbers, as its members in order."""
    magnitude = Cat(value.digits, value.exponent)
    other = Cat(literal.digits, literal.exponent)
    size = -(-len(magnitude) // _THIRDS)
    thirds = [slice(at, at + size) for at in range(0, len(magnitude), size)]
    return Cat(
        *(magnitude[third] == other[third] for third in thirds),
        *(magnitude[third] < other[third] for third in thirds),
        value.negative != literal.negative,
        value.negative,
        ~value.nan & ~literal.nan,
    )


def ordered(parts):
    """Of two numbers that are sound: whether they are the same, and whether the first is smaller."""
    less = parts.less[0]
    for third in range(1, _THIRDS):
        less = parts.less[third] | (parts.same[third] & less)
    same = parts.same.all() & ~parts.unlike
    return same, Mux(parts.unlike, parts.negative, less ^ parts.negative) & ~same


class DecimalReader(wiring.Component):
    """Reads a number byte by byte, at any length of the value.

    A byte that no number has, or white space inside, makes NaN. Otherwise more than ``value_bytes`` bytes without the white space
    around them are over the limit, and so is a number of more than ``digits`` significant digits.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    clear : ``In(1)``
        A new value begins.
    push : ``In(1)``, ``byte`` : ``In(8)``
        The value's next byte; not with ``clear``.
    never : ``Out(1)``
        NaN whatever follows: further bytes may be left out.
    key : ``Out(number_shape(config))``, ``over`` : ``Out(1)``
        The number of the bytes so far, two clocks after the last; ``over`` outranks it.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "clear": In(1),
                "push": In(1),
                "byte": In(8),
                "never": Out(1),
                "key": Out(number_shape(config)),
                "over": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        digits, limit = self.config.digits, self.config.value_bytes
        # The byte's class, a clock ahead of its use.
        push, nibble = Signal(), Signal(4)
        space, digit, point, minus, positive = (Signal(name=name) for name in ("space", "digit", "point", "minus", "positive"))
        byte = self.byte
        m.d.sync += [
            push.eq(self.push & ~self.clear),
            nibble.eq(byte[:4]),
            space.eq((byte == 0x20) | (byte == 0x09) | (byte == 0x0D) | (byte == 0x0A)),
            digit.eq((byte[4:] == 3) & (byte[:4] <= 9)),
            positive.eq((byte[4:] == 3) & (byte[:4] <= 9) & (byte[:4] != 0)),
            point.eq(byte == ord(".")),
            minus.eq(byte == ord("-")),
        ]

        foreign, gap, malformed, long = Signal(), Signal(), Signal(), Signal()
        begun, signed, pointed, numeral, ahead = Signal(), Signal(), Signal(), Signal(), Signal()
        many = Signal()
        length = Signal(range(limit + 2))
        place = Signal(digits + 1, init=1)  # of the next digit, the last one if there is none
        exponent = Signal(8, init=_BIAS)
        held = Signal(4 * digits)
        with m.If(push):
            with m.If(space):
                m.d.sync += gap.eq(begun)
            with m.Else():
                m.d.sync += begun.eq(1)
                with m.If(gap | ~(digit | point | minus)):
                    m.d.sync += foreign.eq(1)
                with m.If(length == limit):
                    m.d.sync += long.eq(1)
                with m.Else():
                    m.d.sync += length.eq(length + 1)
                with m.If(minus):
                    m.d.sync += [signed.eq(1), malformed.eq(malformed | begun)]
                with m.If(point):
                    m.d.sync += [pointed.eq(1), malformed.eq(malformed | pointed)]
                with m.If(digit):
                    m.d.sync += numeral.eq(1)
                    with m.If(ahead | positive):
                        # from the first digit that is not 0
                        m.d.sync += ahead.eq(1)
                        with m.If(~place[digits]):
                            m.d.sync += place.eq(place << 1)
                        with m.Elif(positive):
                            m.d.sync += many.eq(1)
                        for number in range(digits):
                            with m.If(place[number]):
                                m.d.sync += held[4 * (digits - 1 - number) :][:4].eq(nibble)
                    # up before the point from there on, down after it until there
                    with m.If((ahead | positive) ^ pointed):
                        m.d.sync += exponent.eq(exponent + Mux(pointed, -1, 1))
        with m.If(self.clear):
            m.d.sync += [
                Cat(foreign, gap, malformed, long, begun, signed, pointed, numeral, ahead, many, length, held).eq(0),
                place.eq(1),
                exponent.eq(_BIAS),
            ]
        sound = numeral & ~malformed & ~foreign
        m.d.comb += [
            self.never.eq(foreign),
            self.key.nan.eq(~sound),
            self.key.negative.eq(signed & ahead),
            self.key.exponent.eq(Mux(ahead, exponent, 0)),
            self.key.digits.eq(held),
            self.over.eq(~foreign & (long | (sound & many))),
        ]
        return m
