"""What a netlist of yosys holds, by name: its top, what its cells drive, and what its nets are called."""

from typing import Any

__all__ = ["deepest_names", "driven", "top"]


def top(design: dict[str, Any]) -> dict[str, Any]:
    """The module at the top of a netlist, which may be changed."""
    (found,) = (module for module in design["modules"].values() if module.get("attributes", {}).get("top"))
    module: dict[str, Any] = found
    return module


def driven(cell: dict[str, Any]) -> list[Any]:
    """The nets that a cell drives."""
    return [bit for port, bits in cell["connections"].items() if cell["port_directions"][port] == "output" for bit in bits]


def deepest_names(module: dict[str, Any]) -> dict[int, str]:
    """The name of each net that tells most of the unit it belongs to: the deepest, made by nobody but the design if there is one."""
    found: dict[int, str] = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            if isinstance(bit, int) and (bit not in found or ("$" not in name and name.count(".") > found[bit].count("."))):
                found[bit] = name
    return found
