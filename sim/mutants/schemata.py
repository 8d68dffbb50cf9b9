"""Mutant schemata: one text with many mutants, of which a number chosen at run time is alive.

Each mutated expression becomes ``mutants::chosen == 17 ? mutated : original``. ``mutants::chosen`` is a register that follows the input
``mutant`` of the simulated top; with 0 the hardware is the one that was emitted.

A run can also watch all mutants at once: ``mutants::reached[17]`` is set when mutant 17's expression would have had another value at a
rising clock. A vector that does not reach a mutant cannot kill it.
"""

import bisect
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sim.cache import digest
from sim.mutants.sites import Site

__all__ = ["WATCH", "Mutant", "choose", "identity", "package", "planted", "unit_of"]

WATCH = 0xFFFF
"""The number that stands for no mutant and watches all of them."""


def package(count: int) -> str:
    """What the text of :func:`planted` refers to, for mutants up to number ``count``."""
    return f"""package mutants;
  reg [15:0] chosen = 16'd0;
  reg [{count}:0] reached = {count + 1}'d0;
endpackage
"""


_HARDWARE = re.compile(r"(?:^|/)(hdl/.*\.py):(\d+)")
_ASSIGNED = re.compile(r" +(?:assign )?(.+) = ")
"""What stands in front of an expression that is assigned. The width of what it is assigned to decides what it gives: 1'h0 - a is a in
one bit, and minus a in more."""

_BLOCKS = ("stream", "cam", "values")
"""Rooms of building blocks, which count by themselves wherever they are used."""


@dataclass(frozen=True)
class Mutant:
    """Mutant ``number`` of a set: which expression it is in, and what it puts in its place."""

    number: int
    unit: str
    source: str
    module: str
    kind: str
    key: str
    place: int
    before: str
    after: str


def _folder(source: str) -> str | None:
    found = _HARDWARE.search(source)
    if found is None:
        return None
    parts = found[1].split("/")
    return parts[1] if len(parts) > 2 else None


def unit_of(found: Sequence[Site]) -> dict[str, str]:
    """The unit of each site by its key: the folder of ``hdl`` that it was written in.

    A site from no such folder, or from code that several units share, belongs to the folder that most of its module was written in.
    """
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        folder = _folder(one.source)
        if folder is not None:
            rooms[one.module][folder] += 1
    units = {}
    for one in found:
        folder, module = _folder(one.source), one.module
        while folder is None and not rooms[module] and module:
            module = module.rpartition(".")[0]
        own = rooms[module].most_common(1)[0][0] if rooms[module] else "broker"
        units[one.key] = folder if folder in _BLOCKS or (folder is not None and one.module) else own
    return units


def _location(one: Site) -> str:
    found = _HARDWARE.search(one.source)
    return f"{found[1]}:{found[2]}" if found else ""


def identity(mutant: Mutant) -> str:
    """What a mutation of an expression is called: the same under any seed, and as long as its module keeps the expression."""
    return _identity(mutant.key, mutant.after)


def _identity(key: str, after: str) -> str:
    return digest([key, after])


class _Choice:
    """Mutants of these sites as they are chosen, none of them twice."""

    def __init__(self, found: Mapping[str, Site], unit: str | None) -> None:
        units = unit_of(list(found.values()))
        self.units = {key: name for key, name in units.items() if unit is None or name == unit}
        if not self.units:
            raise ValueError(f"unit must be one of {', '.join(sorted(set(units.values())))}, not {unit!r}")
        self.places: dict[str, list[Site]] = defaultdict(list)
        self.mutants: list[Mutant] = []
        self._seen: set[tuple[str, int]] = set()
        written = {one.module for one in found.values() if _location(one)}
        self._source: dict[str, str] = {}
        for key in self.units:
            one = found[key]
            source = _location(one) or (f"{one.module}:{min(one.targets)}" if one.module in written else one.module)
            self._source[key] = source
            self.places[source].append(one)

    def take(self, one: Site, place: int) -> None:
        if (one.key, place) in self._seen:
            return
        self._seen.add((one.key, place))
        before = one.key.split("|", 1)[1].rpartition("|")[0]
        mutation, number = one.mutations[place], len(self.mutants) + 1
        self.mutants.append(
            Mutant(
                number, self.units[one.key], self._source[one.key], one.module, mutation.kind, one.key, place, before, mutation.expression
            )
        )


def choose(found: Mapping[str, Site], *, count: int, seed: int, unit: str | None = None, first: Sequence[str] = ()) -> list[Mutant]:
    """So many mutants of these sites, the same for the same sites and seed; ``unit`` keeps to one unit.

    Those that are called as in ``first`` go before, in that order, where the sites still have them. Then places of the hardware
    description take turns, one mutant each, so that a line that is laid out a hundred times counts no more than another. An expression
    without a place is one of its own, but a module that a library wrote is one place.
    """
    choice = _Choice(found, unit)
    if first:
        sites = [site for here in choice.places.values() for site in here]
        named = {_identity(one.key, mutation.expression): (one, place) for one in sites for place, mutation in enumerate(one.mutations)}
        for name in first:
            if name in named and len(choice.mutants) < count:
                choice.take(*named[name])
    chance = random.Random(f"mutants {seed}")
    names = sorted(choice.places)
    chance.shuffle(names)
    tries = 0
    while len(choice.mutants) < count and tries < 50 * count:
        one = chance.choice(choice.places[names[tries % len(names)]])
        tries += 1
        kind = chance.choice(sorted({mutation.kind for mutation in one.mutations}))
        choice.take(one, chance.choice([place for place, mutation in enumerate(one.mutations) if mutation.kind == kind]))
    return choice.mutants


def planted(text: str, found: Mapping[str, Site], mutants: Sequence[Mutant]) -> tuple[str, set[int]]:
    """The text with those of the mutants whose sites it has, and their numbers."""
    lines = text.split("\n")
    wanted: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        if mutant.key in found and mutant.place < len(found[mutant.key].mutations):
            wanted[mutant.key].append(mutant)
    watched: dict[int, list[str]] = defaultdict(list)
    ends = _ends(lines)
    for key, here in wanted.items():
        site = found[key]
        original = expression = lines[site.line][site.start : site.end]
        for mutant in here:
            mutated = site.mutations[mutant.place].expression
            expression = f"(mutants::chosen == 16'd{mutant.number}) ? ({mutated}) : ({expression})"
            end, clocked = ends[bisect.bisect(ends, (site.line, False))]
            assigned = _ASSIGNED.fullmatch(lines[site.line][: site.start])
            width = f"{{$bits({assigned[1].strip()} ){{1'h0}}}} | " if assigned else ""
            differs = f"if (({width}({mutated})) != ({width}({original}))) " if clocked else ""
            watched[end].append(f"    {differs}mutants::reached[{mutant.number}] <= 1'd1;")
        lines[site.line] = lines[site.line][: site.start] + expression + lines[site.line][site.end :]
    for end, statements in watched.items():
        event = "@(posedge clk)" if (end, True) in ends else "@(mutants::chosen)"
        watch = [f"  always {event} if (mutants::chosen == 16'd{WATCH}) begin", *statements, "  end"]
        lines[end] = "\n".join([*watch, lines[end]])
    return "\n".join(lines), {mutant.number for here in wanted.values() for mutant in here}


def _ends(lines: Sequence[str]) -> list[tuple[int, bool]]:
    """The last line of each module, and whether the module has a clock."""
    found, clocked = [], False
    for place, line in enumerate(lines):
        if line == "  input clk;":
            clocked = True
        elif line == "endmodule":
            found.append((place, clocked))
            clocked = False
    return found
