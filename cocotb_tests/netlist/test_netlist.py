# amaranth: UnusedElaboratable=no
"""The synthesised netlist of small limits, on yosys's cells and Icarus, gives the answers of the hardware description."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import cocotb_tools.runner
import pytest
from amaranth.back import rtlil
from lxml import etree

from cocotb_tests.broker.broker_tests import TEXTS
from cocotb_tests.netlist.proofs import HERE, cells
from cocotb_tests.runner import BUILD, simulate
from fpga.ecp5.passes import finish, readable
from fpga.synthesis import script
from hdl.broker import Broker
from hdl.config import BrokerConfig

FLOW = HERE.parents[1] / "fpga"
CONFIG = {
    "subscriptions": 15,
    "steps": 32,
    "slices": 2,
    "subscription_steps": 8,
    "names": 16,
    "learned": 64,
    "values": 16,
    "xpath_bytes": 64,
    "xram_bytes": 1024,
    "pram_words": 64,
}
DOCUMENTS, SEED = 60, 12
SYNTHESIS = script("netlist")
# The cells are replaced by what yosys's models of them say, which simulates sooner than their instances do; that of the block RAM is empty.
WRITING = """\
from pyosys import libyosys as ys
d = ys.Design()
lines = [
    "read_json netlist.json",
    "read_verilog -D NO_INCLUDES -I {cells} {cells}/cells_sim_ecp5.v",
    "blackbox DP16KD",
    "hierarchy -top top",
    "setattr -mod -unset whitebox -unset lib_whitebox -unset blackbox -unset keep_hierarchy =* =DP16KD %d",
    "proc",
    "flatten",
    "opt_clean -purge",
    "write_verilog -noattr netlist.v",
]
for line in lines:
    ys.run_pass(line, d)
"""


def netlist() -> Path:
    """The folder with ``netlist.v``, made once for the same hardware."""
    text = rtlil.convert(Broker(BrokerConfig(**CONFIG)), name="top", emit_src=False)
    made_by = "".join(source.read_text() for source in sorted(FLOW.rglob("*.py")))
    folder = BUILD / "netlist" / hashlib.sha256((text + SYNTHESIS + WRITING + made_by).encode()).hexdigest()[:16]
    if not (folder / "netlist.v").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "netlist.il").write_text(text)
        with (folder / "yosys.log").open("w") as log:
            subprocess.run([sys.executable, "-c", SYNTHESIS], cwd=folder, check=True, stdout=log, stderr=subprocess.STDOUT)
            # Small limits have few registers with many readers: here copies begin sooner.
            changed = finish(folder / "netlist.json", readers=32)
            # The reset is a port here, no register.
            assert all(count > 10 for what, count in changed.items() if what != "reset-network"), changed
            top = readable(json.loads((folder / "netlist.json").read_text()))["modules"]["top"]
            (folder / "netlist.json").write_text(json.dumps({"modules": {"top": top}}))
            writing = WRITING.replace("{cells}", str(cells()))
            subprocess.run([sys.executable, "-c", writing], cwd=folder, check=True, stdout=log, stderr=subprocess.STDOUT)
    return folder


@pytest.mark.long
@pytest.mark.timeout(5400)
def test_netlist_answers_as_the_description_does(tmp_path: Path) -> None:
    given = {"config": CONFIG, "documents": DOCUMENTS}
    simulate(
        Broker(BrokerConfig(**CONFIG)),
        tests="cocotb_tests.netlist.netlist_tests",
        simulator="verilator",
        seed=SEED,
        parameters=given | {"output": str(tmp_path / "description")},
        ports_only=True,
    )
    folder = netlist()
    runner = cocotb_tools.runner.get_runner("icarus")
    runner.build(
        sources=[folder / "netlist.v", HERE / "models.v"],
        hdl_toplevel="top",
        build_dir=folder / "icarus",
        timescale=("1ns", "1ps"),
        always=True,
        log_file=folder / "build.log",
    )
    runner.test(
        test_module="cocotb_tests.netlist.netlist_tests",
        hdl_toplevel="top",
        hdl_toplevel_lang="verilog",
        build_dir=folder / "icarus",
        test_dir=folder / "icarus",
        seed=SEED,
        timescale=("1ns", "1ps"),
        extra_env={"BENCH_PARAMETERS": json.dumps(given | {"output": str(tmp_path / "netlist")}), "PYTHONPATH": os.pathsep.join(sys.path)},
        log_file=folder / "run.log",
    )
    described, synthesised = (json.loads((tmp_path / name).read_text()) for name in ("description", "netlist"))
    assert synthesised == described
    good = 0
    for number, raw in enumerate(map(bytes.fromhex, described["documents"])):
        try:
            tree = etree.fromstring(raw).getroottree()
        except etree.XMLSyntaxError:
            assert described["verdicts"][number]["code"] != 0
            continue
        good += 1
        due = {str(place) for place, text in enumerate(TEXTS, start=1) if tree.xpath(text if text.startswith("/") else "/" + text)}
        assert set(described["notified"].get(str(number), {})) == due
    assert good >= 40
    assert len(described["documents"]) >= 50
