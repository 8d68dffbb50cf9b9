"""What is asked of the name table."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.widths import ByteCount, pinned_name_width

__all__ = [
    "NameLookup",
    "NameOp",
    "NameRequest",
    "NameResponse",
    "NameWord",
]


class NameOp(enum.Enum, shape=unsigned(2)):
    """What is asked of the name table beside the look-ups of documents."""

    PIN = 0
    """Give the name a token ID of its own, if it has none yet, and answer with it."""
    UNPIN = 1
    """Registration needs the name no more: without LOAD its token ID may be given to another one; one word, not answered."""
    FIND = 2
    """Answer with the name's token ID if it has one, and with ``ok`` 0 if not."""
    LOAD = 3
    """As PIN, but the name keeps its token ID until the reset, whatever is unpinned."""


class NameRequest(data.StructLayout):
    """A word of a request to the name table. PIN, FIND and LOAD take the name's words as in a :class:`Mark`, ``last`` with the final one;
    UNPIN is one word with ``last`` and the token ID in ``name``."""

    def __init__(self, config):
        super().__init__({"op": NameOp, "data": 32, "count": ByteCount, "last": 1, "name": pinned_name_width(config)})


class NameResponse(data.StructLayout):
    """The answer to a PIN, FIND or LOAD. ``ok`` is 0 when the table is full, or the name not there. ``name`` is from 1 to the
    configuration's ``names`` and stays with this name until it is unpinned. Words that a front end sends after the answer was offered are
    looked up with it."""

    def __init__(self, config):
        super().__init__({"ok": 1, "name": pinned_name_width(config)})


class NameWord(data.Struct):
    """A word of a name that a front end looks up, of which the bytes beyond the name are zero. ``first`` begins a name, even if the one
    before was cut short; ``ends`` is set on the ``last`` word, or on the last one that a name may have."""

    data: unsigned(32)
    first: unsigned(1)
    ends: unsigned(1)
    last: unsigned(1)


class NameLookup(wiring.Signature):
    """Names of publications on their way to the name table, and for each name that ends its token ID, 0 if it has none, in order."""

    def __init__(self, config):
        super().__init__({"words": Out(stream.Signature(NameWord)), "names": In(stream.Signature(pinned_name_width(config)))})
