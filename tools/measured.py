"""The pages of measured figures that are made from JSON files."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fpga.ablation import DEVICES
from fpga.gains import WORTH, gains, mean, worth
from sim.bench import tricks
from tools.tables import table

__all__ = ["ablation", "simulation", "soak"]

RESULTS = Path(__file__).parents[1] / "docs" / "results"

_ABLATION = """\
<!-- Written by python -m tools.gendocs from ablation.json. -->
# Passes over netlists and placements

What each pass of `fpga/ecp5/` gains on one netlist a device: `NEXTPNR_ECP5=nextpnr-ecp5 python -m fpga.ablation`.

- Each pass is left out in turn. The gain is that of all passes over all passes but this one.
- Passes of netlists are measured with one seed. Passes of placements move cells that nextpnr has placed. They are measured with more
  seeds, from the same placement.
- A pass stays when it gains {worth:.0%} of the clock or of the look-up tables on one of the devices, or when nextpnr fails without it.
  Other passes are deleted. A pass is decided on when it has been measured on both devices.
- One seed is one throw of the dice: two seeds of the same netlist differ by as much as many a pass gains.
- `--without NAME` leaves a pass out of `python -m fpga.build` and of `python -m fpga.measure`.

{passes}
{devices}"""


def _percent(part: float) -> str:
    return "needed" if math.isinf(part) else f"{part:+.1%}"


def _label(passes: Sequence[str], every: Sequence[str]) -> str:
    missing = [name for name in every if name not in passes]
    return "all passes" if not missing else "without " + ", ".join(f"`{name}`" for name in missing)


def _device(one: dict[str, Any]) -> str:
    found = gains(one["runs"])
    every = list(one["passes"])
    sets = [every, *([name for name in every if name != left_out] for left_out in every)]
    sets += [run["passes"] for run in one["runs"] if len(run["passes"]) < len(every) - 1]
    rows = []
    for passes in {frozenset(passes): passes for passes in sets}.values():
        runs = sorted((run for run in one["runs"] if set(run["passes"]) == set(passes)), key=lambda run: int(run["seed"]))
        clocks = ", ".join(run.get("failure") or f"{run['clock']:.1f} ({run['seed']})" for run in runs)
        luts = ", ".join(dict.fromkeys(f"{run['luts']:,}" for run in runs if "luts" in run))
        left_out = [name for name in every if name not in passes]
        gained = map(_percent, mean(found[left_out[0]])) if len(left_out) == 1 and left_out[0] in found else ()
        rows.append((_label(passes, every), clocks or "not run", luts, *gained))
    full = max((run["luts"] / run["available"] for run in one["runs"] if "luts" in run), default=0)
    head = ("", "MHz (seed)", "TRELLIS_COMB", "gain of the clock", "gain of look-up tables")
    return (
        f"## `{one['board']}`\n\n{one['device']}, {one['preset']} with its front, mapped {one['mapped']}, {one['mhz']:g} MHz asked for; "
        f"up to {full:.0%} of the look-up tables taken. yosys {one['yosys']}, nextpnr {one['nextpnr']}, `{' '.join(one['options'])}`, "
        f"commits {', '.join(dict.fromkeys(run['commit'] for run in one['runs']))}, netlist {one['netlist']}.\n\n"
        + table(head, [(*row, *("",) * (len(head) - len(row))) for row in rows])
    )


def ablation() -> str:
    """``docs/results/ablation.md``."""
    results = json.loads((RESULTS / "ablation.json").read_text(encoding="utf-8"))
    stays = worth(results, devices=len(DEVICES))
    sentences = {name: about["what"] for one in results for name, about in one["passes"].items()}
    rows = [
        (f"`{name}`", sentence, "not decided" if name not in stays else "stays" if stays[name] else "deleted")
        for name, sentence in sentences.items()
    ]
    return _ABLATION.format(
        worth=WORTH, passes=table(("pass", "what it does", ""), rows), devices="\n".join(_device(one) for one in results)
    )


_SIMULATION = """\
<!-- Written by python -m tools.gendocs from simulation.json. -->
# Tricks of the simulation

Two things are done to make the Verilated programs of `sim/verilated/` fast. Each can be left out: `program(..., without=TRICKS)` of
`sim/verilated/builder.py` is the plain build. The plain build gives the same output, byte by byte; `tests/test_simulation_tricks.py`
compares them.

- `merged-registers` (`sim/verilated/registers.py`). Yosys writes a block of its own for every register, with all the conditions round it. A
  state machine with eighty registers so looks at its state eighty times a clock. The Verilog is rewritten before Verilator reads it:
  registers of a module that keep their value unless something happens share one block, in which each condition stands once. Blocks of any
  other form stay as they are. `tests/test_merged_registers.py` proves with yosys that units are the same hardware before and after.
- `common-steps` (`sim/verilated/step.h`). A clock of the broker is more code than the first cache of a processor holds. A regression runs
  several copies of the broker in one program, and each piece of a clock is fetched once for all of them. Verilator cuts the clock into
  functions (`--output-split-cfuncs 4000`). `sim/verilated/builder.py` finds their names in the generated C++ by a pattern; when the pattern
  does not fit, the program does not compile. Programs with mutants or coverage, and one broker alone, do without.

`{command}` on commit {commit}: {verilator}, {compiler}. valgrind counts the instructions and the misses of the first instruction cache
(32 KB, 8 ways). Seconds are processor time, the least of {rounds} rounds that take turns.

{runs}
What each trick gains: what the program takes more without it.

{gains}"""


def simulation() -> str:
    """``docs/results/simulation.md``."""
    found = json.loads((RESULTS / "simulation.json").read_text(encoding="utf-8"))
    runs = [
        (
            str(one["copies"]),
            ", ".join(f"`{name}`" for name in one["without"]) or "none",
            f"{one['instructions']:,}",
            f"{one['misses']:,}",
            str(min(one["seconds"])),
        )
        for one in found["runs"]
    ]
    saved = [
        (f"`{name}`", str(copies), *(_percent(part[what]) for what in ("instructions", "misses", "seconds")))
        for (name, copies), part in tricks.gains(found["runs"]).items()
    ]
    counts = ("instructions", "misses", "seconds")
    return _SIMULATION.format(
        command=found["command"],
        commit=found["commit"],
        verilator=f"Verilator {found['verilator']}",
        compiler=found["compiler"],
        rounds=len(found["runs"][0]["seconds"]),
        runs=table(("copies", "left out", *counts), runs),
        gains=table(("trick", "copies", *counts), saved),
    )


_SOAK = """\
<!-- Written by python -m tools.gendocs from soak.json. -->
# Soak

The regression in rounds, each with a seed of its own: `make soak HOURS=1`. A round makes documents and sets of subscriptions, has
libxml2, expat and the golden model judge every pair, and runs the broker's RTL on Verilator over all of them. It goes into the ledger
when nothing differs. Any difference stops the soak with the command that replays it.

**{pairs:,} pairs** of a publication and a subscription in {rounds} rounds: {documents:,} documents of {bytes:,} bytes, {matches:,} matches,
{clocks:,} clocks of the RTL, {differences:,} differences.

{table}"""


def soak() -> str:
    """``docs/results/soak.md``."""
    kept = json.loads((RESULTS / "soak.json").read_text(encoding="utf-8"))
    sizes = ("documents", "largest", "subscriptions", "sets")
    sums = ("pairs", "matches", "differences")
    rows = [
        (
            str(one["seed"]),
            one["commit"] + "-dirty" * one["dirty"],
            one["preset"],
            *(f"{one[name]:,}" for name in sizes),
            "yes" if one["words"] else "no",
            *(f"{one[name]:,}" for name in sums),
        )
        for one in kept["rounds"]
    ]
    return _SOAK.format(**kept["totals"], table=table(("seed", "commit", "preset", *sizes, "words compared", *sums), rows))
