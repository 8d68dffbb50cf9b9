"""What the pages of results share: kept figures, what stands beside them, and tables of the bench."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from figures.record import results
from sim.bench.rows import shown
from tools.tables import table

__all__ = ["about", "bench", "count", "group", "notice", "percent", "places", "read"]


def read(name: str) -> Any:
    """The contents of a file of figures."""
    return json.loads((results() / name).read_text(encoding="utf-8"))


def notice(*files: str) -> str:
    """The first line of a page."""
    return f"<!-- Written by python -m tools.gendocs from {' and '.join(files)}. -->\n"


def count(number: int | None) -> str:
    """A whole number; a dash where it was not measured."""
    return "-" if number is None else f"{number:,}"


def percent(part: float) -> str:
    return f"{part:+.1%}"


def places(resources: Mapping[str, int]) -> int:
    """Places of look-up tables: a carry cell takes two, a distributed memory four and two for its addresses."""
    found = resources.get("places")
    return resources["LUT4"] + 2 * resources["CCU2C"] + 6 * resources["TRELLIS_DPR16X4"] if found is None else found


def about(figures: Mapping[str, Any]) -> str:
    """Where figures come from, in a sentence."""
    said = [f"Commit {figures['commit']}"]
    said += [f"seed {figures['seed']}"] if "seed" in figures else []
    said += [f"load {figures['load']}"] if figures.get("load") is not None else ["load not noted"]
    said += [", ".join(f"{name} {version}" for name, version in figures["tools"].items())] if figures.get("tools") else []
    return ", ".join(said) + "."


def group(figures: Mapping[str, Any], *, level: int = 3) -> str:
    """A group of the bench: its title, how it was measured, and its rows."""
    more = list(dict.fromkeys(key for row in figures["rows"] for key in row["more"]))
    compared = any(row["thesis"] is not None for row in figures["rows"])
    head = ("row", *((figures["against"], "here", "ratio") if compared else ("here",)), *more)
    lines = [
        [row["name"], *([row["thesis"], row["ours"], row["ratio"]] if compared else [row["ours"]]), *(row["more"].get(key) for key in more)]
        for row in figures["rows"]
    ]
    cells = [(_plain(name), *(shown(one) or "-" for one in numbers)) for name, *numbers in lines]
    note = ". ".join(line[:1].upper() + line[1:] for line in figures["note"].split("\n"))
    missing = "".join(f"\n{name} is not measured: {reason}.\n" for name, reason in figures["left_out"].items())
    title = f"{'#' * level} {figures['title'][:1].upper()}{figures['title'][1:]} ({figures['unit']})"
    return f"{title}\n\n{note}. {about(figures)}\n\n{table(head, cells, numbers=True)}{missing}"


def _plain(name: str) -> str:
    return name.replace("<", "\\<")


def bench(names: Iterable[str], *, level: int = 3) -> str:
    """Groups of ``make bench`` by name; one that was not kept is left out."""
    found = read("bench.json")
    return "\n".join(group(found[name], level=level) for name in names if name in found)
