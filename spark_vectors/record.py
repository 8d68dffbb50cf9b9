"""Figures that are kept: a section of a JSON file under ``docs/results``, from which ``python -m tools.gendocs`` makes a page."""

import json
import os
from pathlib import Path
from typing import Any

from sim.commit import commit

__all__ = ["LANGUAGES", "record"]

LANGUAGES = Path(__file__).resolve().parent.parent / "docs" / "results" / "languages.json"


def record(section: str, name: str, figures: dict[str, Any], *, path: Path = LANGUAGES) -> None:
    """Puts figures in place of those that the section has under that name, with the commit that they are of."""
    contents = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    contents.setdefault(section, {})[name] = {"commit": str(commit()), **figures}
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(contents, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(partial, path)
