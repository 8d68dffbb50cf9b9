"""What the parts of the matching engine hand on to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data
from amaranth.utils import ceil_log2

from hdl.shapes.tables import NameMarks
from hdl.shapes.tests import TestKey
from hdl.shapes.widths import ByteCount, node_width, row_width

__all__ = [
    "GATHERED_TAGS",
    "Fence",
    "Item",
    "ItemKind",
    "MatchedRow",
    "NumberWord",
    "Query",
    "RowHits",
    "RowOp",
    "RowRequest",
    "Tag",
    "ValueWord",
    "Work",
]


class ItemKind(data.Struct):
    """What a document is made of for the subscriptions, as one flag that is 1."""

    start: unsigned(1)
    """A start tag, complete with its attributes: its name as a :class:`Tag`."""
    attribute: unsigned(1)
    """An attribute that matters by itself or by its value, as a :class:`Tag`."""
    value: unsigned(1)
    """A word of the value of the attribute before."""
    text: unsigned(1)
    """A word of a text node."""
    end: unsigned(1)
    """The end of the innermost element."""
    done: unsigned(1)
    """The end of the document; bit 0 of ``data`` says whether it is well-formed."""
    asks: unsigned(1)
    """One of the others: a start tag, an attribute that matters by itself, or the end of the document."""


class Tag(data.StructLayout):
    """The name of an element or attribute; no marks if subscriptions do not know it."""

    def __init__(self, config):
        super().__init__({"name": ceil_log2(config.names), "marks": NameMarks(config)})


class Item(data.StructLayout):
    """A part of a document; ``extra`` is the node's number of START and ATTRIBUTE, and of VALUE and TEXT the bytes of the word, 3 bits, and
    whether it is the last."""

    def __init__(self, config):
        super().__init__({"kind": ItemKind, "data": max(32, Tag(config).size), "extra": max(node_width(config), 4)})


class ValueWord(data.Struct):
    """A word of a value that is compared; ``last`` ends it. The last word says that a ``void`` value is known to be equal to no string, or
    to be no number, and that a ``silent`` one is not answered for the time being. A word with ``again`` asks for the answer to the
    value before it, once more or for the first time; it is ``last`` and has nothing else."""

    data: unsigned(32)
    count: ByteCount
    last: unsigned(1)
    void: unsigned(1)
    silent: unsigned(1)
    again: unsigned(1)


class NumberWord(data.Struct):
    """A :class:`ValueWord` of a value that is read as a number; with too ``many`` bytes, as the last word says, it is over the limit."""

    data: unsigned(32)
    count: ByteCount
    last: unsigned(1)
    void: unsigned(1)
    silent: unsigned(1)
    again: unsigned(1)
    many: unsigned(1)


GATHERED_TAGS = 4
"""Tags that are gathered and read at a time: a tag is through some 30 clocks after its last value is known."""


class Query(data.StructLayout):
    """A question to the tests: which of those under the ``key`` hold for a value, in the ``slices``. A ``fresh`` query is about the next
    value, another one
    about that of the query before. Or a ``fence``, which ends the queries of a tag."""

    def __init__(self, config):
        super().__init__({"fence": 1, "fresh": 1, "key": TestKey(config), "slices": config.slices})


class Fence(data.StructLayout):
    """What has been gathered for a tag: the slices with a test that holds, and whether a number was ``over`` the limit."""

    def __init__(self, config):
        super().__init__({"slices": config.slices, "over": 1})


class RowOp(data.Struct):
    """One operation on the rows of visitors, as the only flag that is 1."""

    start: unsigned(1)
    """The start tag of an element is complete."""
    attribute: unsigned(1)
    """The tag has an attribute whose name has a row."""
    text: unsigned(1)
    """A child of the open element comes: what was gathered about its text is kept for its end."""
    end: unsigned(1)
    """The open element ends and its text tests are to be looked at."""
    done: unsigned(1)
    """The document ends."""


class _Request(data.StructLayout):
    """What :class:`Work` and :class:`RowRequest` have in common."""

    def __init__(self, config, more):
        super().__init__(
            {
                "op": RowOp,
                "operand": max(2, ceil_log2(config.names)),
                "slices": config.slices,
                "above": ceil_log2(config.depth),
                "root": 1,
                "node": node_width(config),
                "fenced": 1,
                **more,
            }
        )


class Work(_Request):
    """A :class:`RowRequest` before what was gathered for it is known; DONE says in ``operand`` only whether the document is well-formed."""

    def __init__(self, config):
        super().__init__(config, {})


class RowRequest(_Request):
    """An operation and its operands: ``operand`` is the name's number of START and ATTRIBUTE, and of
    DONE whether the document's matches count (bit 0), and if not whether because a number was too long (bit 1). ``slices`` are those in
    which that name may have bits, none if it has no row; ``above`` is the level of the innermost open element,
    counted from 0, or ``root`` that there is none; ``node`` the number of the element of START and END
    and of the attribute of ATTRIBUTE. What compared values have shown for a ``fenced`` operation lies in a ``part`` of the gather
    memory, in the slices
    ``gathered``."""

    def __init__(self, config):
        super().__init__(config, {"part": range(GATHERED_TAGS), "gathered": config.slices})


class MatchedRow(data.StructLayout):
    """Last bits of subscriptions that are matched, or the ``end`` of a document: whether its matches count (``good``), and if not whether
    because a number was too long (``over``)."""

    def __init__(self, config):
        super().__init__({"end": 1, "good": 1, "over": 1, "slice": ceil_log2(config.slices), "row": row_width(config)})


class RowHits(data.StructLayout):
    """What an operation has come to, slice by slice: the last bits of subscriptions that an ``attribute`` is listed under, or that select
    the ``node`` of an element's ``end`` or, with neither, start; ``final`` stands on the last slice of a start. ``done``, the end of the
    document, comes once, with ``good``."""

    def __init__(self, config):
        super().__init__(
            {
                "attribute": 1,
                "end": 1,
                "done": 1,
                "row": row_width(config),
                "slice": ceil_log2(config.slices),
                "node": node_width(config),
                "final": 1,
                "good": 1,
            }
        )
