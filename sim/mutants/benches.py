"""The programs that mutants live in: tops of the hardware with the drivers that run vectors through them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hdl.config import PRESETS, BrokerConfig
from sim.mutants.schemata import Mutant, package, planted
from sim.mutants.sites import Site, live_sites
from sim.rtl import Rtl, rtl
from sim.verilated.builder import FOLDER, program

__all__ = ["BENCHES", "Bench", "all_sites", "build", "text_and_sites"]

_ATTRIBUTE = re.compile(r"\(\* [^*]* \*\) ?")


@dataclass(frozen=True)
class Bench:
    """A top and the C++ file that drives it.

    ``path`` is where the top's modules are in the broker. What is in a module of ``without``, a part of a path, is not mutated there.
    """

    top: str
    main: str
    config: BrokerConfig
    path: str = ""
    without: tuple[str, ...] = ()


_SMALL = BrokerConfig(subscriptions=31, steps=64, slices=4, names=32, learned=64, links=2)

BENCHES: dict[str, Bench] = {
    "broker": Bench("x2cbbr", "filter_main.cpp", PRESETS["default"]),
    "parser": Bench("scbxp", "parse_main.cpp", PRESETS["default"], path="scbxp"),
    # Wishbone and AXI have the register files of Avalon and of the host link.
    "fronts": Bench("sim.mutants.mirror:Fronts", "fronts_main.cpp", _SMALL, without=("broker.broker", "wishbone.broker", "axi.broker")),
}


def _observed(bench: Bench, source: Rtl) -> list[str]:
    """The outputs that the driver looks at."""
    named = tuple(re.findall(r"top->(\w+)", (FOLDER / bench.main).read_text(encoding="utf-8")))
    links = ["notification__"] if "EACH_LINK" in (FOLDER / bench.main).read_text(encoding="utf-8") else []
    outputs = [port["name"] for port in source.ports if port["direction"] == "output"]
    return [name for name in outputs if name.replace("__", "___05F").startswith(named) or name.startswith(tuple(links) or ("\0",))]


@cache
def text_and_sites(name: str) -> tuple[str, dict[str, Site]]:
    """The Verilog of a bench's top, and its sites by key."""
    bench = BENCHES[name]
    source = rtl(bench.top, bench.config, sources=True)
    found = live_sites(source.text, top=source.top, path=bench.path, outputs=_observed(bench, source))
    found = [one for one in found if not any(f".{part}." in f".{one.module}." for part in bench.without)]
    return source.text, {one.key: one for one in found}


def all_sites() -> dict[str, Site]:
    """The sites of all benches by key; one that several have counts once."""
    found: dict[str, Site] = {}
    for name in BENCHES:
        found = text_and_sites(name)[1] | found
    return found


def build(name: str, mutants: Sequence[Mutant]) -> tuple[Path, set[int]]:
    """The program of a bench with the mutants that it has a place for, and their numbers."""
    text, found = text_and_sites(name)
    mutated, numbers = planted(text, found, mutants)
    bench = BENCHES[name]
    bare = re.sub(r"\n *(?=\n)", "", _ATTRIBUTE.sub("", mutated))
    return program(top=bench.top, main=bench.main, config=bench.config, mutated=package(len(mutants)) + bare, mutants=len(mutants)), numbers
