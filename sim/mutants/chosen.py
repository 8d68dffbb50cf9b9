"""The mutants of a campaign.

:file:`chosen.txt` names those of the committed campaign, which has :data:`SEED`. They stay the same when the hardware changes elsewhere:
a number drawn anew for each of them would exchange all of them, and with them all survivors that have been explained.
"""

from pathlib import Path

from sim.mutants.benches import all_sites
from sim.mutants.schemata import Mutant, choose, identity

__all__ = ["SEED", "chosen", "write_chosen"]

SEED = 1

_PLACE = Path(__file__).resolve().parent / "chosen.txt"


def chosen(*, count: int, seed: int, unit: str | None = None) -> list[Mutant]:
    """So many mutants of the hardware; see :func:`~sim.mutants.schemata.choose`."""
    first = _PLACE.read_text(encoding="utf-8").split() if seed == SEED else ()
    return choose(all_sites(), count=count, seed=seed, unit=unit, first=first)


def write_chosen(mutants: list[Mutant]) -> None:
    """Keep these for the committed campaign."""
    _PLACE.write_text("".join(f"{identity(one)}\n" for one in mutants), encoding="utf-8")
