"""The one set of limits that the hardware, the golden model, the host driver and the vector jobs read."""

from dataclasses import dataclass, fields, replace
from typing import Any

__all__ = ["PRESETS", "BrokerConfig"]


def _power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


@dataclass(frozen=True, kw_only=True)
class BrokerConfig:
    """Limits of a broker; every rule between them is checked here and nowhere else."""

    subscriptions: int = 255
    """Registered at once; the t-SIDs are 1 to this [T 5.3.2.2]."""
    steps: int = 1024
    """Path steps and tests over all subscriptions: the bits of a row of visitors."""
    slices: int = 16
    """Slices that a row of visitors is cut into; each takes a clock at a start tag."""
    names: int = 256
    """Distinct names that subscriptions and a loaded skeleton may hold; documents may bring any number more."""
    learned: int = 96
    """Distinct names learned from documents before the learned part of the skeleton is forgotten, which it is when there is
    no longer room for a tag's worth and a few that are under way."""
    values: int = 256
    """Distinct strings that subscriptions compare with."""
    numbers: int = 256
    """Distinct numeric comparisons of all subscriptions."""
    name_bytes: int = 64
    value_bytes: int = 64
    depth: int = 32
    attributes: int = 32
    prefixes: int = 32
    """Namespace declarations in scope at once."""
    subscription_steps: int = 16
    """Steps and tests of one subscription together."""
    xpath_bytes: int = 1024
    digits: int = 15
    """Significant digits of a number."""
    links: int = 4
    brokers: int = 7
    """Brokers on a subscription's path [T 5.4.3.5.1]."""
    xram_bytes: int = 2048
    """The ring that a publication streams through."""
    pram_words: int = 512
    """Parsed words kept for reading."""
    selected: int = 512
    """Places for the selected nodes of the publications that are matched or notified: one for each group of 16 neighbouring steps and
    tests that select a node, and one more for each attribute. With 0 there is no hardware for them: notifications of selected nodes
    go without."""

    def __post_init__(self) -> None:
        def rule(holds: bool, name: str, wanted: str) -> None:
            if not holds:
                raise ValueError(f"{name} must be {wanted}, not {getattr(self, name)!r}")

        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"{field.name} must be an integer, not {value!r}")
            rule(value >= 1 or field.name == "selected", field.name, "at least 1")
        rule(self.subscriptions <= 4095, "subscriptions", "at most 4095")
        rule(self.steps % self.slices == 0, "steps", f"a multiple of the {self.slices} slices")
        rule(self.steps >= self.subscription_steps, "steps", f"at least the {self.subscription_steps} steps of a subscription")
        for name in ("names", "values", "xram_bytes", "pram_words"):
            rule(_power_of_two(getattr(self, name)), name, "a power of two")
        rule(self.learned >= self.attributes + 10, "learned", f"at least 10 more than the {self.attributes} attributes of a tag")
        rule(self.name_bytes % 4 == 0 and self.name_bytes <= 64, "name_bytes", "a multiple of 4, at most 64")
        rule(self.value_bytes % 4 == 0 and self.value_bytes <= 64, "value_bytes", "a multiple of 4, at most 64")
        rule(self.depth <= 255, "depth", "at most 255")
        rule(self.attributes <= 32, "attributes", "at most 32")
        rule(self.digits <= 15, "digits", "at most 15, where decimal and IEEE double order agree")
        rule(self.links <= 4, "links", "at most 4")
        rule(self.brokers <= 7, "brokers", "at most 7, the bytes left in an o-SID")
        rule(self.selected == 0 or (self.selected >= 16 and _power_of_two(self.selected)), "selected", "0 or a power of two of at least 16")
        rule(1024 <= self.xram_bytes <= 4096, "xram_bytes", "1024 to 4096")

    @classmethod
    def preset(cls, name: str, **changes: Any) -> "BrokerConfig":
        """The preset of that name, with fields changed."""
        if name not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, not {name!r}")
        return replace(PRESETS[name], **changes)


PRESETS: dict[str, BrokerConfig] = {
    "small": BrokerConfig(subscriptions=127, steps=512, names=128, learned=64, values=128, numbers=128, links=1, selected=0),
    "default": BrokerConfig(),
    "large": BrokerConfig(
        subscriptions=1024, steps=4096, slices=16, names=1024, learned=256, values=1024, numbers=1024, depth=64, pram_words=1024
    ),
}
"""``small`` is meant for an LFE5U-25F with the host link beside it, ``default`` for one to itself, ``large`` for an LFE5U-85F;
docs/results/area.md says what fits."""
