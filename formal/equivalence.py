"""Proofs that a mutant cannot be told from the hardware: a module with the mutated expression beside the module without it.

Both get the same inputs, and everything that leaves them must agree: their outputs, what they hand to submodules and memories. What
comes back from those is free, so a proof holds in any surroundings. ``combinational`` also cuts the registers: their next values agree
for every state, reachable or not. ``inductive`` keeps them: both start at their initial values, and by k-induction nothing that leaves
differs, ever.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sim.mutants.sites import Site

__all__ = ["METHODS", "proved"]

METHODS = {"combinational": "-evert-dff", "inductive": ""}
_STEPS = 6
"""Clocks of an induction at most."""

_SECONDS = 60
_HEAD = re.compile(r"module (\\\S+|[A-Za-z_][\w$]*) ?\(")
_INSTANCE = re.compile(r"^  (\\\S+) +(?:\\\S+|[A-Za-z_][\w$]*) +\($", re.MULTILINE)
_PORT = re.compile(r"^  (?:input|output) .*;$", re.MULTILINE)


@lru_cache(maxsize=2)
def _modules(text: str) -> dict[str, tuple[int, str]]:
    """First line and text of each module."""
    found, at = {}, 0
    for part in text.split("\nendmodule"):
        head = _HEAD.search(part)
        if head is not None:
            start = part.rindex("\n", 0, head.start()) + 1 if "\n" in part[: head.start()] else head.start()
            found[head[1].lstrip("\\")] = (at + part[:start].count("\n"), part[start:] + "\nendmodule\n")
        at += part.count("\n") + 1
    return found


def _shell(text: str) -> str:
    """The module without what is in it."""
    head = text[: text.index(";") + 1]
    return "\n".join(["(* blackbox *)", head, *_PORT.findall(text), "endmodule", ""])


def _renamed(text: str, name: str) -> str:
    return re.sub(r"^module (\\\S+ ?|[A-Za-z_][\w$]*)", f"module {name} ", text, count=1)


def _verilog(text: str, module: str, site: Site, place: int) -> Iterator[str]:
    modules = _modules(text)
    first, own = modules[module]
    lines = own.split("\n")
    line = lines[site.line - first]
    for inner in sorted({found.lstrip("\\") for found in _INSTANCE.findall(own)}):
        yield _shell(modules[inner][1])
    yield _renamed(own, "gold")
    lines[site.line - first] = line[: site.start] + site.mutations[place].expression + line[site.end :]
    yield _renamed("\n".join(lines), "gate")


def proved(text: str, *, module: str, site: Site, place: int) -> str | None:
    """The method that proves mutation ``place`` of the site equivalent, or None; ``module`` is the name in the text of its module."""
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        folder = Path(name)
        (folder / "both.v").write_text("".join(_verilog(text, module, site, place)), encoding="utf-8")
        for method, cut in METHODS.items():
            claim = "" if cut else f"-tempinduct -seq 1 -maxsteps {_STEPS}"
            script = f"""read_verilog -sv {folder}/both.v
hierarchy
proc -norom
opt_clean
memory_collect
opt_clean
expose -evert {cut} gold gate
miter -equiv -make_assert -flatten gold gate miter
hierarchy -top miter
sat -verify -prove-asserts {claim} -timeout {_SECONDS} miter
"""
            (folder / "script.ys").write_text(script, encoding="utf-8")
            command = [sys.executable, "-m", "formal.yosys", "-ql", str(folder / "log"), str(folder / "script.ys")]
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).resolve().parent.parent)
            if done.returncode == 0 and "SUCCESS!" in (folder / "log").read_text(encoding="utf-8"):
                return method
    return None
