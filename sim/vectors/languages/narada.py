"""Workloads of NaradaBrokering's matching engines [N 7.2], each a pure function of (seed, table, row).

The paper gives the number of subscriptions, the length of strings, the number of tags and the regular expressions. The SQL queries are not
printed; here they are of the paper's kind, on the properties of JMS messages.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sim.vectors.seeds import Draw

__all__ = ["DESTINATIONS", "ENGINES", "Workload"]

DESTINATIONS = 32
"""Subscriptions are spread evenly over so many sub-units [N 7, Fig 11]."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_STRING = (16, 32)
"""Characters of a topic [N Fig 7]."""
_TAGS = (5, 25)
"""Tag and value pairs of a subscription [N Fig 8]."""
_TAG_VALUES = 4
_WORDS = ("the", "quick", "brown", "fox", "jumps", "upon", "lazy", "dog")
_PHRASE = 5
_KINDS = ("stock", "news", "alert", "trade")

Properties = dict[str, int | str]


@dataclass(frozen=True)
class Workload:
    """Subscriptions in a language, and messages that some of the first so many of them may match."""

    language: str
    subscription: Callable[[int, int], str]
    """By seed and row."""
    message: Callable[[int, int, int], tuple[str, Properties]]
    """Topic and properties, by seed, row and the number of subscriptions."""


def _string(seed: int, row: int) -> str:
    draw = Draw(seed, "narada string", row)
    return "".join(draw.choice(_LETTERS) for _ in range(draw.choice(_STRING)))


def _aim(seed: int, row: int, subscriptions: int) -> int:
    """The subscription that a message is made for."""
    return Draw(seed, "narada aim", row).below(subscriptions)


def _integer(seed: int, row: int) -> str:
    return str(Draw(seed, "narada integer", row).below(2**31))


def _tags(seed: int, row: int) -> str:
    draw = Draw(seed, "narada tags", row)
    values = ("*" if draw.chance(0.2) else f"v{draw.below(_TAG_VALUES)}" for _ in range(draw.between(*_TAGS)))
    return ",".join(f"t{place}={value}" for place, value in enumerate(values))


def _tagged(seed: int, row: int, subscriptions: int) -> tuple[str, Properties]:
    """All tags with values, the first ones those of a subscription."""
    draw = Draw(seed, "narada tagged", row)
    wanted = dict(pair.split("=") for pair in _tags(seed, _aim(seed, row, subscriptions)).split(","))
    pairs = {f"t{place}": f"v{draw.below(_TAG_VALUES)}" for place in range(_TAGS[1])}
    pairs.update({tag: value for tag, value in wanted.items() if value != "*"})
    return ",".join(f"{tag}={value}" for tag, value in pairs.items()), {}


def _selector(seed: int, row: int) -> str:
    draw = Draw(seed, "narada selector", row)
    price, size, who = draw.below(1000), draw.below(100), draw.below(100)
    return f"quotes price > {price} AND size BETWEEN {size} AND {size + 10} AND (kind = '{draw.choice(_KINDS)}' OR who LIKE '%{who}')"


def _quoted(seed: int, row: int, _: int) -> tuple[str, Properties]:
    draw = Draw(seed, "narada quoted", row)
    return "quotes", {"price": draw.below(1000), "size": draw.below(110), "kind": draw.choice(_KINDS), "who": f"w{draw.below(1000)}"}


def _phrase(draw: Draw) -> list[str]:
    return [draw.choice(_WORDS) for _ in range(_PHRASE)]


def _regex(seed: int, row: int) -> str:
    """``[T]he [Qq]uick [Bb]rown ...``: the first letter of each word is a class of one or both cases [N 7.1.6]."""
    draw = Draw(seed, "narada regex", row)
    return " ".join(f"[{word[0].upper()}{word[0] if draw.chance(0.5) else ''}]{word[1:]}" for word in _phrase(draw))


def _sentence(seed: int, row: int, subscriptions: int) -> tuple[str, Properties]:
    """The words of a subscription with first letters in either case, and more behind them."""
    draw = Draw(seed, "narada sentence", row)
    words = _phrase(Draw(seed, "narada regex", _aim(seed, row, subscriptions)))
    shown = [word.capitalize() if draw.chance(0.75) else word for word in words]
    return " ".join([*shown, "upon the lazy dog"]), {}


def _exactly(subscription: Callable[[int, int], str]) -> Callable[[int, int, int], tuple[str, Properties]]:
    return lambda seed, row, subscriptions: (subscription(seed, _aim(seed, row, subscriptions)), {})


ENGINES: Mapping[str, Workload] = {
    "integer": Workload("integer", _integer, _exactly(_integer)),
    "string": Workload("string", _string, _exactly(_string)),
    "tags": Workload("tags", _tags, _tagged),
    "selector": Workload("selector", _selector, _quoted),
    "regex": Workload("regex", _regex, _sentence),
}
"""The engines for messages, in the order in which the paper finds them slower and slower [N 7.2]; XPath is about documents."""
