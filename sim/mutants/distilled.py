"""The distilled regression: the vectors that kill what all vectors kill, as few as could be found, with the answers of the hardware.

:file:`distilled.json` has for each of them the digest of what comes out of the hardware, and the clocks. ``make distil`` writes it;
``tests/test_distilled.py`` runs it.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sim.cache import digest

__all__ = ["Distilled", "distilled", "output_digest", "write_distilled"]

_PLACE = Path(__file__).resolve().parent / "distilled.json"


@dataclass(frozen=True)
class Distilled:
    """A vector of the set: its key, the digest of what comes out, and the clocks that the hardware takes."""

    key: str
    output: str
    clocks: int


def distilled() -> dict[str, Distilled]:
    """The set, by the vectors' names."""
    return {name: Distilled(**one) for name, one in json.loads(_PLACE.read_text(encoding="utf-8")).items()}


def output_digest(output: bytes) -> str:
    return digest([output])


def write_distilled(found: Sequence[tuple[str, Distilled]]) -> None:
    _PLACE.write_text(json.dumps({name: asdict(one) for name, one in found}, indent=1) + "\n", encoding="utf-8")
