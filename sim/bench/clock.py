"""The clock that turns cycles into seconds: what place and route gave, as ``python -m fpga.measure --record`` keeps it."""

import json
from dataclasses import dataclass

from figures.record import results

__all__ = ["Clock", "clock"]


@dataclass(frozen=True)
class Clock:
    """A clock and where it comes from; ``luts`` is None where nothing was placed."""

    mhz: float
    luts: int | None
    origin: str


def clock(component: str, *, device: str, preset: str = "default", assumed: float) -> Clock:
    """The worst seed's clock of a component on a device, or an assumed one where it was not measured."""
    kept = results() / "area.json"
    for found in json.loads(kept.read_text(encoding="utf-8")).values() if kept.exists() else ():
        if found["component"].endswith(f":{component}") and (found["device"], found["params"].get("config")) == (device, preset):
            return Clock(min(found["mhz"]), found["resources"]["LUT4"], f"the worst seed on an {device}")
    return Clock(assumed, None, "assumed")
