"""``make bitstream BOARD=name``: a board's bitstream with a report of what it took.

``python -m fpga.build ulx3s-85f`` writes ``build/ulx3s-85f/x2cbbr.bit`` and ``report.json``. Seeds are tried one after the other until
the clock is met; when none meets it the command fails, unless ALLOW_FAIL=1, which packs the best of them.
"""

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from amaranth.build.run import BuildPlan

from fpga.boards import BOARDS, Board, board
from fpga.boards.top import BoardTop
from fpga.ecp5.passes import PASSES
from fpga.flow import FlowError, Placed, nextpnr_version, pack, place, synthesise, why_it_does_not_fit
from fpga.report import critical_path, resources, summary, units
from hdl.config import PRESETS, BrokerConfig

__all__ = ["build", "commit", "device_options", "main", "plan", "preset", "program"]

BUILD = Path(__file__).resolve().parent.parent / "build"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def plan(one: Board, config: BrokerConfig, mhz: float) -> tuple[dict[str, str], Any]:
    """The design as RTLIL and its pins, with no word of where its sources are, and the platform."""
    # The platforms look for these although nothing is programmed or built by them.
    looked_for = dict.fromkeys(("OPENFPGALOADER", "DFU_SUFFIX", "YOSYS", "NEXTPNR_ECP5", "ECPPACK"), "true")
    before = dict(os.environ)
    os.environ.update(looked_for | before)
    try:
        platform = one.make_platform()
        built: BuildPlan = platform.prepare(BoardTop(one, config=config, mhz=mhz), name="x2cbbr", emit_src=False)
    finally:
        for name in looked_for.keys() - before:
            del os.environ[name]
    files = {name: text.decode() if isinstance(text, bytes) else text for name, text in built.files.items()}
    return files, platform


def preset(config: BrokerConfig) -> str:
    """The name of these limits."""
    return next((f"preset {name}" for name, limits in PRESETS.items() if limits == config), "limits of its own")


def device_options(platform: Any) -> list[str]:
    """What nextpnr is told of a platform's device."""
    size = next(name for name in platform._nextpnr_device_options if name == platform.device)
    package = platform._nextpnr_package_options[platform.package].upper()
    return [*platform._nextpnr_device_options[size].split(), "--package", package, "--speed", platform.speed]


def build(
    one: Board,
    *,
    config: BrokerConfig | None = None,
    mhz: float | None = None,
    seeds: int = 4,
    allow_fail: bool = False,
    extra: str = "",
    without: Collection[str] = (),
) -> dict[str, Any]:
    """Build a board; the report, which is also in ``report.json``. ``met`` in it says whether the clock was met."""
    config, mhz = config or one.config, mhz or one.mhz
    folder = BUILD / one.name
    folder.mkdir(parents=True, exist_ok=True)
    for old in ("x2cbbr.bit", "report.json"):
        (folder / old).unlink(missing_ok=True)
    _say(f"{one.name}: {one.sentence}, {preset(config)}, {mhz:g} MHz")
    _say("  writing the design")
    files, platform = plan(one, config, mhz)
    (folder / "x2cbbr.lpf").write_text(files["x2cbbr.lpf"], encoding="utf-8")
    netlist = synthesise(files["x2cbbr.il"], folder, top="x2cbbr", fast=one.fast, say=_say, without=without)
    used = resources(netlist)
    _say(f"  LUT4 {used['luts']}, FF {used['ffs']}, DP16KD {used['brams']}")
    best: Placed | None = None
    for seed in range(1, seeds + 1):
        try:
            placed = place(folder, device=device_options(platform), mhz=mhz, seed=seed, say=_say, extra=extra.split(), without=without)
        except FlowError as error:
            raise FlowError(why_it_does_not_fit(folder, seed) or str(error)) from error
        _say(f"  seed {seed}: {placed.mhz} MHz")
        if best is None or placed.mhz > best.mhz:
            best = placed
        if placed.mhz >= mhz:
            break
    assert best is not None
    met = best.mhz >= mhz
    report: dict[str, Any] = {
        "board": one.name,
        "device": f"{platform.device}-{platform.speed}{platform.package}",
        "preset": preset(config),
        "mapped": "for speed" if one.fast else "for area",
        "nextpnr": nextpnr_version(),
        "without": sorted(without),
        "config": dataclasses.asdict(config),
        **used,
        "fmax_mhz": best.mhz,
        "requested_mhz": mhz,
        "met": met,
        "seed": best.seed,
        "critical_path": critical_path(best.report),
        "utilisation": {kind: (cells["used"], cells["available"]) for kind, cells in best.report["utilization"].items() if cells["used"]},
        "units": units(netlist),
        "commit": commit(),
    }
    if met or allow_fail:
        report["bitstream"] = str(pack(best, folder, say=_say))
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    (folder / "summary.txt").write_text(summary(report) + "\n", encoding="utf-8")
    return report


def commit() -> str:
    """The commit of the checkout; dirty when what a bitstream is made from differs from it."""

    def git(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, cwd=BUILD.parent)

    name = git("describe", "--always").stdout.strip()
    return f"{name}-dirty" if name and git("diff", "--quiet", "HEAD", "--", "hdl", "fpga").returncode else name or "unknown"


def program(one: Board) -> int:
    """Load a board's bitstream through openFPGALoader."""
    bitstream = BUILD / one.name / "x2cbbr.bit"
    if not bitstream.exists():
        _say(f"there is no {bitstream}; run make bitstream BOARD={one.name}")
        return 2
    loader = os.environ.get("OPENFPGALOADER", "openFPGALoader")
    try:
        return subprocess.run([loader, *one.loader, str(bitstream)], check=False).returncode
    except FileNotFoundError:
        _say("openFPGALoader must be installed: apt-get install openfpgaloader")
        return 2


def _listing() -> str:
    lines = ["Boards:"]
    for one in BOARDS.values():
        lines.append(f"  {one.name:<18} {one.sentence}; {preset(one.config)}, {one.mhz:g} MHz")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fpga.build", description=__doc__, epilog=_listing())
    parser.add_argument("board", help="the board, or help for a list")
    parser.add_argument("--program", action="store_true", help="load what was built before")
    parser.add_argument("--mhz", type=float, help="the clock asked for, in place of the board's")
    parser.add_argument("--preset", choices=tuple(PRESETS), help="limits in place of the board's")
    parser.add_argument("--limits", type=json.loads, metavar="JSON", help="fields to change in the limits")
    parser.add_argument("--seeds", type=int, default=int(os.environ.get("SEEDS") or 4), help="seeds to try at most")
    parser.add_argument("--nextpnr", default="", help="options of nextpnr, separated by spaces, in place of those of fpga/flow.py")
    parser.add_argument("--without", action="append", default=[], choices=PASSES, help="a pass of fpga/ecp5 that is left out")
    given = parser.parse_args(arguments)
    if given.board in ("help", ""):
        print(_listing())
        return 0
    try:
        one = board(given.board)
    except ValueError as error:
        _say(f"{error}\n{_listing()}")
        return 2
    if given.program:
        return program(one)
    allow = os.environ.get("ALLOW_FAIL") == "1"
    config = dataclasses.replace(PRESETS[given.preset] if given.preset else one.config, **given.limits or {})
    try:
        report = build(one, config=config, mhz=given.mhz, seeds=given.seeds, allow_fail=allow, extra=given.nextpnr, without=given.without)
    except FlowError as error:
        _say(f"{one.name} cannot be built: {error}")
        return 1
    print(summary(report))
    if not report["met"]:
        _say(f"{one.name}: timing FAILS: {report['fmax_mhz']} MHz of {report['requested_mhz']:g} asked for, the best of the seeds tried")
        if not allow:
            _say("no bitstream is written; ALLOW_FAIL=1 writes one all the same, SEEDS=n tries more seeds, ARGS='--mhz f' asks for less")
            return 1
    print(report["bitstream"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
