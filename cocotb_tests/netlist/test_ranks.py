# amaranth: UnusedElaboratable=no
"""Cells that find a place hardest have the last names, and nothing but names is changed."""

import copy
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cocotb_tests.netlist.proofs import mapped
from fpga.ecp5.nets import driven
from fpga.ecp5.path_order import place_slow_paths_first
from fpga.ecp5.ranks import original_name
from fpga.ecp5.reset_order import place_rare_resets_first
from fpga.ecp5.timing import Timing


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


def _unchanged_but_names(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert {original_name(name): cell for name, cell in after["cells"].items()} == before["cells"]
    assert {name: after[name] for name in after if name != "cells"} == {name: before[name] for name in before if name != "cells"}


@pytest.mark.parametrize("ordered", [False, True], ids=["alone", "after the order of paths"])
@pytest.mark.parametrize(("shared", "registers"), [(1, 0), (10, 8), (20, 20)])
def test_rare_resets_come_last(tmp_path: Path, shared: int, registers: int, ordered: bool) -> None:
    design = mapped(Cleared(), tmp_path)
    before = copy.deepcopy(design["modules"]["top"])
    tables = 4 if registers else 0
    if ordered:
        place_slow_paths_first(design)
    assert place_rare_resets_first(design, shared) == registers + tables
    after = design["modules"]["top"]
    _unchanged_but_names(before, after)
    by_name = [cell for _, cell in sorted(after["cells"].items())]
    last = by_name[len(by_name) - registers - tables :]
    resets = [cell["connections"]["LSR"][0] for cell in last if cell["type"] == "TRELLIS_FF"]
    assert len(resets) == registers
    assert sum(cell["type"] == "LUT4" for cell in last) == tables
    # the rarest at the end
    assert len(set(resets[-8:])) == bool(registers)


def test_tables_on_slow_paths_come_last(tmp_path: Path) -> None:
    design = mapped(Cleared(), tmp_path)
    before = copy.deepcopy(design["modules"]["top"])
    times = {output: time for name, time in Timing(before).through().items() for output in driven(before["cells"][name])}
    assert place_slow_paths_first(design) == len(times) > 4
    after = design["modules"]["top"]
    _unchanged_but_names(before, after)
    ordered = [times[driven(cell)[0]] for _, cell in sorted(after["cells"].items()) if cell["type"] == "LUT4"]
    assert ordered == pytest.approx(sorted(ordered), abs=0.01)
