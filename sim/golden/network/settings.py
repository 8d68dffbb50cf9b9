"""The settings of the two policies; every rule between them is checked here."""

from dataclasses import dataclass, fields
from typing import Literal

from sim.golden.network.osid import Layout

__all__ = ["Cyclic", "Policy", "Sampling", "Steady"]

Sampling = Literal["sound", "literal"]


def _check(settings: object, ranges: dict[str, tuple[int, int]]) -> None:
    for field in fields(settings):  # type: ignore[arg-type]
        value = getattr(settings, field.name)
        if field.name in ranges:
            low, high = ranges[field.name]
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise ValueError(f"{field.name} must be {low} to {high}, not {value!r}")
        elif field.type is bool and not isinstance(value, bool):
            raise ValueError(f"{field.name} must be true or false, not {value!r}")


@dataclass(frozen=True, kw_only=True)
class Steady:
    """Interests are forwarded at registration and stay until they are withdrawn."""

    covering: bool = False
    """Whether a wide interest hides the narrow ones that it covers."""
    window: int = 64
    """Publications that a broker remembers to notice one that comes again."""
    hop_limit: int = 255
    """Links that a publication may cross."""
    routes: int = 64
    """Entries of a VRT."""

    def __post_init__(self) -> None:
        _check(self, {"window": (1, 1 << 16), "hop_limit": (1, 0xFFFF), "routes": (1, 1 << 16)})


@dataclass(frozen=True, kw_only=True)
class Cyclic:
    """The modes of the thesis. Times are steps of the model, and clocks of the hardware."""

    gather: int = 16
    """How long no subscription may have been waiting for registration to end; 0 ends it at once [T-Fig 5.18 to the letter]."""
    timeout: int = 0
    """How long subscriptions are matched before waiting ones may take their places; 0 for ever [T 5.4.3.3]."""
    retained: int = 16
    """Processed publications that stay for the subscriptions of the next cycle."""
    threshold: int = 31
    """Mismatched subscriptions from which on a crowd is sampled [T 5.4.3.4.1]."""
    sampling: Sampling = "sound"
    """``literal``: one sample for all that is mismatched [T-Fig 5.20]; ``sound``: one for each expression that several share."""
    lifetime: int = 0
    """How long another broker's sample stays registered; 0 until the cycle ends."""
    publications: int = 0
    """At most this many publications count as available at once; 0 any number [T 7.8.1]."""
    raw_bytes: int = 1 << 20
    """Room for the raw frames of registered subscriptions; the oldest are dropped first."""
    routes: int = 64
    """Entries of a VRT."""
    bid_bits: int = 8
    unique: bool = True
    """Whether no two brokers have the same BID, so that a path with one's own BID is a loop; where they may, the network must be a tree."""

    def __post_init__(self) -> None:
        times = dict.fromkeys(("gather", "timeout", "lifetime", "publications"), (0, 0xFFFFFFFF))
        sizes = {"retained": (0, 1 << 16), "threshold": (1, 0xFFFF), "raw_bytes": (0, 1 << 30), "routes": (1, 1 << 16), "bid_bits": (2, 8)}
        _check(self, times | sizes)
        if self.sampling not in ("sound", "literal"):
            raise ValueError(f"sampling must be sound or literal, not {self.sampling!r}")
        Layout(self.bid_bits)


Policy = Steady | Cyclic
