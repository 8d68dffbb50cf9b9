"""What ``make results`` runs: every command that keeps figures, so that all of them are of one commit."""

from collections.abc import Sequence
from dataclasses import dataclass

from fpga.boards import BOARDS

__all__ = ["STEPS", "Step"]


@dataclass(frozen=True)
class Step:
    """A command that keeps figures: what it measures, the file that it writes to, its module, its arguments, and those of a short try."""

    name: str
    file: str
    module: str
    arguments: Sequence[str]
    short: Sequence[str]

    def command(self, *, short: bool = False) -> list[str]:
        """What Python is to run."""
        return ["-m", self.module, *(self.short if short else self.arguments), "--record"]


_SMALL = ("hdl.stream:StreamFifo", "--params", "shape=8,depth=4", "--device", "25k", "--seeds", "1")
_PCM = ("--workload", "numbers", "--output", "build/results/match")
_FLOW = "spark_vectors.runs.flow"
_REGRESS = ("--vectors", "build/results/vectors", "--results", "build/results/results", "--report", "build/results/report")


def _area(name: str, component: str, *options: str, config: str = "default") -> Step:
    return Step(f"area of {name}", "area.json", "fpga.measure", (component, "--params", f"config={config}", *options), _SMALL)


def _filter(name: str, *options: str) -> Step:
    short = ("--sets", "1", "--count", "8", "--documents", "4", "--largest", "512")
    return Step(name, "exactness.json", "sim.volume_filter", (*options, "--documents", "200", "--stalls"), short)


def _regression(name: str, *options: str) -> Step:
    short = ("--engine", "model", "--documents", "20", "--subscriptions", "8", "--scenarios", "0", "--largest", "512", *_REGRESS)
    return Step(name, "exactness.json", _FLOW, (*options, *_REGRESS), short)


def _bench(part: str) -> Step:
    file = "languages.json" if part == "languages" else "bench.json"
    return Step(f"bench of {part}", file, "spark_vectors.runs.bench", ("--only", part), ("--only", part))


STEPS: tuple[Step, ...] = (
    # The bench turns clocks into seconds by what is measured here.
    _area("the broker, default", "hdl.broker:Broker", "--device", "25k", "--freq", "110", "--seeds", "1,2,3"),
    _area("the broker, large", "hdl.broker:Broker", "--fast", "--freq", "115", "--seeds", "1,2,3", config="large"),
    _area("the broker, small", "hdl.broker:Broker", "--device", "25k", "--freq", "100", "--seeds", "1,2,3", config="small"),
    _area("the parser", "hdl.scbxp.parser:Scbxp", "--fast", "--freq", "150", "--seeds", "1,2,3"),
    *(Step(f"board {name}", "boards.json", "fpga.build", (name, "--seeds", "1"), (name, "--seeds", "1")) for name in BOARDS),
    *(_bench(part) for part in ("parser", "broker", "cases", "bus", "spark", "languages")),
    _filter("matching, exact", "--seed", "1", "--sets", "21"),
    _filter("matching, containment", "--seed", "3", "--sets", "5", "--containment", "1.0"),
    _filter("matching, large", "--seed", "4", "--sets", "3", "--preset", "large"),
    _filter("matching, selected nodes", "--seed", "5", "--sets", "2", "--selected", "0.3"),
    _regression("regression, up to 1 MB", "--documents", "20000", "--words", "--largest", "1048576", "--scenarios", "8"),
    _regression("regression, large", "--documents", "2000", "--preset", "large", "--words", "--largest", "8192"),
    Step("parsing", "exactness.json", "sim.volume", ("parse",), ("parse", "--documents", "4", "--icarus", "0", "--no-real")),
    Step("languages", "languages.json", "spark_vectors.jobs.languages", (), ("--sets", "1", "--subscriptions", "8", "--messages", "8")),
    Step("PCM", "languages.json", "spark_vectors.jobs.match", (*_PCM, "--scale", "2"), (*_PCM, "--events", "4")),
    Step("tricks of the simulation", "simulation.json", "sim.bench.tricks", (), ("--rounds", "1", "--documents", "4")),
    Step("mutants", "mutants.json", "spark_vectors.runs.mutate", ("--mutants", "2000"), ("--mutants", "4")),
)
"""In the order in which they run. The soak and the ablation go on for as long as they are let, and keep figures of their own accord."""
