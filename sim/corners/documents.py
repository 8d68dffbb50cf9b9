"""XML documents at the parser's edges: every kind of them, each document once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hdl.config import BrokerConfig
from sim.corners import characters, courses, faults, limits, names, tokens

__all__ = ["Document", "documents"]


@dataclass(frozen=True)
class Document:
    """A document, and the kind of corner that it was made for."""

    kind: str
    data: bytes


def documents(config: BrokerConfig) -> Iterator[Document]:
    """All corner documents for the limits of ``config``, always in the same order. No two have the same bytes."""
    kinds: tuple[tuple[str, Iterable[bytes]], ...] = (
        ("characters", characters.documents()),
        ("bytes", characters.every_byte()),
        ("references", characters.references()),
        ("alignment", tokens.aligned()),
        ("neighbours", tokens.neighbours()),
        ("limits", limits.documents(config)),
        ("namespaces", names.namespaces()),
        ("pairing", names.pairing(config)),
        ("attributes", names.attributes(config)),
        ("faults", faults.documents()),
        ("courses", courses.documents()),
        ("unfinished", faults.unfinished()),
    )
    seen: set[bytes] = set()
    for kind, made in kinds:
        for data in made:
            if data not in seen:
                seen.add(data)
                yield Document(kind, data)
