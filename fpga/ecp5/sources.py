"""Attributes that name files, removed.

yosys gives its own cells the place where it is installed, so that a netlist tells the folder of the checkout. nextpnr counts every string
that it reads, and places the same cells otherwise.
"""

from typing import Any

__all__ = ["forget_sources"]


def forget_sources(design: dict[str, Any]) -> int:
    """Remove every ``src`` from a netlist; returns how many there were."""
    removed = 0
    for module in design["modules"].values():
        parts = [module, *(part for kind in ("cells", "memories", "netnames") for part in module.get(kind, {}).values())]
        removed += sum(part.get("attributes", {}).pop("src", None) is not None for part in parts)
    return removed
