"""Look-up tables placed in the order of the slowest path through them.

What is left for the last ones on a full device is far from where they belong.
"""

from typing import Any

from fpga.ecp5.nets import top
from fpga.ecp5.ranks import rename
from fpga.ecp5.timing import Timing

__all__ = ["place_slow_paths_first"]


def place_slow_paths_first(design: dict[str, Any]) -> int:
    """Change the names of look-up tables in a netlist; returns how many."""
    module = top(design)
    ranks = {name: f"}}{time * 100:05.0f}" for name, time in Timing(module).through().items()}
    rename(module, ranks)
    return len(ranks)
