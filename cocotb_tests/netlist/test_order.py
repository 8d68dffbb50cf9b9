# amaranth: UnusedElaboratable=no
"""Cells that find a place hardest have the last names, and nothing but names is changed."""

import copy
from pathlib import Path

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from fpga.order import name_hardest_last, original_name

from cocotb_tests.netlist.proofs import mapped


class Cleared(wiring.Component):
    """Twelve registers that are reset, and eight that are cleared besides, four of them from a look-up table."""

    a: In(12)
    clear: In(1)
    o: Out(20)

    def elaborate(self, platform):
        m = Module()
        many, masked, late = Signal(12), Signal(4), Signal(4)
        m.d.sync += [many.eq(self.a), masked.eq(many[:4] ^ self.a[:4]), late.eq(many[4:])]
        with m.If(self.clear):
            m.d.sync += [masked.eq(0), late.eq(0)]
        m.d.comb += self.o.eq(Cat(many, masked, late))
        return m


@pytest.mark.parametrize(("shared", "registers"), [(1, 0), (10, 8), (20, 20)])
def test_rare_resets_come_last(tmp_path: Path, shared: int, registers: int) -> None:
    design = mapped(Cleared(), tmp_path)
    before = copy.deepcopy(design["modules"]["top"])
    tables = 4 if registers else 0
    assert name_hardest_last(design, shared) == registers + tables
    after = design["modules"]["top"]
    assert {original_name(name): cell for name, cell in after["cells"].items()} == before["cells"]
    assert {name: after[name] for name in after if name != "cells"} == {name: before[name] for name in before if name != "cells"}
    by_name = [cell for _, cell in sorted(after["cells"].items())]
    last = by_name[len(by_name) - registers - tables :]
    resets = [cell["connections"]["LSR"][0] for cell in last if cell["type"] == "TRELLIS_FF"]
    assert len(resets) == registers
    assert sum(cell["type"] == "LUT4" for cell in last) == tables
    # the rarest at the end
    assert len(set(resets[-8:])) == bool(registers)
