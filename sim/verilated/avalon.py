"""The Verilated broker behind XAVI as a function: transfers in, words and clocks out."""

import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import register
from sim.interface import EngineError
from sim.verilated.builder import program

__all__ = ["Done", "Transfer", "mark", "packet", "poll", "read", "run"]

_DONE = struct.Struct("<IQ")


@dataclass(frozen=True)
class Transfer:
    """A transfer of :file:`avalon_main.cpp`."""

    kind: str
    address: int = 0
    word: int = 0


@dataclass(frozen=True)
class Done:
    """What a read, a poll or a mark gave, and the clock after it."""

    word: int
    clock: int


def packet(stream: str, data: bytes) -> list[Transfer]:
    """The writes that hand a document, a frame or a name to a stream."""
    head = data[: max(0, (len(data) - 1) // 4 * 4)]
    tail = data[len(head) :]
    place = register(f"{stream}_data").offset
    words = [Transfer("W", place, int.from_bytes(head[at : at + 4], "little")) for at in range(0, len(head), 4)]
    return [*words, Transfer("W", register(f"{stream}_end{len(tail)}").offset, int.from_bytes(tail, "little"))]


def read(name: str, place: int = 0) -> Transfer:
    return Transfer("R", register(name).offset + place)


def poll(name: str, word: int) -> Transfer:
    """Wait until the register has this value."""
    return Transfer("P", register(name).offset, word)


def mark() -> Transfer:
    return Transfer("M")


def run(transfers: Sequence[Transfer], config: BrokerConfig) -> list[Done]:
    """Carry out the transfers one after the other, from reset; one result for each that gives one."""
    executable = program(top="x2cbbr_avalon", main="avalon_main.cpp", config=config)
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        source, results = Path(name) / "transfers", Path(name) / "results"
        source.write_bytes(b"".join(struct.pack("<cII", one.kind.encode(), one.address, one.word) for one in transfers))
        done = subprocess.run([str(executable), str(source), str(results)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise EngineError(f"the simulated broker stopped ({done.stderr.strip()})", hint="this is a fault of the hardware description")
        raw = results.read_bytes()
    return [Done(*_DONE.unpack_from(raw, at)) for at in range(0, len(raw), _DONE.size)]
