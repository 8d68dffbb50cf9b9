"""``python -m formal [NAME ...]``: prove every property, or those whose name begins so.

The exit status is 0 when all came out as they should.
"""

import argparse
import importlib
import pkgutil
import sys

import formal.properties
from formal.prover import Property, prove


def properties() -> list[Property]:
    """Every property of every module under :mod:`formal.properties`."""
    found: list[Property] = []
    for module in pkgutil.iter_modules(formal.properties.__path__):
        found += importlib.import_module(f"formal.properties.{module.name}").PROPERTIES
    return found


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m formal", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args(arguments)
    chosen = [claim for claim in properties() if not given.names or claim.name.startswith(tuple(given.names))]
    if not chosen:
        print(f"names must begin one of {', '.join(claim.name for claim in properties())}, not {given.names}", file=sys.stderr)
        return 2
    print(f"{'property':32} {'how':12} {'result':24} seconds")
    failures = 0
    for claim in chosen:
        outcome = prove(claim)
        how = f"{claim.depth} clocks" if claim.mode == "bmc" else "for ever"
        result = ("holds" if outcome.held else "fails") + ("" if outcome.expected else ", as the mutant must")
        print(f"{claim.name:32} {how:12} {result if outcome.good else result + ' (WRONG)':24} {outcome.seconds:7.1f}", flush=True)
        if not outcome.good:
            failures += 1
            print(f"  see {outcome.log}")
    print(f"{len(chosen) - failures} of {len(chosen)} as they should be")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
