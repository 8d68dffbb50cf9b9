"""Carry chains without the cells that nextpnr would add at both ends.

nextpnr feeds a carry into a chain, even a constant one, through one more CCU2C and takes the last carry out through another, even where
nobody reads it. In short chains, which most are, these are a third of the cells. Here the first bit of a chain that begins with a
constant is changed to make its carry from its operands alone, and an unread last carry is cut off.
"""

from collections import Counter
from typing import Any

__all__ = ["trim_carries"]

_CONSTANT = {"0": 0, "1": 1}


def _generate(cell: dict[str, Any]) -> tuple[int, int] | None:
    """The carry and the sum of the first bit as functions of A0 and B0 (four bits each); None unless all else is constant."""
    nets = cell["connections"]
    carry, c, d = (_CONSTANT.get(nets[port][0]) for port in ("CIN", "C0", "D0"))
    # With D0 = 0 the table of the carry would be that of the sum.
    if carry is None or c is None or d != 1 or cell["parameters"]["INJECT1_0"] != "NO":
        return None
    table = int(cell["parameters"]["INIT0"], 2)
    propagate, generate = table >> (8 + 4 * c) & 15, table & 15
    return (propagate if carry else 0) | (generate & ~propagate), propagate ^ (15 if carry else 0)


def trim_carries(design: dict[str, Any]) -> int:
    """Change a netlist; returns the number of ends and starts that need no cell any more."""
    trimmed = 0
    for module in design["modules"].values():
        cells: dict[str, Any] = module["cells"]
        readers: Counter[Any] = Counter(net for port in module["ports"].values() for net in port["bits"])
        for cell in cells.values():
            for port, nets in cell["connections"].items():
                if cell["port_directions"].get(port) == "input":
                    readers.update(nets)
        for name, cell in [(name, cell) for name, cell in cells.items() if cell["type"] == "CCU2C"]:
            nets = cell["connections"]
            if not readers[nets["COUT"][0]]:
                nets["COUT"] = ["x"]
                trimmed += 1
            first = _generate(cell)
            if first is None:
                continue
            carry, total = first
            cell["parameters"]["INIT0"] = f"{carry:016b}"
            nets["CIN"] = ["x"]
            sums, nets["S0"] = nets["S0"], ["x"]
            if readers[sums[0]]:
                cells[f"{name}$S0"] = {
                    "hide_name": 1,
                    "type": "LUT4",
                    "parameters": {"INIT": f"{total * 0x1111:016b}"},
                    "attributes": {},
                    "port_directions": {"A": "input", "B": "input", "C": "input", "D": "input", "Z": "output"},
                    "connections": {"A": nets["A0"], "B": nets["B0"], "C": ["0"], "D": ["0"], "Z": sums},
                }
            trimmed += 1
    return trimmed
