"""The page of the mutants that the vectors notice."""

from typing import Any

from tools.results.kept import notice, read
from tools.tables import table

__all__ = ["mutants"]

_MUTANTS = """\
# Mutants

What [mutants](../verification.md) the vectors notice: `make mutate N=... SEED=... ARGS=--record`.

- *Distilled* are those whose first killer is one of the vectors in `make test`. Those vectors were chosen to kill all that are killed with
  seed 1; a mutant that another vector killed first counts only as *killed*.
- *Proved* and *redundant* survivors are in `sim/mutants/classified.json` with the proof's method or the reason.
- The score is of the mutants that are neither.
- Only the survivors of seed 1 have been gone through one by one.

{campaigns}
{units}"""


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _counted(row: dict[str, Any]) -> list[str]:
    names = ("mutants", "killed", "distilled", "proved", "redundant", "unexplained")
    return [*(str(row[name]) for name in names), _share(row["killed"], row["mutants"] - row["proved"] - row["redundant"])]


def mutants() -> str:
    """``docs/results/mutants.md``."""
    campaigns = read("mutants.json")
    counts = ("mutants", "killed", "distilled", "proved", "redundant", "unexplained", "score")
    return notice("mutants.json") + _MUTANTS.format(
        campaigns=table(("commit", "seed", *counts), [(one["commit"], str(one["seed"]), *_counted(one)) for one in campaigns]),
        units="\n".join(
            f"## Seed {one['seed']}, by unit\n\n" + table(("unit", *counts), [(name, *_counted(row)) for name, row in one["units"].items()])
            for one in campaigns
        ),
    )
