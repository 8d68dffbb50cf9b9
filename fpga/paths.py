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

from fpga.ecp5.nets import deepest_names, driven, top
from fpga.ecp5.timing import Timing
from fpga.measure import BUILD, harnessed, parameters, synthesise

__all__ = ["main", "places", "units"]

_PLACES = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
_SHOWN = ("LUT4", "CCU2C", "TRELLIS_DPR16X4", "TRELLIS_FF", "DP16KD")


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
