"""Events and filters with the parameters of the papers [P Tab 1, G Tab 1], each a pure function of (seed, table, row).

What the papers leave open is settled by what they measured. The names of a filter are drawn one by one, so that a name may come twice: only
so the most common of Zipf's names has half a million of a million constraints of 250,000 filters [G 5]. A constraint compares with one of
the same values that events have, and its name decides the type: so 7 % of the interfaces are selected when all constraints are on numbers,
and 1 % when all are on strings [G 5].
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sim.vectors.seeds import Draw

__all__ = ["MARGARA", "MIXED", "STRINGS", "ZIPF", "EventParameters", "event", "filter_text", "filters", "subscriptions"]

_NUMBER_OPERATORS = ("=", "!=", ">", "<")
_STRING_OPERATORS = ("=", "!=", "substring", "prefix")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD_LETTERS = 6


@dataclass(frozen=True, kw_only=True)
class EventParameters:
    """The parameters of P Tab 1 and G Tab 1; pairs are the least and the most."""

    attributes: tuple[int, int] = (3, 5)
    interfaces: int = 10
    constraints: tuple[int, int] = (3, 5)
    filters: tuple[int, int] = (22_500, 27_500)
    names: int = 100
    skew: float = 0.0
    """The exponent of Zipf's distribution of names; 0 is uniform."""
    strings: float = 0.0
    """The share of names whose values are strings."""
    values: int = 100

    def __post_init__(self) -> None:
        for name, least in (("attributes", 0), ("constraints", 1), ("filters", 1)):
            low, high = getattr(self, name)
            if not least <= low <= high:
                raise ValueError(f"{name} must be a rising pair from {least}, not {(low, high)!r}")
        for name in ("interfaces", "names", "values"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)!r}")
        if self.attributes[1] > self.names:
            raise ValueError(f"attributes must be at most the {self.names} names, not {self.attributes[1]!r}")
        if not 0 <= self.strings <= 1:
            raise ValueError(f"strings must be 0 to 1, not {self.strings!r}")

    def is_string(self, name: int) -> bool:
        """Whether the values of that name are strings; such names are spread evenly."""
        return int((name + 1) * self.strings) > int(name * self.strings)


MARGARA = EventParameters()
"""The default scenario on numbers [P Tab 1]."""
MIXED = EventParameters(strings=0.5)
"""The default scenario, half of it on strings [G Tab 1]."""
STRINGS = EventParameters(strings=1.0)
"""Strings alone [G Fig 11]."""
ZIPF = EventParameters(strings=0.5, skew=1.7)
"""Names by Zipf's law [G Tab 2]. The exponent is not printed; with this one half of the constraints have one name, as in G 5."""


@lru_cache(maxsize=1024)
def _word(number: int) -> str:
    """String value ``number``, the same for every seed."""
    draw = Draw("value", number)
    return "".join(draw.choice(_LETTERS) for _ in range(_WORD_LETTERS))


def _name(draw: Draw, parameters: EventParameters) -> int:
    return draw.zipf(parameters.names, parameters.skew) if parameters.skew else draw.below(parameters.names)


def event(seed: int, row: int, parameters: EventParameters = MARGARA) -> dict[str, int | str]:
    """The properties of event ``row``, in the order in which their names were drawn."""
    draw = Draw(seed, "event", row)
    wanted = draw.between(*parameters.attributes)
    found: dict[str, int | str] = {}
    while len(found) < wanted:
        name = _name(draw, parameters)
        value = draw.below(parameters.values)
        found.setdefault(f"n{name}", _word(value) if parameters.is_string(name) else value)
    return found


def filters(seed: int, interface: int, parameters: EventParameters = MARGARA) -> int:
    """How many filters an interface has."""
    return Draw(seed, "interface", interface).between(*parameters.filters)


def filter_text(seed: int, interface: int, row: int, parameters: EventParameters = MARGARA) -> str:
    """Filter ``row`` of an interface, in the language *filter*."""
    draw = Draw(seed, "filter", interface, row)
    found = []
    for _ in range(draw.between(*parameters.constraints)):
        name = _name(draw, parameters)
        value = draw.below(parameters.values)
        if parameters.is_string(name):
            found.append(f"n{name} {draw.choice(_STRING_OPERATORS)} '{_word(value)}'")
        else:
            found.append(f"n{name} {draw.choice(_NUMBER_OPERATORS)} {value}")
    return " and ".join(found)


def subscriptions(seed: int, interface: int, parameters: EventParameters = MARGARA) -> Iterator[str]:
    """All filters of an interface, in order."""
    return (filter_text(seed, interface, row, parameters) for row in range(filters(seed, interface, parameters)))
