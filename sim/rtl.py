"""The hardware as Verilog for the simulators, emitted once for each state of the sources."""

import dataclasses
import importlib.metadata
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdl.config import BrokerConfig
from sim.cache import BUILD, cached, digest
from sim.interface import EngineError

__all__ = ["Rtl", "rtl"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Rtl:
    """A component's Verilog; ``ports`` are those of :func:`hdl.emit.describe`, as read from JSON."""

    top: str
    text: str
    ports: list[dict[str, Any]]


def _sources() -> list[bytes]:
    return [part for path in sorted((ROOT / "hdl").rglob("*.py")) for part in (str(path.relative_to(ROOT)).encode(), path.read_bytes())]


def rtl(top: str, config: BrokerConfig, *, sources: bool = False) -> Rtl:
    """The component of that name in :data:`hdl.emit.TOPS`, or ``module:class`` for any other that takes the configuration alone.

    With ``sources`` the text says which line of the hardware description each part comes from. A process of its own does the work, so
    that a command that finds everything built never loads Amaranth.
    """
    limits = json.dumps(dataclasses.asdict(config), sort_keys=True)
    module, colon, component = top.partition(":")
    name = component.lower() if colon else top
    more = [(ROOT / module.replace(".", "/")).with_suffix(".py").read_bytes()] if colon else []
    key = digest([top, limits, str(sources), importlib.metadata.version("amaranth"), *_sources(), *more])

    def make(folder: Path) -> None:
        print(f"x2cbbr: writing {top} as Verilog (once)", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "hdl.emit", "--top", top, "--limits", limits, "--output", str(folder), *["--sources"] * sources]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise EngineError(f"{top} cannot be written as Verilog ({last})", hint=f"run python -m hdl.emit --top {top}")

    place = cached(BUILD / "emitted" / f"{name}-{key}", make)
    ports: list[dict[str, Any]] = json.loads((place / f"{name}.json").read_text(encoding="utf-8"))["ports"]
    return Rtl(name, (place / f"{name}.v").read_text(encoding="utf-8"), ports)
