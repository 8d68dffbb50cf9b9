"""What every exact-match memory looks like from outside."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream
from amaranth.lib.wiring import In, Out

__all__ = ["CamCommand", "CamOperation", "CamResponse", "CamResult", "CamStatus", "cam_members"]

FAILED_WIDTH = 16


class CamOperation(enum.Enum, shape=unsigned(2)):
    """What a command does."""

    INSERT = 0
    """Store ``value`` and ``pinned`` under ``key``; if the key is present they replace what it had."""
    DELETE = 1
    """Remove ``key``."""
    CLEAR = 2
    """Remove every key."""
    FORGET = 3
    """Remove every key that is not pinned."""


class CamCommand(data.StructLayout):
    """A change of the memory; DELETE reads only ``key``, CLEAR and FORGET none of the fields."""

    def __init__(self, key_width: int, value_width: int):
        super().__init__({"op": CamOperation, "key": key_width, "value": value_width, "pinned": 1})


class CamResponse(data.Struct):
    """The end of a command: ``found`` is whether the key was present before, ``ok`` whether the command did its work.

    INSERT is not ok when there was no place; DELETE is not ok when the key was not present; the others always are.
    """

    ok: unsigned(1)
    found: unsigned(1)


class CamResult(data.StructLayout):
    """The answer to a search; ``value`` is 0 without a hit."""

    def __init__(self, value_width: int):
        super().__init__({"valid": 1, "hit": 1, "value": value_width})


class CamStatus(data.StructLayout):
    """Keys held, apart by ``pinned``, and inserts refused since reset; ``failed`` stays at its largest value."""

    def __init__(self, capacity: int):
        super().__init__({"pinned": range(capacity + 1), "unpinned": range(capacity + 1), "failed": FAILED_WIDTH})


def cam_members(*, key_width: int, value_width: int, capacity: int) -> dict:
    """The members of an exact-match memory; the sizes are checked here."""
    for name, value in (("key_width", key_width), ("value_width", value_width)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
    return {
        "search": In(stream.Signature(key_width)),
        "result": Out(CamResult(value_width)),
        "command": In(stream.Signature(CamCommand(key_width, value_width))),
        "response": Out(stream.Signature(CamResponse)),
        "status": Out(CamStatus(capacity)),
    }
