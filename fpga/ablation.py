"""What each pass of :mod:`fpga.ecp5` gains: ``python -m fpga.ablation``.

One netlist a board is placed and routed with all passes, and with each of them left out in turn. Passes of netlists are measured with one
seed, passes of placements, which start from the same placement, with three. Each run is written to the results at once; a run that is there
already is not repeated, unless the netlist, nextpnr or its options have changed.
"""

import argparse
import hashlib
import importlib.metadata
import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from fpga.boards import Board, board
from fpga.build import BUILD, commit, device_options, plan, preset
from fpga.ecp5.passes import NETLIST_PASSES, PASSES, PLACEMENT_PASSES, finish, mend, sentences
from fpga.ecp5.sources import forget_sources
from fpga.flow import OPTIONS, Attempt, FlowError, clock, nextpnr_version
from fpga.gains import worth
from fpga.synthesis import script

__all__ = ["DEVICES", "RESULTS", "main"]

DEVICES = ("ulx3s-85f", "ulx3s-25f")
RESULTS = BUILD.parent / "docs" / "results" / "ablation.json"

_SEEDS = (1, 2, 3)
_HOURS = 1.0
"""Of processor time, after which a step of nextpnr is stopped; with all passes it takes some minutes."""


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class _Bench:
    """One board's netlist as yosys leaves it, and what was measured on it."""

    def __init__(self, one: Board, results: Path, *, hours: float):
        self._board, self._results, self._hours = one, results, hours
        self._folder = BUILD / "ablation" / one.name
        self._folder.mkdir(parents=True, exist_ok=True)
        files, platform = plan(one, one.config, one.mhz)
        self._device = device_options(platform)
        (self._folder / "x2cbbr.lpf").write_text(files["x2cbbr.lpf"], encoding="utf-8")
        self.about = {
            "board": one.name,
            "device": f"{platform.device}-{platform.speed}{platform.package}",
            "preset": preset(one.config),
            "mapped": "for speed" if one.fast else "for area",
            "mhz": one.mhz,
            "netlist": self._synthesised(files["x2cbbr.il"]),
            "yosys": importlib.metadata.version("pyosys"),
            "nextpnr": nextpnr_version(),
            "options": list(OPTIONS),
        }
        known = next((found for found in _read(results) if self.about.items() <= found.items()), None)
        self.runs: list[dict[str, Any]] = known["runs"] if known else []
        self._passes: dict[str, dict[str, Any]] = (known["passes"] if known else {}) | {
            name: {"what": what, "seeds": len(_SEEDS) if name in PLACEMENT_PASSES else 1} for name, what in sentences().items()
        }

    def _synthesised(self, rtlil: str) -> str:
        """Make the netlist unless it is there; returns its digest."""
        program = script("x2cbbr", top="x2cbbr", fast=self._board.fast)
        key = hashlib.sha256(f"{rtlil}{program}{importlib.metadata.version('pyosys')}".encode()).hexdigest()
        kept = self._folder / "yosys.key"
        if not kept.exists() or kept.read_text() != key:
            _say(f"{self._board.name}: synthesis")
            (self._folder / "x2cbbr.il").write_text(rtlil, encoding="utf-8")
            with (self._folder / "yosys.log").open("w") as log:
                subprocess.run([sys.executable, "-c", program], cwd=self._folder, check=True, stdout=log, stderr=subprocess.STDOUT)
            design = json.loads((self._folder / "x2cbbr.json").read_text(encoding="utf-8"))
            forget_sources(design)
            (self._folder / "yosys.json").write_text(json.dumps(design), encoding="utf-8")
            kept.write_text(key)
        return hashlib.sha256((self._folder / "yosys.json").read_bytes()).hexdigest()[:16]

    def found(self, passes: Sequence[str], seed: int) -> dict[str, Any] | None:
        """What was measured with these passes."""
        return next((one for one in self.runs if one["seed"] == seed and set(one["passes"]) == set(passes)), None)

    def measure(self, passes: Sequence[str], seed: int) -> dict[str, Any]:
        """Place and route with these passes, and put what comes out into the results."""
        run = {"passes": list(passes), "seed": seed, "commit": commit(), **self._outcome(passes, seed)}
        self.runs.append(run)
        every = {found["board"]: found for found in _read(self._results)}
        every[self._board.name] = {**self.about, "passes": self._passes, "runs": self.runs}
        kept = [every[name] for name in DEVICES if name in every]
        self._results.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        return run

    def _outcome(self, passes: Sequence[str], seed: int) -> dict[str, Any]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        without = set(PASSES).difference(passes)
        attempt = Attempt(self._folder, self._device, self._board.mhz, seed, self._run)
        changed: dict[str, int] = {}
        try:
            placement, changed = self._placement(attempt, without)
            placed = Path(shutil.copy(placement, self._folder / "mended.json"))
            changed |= mend(placed, without=without)
            report = attempt.route(placed)
        except (FlowError, subprocess.CalledProcessError) as error:
            return {"failure": self._failure(error), "changed": changed}
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = report["utilization"]
        return {
            "clock": clock(report),
            "luts": used["TRELLIS_COMB"]["used"],
            "ffs": used["TRELLIS_FF"]["used"],
            "available": used["TRELLIS_COMB"]["available"],
            "changed": changed,
            "seconds": round(after.ru_utime - before.ru_utime),
        }

    def _placement(self, attempt: Attempt, without: Collection[str]) -> tuple[Path, dict[str, int]]:
        """The netlist without some passes, placed by nextpnr, and what the others have changed; placed once."""
        netlist = Path(shutil.copy(self._folder / "yosys.json", self._folder / "finished.json"))
        changed = finish(netlist, without=without)
        made_by = f"{self.about['nextpnr']}{self.about['options']}{self._device}{self._board.mhz}".encode()
        kept = self._folder / f"placement-{hashlib.sha256(netlist.read_bytes() + made_by).hexdigest()[:16]}-{attempt.seed}.json"
        if not kept.exists():
            attempt.place(netlist.name, constraints=["--lpf", "x2cbbr.lpf"]).rename(kept)
        return kept, changed

    def _run(self, command: Sequence[str], log: str, what: str) -> None:
        _say(f"  {what}")
        (self._folder / log).unlink(missing_ok=True)
        limit = round(self._hours * 3600)
        subprocess.run(
            [*command, "--log", log, "-q"],
            cwd=self._folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )

    def _failure(self, error: FlowError | subprocess.CalledProcessError) -> str:
        if isinstance(error, FlowError):
            return str(error)
        step = "placing" if "--no-route" in error.cmd else "routing"
        if error.returncode < 0:
            return f"{step} did not end within {self._hours:g} hours of processor time"
        return f"{step} failed with status {error.returncode}"


def _read(results: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(results.read_text(encoding="utf-8")) if results.exists() else []
    return found


def _wanted(left_out: Sequence[str], seeds: Sequence[int]) -> Iterator[tuple[str | None, int]]:
    """Which pass is left out with which seed, none at first."""
    for seed in seeds:
        moves = [name for name in left_out if name in PLACEMENT_PASSES]
        if seed == seeds[0] or moves:
            yield None, seed
        yield from ((name, seed) for name in moves)
        if seed == seeds[0]:
            yield from ((name, seed) for name in left_out if name in NETLIST_PASSES)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fpga.ablation", description=__doc__)
    parser.add_argument("--board", action="append", choices=DEVICES, help="one of the boards, or several in turn; all by default")
    parser.add_argument("--without", action="append", choices=PASSES, help="one of the passes, or several in turn; all by default")
    parser.add_argument("--seeds", default=",".join(map(str, _SEEDS)), help="the first is that of passes of netlists")
    parser.add_argument("--hours", type=float, default=_HOURS, help="of processor time for a step of nextpnr")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    seeds = [int(seed) for seed in given.seeds.split(",")]
    for name in given.board or DEVICES:
        bench = _Bench(board(name), given.results, hours=given.hours)
        wanted = list(_wanted(given.without or PASSES, seeds))
        for number, (without, seed) in enumerate(wanted, start=1):
            told = f"{name}, {number} of {len(wanted)}: {f'without {without}' if without else 'all passes'}, seed {seed}"
            _say(told)
            passes = [one for one in PASSES if one != without]
            run = bench.found(passes, seed) or bench.measure(passes, seed)
            _say(f"{told}: {run.get('failure') or str(run['clock']) + ' MHz'}")
    for name, stays in worth(_read(given.results), devices=len(DEVICES)).items():
        print(f"{name:20} {'stays' if stays else 'goes'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
