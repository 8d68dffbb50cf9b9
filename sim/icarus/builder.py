"""Configuration to Verilog to a compiled bench for Icarus, kept under ``build/icarus``."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from sim.cache import BUILD, cached, digest
from sim.interface import EngineError
from sim.rtl import rtl
from sim.verilated.layout import verilog_header

__all__ = ["bench", "simulate"]

FOLDER = Path(__file__).resolve().parent


def _started(text: str) -> str:
    """The Verilog with its combinational blocks started at time zero.

    A block ``always @*`` runs first when one of its inputs changes, so that one with constant inputs may stay undefined for ever. Most
    blocks have a register that is meant to start them, but on Icarus its initial value is no change; blocks of a single line have none.
    """
    text = re.sub(r"^( *)reg (\\\$auto\$verilog_backend\S*) += 0;$", r"\1reg \2 ;\n\1initial #0 \2 = 0;", text, flags=re.MULTILINE)
    return re.sub(r"^( *)always @\*\n +([^\n]*;)$", r"\1always @*\n\1  \2\n\1initial #0 \2", text, flags=re.MULTILINE)


def bench(*, top: str, main: str, config: BrokerConfig) -> Path:
    """The bench ``main``, a Verilog file of this folder whose module has its name, compiled with the component ``top`` of
    :data:`hdl.emit.TOPS`; the same file for the same Verilog, also when several processes ask."""
    source = rtl(top, config)
    text, header = _started(source.text), verilog_header(source.ports)
    path = FOLDER / main

    def make(folder: Path) -> None:
        if shutil.which("iverilog") is None:
            raise EngineError("Icarus Verilog must be installed", hint="run make setup, or apt-get install iverilog")
        print(f"x2cbbr: building {top} with Icarus (once)", file=sys.stderr, flush=True)
        (folder / f"{top}.v").write_text(text, encoding="utf-8")
        (folder / "layout.vh").write_text(header, encoding="utf-8")
        files = [str(path), str(folder / f"{top}.v")]
        command = ["iverilog", "-g2012", "-s", path.stem, "-I", str(folder), "-o", str(folder / "bench.vvp"), *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise EngineError(f"Icarus could not build {top} ({done.stderr.strip()[-300:]})", hint="check its version, 11 or later")

    return cached(BUILD / "icarus" / digest([text, header, path.read_bytes()]), make) / "bench.vvp"


def simulate(model: Path, source: bytes, folder: Path, switches: Sequence[str]) -> tuple[list[str], str]:
    """Run a bench over its input; the lines that it wrote, and why it failed, which is empty when it did not."""
    (folder / "input").write_bytes(source)
    command = ["vvp", "-n", str(model), f"+input={folder / 'input'}", f"+output={folder / 'output'}", *switches]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    written = folder / "output"
    lines = written.read_text(encoding="ascii").splitlines() if written.exists() else []
    return lines, (done.stderr.strip() or f"status {done.returncode}") if done.returncode else ""
