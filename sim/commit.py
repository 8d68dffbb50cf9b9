"""The commit that a result belongs to."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Commit", "commit"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Commit:
    """``name`` is the one that ``git describe`` gives; ``dirty`` says that files under version control differ from it."""

    name: str
    dirty: bool

    def __str__(self) -> str:
        return f"{self.name}-dirty" if self.dirty else self.name


def _git(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def commit(*, apart_from: Sequence[str] = ()) -> Commit:
    """The commit of the checkout, ``unknown`` outside of one. Changes of the files ``apart_from`` do not make it dirty."""
    name = _git("describe", "--always").stdout.strip()
    if not name:
        return Commit("unknown", False)
    places = [".", *(f":(exclude){place}" for place in apart_from)]
    return Commit(name, _git("diff", "--quiet", "HEAD", "--", *places).returncode != 0)
