"""What passes gain, from the runs of :mod:`fpga.ablation`."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["WORTH", "gains", "mean", "worth"]

WORTH = 0.03
"""Part of the clock or of the look-up tables that a pass must gain on one of the devices to stay."""


def gains(runs: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[float, float]]]:
    """What each pass gains of the clock and of the look-up tables, seed by seed; infinite where nextpnr fails without it.

    A run counts for a pass when there is another with the same seed, that pass, and no other difference.
    """
    alike = {(frozenset(one["passes"]), one["seed"]): one for one in runs}
    found: dict[str, list[tuple[float, float]]] = {}
    for (passes, seed), every in alike.items():
        for name in every["passes"]:
            one = alike.get((passes - {name}, seed))
            if one is not None and "failure" not in every:
                clock, luts = (math.inf, math.inf) if "failure" in one else (every["clock"] / one["clock"], one["luts"] / every["luts"])
                found.setdefault(name, []).append((clock - 1, luts - 1))
    return found


def mean(gained: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """That of the clock and that of the look-up tables."""
    return statistics.mean(clock for clock, _ in gained), statistics.mean(luts for _, luts in gained)


def worth(results: Sequence[Mapping[str, Any]], *, devices: int) -> dict[str, bool]:
    """Whether each pass gains enough on one of so many devices, of the clock or of the look-up tables.

    A device counts when a pass has been measured there with all the seeds that it asks for. A pass that gains enough on none of those that
    count is not told of before all of them do.
    """
    found: dict[str, list[bool]] = {}
    for one in results:
        for name, gained in gains(one["runs"]).items():
            if len(gained) >= one["passes"][name]["seeds"]:
                found.setdefault(name, []).append(max(mean(gained)) >= WORTH)
    return {name: any(enough) for name, enough in found.items() if any(enough) or len(enough) == devices}
