"""What is asked of the name table."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from hdl.shapes.widths import ByteCount, name_id_width

__all__ = [
    "NameOp",
    "NameRequest",
    "NameResponse",
]


class NameOp(enum.Enum, shape=unsigned(2)):
    """What registration asks of the name table."""

    PIN = 0
    """Make the name permanent, learning it if need be, and answer with its token ID."""
    UNPIN = 1
    """Release the name: its token ID may be given to another one; one word, not answered."""
    FIND = 2
    """Answer with the name's token ID if it is permanent, and with ``ok`` 0 if not."""


class NameRequest(data.StructLayout):
    """A word of a request to the name table. PIN and FIND take the name's words as in a :class:`Mark`, ``last`` with the final one;
    UNPIN is one word with ``last`` and the token ID in ``name``."""

    def __init__(self, config):
        super().__init__({"op": NameOp, "data": 32, "count": ByteCount, "last": 1, "name": name_id_width(config)})


class NameResponse(data.StructLayout):
    """The answer to a PIN or FIND. ``ok`` is 0 when the table is full, or the name not there. ``name`` is from 1 to the configuration's
    ``names`` and stays with this name until it is unpinned. ``document`` counts, modulo 256 and from 0 at reset, the documents of which
    the name table has seen anything: only later ones are sure to carry this token ID throughout."""

    def __init__(self, config):
        super().__init__({"ok": 1, "name": name_id_width(config), "document": 8})
