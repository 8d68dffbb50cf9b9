"""Registers that many cells read, once for each group of readers.

One flip-flop that hundreds of cells read, as a reset is, has a wire across the device that alone takes longer than a clock. yosys and
nextpnr leave it at that. Here such a flip-flop is copied, its readers in the order of their names, which is that of the units they belong
to, divided among the copies: the same clock by clock, and each wire short.
"""

from collections import defaultdict
from math import ceil
from typing import Any

__all__ = ["copy_registers"]

READERS = 64
"""Of one flip-flop at most."""


def _names(module: dict[str, Any]) -> dict[int, str]:
    """A name with the unit for each net: the deepest that it has."""
    found: dict[int, str] = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            if isinstance(bit, int) and (bit not in found or name.count(".") > found[bit].count(".")):
                found[bit] = name
    return found


def copy_registers(design: dict[str, Any], limit: int = READERS) -> int:
    """Change a netlist; returns the number of copies. A copy's own inputs count as readers of what feeds it."""
    made = 0
    for module in design["modules"].values():
        made += _copy(module, limit) if module.get("attributes", {}).get("top") else 0
    return made


def _copy(module: dict[str, Any], limit: int) -> int:
    cells: dict[str, Any] = module["cells"]
    names = _names(module)
    readers: dict[int, list[tuple[str, str, int]]] = defaultdict(list)
    registers: dict[int, str] = {}

    def add(name: str) -> None:
        cell = cells[name]
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for place, bit in enumerate(bits):
                    if isinstance(bit, int):
                        readers[bit].append((name, port, place))
        if cell["type"] == "TRELLIS_FF":
            registers[cell["connections"]["Q"][0]] = name

    def unit(reader: tuple[str, str, int]) -> str:
        cell = cells[reader[0]]
        driven = (bit for port, bits in cell["connections"].items() if cell["port_directions"][port] == "output" for bit in bits)
        return next((names[bit] for bit in driven if bit in names), reader[0])

    for name in cells:
        add(name)
    fresh = 1 + max(bit for found in (readers, registers, names) for bit in found)
    made = 0
    again = sorted(registers)
    while again:
        net = again.pop()
        found = sorted(readers[net], key=lambda reader: (unit(reader), reader))
        if len(found) <= limit or any(port == "CLK" for _, port, _ in found):
            continue
        count = ceil(len(found) / limit)
        original = registers[net]
        for number in range(1, count):
            copy = f"{original}$copy{number}"
            cells[copy] = cells[original] | {"connections": cells[original]["connections"] | {"Q": [fresh]}}
            share = found[len(found) * number // count : len(found) * (number + 1) // count]
            for name, port, place in share:
                bits = cells[name]["connections"][port] = list(cells[name]["connections"][port])
                bits[place] = fresh
            module["netnames"][f"{names.get(net, original)}$copy{number}"] = {"hide_name": 1, "bits": [fresh], "attributes": {}}
            names[fresh] = names.get(net, original)
            add(copy)
            readers[fresh] = share
            fresh += 1
            made += 1
        readers[net] = found[: len(found) // count]
        # What feeds the copies has more readers now.
        again.extend(bit for bits in cells[original]["connections"].values() for bit in bits if bit in registers and bit != net)
    return made
