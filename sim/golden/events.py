"""The typed tokens of a well-formed document, in document order."""

from typing import NamedTuple

from hdl.contract import WordType

__all__ = ["Event"]


class Event(NamedTuple):
    """One token: its type, its bytes and where it stands in the source.

    ``value`` is UTF-8: a name as written, or an attribute value or text node decoded and normalised; empty for END.
    ``start`` and ``end`` are byte offsets. For ELEMENT the range starts at the ``<`` of the start tag, for END it ends after the
    ``>`` of the end tag (or of the empty-element tag); for VALUE it is what stands between the quotes; for TEXT all between the
    preceding tag, comment or processing instruction and the next.
    """

    type: WordType
    value: bytes
    start: int
    end: int
