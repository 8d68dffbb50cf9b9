"""Measure one component out of context on an ECP5: ``python -m fpga.measure hdl.cam:HashCam --params key_width=52,value_width=10``.

The component's inputs come from a long shift register and its outputs go to registers that nobody reads, kept all the same, so that any
component fits the pins and every path begins and ends in a flip-flop. The harness adds flip-flops and no look-up table: what it takes of
the device is what the component takes. Resources are those of the component alone as yosys maps it; the clock is that of nextpnr for the
component in its harness.
"""

import argparse
import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import Cat, ClockDomain, ClockSignal, Const, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fpga.ecp5.passes import PASSES, finish
from fpga.flow import OPTIONS, Attempt, clock, nextpnr_version, place_and_route
from fpga.report import critical_path
from fpga.synthesis import script
from hdl.config import BrokerConfig
from hdl.emit import ports_of

__all__ = ["Harness", "harnessed", "load", "main", "measure", "parameters", "synthesise"]

BUILD = Path(__file__).resolve().parent.parent / "build" / "measure"
RESOURCES = ("LUT4", "CCU2C", "TRELLIS_DPR16X4", "TRELLIS_FF", "DP16KD", "MULT18X18D")


class Harness(wiring.Component):
    """Registered edges round a component: a shift register before every input, a register after every output."""

    clk: In(1)
    si: In(1)
    so: Out(1)

    def __init__(self, component):
        self.component = component
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain()
        m.submodules.dut = self.component
        inputs, outputs = [], []
        for _, member, port in self.component.signature.flatten(self.component):
            value = Value.cast(port)
            if not isinstance(value, Const):
                (inputs if member.flow == In else outputs).append(value)
        chain = Signal(sum(len(value) for value in inputs) + 1, reset_less=True)
        reset = Signal(reset_less=True)
        m.d.comb += [ClockSignal().eq(self.clk), ResetSignal().eq(reset)]
        m.d.sync += [chain.eq(Cat(self.si, chain)), reset.eq(chain[-1])]
        start = 0
        for value in inputs:
            m.d.comb += value.eq(chain[start : start + len(value)])
            start += len(value)
        # The attribute keeps synthesis from removing what drives no pin.
        kept = Signal(sum(len(value) for value in outputs), attrs={"keep": 1})
        m.d.sync += kept.eq(Cat(outputs))
        m.d.comb += self.so.eq(kept[0])
        return m


def load(path: str, params: dict[str, Any]):
    """The component ``module:Class`` with keyword parameters; ``config`` may name a preset of the broker."""
    module, _, name = path.partition(":")
    if not name:
        raise ValueError(f"component must be module:Class, not {path!r}")
    if isinstance(params.get("config"), str):
        params = params | {"config": BrokerConfig.preset(params["config"])}
    cls = getattr(importlib.import_module(module), name)
    if "config" in params:
        return cls(params["config"], **{key: value for key, value in params.items() if key != "config"})
    return cls(**params)


def harnessed(path: str, params: dict[str, Any]) -> str:
    """The component in its harness, as yosys reads it."""
    harness = Harness(load(path, params))
    return str(rtlil.convert(harness, name="top", ports=[harness.clk, harness.si, harness.so], emit_src=False))


def synthesise(text: str, folder: Path, name: str, *, fast: bool = False, without: Collection[str] = ()) -> dict[str, int]:
    """Map to ECP5 cells; the netlist is ``name.json``, and the cells are counted."""
    (folder / f"{name}.il").write_text(text)
    with (folder / f"{name}.log").open("w") as log:
        subprocess.run([sys.executable, "-c", script(name, fast=fast)], cwd=folder, check=True, stdout=log, stderr=subprocess.STDOUT)
    counted = json.loads((folder / f"{name}.stat").read_text())["design"]["num_cells_by_type"]
    finished = finish(folder / f"{name}.json", without=without)
    changed = {"TRELLIS_FF": finished.get("register-copies", 0) - finished.get("block-ram-registers", 0)}
    return {kind: counted.get(kind, 0) + changed.get(kind, 0) for kind in RESOURCES}


def _place(folder: Path, device: str, speed: int, freq: int, seed: int, extra: list[str], without: Collection[str]) -> dict[str, Any]:
    def say(text: str) -> None:
        print(f"{folder.name}: {text.strip()}", file=sys.stderr, flush=True)

    def run(command: Sequence[str], log: str, what: str) -> None:
        say(what)
        subprocess.run([*command, "--log", log, "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    attempt = Attempt(folder, [f"--{device}", "--package", "CABGA381", "--speed", str(speed)], freq, seed, run, extra)
    data = place_and_route(attempt, "harness.json", constraints=["--lpf-allow-unconstrained"], without=without, say=say)
    return {"seed": seed, "mhz": round(clock(data), 1), "critical": critical_path(data)}


def measure(
    path: str,
    params: dict[str, Any],
    *,
    device: str = "85k",
    speed: int = 6,
    freq: int = 150,
    seeds: list[int],
    name: str,
    extra: list[str] | None = None,
    fast: bool = False,
    without: Collection[str] = (),
) -> dict[str, Any]:
    """Resources and clock of a component; also written to ``build/measure/<name>.json``."""
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    component = load(path, params)
    alone = rtlil.convert(component, name="top", ports=ports_of(component), emit_src=False)
    resources = synthesise(alone, folder, "alone", fast=fast, without=without)
    synthesise(harnessed(path, params), folder, "harness", fast=fast, without=without)
    runs = [_place(folder, device, speed, freq, seed, extra or [], without) for seed in seeds]
    result = {
        "component": path,
        "params": {key: str(value) for key, value in params.items()},
        "device": f"LFE5U-{device[:-1]}F-{speed}",
        "freq": freq,
        "mapped": "for speed" if fast else "for area",
        "without": sorted(without),
        "nextpnr": nextpnr_version(),
        "resources": resources,
        "mhz": [min(run["mhz"] for run in runs), max(run["mhz"] for run in runs)],
        "runs": runs,
    }
    (BUILD / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")
    return result


def parameters(text: str) -> dict[str, Any]:
    """Parameters of a component as the command line has them: ``name=value,...``."""

    def value(spelled: str) -> Any:
        try:
            return ast.literal_eval(spelled)
        except (ValueError, SyntaxError):
            return spelled

    return {name: value(spelled) for name, _, spelled in (item.partition("=") for item in text.split(",") if item)}


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fpga.measure", description=__doc__)
    parser.add_argument("component", help="module:Class")
    parser.add_argument("--params", default="", help="name=value,...; config=default stands for that preset")
    parser.add_argument("--device", default="85k", choices=["12k", "25k", "45k", "85k"])
    parser.add_argument("--speed", type=int, default=6, choices=[6, 7, 8])
    parser.add_argument("--freq", type=int, default=150, help="the clock asked for, MHz")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--name", help="of the results; the class by default")
    parser.add_argument("--fast", action="store_true", help="map for the shortest paths instead of for area")
    parser.add_argument("--nextpnr", default="", help=f"options of nextpnr, separated by spaces, in place of {' '.join(OPTIONS)}")
    parser.add_argument("--without", action="append", default=[], choices=PASSES, help="a pass of fpga/ecp5 that is left out")
    given = parser.parse_args(arguments)
    result = measure(
        given.component,
        parameters(given.params),
        device=given.device,
        speed=given.speed,
        freq=given.freq,
        seeds=[int(seed) for seed in given.seeds.split(",")],
        name=given.name or given.component.partition(":")[2],
        extra=given.nextpnr.split(),
        fast=given.fast,
        without=given.without,
    )
    print(f"{given.component} {given.params} on {result['device']}")
    print("  " + "  ".join(f"{kind} {count}" for kind, count in result["resources"].items()))
    print("  seed    MHz  logic  routing  critical path")
    for run in result["runs"]:
        path = run["critical"]
        print(f"  {run['seed']:4} {run['mhz']:6} {path['logic_ns']:6} {path['routing_ns']:8}  {path['from']} -> {path['to']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
