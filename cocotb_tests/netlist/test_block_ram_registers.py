# amaranth: UnusedElaboratable=no
"""Flip-flops behind block RAM move into its output registers where that changes nothing, and stay where it would."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fpga.ecp5.block_ram_registers import pack_output_registers
from hdl.stream.block_ram import BlockRam

_SYNTHESIS = """\
from pyosys import libyosys as ys
d = ys.Design()
for line in ("read_rtlil top.il", "hierarchy -top top", "proc", "flatten", "opt_clean -purge", "synth_ecp5 -abc9 -top top -json top.json"):
    ys.run_pass(line, d)
"""


class Behind(wiring.Component):
    """A memory and a register behind it, which is reset, enabled or bypassed."""

    address: In(11)
    place: In(11)
    value: In(9)
    writes: In(1)
    enable: In(1)
    o: Out(9)
    early: Out(1)

    def __init__(self, *, width: int, depth: int, kind: str):
        self._width, self._depth, self._kind = width, depth, kind
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.ram = ram = BlockRam(shape=self._width, depth=self._depth)
        register = Signal(self._width, reset_less=self._kind != "reset", init=self._kind == "one")
        m.d.comb += [
            ram.write.addr.eq(self.place),
            ram.write.data.eq(self.value.replicate(self._width // 9)),
            ram.write.en.eq(self.writes),
            ram.read[0].addr.eq(self.address),
            ram.read[0].en.eq(1),
            self.o.eq(Cat(register[bit::9].xor() for bit in range(9))),
        ]
        if self._kind == "enabled":
            with m.If(self.enable):
                m.d.sync += register.eq(ram.read[0].data)
        else:
            m.d.sync += register.eq(ram.read[0].data)
        if self._kind == "bypassed":
            m.d.comb += self.early.eq(ram.read[0].data[0])
        return m


@pytest.mark.parametrize(("width", "depth"), [(36, 512), (9, 2048)])
@pytest.mark.parametrize(("kind", "moves"), [("plain", True), ("enabled", True), ("reset", False), ("one", False), ("bypassed", False)])
def test_registers_move(tmp_path: Path, width: int, depth: int, kind: str, moves: bool) -> None:
    (tmp_path / "top.il").write_text(rtlil.convert(Behind(width=width, depth=depth, kind=kind), name="top", emit_src=False))
    with (tmp_path / "yosys.log").open("w") as log:
        subprocess.run([sys.executable, "-c", _SYNTHESIS], cwd=tmp_path, check=True, stdout=log, stderr=subprocess.STDOUT)
    netlist = tmp_path / "top.json"
    design = json.loads(netlist.read_text())
    assert pack_output_registers(design) == (width if moves else 0)
    cells = design["modules"]["top"]["cells"].values()
    (ram,) = (cell for cell in cells if cell["type"] == "DP16KD")
    registers = [cell for cell in cells if cell["type"] == "TRELLIS_FF"]
    assert len(registers) == (0 if moves else width)
    # In 36 bits one port reads through the outputs of both.
    ports = "AB" if width == 36 else "B"
    assert all(ram["parameters"][f"REGMODE_{port}"] == ("OUTREG" if moves and port in ports else "NOREG") for port in "AB")
    enable = design["modules"]["top"]["ports"]["enable"]["bits"]
    if moves:
        assert all(ram["connections"][f"OCE{port}"] == (enable if kind == "enabled" else ["1"]) for port in ports)
