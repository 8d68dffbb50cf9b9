"""The same publications and subscriptions through software on one core of this machine: lxml (libxml2), and pugixml from C++."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lxml import etree

from sim.cache import BUILD, cached, digest
from sim.interface import EngineError

__all__ = ["PEERS", "Timed"]

SOURCE = Path(__file__).resolve().parent / "peer.cpp"
_ROUNDS = 5

Timed = tuple[int, float]
"""Pairs of a document and an expression that selects something in it, and processor seconds of the fastest round."""


def _lxml(documents: Sequence[bytes], expressions: Sequence[str]) -> Timed:
    compiled = [etree.XPath(text) for text in expressions]
    best, matches = float("inf"), 0
    for _ in range(_ROUNDS):
        started, matches = time.process_time(), 0
        for document in documents:
            tree = etree.fromstring(document).getroottree()
            matches += sum(bool(expression(tree)) for expression in compiled)
        best = min(best, time.process_time() - started)
    return matches, best


def _program() -> Path:
    def make(folder: Path) -> None:
        print("x2cbbr: building the comparison with pugixml, which Debian's libpugixml-dev brings", file=sys.stderr, flush=True)
        command = ["c++", "-std=c++17", "-O2", str(SOURCE), "-lpugixml", "-o", str(folder / "peer")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if "error: " in line), "the compiler failed").rpartition("error: ")[2]
            raise EngineError(f"the comparison cannot be built: {reason}", hint="apt-get install libpugixml-dev")

    if shutil.which("c++") is None:
        raise EngineError("there is no C++ compiler to build the comparison with", hint="apt-get install g++ libpugixml-dev")
    return cached(BUILD / "peer" / digest([SOURCE.read_bytes()]), make) / "peer"


def _pugixml(documents: Sequence[bytes], expressions: Sequence[str]) -> Timed:
    program = _program()
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        paths = []
        for index, items in enumerate((documents, [text.encode() for text in expressions])):
            paths.append(str(Path(name) / str(index)))
            Path(paths[-1]).write_bytes(b"".join(len(item).to_bytes(4, "little") + item for item in items))
        done = subprocess.run([str(program), *paths, str(_ROUNDS)], capture_output=True, text=True, check=True)
    matches, seconds = done.stdout.split()
    return int(matches), float(seconds)


PEERS: dict[str, Callable[[Sequence[bytes], Sequence[str]], Timed]] = {"lxml": _lxml, "pugixml": _pugixml}
