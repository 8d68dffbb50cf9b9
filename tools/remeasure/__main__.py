"""``make results``: measures every figure of ``docs/results`` anew on one commit, then writes the pages.

A step that was measured on this commit is passed over, so that the command goes on where it was stopped. A step that fails is named, and
the others go on.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures.commit import ROOT, commit
from figures.record import RESULTS, WRITTEN, results, write
from tools.remeasure.plan import STEPS, Step

__all__ = ["main"]

_DONE = "results.done.json"
"""Beside the build, not the figures: which steps were measured on which commit."""


def _say(text: str) -> None:
    print(f"results: {text}", file=sys.stderr, flush=True)


def _run(step: Step, *, short: bool) -> bool:
    place = ROOT / "build" / "results"
    place.mkdir(parents=True, exist_ok=True)
    log = place / f"{step.name.replace(' ', '-').replace(',', '')}.log"
    with log.open("w") as output:
        done = subprocess.run([sys.executable, *step.command(short=short)], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        _say(f"{step.name} failed with status {done.returncode}, see {log}")
    return done.returncode == 0


def _of(state: str, kept: Any) -> Any:
    """Figures by key without those of other commits, whose commands or set-up are no longer those of the plan."""
    if not isinstance(kept, dict) or "commit" in kept:
        return kept
    within = {key: _of(state, one) for key, one in kept.items()}
    return {key: one for key, one in within.items() if not isinstance(one, dict) or one.get("commit", state) == state}


def _sweep(state: str) -> None:
    """Drops from the files of the plan what is of another commit."""
    for name in sorted({one.file for one in STEPS}):
        path = results() / name
        kept = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(kept, dict) and "commit" not in kept:
            write(path, _of(state, kept))


def main(arguments: Sequence[str] | None = None) -> int:
    """Status 1 when a step failed, 2 when nothing was run."""
    parser = argparse.ArgumentParser(prog="python -m tools.remeasure", description=__doc__)
    parser.add_argument("--only", action="append", help="steps whose name or file begins like this; may be repeated")
    parser.add_argument("--list", action="store_true", help="name the steps and their commands, run nothing")
    parser.add_argument("--into", type=Path, help="a folder for the figures in place of docs/results")
    parser.add_argument("--short", action="store_true", help="a short try of each step, to see that it works; needs --into")
    given = parser.parse_args(arguments)
    steps = [one for one in STEPS if not given.only or one.name.startswith(tuple(given.only)) or one.file.startswith(tuple(given.only))]
    if given.list:
        for one in steps:
            print(f"{one.name:30} {one.file:16} python {' '.join(one.command(short=given.short))}")
        return 0
    if given.short and given.into is None:
        parser.error("figures of a short try are no results: give --into")
    if given.into is not None:
        os.environ[RESULTS] = str(given.into.resolve())
    state = commit(apart_from=WRITTEN)
    if state.dirty and not given.short:
        _say("there are changes that are not committed: all figures must be of one commit")
        return 2
    kept = (given.into or ROOT / "build") / _DONE
    done = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    failed = []
    for place, one in enumerate(steps, start=1):
        if done.get(one.name) == str(state):
            _say(f"{place} of {len(steps)}: {one.name} was measured on {state}")
            continue
        started = time.monotonic()
        _say(f"{place} of {len(steps)}: {one.name}: python {' '.join(one.command(short=given.short))}")
        if _run(one, short=given.short):
            done[one.name] = str(state)
            write(kept, done)
            _say(f"{one.name} took {time.monotonic() - started:.0f} s; {results() / one.file}")
        else:
            failed.append(one.name)
    if not failed and not given.only:
        _sweep(str(state))
    if given.into is None:
        subprocess.run([sys.executable, "-m", "tools.gendocs"], cwd=ROOT, check=True)
    _say(f"{len(steps) - len(failed)} of {len(steps)} steps measured on {state}" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
