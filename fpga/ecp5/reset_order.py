"""Flip-flops with a reset that few share, placed first.

The flip-flops of a tile share one reset, and nextpnr does not move a flip-flop that stands with the look-up table before it. When a reset's
turn comes last on a full device, every tile has a flip-flop with another one, and the placer looks for a free one for ever. Here flip-flops
with a reset that few share, and the look-up tables that stand with them, get the last names, those of one reset side by side.
"""

from collections import Counter
from typing import Any

from fpga.ecp5.nets import driven, top
from fpga.ecp5.ranks import rename

__all__ = ["SHARED", "place_rare_resets_first"]

SHARED = 1000
"""Flip-flops with one reset, from which on they find places by themselves."""


def _reset(cell: dict[str, Any]) -> Any:
    return cell["connections"].get("LSR", ["0"])[0]


def place_rare_resets_first(design: dict[str, Any], shared: int = SHARED) -> int:
    """Change the names of cells in a netlist; returns how many."""
    module = top(design)
    cells: dict[str, Any] = module["cells"]
    registers = {name: cell for name, cell in cells.items() if cell["type"] == "TRELLIS_FF"}
    tables = {net: name for name, cell in cells.items() if cell["type"] == "LUT4" for net in driven(cell)}
    readers = Counter(_reset(cell) for cell in registers.values())
    numbers = {reset: number for number, (reset, _) in enumerate(readers.most_common())}
    ranks = {}
    for name, cell in registers.items():
        reset = _reset(cell)
        if readers[reset] < shared:
            before = tables.get(cell["connections"].get("DI", [None])[0])
            ranks.update(dict.fromkeys((name, before) if before else (name,), f"~{numbers[reset]:04}"))
    rename(module, ranks)
    return len(ranks)
