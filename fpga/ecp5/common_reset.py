"""Flip-flops that their logic clears with everything else, cleared by the reset of everything else.

The flip-flops of a tile share one reset. One whose own reset is made in look-up tables, because few share it, would keep others out of
its tile for having none. Where these tables give the value that it begins with whenever the reset of all is given, that reset clears it
as well: the same clock by clock.
"""

from collections import Counter
from typing import Any

from fpga.ecp5.nets import top

__all__ = ["share_reset"]

SHARED = 1000
"""Flip-flops that one net resets, from which on it is the reset of all."""

_UNKNOWN = "x"


def _table(cell: dict[str, Any], known: dict[Any, str]) -> str:
    """What a look-up table gives for the inputs that are known."""
    table = int(cell["parameters"]["INIT"], 2)
    rows = [0]
    for place, port in enumerate("ABCD"):
        net = cell["connections"][port][0]
        value = net if net in ("0", "1") else known.get(net, _UNKNOWN)
        if value != "0":
            rows = [row | 1 << place for row in rows] + (rows if value == _UNKNOWN else [])
    found = {str(table >> row & 1) for row in rows}
    return found.pop() if len(found) == 1 else _UNKNOWN


def _given(cells: dict[str, Any], reset: Any) -> dict[Any, str]:
    """The nets behind look-up tables that have one value only while a net is 1."""
    tables = [cell for cell in cells.values() if cell["type"] == "LUT4"]
    readers: dict[Any, list[dict[str, Any]]] = {}
    for cell in tables:
        for port in "ABCD":
            readers.setdefault(cell["connections"][port][0], []).append(cell)
    known: dict[Any, str] = {reset: "1"}
    fresh = [reset]
    while fresh:
        for cell in readers.get(fresh.pop(), ()):
            output = cell["connections"]["Z"][0]
            if output not in known and (value := _table(cell, known)) != _UNKNOWN:
                known[output] = value
                fresh.append(output)
    return known


def share_reset(design: dict[str, Any], shared: int = SHARED) -> int:
    """Change a netlist; returns the number of flip-flops that have the reset of all now."""
    cells: dict[str, Any] = top(design)["cells"]
    registers = [cell for cell in cells.values() if cell["type"] == "TRELLIS_FF"]
    resets = Counter(cell["connections"].get("LSR", ["0"])[0] for cell in registers)
    changed = 0
    for reset, readers in resets.items():
        if reset == "0" or readers < shared:
            continue
        known = _given(cells, reset)
        for cell in registers:
            nets, parameters = cell["connections"], cell["parameters"]
            begins = "1" if parameters.get("REGSET") == "SET" else "0"
            free = nets.get("LSR", ["0"]) == ["0"] and parameters.get("CEMUX", "1").strip() == "1"
            if free and known.get(nets["DI"][0]) == begins:
                nets["LSR"], cell["port_directions"]["LSR"] = [reset], "input"
                parameters |= {"LSRMUX": "LSR", "SRMODE": "LSR_OVER_CE"}
                changed += 1
    return changed
