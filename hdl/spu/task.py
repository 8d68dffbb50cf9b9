"""What the mapper hands to the registrar."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from hdl.shapes.subscription import SmtEntry
from hdl.shapes.widths import RefusalCode, tsid_width
from hdl.spu.store import StoreExtent

__all__ = ["TaskKind", "Task"]


class TaskKind(enum.Enum, shape=unsigned(3)):
    """What is left to do with a frame that has been inspected and mapped."""

    REFUSE = 0
    REGISTER = 1
    UNREGISTER = 2
    CLEAR = 3
    """No frame: every subscription is to go."""
    CHECK = 4
    """There is no t-SID left; the CRT is to say whether the text is within the grammar."""


class Task(data.StructLayout):
    """A frame inspected and mapped: ``refusal`` counts for REFUSE, ``extent`` for REGISTER, ``tsid`` for the two that change the CRT."""

    def __init__(self, config, *, depth):
        super().__init__(
            {
                "kind": TaskKind,
                "refusal": RefusalCode,
                "cancel": 1,
                "tsid": tsid_width(config),
                "entry": SmtEntry,
                "extent": StoreExtent(depth),
            }
        )
