"""``make coverage``: the lines of the emitted Verilog that the mutants' vectors reach and the bits that they change, by unit.

A *line* is a point of Verilator's line and branch coverage: statements of an ``always`` block that run under the same conditions, or a
condition without ``else`` that does not hold. A *toggle* is a bit of a signal that rises, or one that falls; signals of more than 256 bits
are not counted. Signals that are constant by construction count as never changed. Verilator leaves out what no port of the driver
depends on.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures.commit import commit
from sim.cache import BUILD
from sim.mutants.benches import BENCHES, Bench
from sim.mutants.schemata import package, unit_of
from sim.mutants.sites import live_sites
from sim.mutants.vectors import Vector, vectors
from sim.rtl import rtl
from sim.verilated.builder import program

__all__ = ["Point", "Text", "covered", "main", "points", "read_counts", "summary"]

_ATTRIBUTE = re.compile(r"\(\* [^*]* \*\) ?")
_MODULE = re.compile(r"module (\\\S+|[A-Za-z_][\w$]*) ?\(")
_SOURCE = re.compile(r'src = "[^"]*?(hdl/[^"|]*\.py:\d+)')
_COUNTED = re.compile(rb"C '(.*)' (\d+)")
_MANGLED = re.compile(r"__0([0-9A-F]{2})")
"""A character that Verilator spells out in a name."""
_YOSYS = "$auto$verilog_backend"
"""In the names of registers that Yosys adds for simulators alone."""


@dataclass(frozen=True)
class Point:
    """Something to be reached: ``kind`` is ``line`` or ``toggle``, ``what`` a statement or a signal with the bit."""

    kind: str
    unit: str
    module: str
    source: str
    what: str
    count: int


def read_counts(path: Path) -> Counter[bytes]:
    """The counts of a file that Verilator wrote, by the keys as they stand there."""
    found: Counter[bytes] = Counter()
    for line in path.read_bytes().splitlines():
        if match := _COUNTED.fullmatch(line):
            found[match[1]] += int(match[2])
    return found


class Text:
    """The Verilog of a bench's top, and what its lines belong to; lines are counted from 1 as Verilator counts them."""

    def __init__(self, bench: Bench) -> None:
        source = rtl(bench.top, bench.config, sources=True)
        self._lines = source.text.split("\n")
        outputs = [port["name"] for port in source.ports if port["direction"] == "output"]
        sites = live_sites(source.text, top=source.top, path=bench.path, outputs=outputs)
        units, rooms = unit_of(sites), defaultdict[str, Counter[str]](Counter)
        for one in sites:
            rooms[one.module][units[one.key]] += 1
        self._units = {module: counted.most_common(1)[0][0] for module, counted in rooms.items()}
        self._modules = self._modules_of(source.top, bench.path)
        self._sources = self._sources_of({one.line: one.source for one in sites if one.source})

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def bare(self) -> str:
        """The text without attributes, with every line in its place."""
        return _ATTRIBUTE.sub("", "\n".join(self._lines))

    def _modules_of(self, top: str, path: str) -> list[str]:
        found, module = [], ""
        for line in self._lines:
            if match := _MODULE.match(line):
                module = f"{path}.{match[1].lstrip(chr(92)).removeprefix(top).lstrip('.')}".strip(".")
            found.append(module)
        return found

    def _sources_of(self, sites: dict[int, str]) -> list[str]:
        """The place in ``hdl`` of each line: of a declaration its own, of a statement that of its block."""
        found = [""] * len(self._lines)
        start = None
        for place, line in enumerate(self._lines):
            if place and (match := _SOURCE.search(self._lines[place - 1])):
                found[place] = match[1]
            if line.startswith("  always"):
                start = place
            elif line == "  end" and start is not None:
                inside = (sites[one] for one in range(start, place) if one in sites)
                origin = re.search(r"hdl/.*\.py:\d+", next(inside, ""))
                found[start : place + 1] = [origin[0] if origin else ""] * (place + 1 - start)
                start = None
        return found

    def unit(self, line: int) -> str:
        """The unit of a line: a folder of ``hdl``, by what most of its module was written in."""
        module = self.module(line)
        while module and module not in self._units:
            module = module.rpartition(".")[0]
        return self._units.get(module, "broker")

    def module(self, line: int) -> str:
        return self._modules[line - 1]

    def source(self, line: int) -> str:
        return self._sources[line - 1]

    def statement(self, line: int) -> str:
        return self._lines[line - 1].strip()


def points(text: Text, counts: Counter[bytes]) -> Iterator[Point]:
    """The points of a bench, without those of its driver, those that Yosys added for simulators, and the initial values of registers."""
    for key, count in counts.items():
        fields = dict(part.split("\x02", 1) for part in key.decode().split("\x01") if part)
        line, what = int(fields["l"]), _MANGLED.sub(lambda match: chr(int(match[1], 16)), fields["o"])
        kind = "toggle" if fields["t"] == "toggle" else "line"
        if line > len(text) or _YOSYS in what or _YOSYS in text.statement(line):
            continue
        if kind == "line" and text.statement(line).startswith("reg "):
            continue
        shown = what if kind == "toggle" else f"{text.statement(line)} ({what}, line {line})"
        yield Point(kind, text.unit(line), text.module(line), text.source(line), shown, count)


def covered(bench: Bench, text: Text) -> Path:
    """The program of a bench that counts. It has the reset of a program with mutants and none of them."""
    return program(top=bench.top, main=bench.main, config=bench.config, mutated=text.bare + package(1), mutants=1, coverage=True)


def counted(executable: Path, chosen: Iterable[Vector]) -> Counter[bytes]:
    """What the vectors reach together."""
    found: Counter[bytes] = Counter()
    for number, vector in enumerate(chosen, 1):
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
            folder = Path(name)
            (folder / "input").write_bytes(vector.data)
            subprocess.run([executable.resolve(), "input", "output", "--timeless", *vector.options], cwd=folder, check=True)
            found.update(read_counts(folder / "coverage.dat"))
        print(f"{vector.bench} {number}: {vector.name}, {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
    return found


def summary(found: Iterable[Point]) -> dict[str, dict[str, list[int]]]:
    """By unit and kind, how many points were reached and how many there are."""
    rows: dict[str, dict[str, list[int]]] = {}
    for one in found:
        row = rows.setdefault(one.unit, {"line": [0, 0], "toggle": [0, 0]})
        row[one.kind][0] += one.count > 0
        row[one.kind][1] += 1
    return dict(sorted(rows.items()))


def _never(found: Iterable[Point]) -> list[dict[str, str]]:
    missed = [one for one in found if not one.count]
    missed.sort(key=lambda one: (one.kind, one.unit, one.source, one.module, one.what))
    return [{"kind": one.kind, "unit": one.unit, "source": one.source, "module": one.module, "what": one.what} for one in missed]


def _show(name: str, rows: dict[str, dict[str, list[int]]]) -> None:
    print(f"\n{name + ' bench':14} {'lines':>9} {'of':>9} {'':7} {'toggles':>9} {'of':>9}")
    total = {kind: [sum(row[kind][place] for row in rows.values()) for place in (0, 1)] for kind in ("line", "toggle")}
    for unit, row in [*rows.items(), ("all", total)]:
        cells = [f"{row[kind][0]:9,} {row[kind][1]:9,} {row[kind][0] / max(row[kind][1], 1):7.1%}" for kind in ("line", "toggle")]
        print(f"{unit:14} {' '.join(cells)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the vectors, print a table for each bench, and list what was never reached."""
    parser = argparse.ArgumentParser(prog="python -m sim.coverage", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bench", action="append", choices=list(BENCHES), help="only this bench; may be repeated")
    parser.add_argument("--every", type=int, default=1, help="run one vector of so many")
    parser.add_argument("--output", type=Path, default=BUILD / "coverage.json")
    chosen = parser.parse_args(arguments)
    contents: dict[str, Any] = {"commit": str(commit()), "every": chosen.every, "units": {}, "never": {}}
    for name in chosen.bench or list(BENCHES):
        text = Text(BENCHES[name])
        mine = [vector for vector in vectors() if vector.bench == name][:: chosen.every]
        found = list(points(text, counted(covered(BENCHES[name], text), mine)))
        contents["units"][name] = summary(found)
        contents["never"][name] = _never(found)
        _show(name, contents["units"][name])
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    print(f"\n{sum(map(len, contents['never'].values())):,} points never reached are listed in {chosen.output}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
