"""The broker's edge as the fronts see it, and the port of the register file."""

from amaranth.hdl import unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import COUNTERS, REGISTER_WORDS
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.subscription import SubscriptionResult
from hdl.shapes.widths import tsid_width

__all__ = [
    "BrokerCounters",
    "BrokerStreams",
    "BusRequest",
    "BusResponse",
    "notifications",
]


class BusRequest(data.Struct):
    """An access to a register; ``address`` counts words. ``partial`` says that it is not a whole, proper access."""

    address: unsigned((REGISTER_WORDS - 1).bit_length())
    data: unsigned(32)
    write: unsigned(1)
    partial: unsigned(1)


class BusResponse(data.Struct):
    """The answer to a request, one for each, in order; ``data`` is 0 for a write and for an ``error``."""

    data: unsigned(32)
    error: unsigned(1)


def notifications(config) -> list[str]:
    """The names of the streams of notifications, one per link."""
    return [f"notification_{link}" for link in range(config.links)]


class BrokerStreams(wiring.Signature):
    """The broker's streams, as a front sees them; ``notification_<link>`` is one of several."""

    def __init__(self, config):
        word = stream.Signature(DocumentWord)
        super().__init__(
            {
                "publication": Out(word),
                "subscription": Out(word),
                "skeleton": Out(word),
                "result": In(stream.Signature(SubscriptionResult(config))),
                "verdict": In(stream.Signature(Outcome(config))),
            }
            | {name: In(word) for name in notifications(config)}
        )


class BrokerCounters(wiring.Signature):
    """What the broker says of itself, as the register file sees it. Each is a register of the same name but ``count``, which is the counter
    with the low bits ``counter`` of its offset, in the same clock."""

    def __init__(self, config):
        super().__init__(
            {
                "registered": In(tsid_width(config)),
                "steps_used": In(range(config.steps + 1)),
                "full": In(1),
                "hcd": In(1),
                "counter": Out(range(len(COUNTERS))),
                "count": In(32),
            }
        )
