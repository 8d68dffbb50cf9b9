"""Mutants against vectors: which vector, if any, tells a mutant from the hardware."""

import json
import os
import struct
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sim.mutants.vectors import Vector

__all__ = ["Case", "Result", "Trial", "read_results", "reference", "slower", "try_mutant", "unpacked"]

_PATIENCE = 6000
"""Clocks without progress after which a mutant hangs. The hardware itself is never silent for so long while a vector runs: the
reference run of each vector has the same patience."""

_SECONDS = 120
"""A mutant may keep a clock from settling; then the program does not end by itself."""

_SLOWER, _CLOCKS = 1.01, 24
"""A mutant that gives the right answers is noticed too when a vector takes it more than a hundredth longer, and more than so many
clocks."""


@dataclass(frozen=True)
class Case:
    """A vector, what came out of the hardware without mutants, in how many clocks, and the mutants that the run reached."""

    vector: Vector
    key: str
    output: bytes
    clocks: int
    reached: frozenset[int]


@dataclass(frozen=True)
class Trial:
    """A mutant to be tried, with the keys of cases that are known not to kill it."""

    number: int
    unit: str
    benches: tuple[str, ...]
    passed: frozenset[str] = frozenset()


@dataclass
class Result:
    """What became of a mutant: ``killed`` names the vector that told, ``how`` is ``output``, ``stopped`` or ``clocks``."""

    number: int
    killed: str | None = None
    kind: str | None = None
    how: str | None = None
    cases: int = 0
    clocks: int = 0
    seconds: float = 0.0
    passed: list[str] = field(default_factory=list)

    def line(self) -> str:
        return json.dumps(asdict(self)) + "\n"


def read_results(path: Path) -> dict[int, Result]:
    """The latest result of each mutant; a last line that was cut short is left out."""
    found: dict[int, Result] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                result = Result(**json.loads(line))
            except ValueError:
                continue
            found[result.number] = result
    return found


def unpacked(executables: Mapping[str, tuple[str, bytes]]) -> dict[str, str]:
    """The programs, each a name and its bytes, as files of this machine; they stay for the tasks that follow."""
    folder = Path(tempfile.gettempdir()) / f"x2cbbr-mutants-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    found = {}
    for bench, (name, data) in executables.items():
        place = folder / name
        if not place.exists():
            draft = folder / f"{name}.{os.getpid()}"
            draft.write_bytes(data)
            draft.chmod(0o755)
            draft.rename(place)
        found[bench] = str(place)
    return found


def _run(executable: str, vector: Vector, folder: Path, options: Sequence[str]) -> bytes | None:
    """What came out, or None when the program ended in an error or did not end."""
    source, output = folder / "input", folder / "output"
    source.write_bytes(vector.data)
    command = [executable, str(source), str(output), "--timeless", "--patience", str(_PATIENCE), *vector.options, *options]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return output.read_bytes() if done.returncode == 0 else None


def reference(executable: str, vector: Vector, *, watching: bool = True) -> tuple[bytes, int, frozenset[int]]:
    """Run the hardware without mutants, which must come to an end: what came out, the clocks, and the mutants that the run reached."""
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        reached = Path(name) / "reached"
        found = _run(executable, vector, Path(name), ["--reached", str(reached)] if watching else [])
        if found is None:
            raise ValueError(f"the hardware must answer the vector {vector.name}, which it does not")
        numbers = frozenset(map(int, reached.read_text().split())) if watching else frozenset()
        return found[:-8], int(struct.unpack("<Q", found[-8:])[0]), numbers


def slower(clocks: int, due: int) -> bool:
    """Whether a run took noticeably longer than it is due."""
    return clocks > due * _SLOWER and clocks > due + _CLOCKS


def try_mutant(trial: Trial, cases: Sequence[Case], executables: Mapping[str, str]) -> Result:
    """Run the cases that reach the mutant, in their order, until one kills it."""
    result = Result(trial.number)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        for case in cases:
            vector = case.vector
            if vector.bench not in trial.benches or trial.number not in case.reached:
                continue
            if case.key not in trial.passed:
                expected = Path(name) / "expected"
                expected.write_bytes(case.output)
                limit = str(2 * case.clocks + _PATIENCE)
                options = ["--mutant", str(trial.number), "--expect", str(expected), "--limit", limit]
                found = _run(executables[vector.bench], vector, Path(name), options)
                result.cases += 1
                result.clocks += case.clocks
                result.how = _how(found, case)
                if result.how is not None:
                    result.killed, result.kind = vector.name, vector.kind
                    break
            result.passed.append(case.key)
    result.seconds = round(time.perf_counter() - start, 3)
    return result


def _how(found: bytes | None, case: Case) -> str | None:
    if found is None:
        return "stopped"
    if found[:-8] != case.output:
        return "output"
    return "clocks" if slower(struct.unpack("<Q", found[-8:])[0], case.clocks) else None
