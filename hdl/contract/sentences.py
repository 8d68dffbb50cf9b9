"""Numbers that carry their meaning."""

import enum
from typing import Self

__all__ = ["Sentenced"]


class Sentenced(enum.IntEnum):
    """Numbers with a sentence each."""

    sentence: str

    def __new__(cls, value: int, sentence: str = "") -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member
