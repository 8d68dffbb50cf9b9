"""Frames as the network model sees them, and what it reports."""

from dataclasses import dataclass, field
from typing import TypeAlias

from hdl.contract import Code, Content, Kind, Semantics
from sim.golden.network.codes import AnyKind, AnyRefusal, Counter, NetworkKind
from sim.golden.network.osid import OSid

__all__ = ["CARRIERS", "Counted", "Crossing", "Delivery", "Message", "Record", "Refused", "Rejected"]

_NOBODY = OSid(0)

CARRIERS: frozenset[AnyKind] = frozenset({Kind.ROUTE, Kind.FORWARD})
"""Frames with content for a subscriber; the others only keep the network informed."""


@dataclass(frozen=True)
class Message:
    """A frame: the fields of its header, and its body.

    ``publication`` is the observer's mark: which publication of the scenario the frame carries. No broker looks at it.
    """

    kind: AnyKind
    osid: OSid = _NOBODY
    reference: int = 0
    aux: int = 0
    body: bytes = b""
    semantics: Semantics = Semantics.EXACT
    content: Content = Content.SELECTED
    link: int = 0
    remove: bool = False
    publication: int | None = field(default=None, compare=False)

    @property
    def carries(self) -> bool:
        return self.kind in CARRIERS

    @property
    def text(self) -> str:
        """The kind's name."""
        assert isinstance(self.kind, Kind | NetworkKind)
        return self.kind.name


@dataclass(frozen=True)
class Crossing:
    """A frame that came over a link, at a step of the model."""

    step: int
    sender: int
    receiver: int
    message: Message

    def __str__(self) -> str:
        return f"{self.message.text} {self.message.osid} {self.sender}>{self.receiver}"


@dataclass(frozen=True)
class Delivery:
    """A NOTIFY frame to a subscriber of a broker."""

    step: int
    at: int
    sid: int
    reference: int
    link: int
    publication: int | None
    body: bytes


@dataclass(frozen=True)
class Refused:
    """A subscriber's frame that was refused."""

    step: int
    at: int
    sid: int
    code: AnyRefusal


@dataclass(frozen=True)
class Rejected:
    """A publication that matched nobody at a broker because of its verdict there."""

    step: int
    at: int
    publication: int | None
    code: Code


@dataclass(frozen=True)
class Counted:
    """A broker counted something; ``publication`` where one is concerned."""

    step: int
    at: int
    counter: Counter
    publication: int | None = None


Record: TypeAlias = Crossing | Delivery | Refused | Rejected | Counted
