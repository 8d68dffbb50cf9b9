"""A campaign: the mutants of a seed against all vectors, spread over the cores or machines of a Spark session, and resumable."""

import pickle
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from pyspark import SparkContext
from pyspark.broadcast import Broadcast

from sim.cache import BUILD, digest
from sim.mutants.benches import BENCHES, build
from sim.mutants.distilled import distilled
from sim.mutants.schemata import Mutant, identity
from sim.mutants.trials import Case, Result, Trial, read_results, reference, try_mutant, unpacked
from sim.mutants.vectors import Vector, vectors

__all__ = ["Campaign"]

_ROUND = 48
"""Mutants a core in a round. A round ends with its slowest mutant; its results are then on disk."""

_Programs = dict[str, tuple[str, bytes]]


class Campaign:
    """The programs with these mutants, the vectors, and the results so far.

    ``cases`` are the vectors with what the hardware made of them, those of the distilled set first; ``results`` grow in :meth:`run`.
    The mutants with a number in ``settled`` are not tried: each of them would take all vectors. ``likely`` names by the mutants'
    identities vectors that have killed them before, which are tried first.
    """

    def __init__(
        self,
        mutants: Sequence[Mutant],
        context: SparkContext,
        *,
        settled: Collection[int] = (),
        likely: Mapping[str, str] | None = None,
    ) -> None:
        self.mutants, self._context, self._settled = mutants, context, frozenset(settled)
        self._likely = {one.number: (likely or {}).get(identity(one)) for one in mutants}
        planted = {name: build(name, mutants) for name in BENCHES}
        self._benches = {one.number: tuple(name for name, (_, numbers) in planted.items() if one.number in numbers) for one in mutants}
        self._programs = {name: (path.parent.name, path.read_bytes()) for name, (path, _) in planted.items()}
        self._shipped: Broadcast[_Programs] = context.broadcast(self._programs)
        self._folder = BUILD / "mutants"
        self._folder.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        self.cases = self._cases()
        clocks = sum(one.clocks for one in self.cases)
        seconds = time.perf_counter() - started
        print(f"{len(self.cases)} vectors of {clocks:,} clocks without mutants, {seconds:.0f} s", file=sys.stderr, flush=True)
        self._ledger = self._folder / f"{digest([name for name, _ in self._programs.values()])}.jsonl"
        self.results = read_results(self._ledger)

    def _cases(self) -> list[Case]:
        """The vectors with what comes out; those that are there from an earlier run are read again."""
        first = {name: place for place, name in enumerate(distilled())}
        wanted = sorted(vectors(), key=lambda one: first.get(one.name, len(first)))
        places = {one.name: self._place(one) for one in wanted}
        missing = [one for one in wanted if not places[one.name].exists()]
        shipped = self._shipped

        def one(vector: Vector) -> bytes:
            found = reference(unpacked(shipped.value)[vector.bench], vector)
            return pickle.dumps(Case(vector, vector.key, *found))

        # Long ones first, so that the cores end together.
        missing.sort(key=lambda one: -len(one.data))
        if missing:
            (self._folder / "cases").mkdir(exist_ok=True)
            made = self._context.parallelize(missing, len(missing)).map(one).collect()
            for vector, data in zip(missing, made, strict=True):
                places[vector.name].write_bytes(data)
        return [pickle.loads(places[one.name].read_bytes()) for one in wanted]

    def _place(self, vector: Vector) -> Path:
        return self._folder / "cases" / digest([vector.key, self._programs[vector.bench][0]])

    def _ordered(self, kills: Counter[tuple[str, str]], unit: str) -> list[int]:
        """The places of the cases: the distilled ones, then the others, those first that have killed most of the unit for their clocks."""
        few = len(distilled())

        def rank(place: int) -> tuple[bool, float, int]:
            case = self.cases[place]
            return place >= few, (1 + case.clocks) / (0.2 + kills[unit, case.vector.name]), place

        return sorted(range(len(self.cases)), key=rank)

    def run(self) -> None:
        """Try every mutant that is not killed yet on the cases that it has not met."""
        units = {one.number: one.unit for one in self.mutants}
        kills = Counter((units[number], one.killed) for number, one in self.results.items() if one.killed is not None)
        trials = []
        for one in self.mutants:
            before = self.results.get(one.number)
            if one.number in self._settled:
                self.results.setdefault(one.number, Result(one.number))
            elif before is None or before.killed is None:
                trials.append(Trial(one.number, one.unit, self._benches[one.number], frozenset(before.passed if before else ())))
        start, size = time.perf_counter(), _ROUND * self._context.defaultParallelism
        with self._ledger.open("a", encoding="utf-8") as file:
            for at in range(0, len(trials), size):
                for result in self._round(trials[at : at + size], kills):
                    self.results[result.number] = result
                    file.write(result.line())
                    if result.killed is not None:
                        kills[units[result.number], result.killed] += 1
                file.flush()
                self._say(min(at + size, len(trials)), len(trials), time.perf_counter() - start)

    def killers(self, numbers: Sequence[int], names: Collection[str]) -> dict[int, str | None]:
        """For each of these mutants one of the named vectors that kills it, None where none does."""
        units = {one.number: one.unit for one in self.mutants}
        places = [place for place, case in enumerate(self.cases) if case.vector.name in names]
        places.sort(key=lambda place: self.cases[place].clocks)
        trials = [Trial(number, units[number], self._benches[number]) for number in numbers]
        shared, shipped = self._shared_cases(), self._shipped

        def one(trial: Trial) -> tuple[int, str | None]:
            cases = shared.value
            return trial.number, try_mutant(trial, [cases[place] for place in places], unpacked(shipped.value)).killed

        return dict(self._context.parallelize(trials, len(trials)).map(one).collect())

    def _round(self, trials: Sequence[Trial], kills: Counter[tuple[str, str]]) -> Iterator[Result]:
        orders = {unit: self._ordered(kills, unit) for unit in {trial.unit for trial in trials}}
        shared, shipped, likely = self._shared_cases(), self._shipped, self._likely

        def one(trial: Trial) -> Result:
            cases = [shared.value[place] for place in orders[trial.unit]]
            cases.sort(key=lambda case: case.vector.name != likely[trial.number])
            return try_mutant(trial, cases, unpacked(shipped.value))

        yield from self._context.parallelize(trials, len(trials)).map(one).collect()

    def _shared_cases(self) -> Broadcast[list[Case]]:
        if not hasattr(self, "_broadcast"):
            self._broadcast = self._context.broadcast(self.cases)
        return self._broadcast

    def _say(self, tried: int, total: int, seconds: float) -> None:
        killed = sum(one.killed is not None for one in self.results.values())
        left = seconds / tried * (total - tried)
        line = f"{tried} of {total} tried, {killed} of {len(self.results)} killed, {seconds:.0f} s, about {left:.0f} s left"
        print(line, file=sys.stderr, flush=True)
