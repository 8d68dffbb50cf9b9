"""What a set of vectors is made from: together with the code's version, these values fix every byte of it."""

from dataclasses import asdict, dataclass, field
from typing import Any

from hdl.config import PRESETS, BrokerConfig
from spark_vectors.queries import PathParameters

__all__ = ["CHUNK", "VectorParameters"]

CHUNK = 256
"""Documents of one set that are evaluated, written and replayed together."""


@dataclass(frozen=True, kw_only=True)
class VectorParameters:
    """The size and the seed of a set of vectors; each document goes past one of ``sets`` sets of subscriptions, in turns."""

    seed: int = 1
    documents: int = 1000
    subscriptions: int = 255
    sets: int = 1
    scenarios: int = 8
    events: int = 64
    largest: int = 1 << 20
    config: str = "default"
    paths: PathParameters = field(default_factory=PathParameters)

    def __post_init__(self) -> None:
        if self.config not in PRESETS:
            raise ValueError(f"config must be one of {', '.join(PRESETS)}, not {self.config!r}")
        for name, low in (("seed", 0), ("documents", 1), ("sets", 1), ("scenarios", 0), ("events", 1), ("largest", 216)):
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, not {getattr(self, name)!r}")
        if not 1 <= self.subscriptions <= self.limits.subscriptions:
            raise ValueError(f"subscriptions must be 1 to {self.limits.subscriptions}, not {self.subscriptions!r}")

    @property
    def limits(self) -> BrokerConfig:
        """The broker's limits."""
        return PRESETS[self.config]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for the manifest."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "VectorParameters":
        """The parameters of a manifest."""
        return cls(**{**values, "paths": PathParameters(**values["paths"])})
