"""The parsed words of a document [T 4.4.6]: its tokens cut into pieces of four bytes."""

from collections.abc import Iterator
from typing import NamedTuple

from hdl.contract import INDEX_MAX, WORD_BYTES, WordType
from sim.golden.xml import Parsed

__all__ = ["Word", "iter_words", "words"]


class Word(NamedTuple):
    """One parsed word: type t, location l (saturating at ``INDEX_MAX``) and 0 to 4 bytes, not padded."""

    type: WordType
    index: int  # type: ignore[assignment]
    data: bytes

    @property
    def padded(self) -> bytes:
        """The bytes as they stand in the P-RAM: zeros fill the word."""
        return self.data.ljust(WORD_BYTES, b"\0")


def iter_words(parsed: Parsed) -> Iterator[Word]:
    """The document's words in document order; none unless it is well-formed."""
    for event in parsed.events:
        value = event.value
        if len(value) <= WORD_BYTES:
            yield Word(event.type, 0, value)
        else:
            for index, at in enumerate(range(0, len(value), WORD_BYTES)):
                yield Word(event.type, min(index, INDEX_MAX), value[at : at + WORD_BYTES])


def words(parsed: Parsed) -> list[Word]:
    """All the document's words in document order; none unless it is well-formed."""
    return list(iter_words(parsed))
