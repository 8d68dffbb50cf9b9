"""Networks of Verilated brokers with their routers, wired link to link, under the steady policy."""

import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hdl.config import BrokerConfig
from hdl.contract import Frame, FrameError
from sim.interface import EngineError
from sim.verilated.builder import program

__all__ = ["PORTS", "Crossing", "NetworkRun", "Notified", "play"]

PORTS = 4
"""Neighbours of a broker at most."""

_LIMIT = 2_000_000
"""Clocks in which a network must come to rest."""


@dataclass(frozen=True)
class Crossing:
    """A frame that came over a link whole."""

    clock: int
    sender: int
    receiver: int
    frame: Frame


@dataclass(frozen=True)
class Notified:
    """A NOTIFY frame for a subscriber of the broker ``at``."""

    clock: int
    at: int
    frame: Frame


@dataclass
class NetworkRun:
    """What came out; brokers are known by their BIDs. ``counts`` are those of each broker by name, those of ports added up."""

    crossings: list[Crossing] = field(default_factory=list)
    notified: list[Notified] = field(default_factory=list)
    refusals: list[tuple[int, int]] = field(default_factory=list)
    """Of each frame of a subscriber: its broker and the code of its result."""
    marks: int = 0
    settled: list[int] = field(default_factory=list)
    """The clocks in which the network came to rest."""
    counts: dict[int, dict[str, int]] = field(default_factory=dict)


_FAULT = "this is a fault of the hardware description"
_COUNTS = ("registered", "duplicates", "sent", "limited", "oversized", "up", "settled", "joined")
_PORT_COUNTS = ("lost", "misrouted", "refusals", "broken")


def _unpacked(text: str) -> Frame:
    try:
        return Frame.unpack(bytes.fromhex(text))
    except FrameError as error:
        raise EngineError(f"a broker must send frames of the contract, not {text}", hint=_FAULT) from error


def _read(lines: Iterable[str], bids: Sequence[int]) -> NetworkRun:
    run = NetworkRun()
    for line in lines:
        clock, what, *rest = line.split()
        match what:
            case "F":
                run.crossings.append(Crossing(int(clock), bids[int(rest[0])], bids[int(rest[1])], _unpacked(rest[2])))
            case "N":
                run.notified.append(Notified(int(clock), bids[int(rest[0])], _unpacked(rest[1])))
            case "R":
                run.refusals.append((bids[int(rest[0])], int(rest[1])))
            case "M":
                run.marks += 1
            case "Q":
                run.settled.append(int(clock))
            case "C":
                numbers = [int(number) for number in rest[1:]]
                counts = dict(zip(_COUNTS, numbers, strict=False))
                for place, name in enumerate(_PORT_COUNTS):
                    counts[name] = sum(numbers[len(_COUNTS) + place :: len(_PORT_COUNTS)])
                run.counts[bids[int(rest[0])]] = counts
    return run


def play(
    config: BrokerConfig,
    bids: Sequence[int],
    links: Sequence[tuple[int, int]],
    events: Iterable[tuple[Any, ...]],
    *,
    tree: Iterable[tuple[int, int]] | None = None,
) -> NetworkRun:
    """Play a scenario. ``links`` are pairs of BIDs, ``tree`` those of them that the steady policy uses, by default all.

    Events are ("subscribe", BID, frame), ("publish", BID, document), ("cut", place in ``links``), ("mend", place) and ("settle",).
    """
    ports: Mapping[int, list[int]] = {bid: [number for number, link in enumerate(links) if bid in link] for bid in bids}
    if any(len(found) > PORTS for found in ports.values()):
        raise ValueError(f"a broker must have at most {PORTS} neighbours, not {max(map(len, ports.values()))}")
    used = {frozenset(pair) for pair in (links if tree is None else tree)}
    lines = []
    for bid in bids:
        mask = sum(1 << place for place, number in enumerate(ports[bid]) if frozenset(links[number]) in used)
        lines.append(f"BROKER {bid} {mask}")
    for number, (one, other) in enumerate(links):
        lines.append(f"LINK {bids.index(one)} {ports[one].index(number)} {bids.index(other)} {ports[other].index(number)}")
    # A walk over all classes of interests is the longest time in which nothing shows.
    settle = f"SETTLE {6 * config.steps + 600} {_LIMIT}"
    lines.append(settle)
    for event in events:
        match event:
            case ("subscribe", bid, frame):
                lines.append(f"S {bids.index(bid)} {frame.hex()}")
            case ("publish", bid, document):
                lines.append(f"P {bids.index(bid)} {document.hex()}")
            case ("settle",):
                lines.append(settle)
            case (("cut" | "mend") as what, place):
                lines.append(f"{what.upper()} {place}")
            case _:
                raise ValueError(f"event must be subscribe, publish, cut, mend or settle, not {event!r}")
    executable = program(top="hdl.routed:RoutedBroker", main="network_main.cpp", config=config)
    with tempfile.TemporaryDirectory() as folder:
        scenario, output = Path(folder) / "scenario", Path(folder) / "output"
        scenario.write_text("\n".join([*lines, settle, ""]), encoding="utf-8")
        done = subprocess.run([str(executable), str(scenario), str(output)], capture_output=True, text=True, check=False)
        if done.returncode:
            reason = "does not come to rest" if done.returncode == 3 else done.stderr.strip() or f"ended with status {done.returncode}"
            raise EngineError(f"the network {reason}", hint=_FAULT)
        return _read(output.read_text(encoding="utf-8").splitlines(), bids)
