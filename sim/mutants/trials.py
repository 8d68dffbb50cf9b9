"""Mutants against vectors: which vector, if any, tells a mutant from the hardware."""

import json
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

__all__ = ["Case", "Result", "Trial", "read_results", "reference", "try_mutant"]

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
    """A vector on disk: its input, and what came out of the hardware without mutants."""

    name: str
    kind: str
    key: str
    bench: str
    input: str
    options: tuple[str, ...]
    output: str
    clocks: int
    reached: frozenset[int]
    """Mutants whose expressions had other values in the run."""


@dataclass(frozen=True)
class Trial:
    """A mutant to be tried, with the keys of cases that are known not to kill it."""

    number: int
    unit: str
    benches: tuple[str, ...]
    passed: frozenset[str] = frozenset()


@dataclass
class Result:
    """What became of a mutant: ``killed`` names the case that told, ``how`` is ``output``, ``stopped`` or ``clocks``."""

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


def _run(executable: str, case_input: str, options: Sequence[str], output: Path) -> bytes | None:
    """What came out, or None when the program ended in an error or did not end."""
    command = [executable, case_input, str(output), "--timeless", "--patience", str(_PATIENCE), *options]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return output.read_bytes() if done.returncode == 0 else None


def reference(executable: str, case_input: str, options: Sequence[str], output: Path) -> tuple[int, frozenset[int]]:
    """Run the hardware without mutants, which must come to an end; its clocks, and the mutants that the run reached."""
    reached = output.with_suffix(".reached")
    found = _run(executable, case_input, [*options, "--reached", str(reached)], output)
    if found is None:
        raise ValueError(f"the hardware must answer the vector {case_input}, which it does not")
    return int(struct.unpack("<Q", found[-8:])[0]), frozenset(map(int, reached.read_text().split()))


def try_mutant(trial: Trial, cases: Sequence[Case], executables: dict[str, str]) -> Result:
    """Run the cases of the mutant's benches in their order until one kills it."""
    result = Result(trial.number)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as folder:
        for case in cases:
            if case.bench not in trial.benches or trial.number not in case.reached:
                continue
            if case.key not in trial.passed:
                options = [
                    *case.options,
                    "--mutant",
                    str(trial.number),
                    "--expect",
                    case.output,
                    "--limit",
                    str(2 * case.clocks + _PATIENCE),
                ]
                found = _run(executables[case.bench], case.input, options, Path(folder) / "output")
                result.cases += 1
                result.clocks += case.clocks
                result.how = _how(found, case)
                if result.how is not None:
                    result.killed, result.kind = case.name, case.kind
                    break
            result.passed.append(case.key)
    result.seconds = round(time.perf_counter() - start, 3)
    return result


def _how(found: bytes | None, case: Case) -> str | None:
    if found is None:
        return "stopped"
    if found[:-8] != Path(case.output).read_bytes()[:-8]:
        return "output"
    clocks = struct.unpack("<Q", found[-8:])[0]
    return "clocks" if clocks > case.clocks * _SLOWER and clocks > case.clocks + _CLOCKS else None
