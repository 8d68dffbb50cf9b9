"""The passes by name, in the order in which they run, each of which can be left out."""

import inspect
import json
import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fpga.ecp5.block_ram_registers import pack_output_registers
from fpga.ecp5.carry_ends import trim_carries
from fpga.ecp5.common_reset import share_reset
from fpga.ecp5.path_order import place_slow_paths_first
from fpga.ecp5.placement import Placement
from fpga.ecp5.register_copies import READERS, copy_registers
from fpga.ecp5.reset_network import spread_resets
from fpga.ecp5.reset_order import place_rare_resets_first
from fpga.ecp5.slow_paths import shorten_paths
from fpga.ecp5.sources import forget_sources
from fpga.ecp5.stray_cells import bring_home

__all__ = ["NETLIST_PASSES", "PASSES", "PLACEMENT_PASSES", "finish", "mend", "readable", "sentences"]

NETLIST_PASSES: Mapping[str, Callable[[dict[str, Any]], int]] = {
    "block-ram-registers": pack_output_registers,
    "carry-ends": trim_carries,
    "common-reset": share_reset,
    "reset-network": spread_resets,
    "register-copies": copy_registers,
    "path-order": place_slow_paths_first,
    "reset-order": place_rare_resets_first,
}
"""Between yosys and nextpnr; each changes a netlist and returns the number of cells or ends of cells that it has changed."""

PLACEMENT_PASSES: Mapping[str, Callable[[Placement], int]] = {"stray-cells": bring_home, "slow-paths": shorten_paths}
"""Between placing and routing; each moves cells and returns the number of moves."""

PASSES = (*NETLIST_PASSES, *PLACEMENT_PASSES)


def finish(netlist: Path, *, without: Collection[str] = (), readers: int = READERS) -> dict[str, int]:
    """Run the passes of netlists on a file, with a copy of a register for every so many ``readers``; returns what each returned."""
    design = json.loads(netlist.read_text(encoding="utf-8"))
    forget_sources(design)
    passes: dict[str, Callable[[dict[str, Any]], int]] = {**NETLIST_PASSES, "register-copies": partial(copy_registers, most=readers)}
    found = {name: run(design) for name, run in passes.items() if name not in without}
    netlist.write_text(json.dumps(design), encoding="utf-8")
    return found


def mend(placed: Path, *, without: Collection[str] = ()) -> dict[str, int]:
    """Run the passes of placements on a file, and let nextpnr leave every cell where it is then; returns what each returned."""
    design = json.loads(placed.read_text(encoding="utf-8"))
    placement = Placement(design)
    found = {name: run(placement) for name, run in PLACEMENT_PASSES.items() if name not in without}
    placement.lock()
    placed.write_text(json.dumps(design), encoding="utf-8")
    return found


def readable(design: dict[str, Any]) -> dict[str, Any]:
    """A finished netlist as yosys reads it back: an output that is open has no net, where nextpnr wants an unknown one."""
    for module in design["modules"].values():
        for cell in module["cells"].values():
            for port, nets in cell["connections"].items():
                if cell["port_directions"].get(port) == "output" and nets == ["x"]:
                    cell["connections"][port] = []
    return design


def sentences() -> dict[str, str]:
    """The first line of what each pass says of itself, by name."""
    modules = {name: run.__module__ for runs in (NETLIST_PASSES, PLACEMENT_PASSES) for name, run in runs.items()}
    return {name: (inspect.getdoc(sys.modules[module]) or "").splitlines()[0] for name, module in modules.items()}
