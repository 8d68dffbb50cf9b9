"""The Verilated parser as a function: documents in, verdicts, words and clocks out."""

import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import Code, WordType
from sim.golden.words import Word
from sim.interface import EngineError, ParseResult
from sim.verilated.builder import program

__all__ = ["Parsed", "parse"]

_RECORD = struct.Struct("<BBxxIIQQ")
_WORD = struct.Struct("<BBBB4sI")
_COUNT = struct.Struct("<I")
_TYPES = {member.value: member for member in WordType}


@dataclass(frozen=True)
class Parsed:
    """What the hardware said of one document, and the clocks of its first word and of its verdict; ``words`` are empty unless asked for."""

    code: Code
    offset: int
    bytes: int
    first_word: int
    verdict: int
    words: tuple[Word, ...]

    @property
    def cycles(self) -> int:
        return self.verdict - self.first_word

    def result(self, *, words: bool) -> ParseResult:
        """The same as an engine's result."""
        offset = None if self.code is Code.OK else self.offset
        return ParseResult(self.code, offset, self.bytes, cycles=self.cycles, words=self.words if words else None)


def _write_items(path: Path, items: Sequence[bytes]) -> None:
    path.write_bytes(b"".join(_COUNT.pack(len(item)) + item for item in items))


def _read(raw: bytes, *, words: bool) -> Iterator[Parsed]:
    at = 0
    while at < len(raw):
        verdict, code, offset, size, first, last = _RECORD.unpack_from(raw, at)
        at += _RECORD.size
        found: tuple[Word, ...] = ()
        if words:
            (count,) = _COUNT.unpack_from(raw, at)
            at += _COUNT.size
            end = at + count * _WORD.size
            found = tuple(Word(_TYPES[t], index, data[:length]) for t, index, length, _, data, _ in _WORD.iter_unpack(raw[at:end]))
            at = end
        if Code(code).verdict != verdict:
            raise EngineError(f"the parser gave verdict {verdict} with code {code}", hint="this is a fault of the hardware description")
        yield Parsed(Code(code), offset, size, first, last, found)


def parse(
    documents: Sequence[bytes],
    config: BrokerConfig,
    *,
    words: bool = False,
    apart: bool = False,
    stalls: int | None = None,
    skeleton: Sequence[bytes] = (),
    executable: Path | None = None,
) -> list[Parsed]:
    """Parse the documents in one run from reset on.

    ``apart`` gives each document the parser for itself; otherwise they follow back to back. ``stalls`` is the seed of random idle clocks
    at the input and waits at the outputs. The names of ``skeleton`` are loaded beforehand [T 4.5.1]; others are learned. ``executable`` is
    a program that was built before.
    """
    executable = executable or program(top="scbxp", main="parse_main.cpp", config=config)
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        folder = Path(name)
        _write_items(folder / "documents", documents)
        command = [str(executable), str(folder / "documents"), str(folder / "results")]
        command += ["--words"] * words + ["--apart"] * apart
        if stalls is not None:
            command += ["--stalls", str(stalls)]
        if skeleton:
            _write_items(folder / "skeleton", skeleton)
            command += ["--skeleton", str(folder / "skeleton")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = done.stderr.strip() or f"status {done.returncode}"
            raise EngineError(f"the simulated parser stopped ({reason})", hint="this is a fault of the hardware description")
        results = list(_read((folder / "results").read_bytes(), words=words))
    if len(results) != len(documents):
        raise EngineError(f"{len(documents)} documents got {len(results)} verdicts", hint="this is a fault of the hardware description")
    return results
