"""Registers that many cells read: a wire of the clock network for a reset, copies for the rest.

One flip-flop that hundreds of cells read has a wire across the device that alone takes longer than a clock. yosys and nextpnr leave it at
that. Here the resets of flip-flops, when one register feeds more than a thousand, go through the clock network; nextpnr counts no delay on
it, the device takes about that of the clock. The look-up tables that read a register are divided among copies of it, in the order of
their names, which is that of the units they belong to: the same clock by clock, and each wire short. Enables and smaller resets keep
their one wire, for the flip-flops of a tile must share it.
"""

from collections import defaultdict
from math import ceil
from typing import Any

from fpga.nets import deepest_names, driven, top

__all__ = ["READERS", "spread_registers"]

READERS = 64
"""Look-up tables that read one flip-flop, at most."""
RESETS = 1000
"""Flip-flops that one register resets over ordinary wires, at most."""

_Reader = tuple[str, str, int]


class _Spread:
    """One netlist while its registers are spread."""

    def __init__(self, module: dict[str, Any]):
        self.module, self.cells = module, module["cells"]
        self.names = deepest_names(module)
        self.readers: dict[int, list[_Reader]] = defaultdict(list)
        self.registers: dict[int, str] = {}
        for name in self.cells:
            self._read(name)
        self._fresh = max(bit for found in (self.readers, self.registers, self.names) for bit in found)

    def _read(self, name: str) -> None:
        cell = self.cells[name]
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for place, bit in enumerate(bits):
                    if isinstance(bit, int):
                        self.readers[bit].append((name, port, place))
        if cell["type"] == "TRELLIS_FF":
            self.registers[cell["connections"]["Q"][0]] = name

    def unit(self, reader: _Reader) -> str:
        """What orders readers: the name of what they drive."""
        return next((self.names[bit] for bit in driven(self.cells[reader[0]]) if bit in self.names), reader[0])

    def logic(self, net: int) -> list[_Reader]:
        """The look-up tables that read a net, by unit."""
        found = [reader for reader in self.readers[net] if self.cells[reader[0]]["type"] == "LUT4"]
        return sorted(found, key=lambda reader: (self.unit(reader), reader))

    def resets(self, net: int) -> list[_Reader]:
        """The flip-flops that a net resets."""
        return [reader for reader in self.readers[net] if reader[1] == "LSR"]

    def _move(self, net: int, moved: list[_Reader], suffix: str) -> int:
        """A fresh net for some readers of another."""
        self._fresh += 1
        for name, port, place in moved:
            bits = self.cells[name]["connections"][port] = list(self.cells[name]["connections"][port])
            bits[place] = self._fresh
        gone = set(moved)
        self.readers[net] = [reader for reader in self.readers[net] if reader not in gone]
        self.readers[self._fresh] = list(moved)
        self.names[self._fresh] = self.names[net]
        self.module["netnames"][f"{self.names[net]}{suffix}"] = {"hide_name": 1, "bits": [self._fresh], "attributes": {}}
        return self._fresh

    def copy(self, net: int, moved: list[_Reader], number: int) -> None:
        """Let some readers of a register read a copy of it."""
        original = self.registers[net]
        fresh = self._move(net, moved, f"$copy{number}")
        cell = self.cells[original]
        name = f"{original}$copy{number}"
        self.cells[name] = cell | {"connections": cell["connections"] | {"Q": [fresh]}}
        self._read(name)

    def through_clocks(self, net: int, moved: list[_Reader]) -> None:
        """Let some readers of a register read it over the clock network."""
        fresh = self._move(net, moved, "$global")
        name = f"{self.registers[net]}$global"
        self.cells[name] = {
            "hide_name": 1,
            "type": "DCCA",
            "parameters": {},
            "attributes": {},
            "port_directions": {"CLKI": "input", "CE": "input", "CLKO": "output"},
            "connections": {"CLKI": [net], "CE": ["1"], "CLKO": [fresh]},
        }
        self._read(name)


def spread_registers(design: dict[str, Any], readers: int = READERS, resets: int = RESETS) -> tuple[int, int]:
    """Change a netlist; returns the numbers of copies and of resets that go through the clock network."""
    copies = wires = 0
    spread = _Spread(top(design))
    for net in sorted(spread.registers):
        if len(found := spread.resets(net)) > resets:
            spread.through_clocks(net, found)
            wires += 1
        found = spread.logic(net)
        count = ceil(len(found) / readers)
        for number in range(1, count):
            spread.copy(net, found[len(found) * number // count : len(found) * (number + 1) // count], number)
            copies += 1
    return copies, wires
