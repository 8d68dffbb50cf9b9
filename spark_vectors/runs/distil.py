"""``python -m spark_vectors.runs.distil``: make the distilled regression of a campaign and write down what the hardware answers to it.

Every killed mutant has a vector that killed it. A vector is left out when the others of the set kill all of its mutants; those with the
fewest mutants for their clocks are tried first, and one that killed many stays untried. The answers are those of the hardware without
mutants.
"""

import argparse
import os
import sys
from collections import defaultdict

from sim.mutants.benches import BENCHES
from sim.mutants.campaign import Campaign
from sim.mutants.chosen import chosen, killers
from sim.mutants.classified import classified
from sim.mutants.distilled import Distilled, output_digest, write_distilled
from sim.mutants.schemata import identity
from sim.mutants.trials import reference
from sim.tools import environment
from sim.verilated.builder import program
from spark_vectors.session import open_session

__all__ = ["main"]

_MANY = 20
"""A vector that killed so many mutants stays in the set: that others kill all of them is unlikely, and to see it takes long."""


def _needed(campaign: Campaign) -> list[str]:
    """The names of the vectors that together kill what the campaign killed."""
    killed: dict[str, list[int]] = defaultdict(list)
    for result in campaign.results.values():
        if result.killed is not None:
            killed[result.killed].append(result.number)
    clocks = {case.vector.name: case.clocks for case in campaign.cases}
    for name in sorted(killed, key=lambda one: len(killed[one]) / clocks[one]):
        if len(killed[name]) >= _MANY:
            continue
        others = killed.keys() - {name}
        found = campaign.killers(killed[name], others)
        if None not in found.values():
            del killed[name]
            for number, other in found.items():
                assert other is not None
                killed[other].append(number)
        print(f"{name} is {'needed' if name in killed else 'left out'}, {len(killed)} vectors", file=sys.stderr, flush=True)
    return sorted(killed, key=lambda one: clocks[one] / len(killed[one]))


def main(arguments: list[str] | None = None) -> int:
    """Distil the campaign of a seed, which is run first as far as it has not been."""
    parser = argparse.ArgumentParser(prog="python -m spark_vectors.runs.distil", description="Make the distilled regression of a campaign.")
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--master", default="local[2]")
    options = parser.parse_args(arguments)
    os.environ.update(environment(java=True))
    with open_session(options.master, name="distil") as spark:
        mutants, known = chosen(count=options.mutants, seed=options.seed), classified()
        explained = [one.number for one in mutants if identity(one) in known]
        campaign = Campaign(mutants, spark.sparkContext, settled=explained, likely=killers())
        campaign.run()
        names = _needed(campaign)
    vectors = {case.vector.name: case.vector for case in campaign.cases}
    found = []
    for name in names:
        vector = vectors[name]
        bench = BENCHES[vector.bench]
        output, clocks, _ = reference(str(program(top=bench.top, main=bench.main, config=bench.config)), vector, watching=False)
        found.append((name, Distilled(vector.key, output_digest(output), clocks)))
    write_distilled(found)
    print(f"{len(found)} vectors of {sum(one.clocks for _, one in found):,} clocks")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
