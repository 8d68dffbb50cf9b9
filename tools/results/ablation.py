"""The page of the passes over netlists and placements."""

import math
from collections.abc import Sequence
from typing import Any

from fpga.ablation import DEVICES
from fpga.gains import WORTH, gains, mean, worth
from tools.results.kept import notice, percent, read
from tools.tables import table

__all__ = ["ablation"]

_ABLATION = """\
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


def _gain(part: float) -> str:
    return "needed" if math.isinf(part) else percent(part)


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
        gained = map(_gain, mean(found[left_out[0]])) if len(left_out) == 1 and left_out[0] in found else ()
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
    results = read("ablation.json")
    stays = worth(results, devices=len(DEVICES))
    sentences = {name: about["what"] for one in results for name, about in one["passes"].items()}
    rows = [
        (f"`{name}`", sentence, "not decided" if name not in stays else "stays" if stays[name] else "deleted")
        for name, sentence in sentences.items()
    ]
    return notice("ablation.json") + _ABLATION.format(
        worth=WORTH, passes=table(("pass", "what it does", ""), rows), devices="\n".join(_device(one) for one in results)
    )
