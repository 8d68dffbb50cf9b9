"""The parser on Icarus as a function: documents in, verdicts, words and clocks out."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import Code, WordType
from sim.golden.words import Word
from sim.icarus.builder import bench, simulate
from sim.interface import EngineError
from sim.verilated.parser import Parsed

__all__ = ["parse"]


def _read(lines: Sequence[str], *, words: bool) -> Iterator[Parsed]:
    """The results in order; the words of a document may be complete before or after its verdict."""
    ended: list[tuple[Word, ...]] = []
    judged: list[list[int]] = []
    current: list[Word] = []
    for line in lines:
        kind, *numbers = line.split()
        values = [int(number, 16) for number in numbers]
        if kind == "W":
            word_type, index, count, data = values
            current.append(Word(WordType(word_type), index, data.to_bytes(4, "little")[:count]))
        elif kind == "D":
            ended.append(tuple(current))
            current = []
        else:
            judged.append(values)
    for (_, code, offset, size, first, last), found in zip(judged, ended, strict=True):
        yield Parsed(Code(code), offset, size, first, last, found if words and Code(code) is Code.OK else ())


def parse(
    documents: Sequence[bytes], config: BrokerConfig, *, words: bool = False, apart: bool = False, stalls: int | None = None
) -> list[Parsed]:
    """Parse the documents in one run from reset on; as :func:`sim.verilated.parser.parse`, with other stalls for the same seed."""
    model = bench(top="scbxp", main="parse_bench.v", config=config)
    switches = ["+apart"] * apart + ([] if stalls is None else [f"+stalls={stalls}"])
    source = b"".join(len(one).to_bytes(4, "little") + one for one in documents)
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        lines, failure = simulate(model, source, Path(name), switches)
    results = list(_read(lines, words=words))
    if failure or len(results) != len(documents):
        reason = failure or f"{len(results)} of {len(documents)} verdicts"
        raise EngineError(f"the simulated parser stopped ({reason})", hint="this is a fault of the hardware description")
    return results
