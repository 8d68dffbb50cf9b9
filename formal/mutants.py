"""``python -m formal.mutants``: try to prove the survivors of ``build/mutate.json`` equivalent, and enter those that are.

``--recorded`` proves again what ``sim/mutants/classified.json`` says is proved.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from formal.equivalence import proved
from sim.cache import BUILD, digest
from sim.mutants.benches import BENCHES, text_and_sites
from sim.mutants.classified import Classified, classified, write_classified
from sim.rtl import rtl

__all__ = ["main", "method_of"]


def method_of(key: str, after: str) -> str | None:
    """The method that proves a mutant equivalent: ``key`` is its site, ``after`` the expression that it has there."""
    for bench in BENCHES:
        text, sites = text_and_sites(bench)
        site = sites.get(key)
        if site is not None:
            places = [place for place, mutation in enumerate(site.mutations) if mutation.expression == after]
            chosen = BENCHES[bench]
            path = site.module.removeprefix(chosen.path).strip(".")
            top = rtl(chosen.top, chosen.config, sources=True).top
            return proved(text, module=f"{top}.{path}" if path else top, site=site, place=places[0])
    raise ValueError(f"the hardware must have the expression of the mutant, not {key}")


def _proved(mutants: Sequence[Mapping[str, str]], known: dict[str, Classified]) -> int:
    """Enter those that a proof is found for; their number."""
    count = 0
    with ThreadPoolExecutor(2) as pool:
        methods = pool.map(lambda one: method_of(one["key"], one["after"]), mutants)
        for place, (one, method) in enumerate(zip(mutants, methods, strict=True), 1):
            print(f"{place} of {len(mutants)}: {one['source']}: {method or 'no proof'}", file=sys.stderr, flush=True)
            if method is not None:
                count += 1
                mutation = f"{one['before']} -> {one['after']}"
                known[digest([one["key"], one["after"]])] = Classified("proved", method, one["source"], mutation, one["key"], one["after"])
                write_classified(known)
    return count


def main(arguments: list[str] | None = None) -> int:
    """Prove survivors, or what is recorded."""
    parser = argparse.ArgumentParser(prog="python -m formal.mutants", description="Prove mutants equivalent to the hardware.")
    parser.add_argument("--recorded", action="store_true", help="prove again what is recorded as proved")
    chosen = parser.parse_args(arguments)
    known = classified()
    if chosen.recorded:
        wrong = [one for one in known.values() if one.how == "proved" and method_of(one.key, one.after) is None]
        for one in wrong:
            print(f"{one.source}: {one.mutation} is not proved any more")
        return int(bool(wrong))
    survivors = json.loads((BUILD / "mutate.json").read_text(encoding="utf-8"))["survivors"]
    left = [one for one in survivors if one["classified"] is None]
    print(f"{_proved(left, known)} of {len(left)} survivors proved equivalent")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
