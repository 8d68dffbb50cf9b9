# amaranth: UnusedElaboratable=no
"""Registers that are copied or spread over the clock network are the register clock by clock, by a proof over the cells' models."""

import copy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cocotb_tests.netlist.proofs import mapped, prove_equal
from fpga.ecp5.register_copies import copy_registers
from fpga.ecp5.reset_network import spread_resets

WIDTH = 60


class Spread(wiring.Component):
    """A reset that arrives through two registers and clears many, and a register that enables and inverts as many."""

    i: In(2)
    o: Out(WIDTH + 1)

    def elaborate(self, platform):
        m = Module()
        arrives, clears, enables = (Signal(name=name, reset_less=True) for name in ("arrives", "clears", "enables"))
        many = Signal(WIDTH, reset_less=True)
        m.d.sync += [arrives.eq(self.i[0]), clears.eq(arrives), enables.eq(self.i[1] ^ enables)]
        with m.If(clears):
            m.d.sync += many.eq(0)
        with m.Elif(enables):
            m.d.sync += many.eq(Cat(self.i[1], many) ^ (many & enables.replicate(WIDTH)))
        m.d.comb += self.o.eq(Cat(many, enables))
        return m


def _equal(before: dict[str, Any], after: dict[str, Any], folder: Path) -> None:
    prove_equal(before["modules"]["top"], after["modules"]["top"], folder, how="-tempinduct -seq 1 -maxsteps 8 -set-init-zero")


@pytest.mark.parametrize("most", [4, 16, 1000])
def test_copies_are_the_register(tmp_path: Path, most: int) -> None:
    design = mapped(Spread(), tmp_path)
    before = copy.deepcopy(design)
    copies = copy_registers(design, most)
    assert (copies == 0) == (most == 1000)
    after = design["modules"]["top"]
    assert len(after["cells"]) == len(before["modules"]["top"]["cells"]) + copies
    read: Counter[object] = Counter()
    for cell in after["cells"].values():
        if cell["type"] == "LUT4":
            read.update(net for port in "ABCD" for net in cell["connections"][port])
    registers = [cell["connections"]["Q"][0] for cell in after["cells"].values() if cell["type"] == "TRELLIS_FF"]
    assert max(read[net] for net in registers) <= most
    _equal(before, design, tmp_path)


@pytest.mark.parametrize(("most", "wires"), [(WIDTH - 1, 1), (WIDTH, 0)])
def test_a_reset_in_the_clock_network_is_the_reset(tmp_path: Path, most: int, wires: int) -> None:
    design = mapped(Spread(), tmp_path)
    before = copy.deepcopy(design)
    assert spread_resets(design, most) == wires
    after = design["modules"]["top"]
    buffers = [cell for cell in after["cells"].values() if cell["type"] == "DCCA"]
    assert len(buffers) == wires
    if wires:
        resets = [cell["connections"].get("LSR") for cell in after["cells"].values() if cell["type"] == "TRELLIS_FF"]
        assert resets.count(buffers[0]["connections"]["CLKO"]) == WIDTH
    _equal(before, design, tmp_path)
