"""``python -m spark_vectors.runs.mutate``: plant mutants in the hardware, run vectors until each is noticed, and say which were not."""

import argparse
import os
from pathlib import Path

from rich.console import Console

from sim.cache import BUILD
from sim.commit import commit
from sim.mutants.campaign import Campaign
from sim.mutants.chosen import SEED, chosen, killers, write_chosen
from sim.mutants.classified import classified
from sim.mutants.distilled import distilled
from sim.mutants.report import Findings
from sim.mutants.schemata import identity
from sim.tools import environment
from spark_vectors.session import open_session

__all__ = ["main"]

_RECORDS = ("docs/results/mutants.json", "sim/mutants/chosen.txt")


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants of a seed and write the tables and ``build/mutate.json``."""
    description = "Plant mutants in the hardware and count those that the vectors notice."
    parser = argparse.ArgumentParser(prog="python -m spark_vectors.runs.mutate", description=description)
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unit", help="mutants of this unit only, a folder of hdl")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--classified", action="store_true", help="try those too that classified.json says no vector can kill")
    parser.add_argument("--record", action="store_true", help="put the counts into docs/results/mutants.json")
    options = parser.parse_args(arguments)
    os.environ.update(environment(java=True))
    try:
        mutants = chosen(count=options.mutants, seed=options.seed, unit=options.unit)
    except ValueError as error:
        parser.error(str(error))
    known = classified()
    explained = {one.number for one in mutants if identity(one) in known}
    with open_session(options.master, name="mutants") as spark:
        campaign = Campaign(mutants, spark.sparkContext, settled=() if options.classified else explained, likely=killers())
        campaign.run()
    found = Findings(mutants, campaign.results, known, frozenset(distilled()), seed=options.seed)
    console = Console(highlight=False, width=None if os.isatty(1) else 140)
    found.show(console)
    place, state = BUILD / "mutate.json", str(commit(apart_from=_RECORDS))
    found.write(place, commit=state)
    if options.record:
        found.record(Path(_RECORDS[0]), commit=state)
        if options.seed == SEED and options.unit is None and len(mutants) >= len(killers()):
            write_chosen(mutants, {number: result.killed for number, result in campaign.results.items()})
    console.print(f"{len(mutants) - len(found.survivors)} of {len(mutants)} killed; {place}")
    wrong = [one for one in mutants if one.number in explained and campaign.results[one.number].killed is not None]
    for one in wrong:
        console.print(f"{one.number} {one.source} is classified, but {campaign.results[one.number].killed} kills it", markup=False)
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
