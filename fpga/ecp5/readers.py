"""A netlist while readers of its nets are moved to fresh nets."""

from collections import defaultdict
from typing import Any

from fpga.ecp5.nets import deepest_names, driven, top

__all__ = ["Reader", "Readers"]

Reader = tuple[str, str, int]
"""A cell, its port, and the place of the bit in it."""


class Readers:
    """Changes the design as readers are moved.

    Members
    -------
    cells : by name.
    registers : the flip-flop that drives each net, where one does.
    """

    def __init__(self, design: dict[str, Any]):
        self._module = top(design)
        self.cells: dict[str, Any] = self._module["cells"]
        self._names = deepest_names(self._module)
        self._readers: dict[int, list[Reader]] = defaultdict(list)
        self.registers: dict[int, str] = {}
        for name in self.cells:
            self._read(name)
        self._fresh = max(bit for found in (self._readers, self.registers, self._names) for bit in found)

    def _read(self, name: str) -> None:
        cell = self.cells[name]
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input":
                for place, bit in enumerate(bits):
                    if isinstance(bit, int):
                        self._readers[bit].append((name, port, place))
        if cell["type"] == "TRELLIS_FF":
            self.registers[cell["connections"]["Q"][0]] = name

    def _unit(self, reader: Reader) -> str:
        """What orders readers: the name of what they drive."""
        return next((self._names[bit] for bit in driven(self.cells[reader[0]]) if bit in self._names), reader[0])

    def tables(self, net: int) -> list[Reader]:
        """The look-up tables that read a net, by unit."""
        found = [reader for reader in self._readers[net] if self.cells[reader[0]]["type"] == "LUT4"]
        return sorted(found, key=lambda reader: (self._unit(reader), reader))

    def resets(self, net: int) -> list[Reader]:
        """The flip-flops that a net resets."""
        return [reader for reader in self._readers[net] if reader[1] == "LSR"]

    def move(self, net: int, moved: list[Reader], suffix: str) -> int:
        """Let some readers of a net read a fresh one, which is returned; the suffix tells its name from that of the net."""
        self._fresh += 1
        for name, port, place in moved:
            bits = self.cells[name]["connections"][port] = list(self.cells[name]["connections"][port])
            bits[place] = self._fresh
        gone = set(moved)
        self._readers[net] = [reader for reader in self._readers[net] if reader not in gone]
        self._readers[self._fresh] = list(moved)
        self._names[self._fresh] = self._names[net]
        self._module["netnames"][f"{self._names[net]}{suffix}"] = {"hide_name": 1, "bits": [self._fresh], "attributes": {}}
        return self._fresh

    def add(self, name: str, cell: dict[str, Any]) -> None:
        """Put a cell into the design."""
        self.cells[name] = cell
        self._read(name)
