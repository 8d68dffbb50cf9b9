"""Arrival times over a netlist before it is placed: delays of cells, and a guess of the routing by fan-out."""

from collections import Counter
from typing import Any

__all__ = ["ALONG", "CARRY", "TABLE", "Timing", "clock_to_output"]

TABLE, CARRY = 0.24, 0.45
"""Nanoseconds through a look-up table and through a carry cell."""
ALONG = 0.06
"""From carry to carry."""
_DELAY = {"LUT4": TABLE, "TRELLIS_DPR16X4": TABLE, "PFUMX": 0.2, "L6MUX21": 0.2, "CCU2C": CARRY}
_FF, _BLOCK, _BLOCK_REGISTER = 0.52, 5.7, 1.0
_ENDS = {"TRELLIS_FF": ("DI", "M", "CE", "LSR"), "TRELLIS_DPR16X4": ("WAD", "WRE", "DI")}
_PATHS_IN = {"TRELLIS_DPR16X4": ("RAD",)}


def clock_to_output(cell: dict[str, Any], port: str) -> float:
    """When an output of a cell that begins paths is ready, in ns after the clock."""
    if cell["type"] == "DP16KD":
        return _BLOCK_REGISTER if cell["parameters"].get(f"REGMODE_{port[2]}") == "OUTREG" else _BLOCK
    return _FF if cell["type"] == "TRELLIS_FF" else 0.0


def _names(module: dict[str, Any]) -> dict[int, str]:
    """The name of every net, the shortest public one."""
    best: dict[int, tuple[int, int, str]] = {}
    for name, net in module["netnames"].items():
        for place, bit in enumerate(net["bits"]):
            if isinstance(bit, int):
                shown = f"{name}[{place}]" if len(net["bits"]) > 1 else name
                best[bit] = min(best.get(bit, (2, 0, "")), (net.get("hide_name", 0), len(name), shown))
    return {bit: found[2] for bit, found in best.items()}


class Timing:
    """Arrival times over a netlist, with the net that each comes from."""

    def __init__(self, module: dict[str, Any]):
        self.names = _names(module)
        self._cells = module["cells"]
        self._driver: dict[int, tuple[str, str]] = {}
        self.fanout: Counter[int] = Counter()
        for name, cell in self._cells.items():
            for port, bits in cell["connections"].items():
                for bit in bits:
                    if not isinstance(bit, int):
                        continue
                    if cell["port_directions"][port] == "output":
                        self._driver[bit] = (name, port)
                    else:
                        self.fanout[bit] += 1
        self._arrival: dict[int, tuple[float, int | None]] = {}

    def _route(self, bit: int) -> float:
        return 0.75 + min(1.6, 0.035 * self.fanout[bit])

    def _start(self, bit: int) -> float | None:
        """When a net is ready that begins a path."""
        if bit not in self._driver:
            return 0.0
        name, port = self._driver[bit]
        cell = self._cells[name]
        return None if cell["type"] in _DELAY else clock_to_output(cell, port)

    def _inputs(self, name: str) -> list[int]:
        cell = self._cells[name]
        ports = _PATHS_IN.get(cell["type"]) or [port for port, way in cell["port_directions"].items() if way == "input"]
        return [bit for port in ports for bit in cell["connections"].get(port, []) if isinstance(bit, int)]

    def _step(self, name: str, bit: int) -> float:
        """From a net through the cell that reads it; carries and the halves of wide tables have wires of their own."""
        kind = self._cells[name]["type"]
        source, port = self._driver.get(bit, ("", ""))
        before = self._cells[source]["type"] if source else ""
        if kind == "CCU2C" and port == "COUT":
            return ALONG
        if kind in ("PFUMX", "L6MUX21") and before in ("LUT4", "PFUMX", "L6MUX21"):
            return _DELAY[kind]
        return self._route(bit) + _DELAY[kind]

    def arrival(self, bit: int) -> float:
        """When a net is ready, in ns after the clock."""
        stack = [bit]
        while stack:
            here = stack[-1]
            if here in self._arrival:
                stack.pop()
                continue
            start = self._start(here)
            if start is not None:
                self._arrival[here] = (start, None)
                continue
            name = self._driver[here][0]
            before = self._inputs(name)
            missing = [other for other in before if other not in self._arrival]
            if missing:
                stack.extend(missing)
                continue
            times = [(self._arrival[other][0] + self._step(name, other), other) for other in before]
            self._arrival[here] = max(times, default=(0.0, None))
        return self._arrival[bit][0]

    def ends(self) -> list[tuple[float, str, int]]:
        """Where paths end, slowest first: time, cell and port, net."""
        found = []
        for name, cell in self._cells.items():
            ports = _ENDS.get(cell["type"], ())
            if cell["type"] == "DP16KD":
                ports = tuple(port for port, way in cell["port_directions"].items() if way == "input" and not port.startswith("CLK"))
            for port in ports:
                for bit in cell["connections"].get(port, []):
                    if isinstance(bit, int) and bit in self._driver:
                        found.append((self.arrival(bit) + self._route(bit), f"{name}.{port}", bit))
        return sorted(found, reverse=True)

    def path(self, bit: int) -> list[int]:
        """The nets of the slowest path to a net, from its start."""
        found = [bit]
        while (before := self._arrival[found[-1]][1]) is not None:
            found.append(before)
        return found[::-1]

    def through(self) -> dict[str, float]:
        """The time of the slowest path through each look-up table, in ns."""
        left: dict[int, float] = {}
        for time, _, bit in self.ends():
            left[bit] = max(left.get(bit, 0.0), time - self.arrival(bit))
        found = {}
        # What a table reads is ready before what it drives.
        for bit in sorted(self._arrival, key=lambda bit: -self._arrival[bit][0]):
            name = self._driver.get(bit, ("", ""))[0]
            if bit not in left or not name or self._cells[name]["type"] not in _DELAY:
                continue
            if self._cells[name]["type"] == "LUT4":
                found[name] = self._arrival[bit][0] + left[bit]
            for before in self._inputs(name):
                left[before] = max(left.get(before, 0.0), self._step(name, before) + left[bit])
        return found
