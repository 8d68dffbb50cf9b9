"""The page of the simulation's tricks."""

from sim.bench import tricks
from tools.results.kept import notice, percent, read
from tools.tables import table

__all__ = ["simulation"]

_SIMULATION = """\
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
    found = read("simulation.json")
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
        (f"`{name}`", str(copies), *(percent(part[what]) for what in ("instructions", "misses", "seconds")))
        for (name, copies), part in tricks.gains(found["runs"]).items()
    ]
    counts = ("instructions", "misses", "seconds")
    return notice("simulation.json") + _SIMULATION.format(
        command=found["command"],
        commit=found["commit"],
        verilator=f"Verilator {found['verilator']}",
        compiler=found["compiler"],
        rounds=len(found["runs"][0]["seconds"]),
        runs=table(("copies", "left out", *counts), runs),
        gains=table(("trick", "copies", *counts), saved),
    )
