"""The page of the soak."""

from tools.results.kept import notice, read
from tools.tables import table

__all__ = ["soak"]

_SOAK = """\
# Soak

The regression in rounds, each with a seed of its own: `make soak HOURS=1`. A round makes documents and sets of subscriptions, has
libxml2, expat and the golden model judge every pair, and runs the broker's RTL on Verilator over all of them. It goes into the ledger
when nothing differs. Any difference stops the soak with the command that replays it.

**{pairs:,} pairs** of a publication and a subscription in {rounds} rounds: {documents:,} documents of {bytes:,} bytes, {matches:,} matches,
{clocks:,} clocks of the RTL, {differences:,} differences.

{table}"""


def soak() -> str:
    """``docs/results/soak.md``."""
    kept = read("soak.json")
    sizes = ("documents", "largest", "subscriptions", "sets")
    sums = ("pairs", "matches", "differences")
    rows = [
        (
            str(one["seed"]),
            one["commit"] + "-dirty" * one["dirty"],
            one["preset"],
            *(f"{one[name]:,}" for name in sizes),
            "yes" if one["words"] else "no",
            *(f"{one[name]:,}" for name in sums),
        )
        for one in kept["rounds"]
    ]
    return notice("soak.json") + _SOAK.format(
        **kept["totals"], table=table(("seed", "commit", "preset", *sizes, "words compared", *sums), rows)
    )
