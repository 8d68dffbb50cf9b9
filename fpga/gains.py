"""What passes gain, from the runs of :mod:`fpga.ablation`."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["WORTH", "gains", "worth"]

WORTH = 0.03
"""Part of the clock or of the look-up tables that a pass must gain on one of the devices to stay."""


def gains(runs: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """What each pass gains of the clock and of the look-up tables, the mean of its seeds; infinite where nextpnr fails without it."""
    alike = {(one["without"], one["seed"]): one for one in runs}
    found = {}
    for name in dict.fromkeys(one["without"] for one in runs if one["without"] is not None):
        pairs = [(alike[None, seed], one) for (without, seed), one in alike.items() if without == name and (None, seed) in alike]
        pairs = [(every, one) for every, one in pairs if "failure" not in every]
        if any("failure" in one for _, one in pairs):
            found[name] = (math.inf, math.inf)
        elif pairs:
            clocks = statistics.mean(every["clock"] / one["clock"] for every, one in pairs)
            found[name] = clocks - 1, statistics.mean(one["luts"] / every["luts"] for every, one in pairs) - 1
    return found


def worth(results: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """Whether each pass gains enough, of the clock or of the look-up tables, on one of the devices."""
    found: dict[str, bool] = {}
    for one in results:
        for name, gained in gains(one["runs"]).items():
            found[name] = found.get(name, False) or max(gained) >= WORTH
    return found
