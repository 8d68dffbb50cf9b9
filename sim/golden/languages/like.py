"""Patterns of LIKE: ``%`` is any characters, ``_`` is any one. Behind the escape character these two and itself are themselves."""

import enum
from typing import TypeAlias

__all__ = ["Pattern", "Wild", "compile", "matches"]


class Wild(enum.Enum):
    """What a place of a pattern stands for when it is no character."""

    ONE = "_"
    ANY = "%"


Pattern: TypeAlias = tuple[str | Wild, ...]

_WILD = {wild.value: wild for wild in Wild}


def compile(text: str, escape: str | None) -> Pattern | None:
    """The places of a pattern, None where the escape character has nothing to escape [SQL-92 8.5]."""
    places: list[str | Wild] = []
    characters = iter(text)
    for character in characters:
        if character == escape:
            escaped = next(characters, None)
            if escaped is None or escaped not in (*_WILD, escape):
                return None
            places.append(escaped)
        else:
            places.append(_WILD.get(character, character))
    return tuple(places)


def matches(pattern: Pattern, text: str) -> bool:
    """Whether the whole text is what the pattern stands for, character by character (code points)."""
    place = at = 0
    resume: tuple[int, int] | None = None
    while at < len(text):
        if place < len(pattern) and pattern[place] is Wild.ANY:
            place += 1
            resume = place, at
        elif place < len(pattern) and pattern[place] in (Wild.ONE, text[at]):
            place, at = place + 1, at + 1
        elif resume:
            place, at = resume[0], resume[1] + 1
            resume = place, at
        else:
            return False
    return all(left is Wild.ANY for left in pattern[place:])
