"""The page of scale: how golden results and the simulated hardware grow with documents, and sets that no chip holds."""

from tools.results.kept import bench, notice

__all__ = ["scale"]

_SCALE = """\
# Scale

How the software round the hardware grows: `make bench ARGS="--only spark --record"`.

- *Golden results* are verdicts, matches and notifications of the golden model, judged by libxml2 and expat, made by Spark.
- *Loop* is one process that parses each document with lxml and evaluates every accepted path on it.
- The broker's RTL runs on Verilator, with documents back to back and several brokers in step.
- Wall clocks depend on what else the machine does; processor times hardly do.

Sets of filters that no chip holds go through PCM: [languages for messages](languages.md).

{spark}"""


def scale() -> str:
    """``docs/results/scale.md``."""
    return notice("bench.json") + _SCALE.format(spark=bench(("golden-rate", "rtl-rate", "rtl-pace"), level=2))
