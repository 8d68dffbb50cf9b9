# amaranth: UnusedElaboratable=no
"""Registers that are given the reset of all are what they were, by a proof over the cells' models."""

import copy
from pathlib import Path

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cocotb_tests.netlist.proofs import mapped, prove_equal
from fpga.ecp5.common_reset import share_reset

MANY = 20


class Cleared(wiring.Component):
    """Registers that a reset clears: many directly, three in their logic and one through two tables; and four that it does not clear."""

    reset: In(1)
    a: In(10)
    o: Out(MANY + 8)

    def elaborate(self, platform):
        m = Module()
        many = Signal(MANY, reset_less=True)
        made, kept = Signal(4, init=0b1000, reset_less=True), Signal(4, reset_less=True)
        m.d.sync += many.eq(Cat(self.a, many))
        with m.If(self.reset):
            m.d.sync += many.eq(0)
        clear = Signal()
        m.d.comb += clear.eq(self.reset | self.a[9])
        m.d.sync += [
            made[0].eq(self.a[0] & ~clear),
            made[1].eq((self.a[1] ^ many[1]) & ~self.reset),
            made[2].eq(self.a[:9].all() & many[:4].any() & ~(clear | many[2])),
            made[3].eq(self.a[3] | self.reset),
            kept[0].eq(self.a[4] & self.reset),
            kept[1].eq(self.a[5] ^ self.reset),
            kept[2].eq(self.a[6] & ~clear | self.reset),
            kept[3].eq(self.a[7]),
        ]
        m.d.comb += self.o.eq(Cat(many, made, kept))
        return m


def test_registers_that_are_cleared_anyway_share_the_reset(tmp_path: Path) -> None:
    # Resets that few share are made in logic.
    design = mapped(Cleared(), tmp_path, resets=10)
    before = copy.deepcopy(design)
    assert share_reset(design, MANY) == 4
    after = design["modules"]["top"]
    assert after != before["modules"]["top"]
    reset = after["ports"]["reset"]["bits"]
    assert sum(cell["connections"].get("LSR") == reset for cell in after["cells"].values() if cell["type"] == "TRELLIS_FF") == MANY + 4
    prove_equal(before["modules"]["top"], after, tmp_path, how="-tempinduct -seq 1 -maxsteps 8 -set-init-zero")


def test_without_a_reset_of_all_nothing_changes(tmp_path: Path) -> None:
    design = mapped(Cleared(), tmp_path, resets=10)
    before = copy.deepcopy(design)
    assert share_reset(design, MANY + 1) == 0
    assert design == before
