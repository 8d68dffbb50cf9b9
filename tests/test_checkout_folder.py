"""The folder of a checkout changes nothing of the netlist that nextpnr gets."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyosys
import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("hdl", "fpga", "tests")
# As fpga.measure and as fpga.build make them; a UART that sends back what it receives is the board's core.
PROGRAM = """\
from pathlib import Path
import fpga.boards.top
from fpga import measure
from fpga.boards import board
from fpga.build import plan
from fpga.flow import synthesise
from tests.test_boards import Core
for kind in ("area", "speed"):
    folder = Path(kind)
    folder.mkdir()
    measure.synthesise(measure.harnessed("hdl.stream:StreamFifo", {"shape": 12, "depth": 60}), folder, "harness", fast=kind == "speed")
fpga.boards.top.UartBroker = Core
one = board("ulx3s-25f")
files, _ = plan(one, one.config, one.mhz)
Path("board").mkdir()
synthesise(files["x2cbbr.il"], Path("board"), top="x2cbbr", fast=one.fast, say=print)
"""


def _checkout(folder: Path) -> Path:
    """The sources and yosys, as a checkout with a ``.venv`` of its own has them, and the netlists made there."""
    for name in PARTS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    packages = folder / ".venv" / "packages"
    packages.mkdir(parents=True)
    (packages / "pyosys").symlink_to(next(iter(pyosys.__path__)))
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{packages}"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def checkouts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    place = tmp_path_factory.mktemp("checkouts")
    return _checkout(place / "short"), _checkout(place / "another" / "place of a much longer name")


@pytest.mark.parametrize("netlist", ["area/harness.json", "speed/harness.json", "board/x2cbbr.json"])
def test_netlists_of_two_checkouts_are_the_same(checkouts: tuple[Path, Path], netlist: str) -> None:
    one, other = (checkout / netlist for checkout in checkouts)
    assert '"LUT4"' in one.read_text()
    assert one.read_bytes() == other.read_bytes()


def test_yosys_itself_tells_the_folder(checkouts: tuple[Path, Path]) -> None:
    """Otherwise the test above would say nothing."""
    for checkout in checkouts:
        program = """\
from pyosys import libyosys as ys
d = ys.Design()
ys.run_pass("read_verilog -lib +/lattice/cells_bb_ecp5.v", d)
ys.run_pass("tee -q -o cells dump =GSR", d)
"""
        environment = os.environ | {"PYTHONPATH": str(checkout / ".venv" / "packages")}
        subprocess.run([sys.executable, "-c", program], cwd=checkout, env=environment, stdout=subprocess.DEVNULL, check=True)
        assert f'src "{checkout}/.venv/packages/pyosys/share' in (checkout / "cells").read_text()
