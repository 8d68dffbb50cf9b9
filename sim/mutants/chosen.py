"""The mutants of a campaign.

:file:`chosen.txt` names those of the committed campaign, which has :data:`SEED`. They stay the same when the hardware changes elsewhere:
a number drawn anew for each of them would exchange all of them, and with them all survivors that have been explained. Beside a name
stands the vector that killed the mutant last, which is tried first the next time.
"""

from collections.abc import Mapping
from pathlib import Path

from sim.mutants.benches import all_sites
from sim.mutants.schemata import Mutant, choose, identity

__all__ = ["SEED", "chosen", "killers", "write_chosen"]

SEED = 1

_PLACE = Path(__file__).resolve().parent / "chosen.txt"


def killers() -> dict[str, str]:
    """The mutants of the committed campaign by :func:`~sim.mutants.schemata.identity`, with the vector that killed each, or ''."""
    rows = (line.partition(" ") for line in _PLACE.read_text(encoding="utf-8").splitlines())
    return {name: vector for name, _, vector in rows}


def chosen(*, count: int, seed: int, unit: str | None = None) -> list[Mutant]:
    """So many mutants of the hardware; see :func:`~sim.mutants.schemata.choose`."""
    return choose(all_sites(), count=count, seed=seed, unit=unit, first=tuple(killers()) if seed == SEED else ())


def write_chosen(mutants: list[Mutant], killed: Mapping[int, str | None]) -> None:
    """Keep these for the committed campaign, each with the vector that killed it."""
    _PLACE.write_text("".join(f"{identity(one)} {killed[one.number] or ''}".rstrip() + "\n" for one in mutants), encoding="utf-8")
