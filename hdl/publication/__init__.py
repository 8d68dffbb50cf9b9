"""The store of publications: the ring that they stream through, and what is kept there until it has been notified [T 4.4.1]."""

from hdl.publication.store import PublicationStore

__all__ = ["PublicationStore"]
