"""The clock that turns cycles into seconds: what place and route gave, as kept in ``docs/results``."""

import json
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Clock", "clock"]

_RESULTS = Path(__file__).resolve().parent.parent.parent / "docs" / "results"


@dataclass(frozen=True)
class Clock:
    """A clock and where it comes from; ``luts`` is None where nothing was placed."""

    mhz: float
    luts: int | None
    origin: str


def clock(component: str, *, preset: str = "default", assumed: float, results: Path = _RESULTS) -> Clock:
    """The worst clock of a component as :mod:`fpga.measure` reports it in ``docs/results``, or an assumed one."""
    for path in sorted(results.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict) and str(found.get("component", "")).endswith(f":{component}") and "mhz" in found:
            if found.get("params", {}).get("config", preset) != preset:
                continue
            luts = found.get("resources", {}).get("LUT4")
            return Clock(min(found["mhz"]), luts, f"worst nextpnr seed on {found.get('device')}, docs/results/{path.name}")
    return Clock(assumed, None, "assumed")
