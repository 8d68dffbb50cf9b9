"""Topics and subscriptions to them with the parameters of the paper [H IV-B], each a pure function of (seed, table, row)."""

from dataclasses import dataclass

from sim.vectors.seeds import Draw

__all__ = ["PALLICKARA", "TopicParameters", "subscription", "topic"]


@dataclass(frozen=True, kw_only=True)
class TopicParameters:
    """Every level has one of so many values; ``wildcards`` of the levels behind the first are ``*`` in a subscription."""

    levels: int = 7
    values: int = 50
    wildcards: int = 1

    def __post_init__(self) -> None:
        for name in ("levels", "values"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)!r}")
        if not 0 <= self.wildcards < self.levels:
            raise ValueError(f"wildcards must be 0 to {self.levels - 1}, not {self.wildcards!r}")


PALLICKARA = TopicParameters()
"""Seven levels of 50 values and one wildcard [H IV-B 1]."""


def _levels(draw: Draw, parameters: TopicParameters) -> list[str]:
    return [f"v{draw.below(parameters.values)}" for _ in range(parameters.levels)]


def subscription(seed: int, row: int, parameters: TopicParameters = PALLICKARA) -> str:
    """Subscription ``row``, in the language *topic*."""
    draw = Draw(seed, "topic subscription", row)
    levels = _levels(draw, parameters)
    places = list(range(1, parameters.levels))
    draw.shuffle(places)
    for place in places[: parameters.wildcards]:
        levels[place] = "*"
    return "/".join(levels)


def topic(seed: int, row: int, *, subscriptions: int = 0, parameters: TopicParameters = PALLICKARA) -> str:
    """Topic ``row``; one that some of the first so many subscriptions matches, or any where their number is 0."""
    draw = Draw(seed, "topic", row)
    levels = _levels(draw, parameters)
    if subscriptions:
        aim = subscription(seed, draw.below(subscriptions), parameters).split("/")
        levels = [drawn if wanted == "*" else wanted for drawn, wanted in zip(levels, aim, strict=True)]
    return "/".join(levels)
