"""What a campaign found, as tables and as ``build/mutate.json``."""

import dataclasses
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sim.mutants.classified import Classified
from sim.mutants.schemata import Mutant, identity
from sim.mutants.trials import Result

__all__ = ["Findings"]


class Findings:
    """The mutants of a seed with their results; ``known`` are those that are classified, ``few`` the names of the distilled vectors."""

    def __init__(
        self, mutants: Sequence[Mutant], results: Mapping[int, Result], known: Mapping[str, Classified], few: frozenset[str], *, seed: int
    ) -> None:
        self._mutants, self._results, self._few, self._seed = mutants, results, few, seed
        self._known = {one.number: known[identity(one)] for one in mutants if identity(one) in known}

    def _killed(self, one: Mutant) -> bool:
        return self._results[one.number].killed is not None

    @property
    def survivors(self) -> list[Mutant]:
        return [one for one in self._mutants if not self._killed(one)]

    def _counts(self, of: Callable[[Mutant], str]) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = defaultdict(Counter)
        for one in self._mutants:
            counts = found[of(one)]
            counts["mutants"] += 1
            counts["killed"] += self._killed(one)
            counts["distilled"] += self._results[one.number].killed in self._few
            if not self._killed(one):
                counts[self._known[one.number].how if one.number in self._known else "unexplained"] += 1
        names = ("mutants", "killed", "distilled", "proved", "redundant", "unexplained")
        return {key: {name: counts[name] for name in names} for key, counts in sorted(found.items())}

    def _soon(self) -> dict[str, dict[str, float]]:
        """For each kind of vector the mutants that it killed, and the clocks that ran before, its own included."""
        clocks: dict[str, list[int]] = defaultdict(list)
        for one in self._results.values():
            if one.killed is not None and one.kind is not None:
                clocks[one.kind].append(one.clocks)
        return {kind: {"killed": len(found), "median_clocks": statistics.median(found)} for kind, found in sorted(clocks.items())}

    def as_json(self, *, commit: str) -> dict[str, Any]:
        total = self._counts(lambda one: "all")["all"]
        survivors = []
        for one in self.survivors:
            known = self._known.get(one.number)
            reason = dataclasses.asdict(known) if known else None
            survivors.append({**dataclasses.asdict(one), "classified": reason and {key: reason[key] for key in ("how", "why")}})
        return {
            "commit": commit,
            "seed": self._seed,
            **total,
            "units": self._counts(lambda one: one.unit),
            "kinds": self._counts(lambda one: one.kind),
            "vectors": self._soon(),
            "noticed_by": dict(Counter(one.how for one in self._results.values() if one.how is not None)),
            "survivors": survivors,
        }

    def write(self, path: Path, *, commit: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.as_json(commit=commit), indent=1) + "\n", encoding="utf-8")

    def record(self, path: Path, *, commit: str) -> None:
        """Put the counts into a file of campaigns, in the place of those of the same seed and number of mutants."""
        found = self.as_json(commit=commit)
        names = ("commit", "seed", "mutants", "killed", "distilled", "proved", "redundant", "unexplained", "units")
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        others = [one for one in before if (one["seed"], one["mutants"]) != (self._seed, found["mutants"])]
        path.write_text(json.dumps([*others, {name: found[name] for name in names}], indent=1) + "\n", encoding="utf-8")

    def show(self, console: Console) -> None:
        found = self.as_json(commit="")
        for title, rows in (("unit", {**found["units"], "all": found}), ("mutation", found["kinds"])):
            table = Table(header_style="bold")
            for name in (title, "mutants", "killed", "", "by the distilled", "", "proved", "redundant", "unexplained", "score"):
                table.add_column(name, justify="left" if name == title else "right")
            for name, row in rows.items():
                counted = row["mutants"] - row["proved"] - row["redundant"]
                table.add_row(
                    name,
                    str(row["mutants"]),
                    str(row["killed"]),
                    _share(row["killed"], row["mutants"]),
                    str(row["distilled"]),
                    _share(row["distilled"], row["mutants"]),
                    *(str(row[key]) for key in ("proved", "redundant", "unexplained")),
                    _share(row["killed"], counted),
                )
            console.print(table)
        table = Table(header_style="bold")
        for name in ("vectors", "killed", "clocks before, median"):
            table.add_column(name, justify="left" if name == "vectors" else "right")
        for name, row in sorted(found["vectors"].items(), key=lambda one: -one[1]["killed"]):
            table.add_row(name, str(row["killed"]), f"{row['median_clocks']:,.0f}")
        console.print(table)
        for one in self.survivors:
            known = self._known.get(one.number)
            reason = f"{known.how}: {known.why}" if known else "unexplained"
            console.print(f"{one.number} {one.source} {one.kind}: {one.before} -> {one.after} ({reason})", markup=False, soft_wrap=True)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
