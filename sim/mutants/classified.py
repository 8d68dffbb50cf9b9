"""Mutants that no vector can kill: proved equivalent, or redundant on purpose with the reason.

:file:`classified.json` has them by :func:`~sim.mutants.schemata.identity`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Classified", "classified", "write_classified"]

_PLACE = Path(__file__).resolve().parent / "classified.json"


@dataclass(frozen=True)
class Classified:
    """Why a mutant counts as no fault: ``how`` is ``proved`` or ``redundant``; ``why`` is the proof's method or the reason.

    ``source`` and ``mutation`` say which one it is to a reader, ``key`` and ``after`` to a prover.
    """

    how: str
    why: str
    source: str
    mutation: str
    key: str = ""
    after: str = ""


def classified() -> dict[str, Classified]:
    """All of them by identity."""
    return {name: Classified(**one) for name, one in json.loads(_PLACE.read_text(encoding="utf-8")).items()}


def write_classified(found: Mapping[str, Classified]) -> None:
    ordered = sorted(found.items(), key=lambda one: (one[1].source, one[1].mutation, one[0]))
    _PLACE.write_text(json.dumps({name: asdict(one) for name, one in ordered}, indent=1) + "\n", encoding="utf-8")
