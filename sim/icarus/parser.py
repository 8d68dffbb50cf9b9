"""The parser on Icarus as a function: documents in, verdicts, words and clocks out."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import Code, WordType
from sim.cache import BUILD, cached, digest
from sim.engines.interface import EngineError
from sim.golden.words import Word
from sim.rtl import rtl
from sim.verilated.layout import verilog_header
from sim.verilated.parser import Parsed

__all__ = ["parse"]

BENCH = Path(__file__).resolve().parent / "parse_bench.v"


def _started(text: str) -> str:
    """The Verilog with its combinational blocks started at time zero.

    A block ``always @*`` runs first when one of its inputs changes, so that one with constant inputs may stay undefined for ever. Most
    blocks have a register that is meant to start them, but on Icarus its initial value is no change; blocks of a single line have none.
    """
    text = re.sub(r"^( *)reg (\\\$auto\$verilog_backend\S*) += 0;$", r"\1reg \2 ;\n\1initial #0 \2 = 0;", text, flags=re.MULTILINE)
    return re.sub(r"^( *)always @\*\n +([^\n]*;)$", r"\1always @*\n\1  \2\n\1initial #0 \2", text, flags=re.MULTILINE)


def _model(config: BrokerConfig) -> Path:
    """The compiled bench; the same one for the same Verilog, also when several processes ask."""
    source = rtl("scbxp", config)
    text, header = _started(source.text), verilog_header(source.ports)

    def make(folder: Path) -> None:
        if shutil.which("iverilog") is None:
            raise EngineError("Icarus Verilog must be installed", hint="run make setup, or apt-get install iverilog")
        print("x2cbbr: building the parser with Icarus (once)", file=sys.stderr, flush=True)
        (folder / "scbxp.v").write_text(text, encoding="utf-8")
        (folder / "layout.vh").write_text(header, encoding="utf-8")
        command = [
            "iverilog",
            "-g2012",
            "-s",
            "parse_bench",
            "-I",
            str(folder),
            "-o",
            str(folder / "bench.vvp"),
            str(BENCH),
            str(folder / "scbxp.v"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise EngineError(f"Icarus could not build the parser ({done.stderr.strip()[-300:]})", hint="check its version, 11 or later")

    return cached(BUILD / "icarus" / digest([text, header, BENCH.read_bytes()]), make) / "bench.vvp"


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
    model = _model(config)
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        folder = Path(name)
        (folder / "documents").write_bytes(b"".join(len(one).to_bytes(4, "little") + one for one in documents))
        command = ["vvp", "-n", str(model), f"+input={folder / 'documents'}", f"+output={folder / 'results'}"]
        command += ["+apart"] * apart
        if stalls is not None:
            command.append(f"+stalls={stalls}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        written = folder / "results"
        results = list(_read(written.read_text(encoding="ascii").splitlines(), words=words)) if written.exists() else []
    if done.returncode or len(results) != len(documents):
        reason = done.stderr.strip() or f"{len(results)} of {len(documents)} verdicts"
        raise EngineError(f"the simulated parser stopped ({reason})", hint="this is a fault of the hardware description")
    return results
