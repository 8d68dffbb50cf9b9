"""Copies of registers that many look-up tables read.

One flip-flop that hundreds of cells read has a wire across the device that alone takes longer than a clock. yosys and nextpnr leave it at
that. Here the look-up tables that read a register are divided among copies of it, in the order of their names, which is that of the units
they belong to: the same clock by clock, and each wire short. Enables and resets keep their one wire, because the flip-flops of a tile must
share it.
"""

from math import ceil
from typing import Any

from fpga.ecp5.readers import Readers

__all__ = ["READERS", "copy_registers"]

READERS = 64
"""Look-up tables that read one flip-flop, at most."""


def copy_registers(design: dict[str, Any], most: int = READERS) -> int:
    """Change a netlist; returns the number of copies."""
    copies = 0
    readers = Readers(design)
    for net in sorted(readers.registers):
        found = readers.tables(net)
        original = readers.registers[net]
        cell = readers.cells[original]
        count = ceil(len(found) / most)
        for number in range(1, count):
            fresh = readers.move(net, found[len(found) * number // count : len(found) * (number + 1) // count], f"$copy{number}")
            readers.add(f"{original}$copy{number}", cell | {"connections": cell["connections"] | {"Q": [fresh]}})
            copies += 1
    return copies
