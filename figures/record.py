"""Figures that are kept: JSON files in ``docs/results``, from which ``python -m tools.gendocs`` makes pages."""

import json
import os
import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from figures.commit import ROOT, Commit, commit

__all__ = ["RESULTS", "WRITTEN", "Run", "machine", "record", "results", "running", "write"]

RESULTS = "X2CBBR_RESULTS"
"""The environment variable that names another folder for the figures than ``docs/results``."""

WRITTEN = ("docs", "README.md", "sim/mutants/chosen.txt")
"""What figures and pages are written to: changes there do not make a commit a changed one."""


@dataclass(frozen=True)
class Run:
    """What is to be known before the work begins. ``load`` is how many other processes want a core, ``tools`` are their versions."""

    command: str
    commit: Commit
    load: float
    machine: str
    tools: Mapping[str, str]

    def beside(self, **tools: str) -> "Run":
        """The same with tools that were known later."""
        return replace(self, tools={**self.tools, **tools})

    def about(self) -> dict[str, Any]:
        """What stands beside every figure."""
        return {
            "command": self.command,
            "commit": str(self.commit),
            "machine": self.machine,
            "load": self.load,
            "tools": dict(self.tools),
        }


def results() -> Path:
    """The folder of the figures."""
    return Path(os.environ.get(RESULTS) or ROOT / "docs" / "results")


def machine() -> str:
    """The system and its cores."""
    return f"{platform.platform()}, {os.cpu_count()} cores"


def _command() -> str:
    """The command line of this process, without what only says that the figures are kept."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    module = spec.name.removesuffix(".__main__") if spec else Path(sys.argv[0]).name
    return shlex.join(["python", "-m", module, *(word for word in sys.argv[1:] if word != "--record")])


def running(*distributions: str) -> Run:
    """This process, with the versions of the Python packages that its figures depend on."""
    versions = {"python": platform.python_version(), **{name: metadata.version(name) for name in distributions}}
    return Run(_command(), commit(apart_from=WRITTEN), round(os.getloadavg()[0], 1), machine(), versions)


def write(path: Path, contents: Any) -> None:
    """The file changes as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def record(file: str, keys: Sequence[str], figures: Mapping[str, Any], *, of: Run) -> None:
    """Puts figures in place of those that the file has under these keys, one inside the other."""
    path = results() / file
    contents = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    place = contents
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place[keys[-1]] = {**of.about(), **figures}
    write(path, contents)
