"""The reset of more than a thousand flip-flops, in the clock network.

A reset that one register gives to thousands of flip-flops would have a wire across the device that takes longer than a clock. nextpnr
counts no delay on the clock network; the device takes about that of the clock.
"""

from typing import Any

from fpga.ecp5.readers import Readers

__all__ = ["RESETS", "spread_resets"]

RESETS = 1000
"""Flip-flops that one register resets over ordinary wires, at most."""


def spread_resets(design: dict[str, Any], most: int = RESETS) -> int:
    """Change a netlist; returns the number of resets that go through the clock network."""
    wires = 0
    readers = Readers(design)
    for net in sorted(readers.registers):
        found = readers.resets(net)
        if len(found) <= most:
            continue
        buffer = {
            "hide_name": 1,
            "type": "DCCA",
            "parameters": {},
            "attributes": {},
            "port_directions": {"CLKI": "input", "CE": "input", "CLKO": "output"},
            "connections": {"CLKI": [net], "CE": ["1"], "CLKO": [readers.move(net, found, "$global")]},
        }
        readers.add(f"{readers.registers[net]}$global", buffer)
        wires += 1
    return wires
