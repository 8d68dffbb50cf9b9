"""What the parts of the matching engine hand on to each other."""

from amaranth.hdl import unsigned
from amaranth.lib import data
from amaranth.utils import ceil_log2

from hdl.shapes.tables import NameMarks, TestLink, TestSubject
from hdl.shapes.widths import node_width, number_shape, row_width, step_width, value_width

__all__ = ["Item", "ItemKind", "MatchedRow", "Question", "RowHits", "RowOp", "RowRequest", "Tag", "Work"]


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


class RowOp(data.Struct):
    """One operation on the rows of visitors, as the only flag that is 1."""

    start: unsigned(1)
    """The start tag of an element is complete."""
    attribute: unsigned(1)
    """The tag has an attribute whose name has a row."""
    satisfy: unsigned(1)
    """The attribute test holds in this tag."""
    text: unsigned(1)
    """The test of the string-value or a text node holds for the open element."""
    seen: unsigned(1)
    """The containment filter holds."""
    end: unsigned(1)
    """The open element ends and its text tests are to be looked at."""
    done: unsigned(1)
    """The document ends."""


class RowRequest(data.StructLayout):
    """An operation and its operands: ``operand`` is the name's number of START and ATTRIBUTE, the step of SATISFY, TEXT and SEEN, and of
    DONE whether the document's matches count (bit 0), and if not whether because a number was too long (bit 1). ``slices`` are those in
    which that name may have bits, none if it has no row, or that of the step; ``above`` is the level of the innermost open element,
    counted from 0, or ``root`` that there is none; ``node`` the number of the element of START and END
    and of the attribute of ATTRIBUTE."""

    def __init__(self, config):
        super().__init__(
            {
                "op": RowOp,
                "operand": max(ceil_log2(config.names), step_width(config)),
                "slices": config.slices,
                "above": ceil_log2(config.depth),
                "root": 1,
                "node": node_width(config),
            }
        )


class Work(data.StructLayout):
    """The :class:`RowRequest` of a tag, or the place of a ``question`` with ``above`` and ``root`` alone; DONE says in ``operand`` only
    whether the document is well-formed."""

    operations = ("start", "attribute", "end", "done")

    def __init__(self, config):
        request = RowRequest(config)
        shared = {name: request[name].shape for name in ("operand", "slices", "above", "root", "node")}
        super().__init__({"question": 1, **dict.fromkeys(self.operations, 1), **shared})


class Question(data.StructLayout):
    """A value that is compared: what it is ``about`` and the ``name`` of that, whether tests on that name compare a ``string``, the first
    tests of the name (``mine``), of any name (``anyone``) and of an ``equal`` string, which is ``found`` under the number ``value``; the
    value as a ``number``, and whether it has more digits than can be compared (``excess``)."""

    def __init__(self, config):
        super().__init__(
            {
                "about": TestSubject,
                "name": ceil_log2(config.names),
                "string": 1,
                "mine": TestLink(config),
                "anyone": TestLink(config),
                "equal": TestLink(config),
                "found": 1,
                "value": value_width(config),
                "number": number_shape(config),
                "excess": 1,
            }
        )


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
