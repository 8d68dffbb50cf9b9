"""Ranks before the names of cells.

Placers of nextpnr put cells of one size in their places by name, the last name first.
"""

import re
from typing import Any

__all__ = ["original_name", "rename"]

_RANK = re.compile(r"^[~}]\d+\$")


def original_name(cell: str) -> str:
    """The name of a cell before its rank was put before it."""
    return _RANK.sub("", cell)


def rename(module: dict[str, Any], ranks: dict[str, str]) -> None:
    """Put ranks before the names of these cells, in place of those that they may have."""
    module["cells"] = {f"{ranks[name]}${original_name(name)}" if name in ranks else name: cell for name, cell in module["cells"].items()}
