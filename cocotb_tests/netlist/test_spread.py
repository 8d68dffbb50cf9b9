# amaranth: UnusedElaboratable=no
"""Registers that are copied or spread over the clock network are the register clock by clock, by a proof over the cells' models."""

import copy
from collections import Counter
from pathlib import Path

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from fpga.spread import spread_registers

from cocotb_tests.netlist.proofs import mapped, prove_equal

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


@pytest.mark.parametrize(("readers", "resets"), [(4, 10), (16, 1000), (1000, 10), (1000, 1000)])
def test_a_spread_register_is_the_register(tmp_path: Path, readers: int, resets: int) -> None:
    design = mapped(Spread(), tmp_path)
    before = copy.deepcopy(design)
    copies, wires = spread_registers(design, readers, resets)
    after = design["modules"]["top"]
    assert len(after["cells"]) == len(before["modules"]["top"]["cells"]) + copies + wires
    assert (copies == 0) == (readers == 1000)
    assert wires == (resets == 10)
    read: Counter[object] = Counter()
    for cell in after["cells"].values():
        if cell["type"] == "LUT4":
            read.update(net for port in "ABCD" for net in cell["connections"][port])
    registers = [cell["connections"]["Q"][0] for cell in after["cells"].values() if cell["type"] == "TRELLIS_FF"]
    assert max(read[net] for net in registers) <= readers
    prove_equal(before["modules"]["top"], after, tmp_path, how="-tempinduct -seq 1 -maxsteps 8 -set-init-zero")
