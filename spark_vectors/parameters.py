"""What a set of vectors is made from: together with the code's version, these values fix every byte of it."""

from dataclasses import asdict, dataclass, field
from typing import Any

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code
from sim.vectors.documents import Document, document, thesis_document
from sim.vectors.families.stock import THESIS_SIZES
from sim.vectors.queries import THESIS_SETS, PathParameters, Subscription, subscription_set, thesis_set

__all__ = ["CHUNK", "VectorParameters"]

CHUNK = 256
"""Documents of one set that are evaluated, written and replayed together."""


@dataclass(frozen=True, kw_only=True)
class VectorParameters:
    """The size and the seed of a set of vectors; each document goes past one of ``sets`` sets of subscriptions, in turns.

    After them come the thesis's: XPath Sets 1 to 4, each with documents of the fifteen sizes of T-Tab 6.1.
    """

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

    @property
    def rows(self) -> int:
        """Documents in all."""
        return self.documents + len(THESIS_SETS) * len(THESIS_SIZES)

    @property
    def set_numbers(self) -> range:
        """All sets of subscriptions."""
        return range(self.sets + len(THESIS_SETS))

    def place(self, row: int) -> tuple[int, int]:
        """The set of subscriptions that a document goes past, and its chunk there."""
        if row < self.documents:
            return row % self.sets, row // self.sets // CHUNK
        return self.sets + (row - self.documents) // len(THESIS_SIZES), 0

    def document(self, row: int) -> Document:
        """The document of a row."""
        if row < self.documents:
            return document(seed=self.seed, row=row, config=self.limits, largest=self.largest)
        size = THESIS_SIZES[(row - self.documents) % len(THESIS_SIZES)]
        return Document(row, "thesis", thesis_document(seed=self.seed, size=size), Code.OK, None)

    def subscription_set(self, number: int) -> tuple[Subscription, ...]:
        """The subscriptions of a set."""
        if number < self.sets:
            return subscription_set(seed=self.seed, number=number, count=self.subscriptions, parameters=self.paths, config=self.limits)
        chosen = THESIS_SETS[number - self.sets]
        return thesis_set(chosen, series=max(1, min(10, self.subscriptions // len(thesis_set(chosen)))))

    def as_dict(self) -> dict[str, Any]:
        """Plain values for the manifest."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "VectorParameters":
        """The parameters of a manifest."""
        return cls(**{**values, "paths": PathParameters(**values["paths"])})
