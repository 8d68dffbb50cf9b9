"""Figures that are kept: a section of a JSON file under ``docs/results``, from which ``python -m tools.gendocs`` makes a page."""

import json
import os
from pathlib import Path
from typing import Any

from sim.commit import ROOT, Commit, commit

__all__ = ["LANGUAGES", "code", "record"]

LANGUAGES = ROOT / "docs" / "results" / "languages.json"


def code() -> Commit:
    """The commit that runs, to be asked for before the work begins; figures that were kept meanwhile are no change of it."""
    return commit(apart_from=str(LANGUAGES.relative_to(ROOT)))


def record(section: str, name: str, figures: dict[str, Any], *, of: Commit, path: Path = LANGUAGES) -> None:
    """Puts figures in place of those that the section has under that name, with the commit that they are of."""
    contents = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    contents.setdefault(section, {})[name] = {"commit": str(of), **figures}
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(contents, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(partial, path)
