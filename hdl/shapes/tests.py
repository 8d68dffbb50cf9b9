"""Compared values and the tests on them, as registration writes them and the matching engine decides them, slice by slice."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.widths import number_shape, row_width, value_width

__all__ = [
    "SUBJECTS",
    "BoundKind",
    "NumberAnswer",
    "NumberKey",
    "NumberPort",
    "StringAnswer",
    "TestKey",
    "TestRowView",
    "TestSubject",
    "number_width",
    "point_width",
    "test_key_width",
]


class TestSubject(enum.Enum, shape=unsigned(2)):
    """What a compared test is about."""

    ATTRIBUTE = 0
    SELF = 1
    TEXT = 2
    ANYONE = 3
    """A string-value or a text node of any element: the name of a :class:`TestKey` is then SELF or TEXT."""


SUBJECTS = ("attribute", "self", "text")
"""The names of the subjects that a value may have, in the order of :class:`TestSubject`."""


def test_key_width(config) -> int:
    """Width of a :class:`TestKey`."""
    return TestKey(config).size


class TestKey(data.StructLayout):
    """What a row of tests is about: the name and the subject."""

    def __init__(self, config):
        super().__init__({"name": max(2, ceil_log2(config.names)), "subject": TestSubject})


def number_width(config) -> int:
    """Width of the identity of a stored number, and of its rank: at least that of the 16 ranks of a word."""
    return max(4, ceil_log2(config.numbers))


def point_width(config) -> int:
    """Width of a point among the stored numbers, and of a bound: 0 to twice their number."""
    return (2 * config.numbers).bit_length()


class BoundKind(enum.Enum, shape=unsigned(2)):
    """How the bound of a test lies to the point of a value for which it holds."""

    ABOVE = 0
    """point >= bound."""
    BELOW = 1
    """point < bound, and the value is a number."""
    EQUAL = 2
    """point = bound."""
    UNLIKE = 3
    """point differs from bound."""


class NumberKey(data.StructLayout):
    """A value that has been read as a number: ``key``, and whether it has too many digits (``excess``), which outranks it."""

    def __init__(self, config):
        super().__init__({"key": number_shape(config), "excess": 1})


class NumberAnswer(data.StructLayout):
    """Where a value lies among the stored numbers: with r of them below it the ``point`` is 2r + 1 if the value equals the next one and
    2r if
    not; a value that is no number (``nan``) has the point 0. ``excess`` as in :class:`NumberKey`."""

    def __init__(self, config):
        super().__init__({"point": point_width(config), "nan": 1, "excess": 1})


class StringAnswer(data.StructLayout):
    """The number of a stored string, if the value was ``found``."""

    def __init__(self, config):
        super().__init__({"value": value_width(config), "found": 1})


class NumberPort(wiring.Signature):
    """Searches of values among the stored numbers, as the store sees them: one ``point`` for each ``search``, in order. Points and bounds
    change while ``quiet`` is 1: no point is in use, and none will be before the next search."""

    def __init__(self, config):
        super().__init__(
            {
                "search": In(stream.Signature(NumberKey(config))),
                "point": Out(stream.Signature(NumberAnswer(config), always_ready=True)),
                "quiet": In(1),
            }
        )


class TestRowView(wiring.Signature):
    """A slice of the tests on a name, and those that hold for an answer.

    ===============  ==========================================  ================================================
    port             latency                                     condition
    ===============  ==========================================  ================================================
    ``row``,         2 clocks after ``key``, ``slice``,          ``en`` in the clock of these; without it registration may use the port
    ``holds``        ``answer``
    ``hold``         2 clocks                                    ``en`` must be 0 two clocks after a clock with ``hold``
    ===============  ==========================================  ================================================

    ``row`` has the tests on the name, whatever they compare with; ``holds`` counts where ``row`` is 1.
    """

    def __init__(self, config, answer):
        super().__init__(
            {
                "en": In(1),
                "key": In(TestKey(config)),
                "slice": In(ceil_log2(config.slices)),
                "answer": In(answer),
                "row": Out(row_width(config)),
                "holds": Out(row_width(config)),
                "hold": Out(1),
            }
        )
