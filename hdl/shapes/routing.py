"""What goes between brokers, and between the units of routing."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import Out

from hdl.shapes.widths import ByteCount, RefusalCode

__all__ = [
    "PATH_BITS",
    "PORTS",
    "FrameHeader",
    "Frames",
    "LinkWord",
    "RouteHit",
    "RoutePart",
    "RouteWord",
]

PATH_BITS = 56
"""Bits of an o-SID behind the SID."""

PORTS = 16
"""Neighbours of a broker at most, as the registers number them."""


class LinkWord(data.Struct):
    """A word of a frame on a link. Only the last one may have fewer than four bytes. With ``cut`` the frame ends here unfinished: the
    word is a mark, ``last`` is set with it, and it has no bytes."""

    data: unsigned(32)
    count: ByteCount
    last: unsigned(1)
    cut: unsigned(1)


class FrameHeader(data.Struct):
    """The 20 bytes of a header as :class:`hdl.contract.Header` has them, the first byte of each member in the low bits: ``high`` and
    ``low`` are the two bytes of aux. ``port`` is the neighbour that the frame comes from or goes to."""

    kind: unsigned(8)
    options: unsigned(8)
    high: unsigned(8)
    low: unsigned(8)
    sid: unsigned(8)
    path: unsigned(PATH_BITS)
    reference: unsigned(32)
    length: unsigned(32)
    port: range(PORTS)


class Frames(wiring.Signature):
    """Frames taken apart: a header each, and for a header whose length is not 0 the words of its body, up to ``last``, before the next
    header counts. A body has as many bytes as its header says, or ends in a mark."""

    def __init__(self):
        super().__init__({"header": Out(stream.Signature(FrameHeader)), "body": Out(stream.Signature(LinkWord))})


class RoutePart(enum.Enum, shape=unsigned(2)):
    """What a word of a criterion belongs to."""

    ALL = 0
    """``*``: one word without bytes."""
    NAME = 1
    VALUE = 2
    """The value that is compared with, behind the name of its attribute; a word without bytes if it is empty."""


class RouteWord(data.Struct):
    """A word of a criterion: the words of the name, then for ``@name=value`` those of the value, each padded with zeros at its end;
    ``last`` ends the criterion.

    ========  =========================================================================================================
    member    meaning
    ========  =========================================================================================================
    remove    of a change: the entry is to go
    solicit   of a change: what matches is asked for there too
    bid       of a change: the neighbour
    refusal   of a change, with ``last``: it is void, and this is why
    final     of a look-up, with ``last``: no other criterion of the subscription follows
    ========  =========================================================================================================
    """

    part: RoutePart
    data: unsigned(32)
    count: ByteCount
    last: unsigned(1)
    remove: unsigned(1)
    solicit: unsigned(1)
    bid: unsigned(8)
    refusal: RefusalCode
    final: unsigned(1)


class RouteHit(data.Struct):
    """An entry for a criterion of a subscription, ``all`` if the criterion is ``*``; with ``end`` there is none, and no further one. An
    entry comes again for each criterion that it is for. ``refusal`` stands beside ``end`` when the text of the subscription is refused."""

    bid: unsigned(8)
    solicit: unsigned(1)
    all: unsigned(1)
    end: unsigned(1)
    refusal: RefusalCode
