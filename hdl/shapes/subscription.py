"""What the SPU knows of a subscription, and how it answers a frame."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from hdl.shapes.widths import LinkNumber, RefusalCode, tsid_width

__all__ = [
    "SmtEntry",
    "SmtKey",
    "SubscriptionResult",
]


class SmtKey(data.Struct):
    """Identity of a subscription, the bytes as in the contract's header with the first one in the low bits."""

    osid: unsigned(64)
    reference: unsigned(32)


class SmtEntry(data.Struct):
    """What the SMT knows of a t-SID; the flags are those of the contract's header."""

    key: SmtKey
    semantics: unsigned(1)
    content: unsigned(2)
    link: LinkNumber


class SubscriptionResult(data.StructLayout):
    """The answer to a SUBSCRIBE or UNSUBSCRIBE frame, one for each, in order: ``refusal`` is the contract's code, 0 when done.

    ``key`` and ``link`` are the frame's own, zero where it was too short to have them. ``tsid`` is the t-SID given or given up,
    0 when refused; ``cancel`` tells the two kinds of frame apart and is 0 for anything else.
    """

    def __init__(self, config):
        super().__init__({"refusal": RefusalCode, "cancel": 1, "key": SmtKey, "link": LinkNumber, "tsid": tsid_width(config)})
