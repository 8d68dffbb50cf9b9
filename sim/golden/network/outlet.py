"""What a broker does to its surroundings: it sends frames, notifies subscribers and counts."""

from typing import Protocol

from hdl.contract import Code
from sim.golden.network.codes import AnyRefusal, Counter
from sim.golden.network.frames import Message

__all__ = ["Outlet"]


class Outlet(Protocol):
    """One broker's way out."""

    def linked(self, neighbour: int) -> bool:
        """Whether the broker is a neighbour and the link to it is up."""
        ...

    def send(self, neighbour: int, message: Message) -> None:
        """Put a frame on a link; where the link is down, the frame is counted as lost."""
        ...

    def notify(self, sid: int, message: Message) -> None:
        """Hand a notification to the subscriber ``sid``; reference, link, body and mark are the message's."""
        ...

    def refuse(self, sid: int, code: AnyRefusal) -> None:
        """Answer a subscriber's frame with a refusal."""
        ...

    def reject(self, publication: int | None, code: Code) -> None:
        """Say that a publication matches nobody here because of its verdict."""
        ...

    def count(self, counter: Counter, publication: int | None = None) -> None: ...
