"""Small designs mapped to cells, and proofs over yosys's models of the cells."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from fpga.synthesis import legal_registers

__all__ = ["HERE", "cells", "mapped", "prove_equal"]

HERE = Path(__file__).parent


def cells() -> Path:
    """The folder of yosys's models."""
    import pyosys

    return Path(next(iter(pyosys.__path__))) / "share" / "lattice"


def _yosys(lines: Sequence[str], folder: Path) -> None:
    program = f"from pyosys import libyosys as ys\nd = ys.Design()\nfor line in {list(lines)!r}:\n    ys.run_pass(line, d)\n"
    with (folder / "yosys.log").open("a") as log:
        subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, stdout=log, stderr=subprocess.STDOUT)


def mapped(component: Any, folder: Path, *, resets: int = 1) -> dict[str, Any]:
    """The netlist of a component, with the module ``top``; a reset of fewer flip-flops than ``resets`` is made of look-up tables."""
    (folder / "top.il").write_text(rtlil.convert(component, name="top", emit_src=False))
    synthesis = "synth_ecp5 -abc9 -top top"
    first, rest = f"{synthesis} -run begin:map_ffs", f"{synthesis} -run map_ffs: -json top.json"
    _yosys(["read_rtlil top.il", first, legal_registers(resets=resets), rest], folder)
    design: dict[str, Any] = json.loads((folder / "top.json").read_text())
    return design


def prove_equal(gold: dict[str, Any], gate: dict[str, Any], folder: Path, *, how: str) -> None:
    """Two modules with the same ports have the same outputs, by the command ``how`` of yosys; raises where they have not."""
    (folder / "both.json").write_text(json.dumps({"modules": {"gold": gold, "gate": gate}}))
    lines = [
        "read_json both.json",
        f"read_verilog -I {cells()} {cells()}/common_sim.vh {cells()}/ccu2c_sim.vh",
        f"read_verilog -sv {HERE}/models.v",
        "miter -equiv -make_outputs gold gate miter",
        "hierarchy -top miter",
        "proc",
        "flatten -wb",
        "opt_clean",
        "async2sync",
        f"sat -verify {how} -prove trigger 0 miter",
    ]
    _yosys(lines, folder)
