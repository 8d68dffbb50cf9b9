"""Places and slow paths of a component before it is placed: ``python -m fpga.paths hdl.match:MatchingEngine --params config=default``.

Synthesis alone takes a minute where place and route take ten. The delays are those of cells plus a guess of the routing by fan-out: good
for finding the next path to cut, no claim about the clock. Give a netlist (``harness.json``) instead of a component to look at it again.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fpga.measure import BUILD, harnessed, parameters, synthesise
from fpga.nets import deepest_names, driven, top

__all__ = ["Timing", "main", "places", "units"]

_PLACES = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
_SHOWN = ("LUT4", "CCU2C", "TRELLIS_DPR16X4", "TRELLIS_FF", "DP16KD")
_DELAY = {"LUT4": 0.24, "TRELLIS_DPR16X4": 0.24, "PFUMX": 0.2, "L6MUX21": 0.2, "CCU2C": 0.45}
_ALONG = 0.06
"""From carry to carry."""
_FF, _BLOCK, _BLOCK_REGISTER = 0.52, 5.7, 1.0
_ENDS = {"TRELLIS_FF": ("DI", "M", "CE", "LSR"), "TRELLIS_DPR16X4": ("WAD", "WRE", "DI")}
_PATHS_IN = {"TRELLIS_DPR16X4": ("RAD",)}


def _names(module: dict[str, Any]) -> dict[int, str]:
    """The name of every net, the shortest public one."""
    best: dict[int, tuple[int, int, str]] = {}
    for name, net in module["netnames"].items():
        for place, bit in enumerate(net["bits"]):
            if isinstance(bit, int):
                shown = f"{name}[{place}]" if len(net["bits"]) > 1 else name
                best[bit] = min(best.get(bit, (2, 0, "")), (net.get("hide_name", 0), len(name), shown))
    return {bit: found[2] for bit, found in best.items()}


def places(cells: Counter[str]) -> int:
    """Look-up tables that cells take on the device: a carry cell takes two, a distributed RAM six."""
    return sum(_PLACES.get(kind, 0) * count for kind, count in cells.items())


def units(module: dict[str, Any], depth: int) -> dict[str, Counter[str]]:
    """Cells by the first parts of the name of what they drive."""
    nets = deepest_names(module)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name, cell in module["cells"].items():
        shown = next((nets[bit] for bit in driven(cell) if bit in nets), name)
        if cell["type"] in ("TRELLIS_DPR16X4", "DP16KD") and "." in name:
            shown = name
        parts = re.sub(r"^\$[a-z0-9_]*\$", "", shown).partition("$")[0].removeprefix("dut.").split(".")
        found[".".join(parts[:depth])][cell["type"]] += 1
    return found


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
        if cell["type"] == "TRELLIS_FF":
            return _FF
        if cell["type"] == "DP16KD":
            return _BLOCK_REGISTER if cell["parameters"].get(f"REGMODE_{port[2]}") == "OUTREG" else _BLOCK
        return None if cell["type"] in _DELAY else 0.0

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
            return _ALONG
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


def _slow(timing: Timing, shown: int) -> Iterator[str]:
    seen = set()
    for time, end, bit in timing.ends():
        path = timing.path(bit)
        start = timing.names.get(path[0], "?")
        key = (re.sub(r"\[\d+\]", "", start), re.sub(r"_TRELLIS.*|\.\d+\.\d+.*", "", end))
        if key in seen:
            continue
        seen.add(key)
        yield f"{time:5.1f} ns, {len(path) - 1:2} levels: {start} (read {timing.fanout[path[0]]} times) -> {end}"
        yield "        " + " > ".join(timing.names.get(net, "?").removeprefix("dut.")[:60] for net in path)
        if len(seen) >= shown:
            return


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fpga.paths", description=__doc__)
    parser.add_argument("component", help="module:Class, or a netlist")
    parser.add_argument("--params", default="", help="name=value,...; config=default stands for that preset")
    parser.add_argument("--fast", action="store_true", help="map for the shortest paths instead of for area")
    parser.add_argument("--shown", type=int, default=20, help="slow paths that are shown")
    parser.add_argument("--depth", type=int, default=1, help="parts of a unit's name")
    given = parser.parse_args(arguments)
    netlist = Path(given.component)
    if netlist.suffix != ".json":
        folder = BUILD / f"paths-{given.component.rpartition(':')[2]}"
        folder.mkdir(parents=True, exist_ok=True)
        synthesise(harnessed(given.component, parameters(given.params)), folder, "harness", fast=given.fast)
        netlist = folder / "harness.json"
    module = top(json.loads(netlist.read_text(encoding="utf-8")))
    found = units(module, given.depth)
    everything = sum(found.values(), Counter[str]())
    print(f"{netlist}: {places(everything)} places")
    print(f"{'unit':32} places " + " ".join(f"{kind.removeprefix('TRELLIS_'):>8}" for kind in _SHOWN))
    for name, cells in sorted(found.items(), key=lambda item: -places(item[1]))[: 12 * given.depth**2]:
        print(f"{name:32} {places(cells):6} " + " ".join(f"{cells[kind]:8}" for kind in _SHOWN))
    print(*_slow(Timing(module), given.shown), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
