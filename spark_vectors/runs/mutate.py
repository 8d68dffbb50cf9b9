"""``python -m spark_vectors.runs.mutate``: plant mutants in the hardware, run vectors until each is noticed, and say which were not."""

import argparse
import os

from rich.console import Console

from sim.cache import BUILD
from sim.commit import commit
from sim.mutants.benches import all_sites
from sim.mutants.campaign import Campaign
from sim.mutants.classified import classified
from sim.mutants.distilled import distilled
from sim.mutants.report import Findings
from sim.mutants.schemata import choose
from sim.tools import environment
from spark_vectors.session import open_session

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants of a seed and write the tables and ``build/mutate.json``."""
    description = "Plant mutants in the hardware and count those that the vectors notice."
    parser = argparse.ArgumentParser(prog="python -m spark_vectors.runs.mutate", description=description)
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unit", help="mutants of this unit only, a folder of hdl")
    parser.add_argument("--master", default="local[2]")
    chosen = parser.parse_args(arguments)
    os.environ.update(environment(java=True))
    try:
        mutants = choose(all_sites(), count=chosen.mutants, seed=chosen.seed, unit=chosen.unit)
    except ValueError as error:
        parser.error(str(error))
    with open_session(chosen.master, name="mutants") as spark:
        campaign = Campaign(mutants, spark.sparkContext)
        campaign.run()
    found = Findings(mutants, campaign.results, classified(), frozenset(distilled()), seed=chosen.seed)
    console = Console(highlight=False, width=None if os.isatty(1) else 140)
    found.show(console)
    place = BUILD / "mutate.json"
    found.write(place, commit=str(commit()))
    console.print(f"{len(mutants) - len(found.survivors)} of {len(mutants)} killed; {place}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
