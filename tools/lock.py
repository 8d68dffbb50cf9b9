"""Resolve the dependencies of pyproject.toml anew and write requirements.lock: ``python -m tools.lock``.

The lock holds exact versions of every group and nothing about where they come from.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

__all__ = ["main", "resolve"]

HEADER = """\
# Exact versions of every dependency group of pyproject.toml, written by `make lock`.
"""


def resolve(wanted: list[str]) -> list[str]:
    """Pins, sorted by name, that satisfy the wanted requirements together."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", *wanted]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    found = [item["metadata"] for item in report["install"]]
    return sorted((f"{one['name']}=={one['version']}" for one in found), key=str.lower)


def main() -> int:
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(one for group in project["optional-dependencies"].values() for one in group)]
    pins = resolve(wanted)
    Path("requirements.lock").write_text(HEADER + "".join(f"{pin}\n" for pin in pins))
    print(f"requirements.lock: {len(pins)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
