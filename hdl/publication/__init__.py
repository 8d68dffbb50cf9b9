"""Publications between the host and the matching engine: the ring that they stream through, what is kept there until it has been notified
[T 4.4.1], and the guard behind the front ends."""

from hdl.publication.guard import BeatGuard
from hdl.publication.store import PublicationStore

__all__ = ["BeatGuard", "PublicationStore"]
