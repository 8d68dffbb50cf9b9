"""The algorithms of the papers in C++, written as published and built here, and RE2. Each says what it found: that is compared first."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import re2

from sim.cache import BUILD, cached, digest
from sim.golden.languages.filter import Predicate
from sim.golden.languages.numbers import plain
from sim.interface import EngineError

__all__ = [
    "EVENT_ALGORITHMS",
    "TOPIC_ALGORITHMS",
    "EventRun",
    "Timed",
    "TopicRun",
    "event_lines",
    "one_by_one",
    "run_events",
    "run_topics",
    "set_of",
]

EVENT_ALGORITHMS = ("sff", "pcm", "betree")
TOPIC_ALGORITHMS = ("tree", "hash")
_FOLDER = Path(__file__).resolve().parent
_OPTIONS = ("-std=c++17", "-O3", "-march=native", "-fopenmp")


@dataclass(frozen=True)
class EventRun:
    """The interfaces of each event; seconds of one event in the fastest round and of building; bytes held."""

    found: list[list[int]]
    seconds: float
    building: float
    bytes: int


@dataclass(frozen=True)
class TopicRun:
    """The destinations of each topic; seconds of one topic in the fastest round, of adding and of removing a subscription.

    A hash table has no nodes, and its edges are its entries.
    """

    found: list[list[int]]
    seconds: float
    adding: float
    removing: float
    nodes: int
    edges: int
    bytes: int


def _program(name: str) -> Path:
    source = _FOLDER / f"{name}.cpp"

    def make(folder: Path) -> None:
        print(f"x2cbbr: building {source.name} (once)", file=sys.stderr, flush=True)
        done = subprocess.run(["c++", *_OPTIONS, str(source), "-o", str(folder / name)], capture_output=True, text=True, check=False)
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if "error: " in line), "the compiler failed").rpartition("error: ")[2]
            raise EngineError(f"{source.name} cannot be built: {reason}", hint="apt-get install g++")

    if shutil.which("c++") is None:
        raise EngineError(f"there is no C++ compiler to build {source.name} with", hint="apt-get install g++")
    return cached(BUILD / "peer" / digest([source.read_bytes(), *_OPTIONS]), make) / name


def _run(name: str, algorithm: str, lines: Iterable[str], *arguments: int) -> tuple[list[list[int]], list[str]]:
    """What was found, a list a line, and the words of the last line."""
    with tempfile.NamedTemporaryFile("w", prefix="x2cbbr-", suffix=".txt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        command = [str(_program(name)), algorithm, file.name, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EngineError(f"{name} {algorithm} ended with {done.returncode}: {done.stderr.strip()}", hint="run it alone to see more")
    *found, last = done.stdout.splitlines()
    return [[int(one) for one in line.split()] for line in found], last.split()


def _shown(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else plain(value) if isinstance(value, Decimal) else str(value)


def event_lines(filters: Iterable[tuple[int, Predicate]], events: Iterable[Mapping[str, int | str]]) -> Iterable[str]:
    """Filters by interface and events as ``events.cpp`` reads them; names and strings have no blank in them."""
    for interface, predicate in filters:
        for each in predicate.filters:
            yield f"F {interface}"
            yield from (f"C {one.name} {one.operator} {_shown(one.literal)}" for one in each)
    for properties in events:
        yield "E"
        yield from (f"A {name} {_shown(value)}" for name, value in properties.items())


def run_events(algorithm: str, lines: Iterable[str], *, rounds: int = 1, threads: int = 1) -> EventRun:
    """One of :data:`EVENT_ALGORITHMS` on the lines of :func:`event_lines`."""
    found, (seconds, building, held) = _run("events", algorithm, lines, rounds, threads)
    return EventRun(found, float(seconds), float(building), int(held))


def run_topics(algorithm: str, subscriptions: Sequence[tuple[int, str]], topics: Sequence[str], *, rounds: int = 1) -> TopicRun:
    """One of :data:`TOPIC_ALGORITHMS` on subscriptions by destination."""
    lines = [*(f"S {destination} {text}" for destination, text in subscriptions), *(f"T {topic}" for topic in topics)]
    found, (seconds, adding, removing, nodes, edges, held) = _run("topics", algorithm, lines, rounds)
    return TopicRun(found, float(seconds), float(adding), float(removing), int(nodes), int(edges), int(held))


def _options() -> "re2.Options":
    options = re2.Options()
    options.never_capture = True
    options.log_errors = False
    options.max_mem = 1 << 30
    return options


Timed = tuple[list[list[int]], float, float]
"""The places of the expressions that match each topic, processor seconds of one topic in the fastest round, and seconds of building."""


def _timed(find: Callable[[str], list[int]], topics: Sequence[str], rounds: int, building: float) -> Timed:
    best = float("inf")
    found: list[list[int]] = []
    for _ in range(rounds):
        begun = time.process_time()
        found = [find(topic) for topic in topics]
        best = min(best, (time.process_time() - begun) / max(len(topics), 1))
    return found, best, building


def set_of(expressions: Sequence[str], topics: Sequence[str], *, rounds: int = 1) -> Timed:
    """RE2 with all expressions in one automaton; one that runs out of memory says that nothing matches."""
    begun = time.process_time()
    together = re2.Set.SearchSet(_options())
    for one in expressions:
        together.Add(one)
    together.Compile()
    building = time.process_time() - begun
    return _timed(lambda topic: sorted(together.Match(topic) or ()), topics, rounds, building)


def one_by_one(expressions: Sequence[str], topics: Sequence[str], *, rounds: int = 1) -> Timed:
    """RE2 with each expression by itself, as in H III-B and N Fig 10."""
    begun, options = time.process_time(), _options()
    compiled = [re2.compile(one, options) for one in expressions]
    building = time.process_time() - begun

    def find(topic: str) -> list[int]:
        return [place for place, one in enumerate(compiled) if one.search(topic)]

    return _timed(find, topics, rounds, building)
