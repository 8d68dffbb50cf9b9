"""Records of the CRT."""

from amaranth.hdl import Cat, Value, unsigned
from amaranth.lib import data, enum
from amaranth.utils import ceil_log2

from hdl.shapes.program import ProgramOperator
from hdl.shapes.tables import NameMarks
from hdl.shapes.tests import number_width
from hdl.shapes.widths import step_width, value_width

__all__ = [
    "BUCKET_BITS",
    "Entry",
    "Kind",
    "NameRecord",
    "RunRecord",
    "StagedBit",
    "StepRecord",
    "StoredBit",
    "compared",
    "compared_width",
    "pattern",
    "rowed",
    "visited",
]


BUCKET_BITS = 8
"""Width of the hash by which equal subscriptions are found."""


class Kind(enum.Enum, shape=unsigned(3)):
    """What a bit of a run stands for."""

    WILD = 0
    """A step with ``*``."""
    NAME = 1
    """A step with a name."""
    PRESENCE = 2
    """An attribute that must be there."""
    ATTRIBUTE = 3
    """An attribute compared with a literal."""
    SELF = 4
    """The string-value compared with a literal."""
    TEXT = 5
    """A text node compared with a literal."""


class Entry(data.StructLayout):
    """A bit of a subscription on its way into the table: ``anyone`` replaces the name of the step that SELF and TEXT belong to
    where that is ``*``. ``value`` is the number of a string, or the identity of a ``number``; ``stored`` says that one use of it is held
    for this
    entry. A comparison with what is no number is not ``sound``: it never holds."""

    def __init__(self, config):
        super().__init__(
            {
                "kind": Kind,
                "far": 1,
                "name": ceil_log2(config.names),
                "anyone": 1,
                "operator": ProgramOperator,
                "number": 1,
                "sound": 1,
                "stored": 1,
                "value": compared_width(config),
            }
        )


class StagedBit(data.StructLayout):
    """A bit of the staged subscription, and whether it is the last."""

    def __init__(self, config):
        super().__init__({"entry": Entry(config), "last": 1})


class StepRecord(data.StructLayout):
    """What registration remembers of a bit."""

    def __init__(self, config):
        super().__init__({"used": 1, "kind": Kind, "far": 1, "name": ceil_log2(config.names), "anyone": 1, "last": 1, "contains": 1})


class StoredBit(data.StructLayout):
    """A bit of a run in the table: its number, what is remembered of it, and whether it is the last."""

    def __init__(self, config):
        super().__init__({"step": step_width(config), "record": StepRecord(config), "last": 1})


class NameRecord(data.StructLayout):
    """Visits of subscriptions to a name [T-Fig 5.14], and its marks, which are forgotten with the last of them."""

    def __init__(self, config):
        super().__init__({"visits": (config.subscriptions * config.subscription_steps).bit_length(), "marks": NameMarks(config)})


class RunRecord(data.StructLayout):
    """The run of bits of a subscription; ``bucket`` is the hash of what it asks."""

    def __init__(self, config):
        super().__init__(
            {"first": step_width(config), "length": range(config.subscription_steps + 1), "contains": 1, "bucket": BUCKET_BITS}
        )


def visited(bit):
    """Whether a bit visits its name."""
    return Value.cast(bit.kind).matches(Kind.NAME, Kind.PRESENCE, Kind.ATTRIBUTE)


def rowed(bit):
    """Whether a bit is in its name's row."""
    return Value.cast(bit.kind).matches(Kind.NAME, Kind.PRESENCE)


def compared_width(config):
    """Width of the number of what a test compares with: a stored string or a stored number."""
    return max(value_width(config), number_width(config))


def compared(bit):
    """Whether a bit compares with a literal."""
    return Value.cast(bit.kind).matches(Kind.ATTRIBUTE, Kind.SELF, Kind.TEXT)


def pattern(entry, *, first, last, contains):
    """The bit's masks, in the order of ``RowMasks.names``."""
    text = (entry.kind == Kind.SELF) | (entry.kind == Kind.TEXT)
    test = text | (entry.kind == Kind.PRESENCE) | (entry.kind == Kind.ATTRIBUTE)
    return Cat((entry.kind == Kind.NAME) | text, test, entry.far, last, first & ~contains, first & contains)
