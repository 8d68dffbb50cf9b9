"""Figures that are kept: a section of a JSON file under ``docs/results``, from which ``python -m tools.gendocs`` makes a page."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.commit import ROOT, Commit, commit

__all__ = ["LANGUAGES", "Running", "record", "running"]

LANGUAGES = ROOT / "docs" / "results" / "languages.json"


@dataclass(frozen=True)
class Running:
    """What is to be known before the work begins: the commit that runs, and how many other processes want a core."""

    commit: Commit
    load: float


def running() -> Running:
    """Figures that were kept meanwhile are no change of the commit."""
    return Running(commit(apart_from=str(LANGUAGES.relative_to(ROOT))), round(os.getloadavg()[0], 1))


def record(section: str, name: str, figures: dict[str, Any], *, of: Running, path: Path = LANGUAGES) -> None:
    """Puts figures in place of those that the section has under that name."""
    contents = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    contents.setdefault(section, {})[name] = {"commit": str(of.commit), "load": of.load, **figures}
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(contents, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(partial, path)
