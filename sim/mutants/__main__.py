"""``python -m sim.mutants``: plant mutants in the hardware, run vectors until each is noticed, and say which were not."""

import argparse
import dataclasses
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark import SparkContext

from sim.cache import BUILD, digest
from sim.mutants.benches import BENCHES, all_sites, build
from sim.mutants.schemata import Mutant, choose
from sim.mutants.trials import Case, Result, Trial, read_results, reference, try_mutant
from sim.mutants.vectors import vectors
from spark_vectors.session import open_session

__all__ = ["main"]

_ROUND = 24
"""Mutants a core in a round."""


def _cases(folder: Path, executables: dict[str, str]) -> list[Case]:
    """The vectors as files, with what the hardware makes of them; those that are there from an earlier run are used again."""
    found = []
    folder.mkdir(parents=True, exist_ok=True)
    for vector in vectors():
        key = digest([vector.key, executables[vector.bench]])
        source, output, note = (folder / f"{key}.{part}" for part in ("input", "output", "note"))
        if not note.exists():
            source.write_bytes(vector.data)
            clocks, reached = reference(executables[vector.bench], str(source), vector.options, output)
            note.write_text(json.dumps([clocks, sorted(reached)]))
        clocks, numbers = json.loads(note.read_text())
        where = (str(source), vector.options, str(output))
        found.append(Case(vector.name, vector.kind, vector.key, vector.bench, *where, clocks, frozenset(numbers)))
    return found


def _ordered(cases: Sequence[Case], kills: Counter[tuple[str, str]], unit: str) -> list[int]:
    """The places of the cases, those first that have killed most mutants of the unit for their clocks."""
    return sorted(range(len(cases)), key=lambda place: ((1 + cases[place].clocks) / (0.2 + kills[unit, cases[place].name]), place))


def _tried(
    context: SparkContext, trials: Sequence[Trial], cases: Sequence[Case], executables: dict[str, str], kills: Counter[tuple[str, str]]
) -> Iterator[Result]:
    """The results in rounds, so that what killed mutants of a unit before is tried first on others of it."""
    shared = context.broadcast((list(cases), executables))
    size = _ROUND * context.defaultParallelism
    for start in range(0, len(trials), size):
        these = trials[start : start + size]
        orders = {unit: _ordered(cases, kills, unit) for unit in {trial.unit for trial in these}}

        def one(trial: Trial, orders: dict[str, list[int]] = orders) -> Result:
            found, executables = shared.value
            return try_mutant(trial, [found[place] for place in orders[trial.unit]], executables)

        for trial, result in zip(these, context.parallelize(these, len(these)).map(one).collect(), strict=True):
            if result.killed is not None:
                kills[trial.unit, result.killed] += 1
            yield result


def _passed(result: Result | None) -> frozenset[str]:
    return frozenset(result.passed if result is not None else ())


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants of a seed and write the table and ``build/mutate.json``."""
    parser = argparse.ArgumentParser(
        prog="python -m sim.mutants", description="Plant mutants in the hardware and count those that the vectors notice."
    )
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unit", help="mutants of this unit only, a folder of hdl")
    parser.add_argument("--master", default="local[2]")
    chosen = parser.parse_args(arguments)
    mutants = choose(all_sites(), count=chosen.mutants, seed=chosen.seed, unit=chosen.unit)
    planted = {name: build(name, mutants) for name in BENCHES}
    executables = {name: str(path) for name, (path, _) in planted.items()}
    folder = BUILD / "mutants"
    start = time.perf_counter()
    cases = _cases(folder / "cases", executables)
    print(f"{len(mutants)} mutants, {len(cases)} vectors of {sum(one.clocks for one in cases):,} clocks", file=sys.stderr, flush=True)
    ledger = folder / f"{digest([*executables.values()])}.jsonl"
    known = read_results(ledger)
    units = {one.number: one.unit for one in mutants}
    kills = Counter((units[one.number], one.killed) for one in known.values() if one.killed is not None)
    trials = [
        Trial(one.number, one.unit, tuple(name for name in BENCHES if one.number in planted[name][1]), _passed(known.get(one.number)))
        for one in mutants
        if one.number not in known or known[one.number].killed is None
    ]
    with ledger.open("a", encoding="utf-8") as file, open_session(chosen.master, name="mutants") as spark:
        for count, result in enumerate(_tried(spark.sparkContext, trials, cases, executables, kills), 1):
            known[result.number] = result
            file.write(result.line())
            file.flush()
            if count % 48 == 0 or count == len(trials):
                killed = sum(one.killed is not None for one in known.values())
                seconds = time.perf_counter() - start
                print(f"{count} of {len(trials)} tried, {killed} of {len(known)} killed, {seconds:.0f} s", file=sys.stderr, flush=True)
    _report(mutants, known, chosen.seed)
    return 0


def _report(mutants: Sequence[Mutant], results: dict[int, Result], seed: int) -> None:
    for title, attribute in (("unit", "unit"), ("kind", "kind")):
        total = Counter(getattr(one, attribute) for one in mutants)
        dead = Counter(getattr(one, attribute) for one in mutants if results[one.number].killed)
        print(f"\n{title:10} mutants killed")
        for name in sorted(total):
            print(f"{name:10} {total[name]:7} {dead[name]:6} {dead[name] / total[name]:6.1%}")
    print(Counter((one.kind, one.how) for one in results.values() if one.killed).most_common())
    survivors = [one for one in mutants if not results[one.number].killed]
    found = {
        "seed": seed,
        "mutants": len(mutants),
        "killed": len(mutants) - len(survivors),
        "survivors": [dataclasses.asdict(one) for one in survivors],
    }
    (BUILD / "mutate.json").write_text(json.dumps(found, indent=1))
    print(f"{found['killed']} of {found['mutants']} killed")


if __name__ == "__main__":
    raise SystemExit(main())
