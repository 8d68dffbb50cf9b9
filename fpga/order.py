"""Names that make nextpnr place first what finds a place hardest or needs the best one.

The flip-flops of a tile share one reset. Placers of nextpnr put cells of one size in their places by name, the last name first, and do not
move a flip-flop that stands with the look-up table before it. When a reset's turn comes last on a full device, every tile has a flip-flop
with another one, and the placer looks for a free one for ever. Here flip-flops with a reset that few share, and the look-up tables that
stand with them, get the last names, those of one reset side by side. The other look-up tables come before them in the order of the slowest
path through them: what is left for the first names on a full device is far from where they belong.
"""

import re
from collections import Counter
from typing import Any

from fpga.nets import driven, top
from fpga.timing import Timing

__all__ = ["name_hardest_last", "original_name"]

SHARED = 1000
"""Flip-flops with one reset, from which on they find places by themselves."""

_RANK = re.compile(r"^[~}]\d+\$")


def original_name(cell: str) -> str:
    """The name of a cell before its rank was put before it."""
    return _RANK.sub("", cell)


def _reset(cell: dict[str, Any]) -> Any:
    return cell["connections"].get("LSR", ["0"])[0]


def name_hardest_last(design: dict[str, Any], shared: int = SHARED) -> int:
    """Change the names of cells in a netlist; returns how many have one of the last for their reset."""
    module = top(design)
    cells: dict[str, Any] = module["cells"]
    registers = {name: cell for name, cell in cells.items() if cell["type"] == "TRELLIS_FF"}
    tables = {net: name for name, cell in cells.items() if cell["type"] == "LUT4" for net in driven(cell)}
    readers = Counter(_reset(cell) for cell in registers.values())
    ranks = {reset: rank for rank, (reset, _) in enumerate(readers.most_common())}
    renamed = {name: f"}}{time * 100:05.0f}${name}" for name, time in Timing(module).through().items()}
    hardest = set()
    for name, cell in registers.items():
        reset = _reset(cell)
        if readers[reset] < shared:
            before = tables.get(cell["connections"].get("DI", [None])[0])
            for each in (name, before) if before else (name,):
                renamed[each] = f"~{ranks[reset]:04}${each}"
                hardest.add(each)
    module["cells"] = {renamed.get(name, name): cell for name, cell in cells.items()}
    return len(hardest)
