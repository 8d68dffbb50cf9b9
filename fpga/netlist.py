"""The netlist of yosys, finished for nextpnr: what both leave undone for ECP5."""

import json
from pathlib import Path
from typing import Any

from fpga.carries import trim_carries
from fpga.order import name_hardest_last
from fpga.outputs import pack_output_registers
from fpga.resets import share_reset
from fpga.spread import READERS, spread_registers

__all__ = ["finish", "readable"]


def finish(netlist: Path, *, readers: int = READERS) -> dict[str, int]:
    """Change a netlist in place, with a copy of a register for every so many ``readers``; returns what was moved or saved."""
    design = json.loads(netlist.read_text(encoding="utf-8"))
    registers = pack_output_registers(design)
    ends, starts = trim_carries(design)
    cleared = share_reset(design)
    copies, wires = spread_registers(design, readers)
    ranked = name_hardest_last(design)
    netlist.write_text(json.dumps(design), encoding="utf-8")
    return {
        "output registers": registers,
        "ends of carry chains": ends,
        "starts of carry chains": starts,
        "registers with the reset of all": cleared,
        "copies of registers": copies,
        "resets in the clock network": wires,
        "names by rank": ranked,
    }


def readable(design: dict[str, Any]) -> dict[str, Any]:
    """A finished netlist as yosys reads it back: an output that is open has no net, where nextpnr wants an unknown one."""
    for module in design["modules"].values():
        for cell in module["cells"].values():
            for port, nets in cell["connections"].items():
                if cell["port_directions"].get(port) == "output" and nets == ["x"]:
                    cell["connections"][port] = []
    return design
