"""The page of speed: clocks and bytes a clock by kind of document, beside the thesis and beside software."""

from tools.results.kept import bench, notice

__all__ = ["speed"]

_SPEED = """\
# Speed

How fast the parser and the broker are, by kind of document and of subscription. `make bench` measures it
(`ARGS="--only parser --record"` for a part).

- Clocks are those of the RTL on Verilator, counted from the same vectors on any machine. Input is always on offer, output is never held.
- The preset is `default` where a row names no other one. [Area and clock](area.md) has the clocks that seconds are computed from.
- *Thesis* is the thesis's figure; its microseconds are turned into clocks at its own frequencies. *Ratio* is ours over the thesis's.
- *Latency* is the clocks from the first word of a document to its verdict, or to the end of its matched set, for a document alone.
- Speeds of software are by processor time of one core of the same machine, in the same run.

## Documents, parsed

A word of four bytes enters in a clock. Plain text and tags go at that pace. References, CDATA sections and comments go a byte a clock.

{parser}
## Documents, parsed and matched

Matching runs beside parsing. It costs clocks where many subscriptions compare values, and where more notifications are due than the links
carry.

{broker}
## The thesis's experiments

{thesis}
## Through a bus and through the host driver

{bus}"""


def speed() -> str:
    """``docs/results/speed.md``."""
    return notice("bench.json") + _SPEED.format(
        parser=bench(("kinds", "software", "case-1", "case-2")),
        broker=bench(("broker-presets", "broker-pace", "broker-peers")),
        thesis=bench(("broker-sets", "broker-tasks", "broker-cases", "broker-millions")),
        bus=bench(("bus-xavi", "bus-driver")),
    )
