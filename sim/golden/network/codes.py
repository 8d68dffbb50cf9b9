"""What routing needs and the contract does not have yet: kinds of frames, refusals, counters, the bit of a TOPOLOGY frame.

All of it is meant to move into :mod:`hdl.contract` with version 2; nothing else of this package defines a code.
"""

import enum
from typing import Self, TypeAlias

from hdl.contract import Kind, Refusal

__all__ = ["BID_MASK", "LOSSES", "MORE_FLAG", "SOLICIT_FLAG", "AnyKind", "AnyRefusal", "Counter", "NetworkKind", "NetworkRefusal"]

SOLICIT_FLAG = 1 << 8
"""In the aux of a TOPOLOGY frame, beside the BID: what matches is asked for in that direction too [T 5.4.6]."""


MORE_FLAG = 1 << 9
"""In the aux of a TOPOLOGY frame: the next one belongs to the same change, and nothing is answered before it."""

BID_MASK = SOLICIT_FLAG - 1
"""The BID in the aux of a TOPOLOGY frame."""


class _Sentenced(enum.Enum):
    sentence: str

    def __new__(cls, value: int | str, sentence: str = "") -> Self:
        member = object.__new__(cls)
        member._value_ = value
        member.sentence = sentence
        return member

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


class NetworkKind(_Sentenced):
    """First bytes of frames between brokers that :class:`hdl.contract.Kind` lacks."""

    MARKER = (ord("M"), "broker to broker: the full set of interests has been sent; those that were not repeated have ended")


class NetworkRefusal(_Sentenced):
    """Why a broker does not take a frame, beside :class:`hdl.contract.Refusal`, whose numbers these are; BROKER_DOWN is the observer's."""

    PATH_FULL = (65, "the o-SID has no room for another broker on its path")
    LOOP = (66, "the subscription has been at this broker before")
    NOT_A_NEIGHBOUR = (73, "the broker named is not a neighbour of this one")
    BAD_TOPOLOGY = (72, "the body is none of: name, @name=value, *")
    FULL_ROUTES = (75, "the vicinity routing table is full")
    BROKER_DOWN = (96, "the broker is down")


AnyKind: TypeAlias = Kind | NetworkKind
AnyRefusal: TypeAlias = Refusal | NetworkRefusal


class Counter(_Sentenced):
    """What a broker counts of its routing."""

    LOST_ON_LINK = ("lost_on_link", "publications and notifications that were on a link when it went down")
    LOST_NO_LINK = ("lost_no_link", "publications and notifications for a neighbour that cannot be reached")
    LOST_HOPS = ("lost_hops", "publications whose hop limit was used up")
    LOST_DOWN = ("lost_down", "publications that found their publisher's broker down, or were held by a broker that went down")
    LOST_UNREADY = ("lost_unready", "publications that a broker took after its start, before it knew its neighbours' interests")
    CONTROL_LOST = ("control_lost", "other frames that were on a link when it went down, or found it down")
    DUPLICATES = ("duplicates", "publications that came again and went no further")
    REJECTED = ("rejected", "publications without matches because they are not well-formed, unsupported or over a limit")
    TOO_LONG = ("too_long", "publications for another broker's sample that are longer than the ring and were not sent")
    NO_ROUTE = ("no_route", "mismatched subscriptions for which the VRT names nobody")
    PATH_FULL = ("path_full", "mismatched subscriptions whose o-SID is full")
    RAW_DROPPED = ("raw_dropped", "mismatched subscriptions whose raw frame is no longer stored")
    NEIGHBOUR_REFUSED = ("neighbour_refused", "subscriptions that a neighbour refused")
    EXPIRED_UNROUTED = ("expired_unrouted", "mismatched subscriptions cleared before they were routed")
    SAMPLES_EXPIRED = ("samples_expired", "samples of other brokers whose lifetime ended")
    SAMPLES_REPEATED = ("samples_repeated", "solicitations that came again by another way")
    LEASES_ENDED = ("leases_ended", "subscriptions whose lease ended")
    SHORT_PATH = ("short_path", "notifications and publications on their way back whose path has fewer than two brokers")
    NOT_OWN = ("not_own", "the same whose last but one broker is not this one")
    NOT_SENDER = ("not_sender", "the same whose last broker is not the one that sent them")
    NO_PORT = ("no_port", "the same for a broker that is not a neighbour")
    UNKNOWN_INTEREST = ("unknown_interest", "withdrawals of interests that are not held")
    UNEXPECTED = ("unexpected", "frames that the policy has no use for")


LOSSES = frozenset(
    {Counter.LOST_ON_LINK, Counter.LOST_NO_LINK, Counter.LOST_HOPS, Counter.LOST_DOWN, Counter.LOST_UNREADY, Counter.TOO_LONG}
)
"""Copies that somebody may miss."""
