"""Configuration to Verilog to a Verilated program, kept under ``build/verilated``."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from sim.cache import BUILD, cached, digest
from sim.interface import EngineError
from sim.rtl import Rtl, rtl
from sim.tools import environment, verilator_root
from sim.verilated.layout import cpp_header
from sim.verilated.registers import merge_registers

__all__ = ["TRICKS", "program"]

TRICKS = ("merged-registers", "common-steps")
"""What is done for speed and can be left out: :mod:`sim.verilated.registers` and ``step.h``; docs/results/simulation.md explains both."""

_WRAPPER = "simulated"
"""Name of the module that is Verilated."""

FOLDER = Path(__file__).resolve().parent
_SHARED = ("driver.h", "model.h", "step.h")
_NEEDED = ("perl", "make", "c++")
_MODEL_FLAGS = (
    "--cc",
    "--build",
    "-O3",
    "-Wno-fatal",
    "-Wno-lint",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--savable",
    "--output-split",
    "400000",  # one file
    "-j",
    "2",
    "-MAKEFLAGS",
    "CFG_CXXFLAGS_PCH_I=-include",  # the wheel's makefile lacks the compiler's option for a precompiled header
    "-MAKEFLAGS",
    "OPT_FAST=-O2",
    "-MAKEFLAGS",
    "OPT_SLOW=-O0",
)
_MERGED_MODEL = ("-fno-split",)  # what merge_registers joined stays joined
_STEPPED_MODEL = ("--output-split-cfuncs", "4000")  # functions that the processor's first cache holds, see step.h
_MAIN_FLAGS = ("-std=c++17", "-O2", "-pthread", "-DVERILATOR=1", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_FST=0")
_TRACE_MODEL = ("--trace-vcd",)
_COVERED_MODEL = ("--coverage-line", "--coverage-toggle", "--output-split", "20000", "-MAKEFLAGS", "OPT_FAST=-O1")
_KEPT = {".a", ".h"}
_PIECE = r"(?:\w+\(vlSelf\)|vlSelfRef\.__Vm_traceActivity\[\w+\] = 1U);\n"
_CLOCK = re.compile(
    r"^void Vtop___024root___eval_nba\(Vtop___024root\* vlSelf\) \{\n(?:    (?!if).*\n)*"
    rf"    if \(\(1ULL & vlSelfRef\.__VnbaTriggered\[0U\]\)\) \{{\n((?:        {_PIECE})+)    \}}\n\}}",
    re.MULTILINE,
)
"""What Verilator makes of a model in which everything happens at the rising clock: functions without conditions of their own. In a
program for waves it also marks what has changed, which matters to them alone."""


def _run(command: Sequence[str], folder: Path, *, what: str) -> None:
    """Run a part of the build; its output is kept where the build fails."""
    found = {name: value for name, value in environment().items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    missing = [tool for tool in _NEEDED if shutil.which(tool, path=found["PATH"]) is None]
    if verilator_root() is None or missing:
        raise EngineError(f"{', '.join(missing) or 'Verilator'} must be installed to build the simulation", hint="run make setup")
    with (folder / "build.log").open("a") as log:
        done = subprocess.run(command, cwd=folder, env=found, stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        kept = BUILD / "verilated" / f"failed-{os.getpid()}.log"
        shutil.copy(folder / "build.log", kept)
        raise EngineError(f"{what} could not be built", hint=f"see {kept}")


_CHOICE = """  always @(posedge clk) mutants::chosen <= mutant;
  assign reached = mutants::reached;"""


def _wrapper(source: Rtl, main: str, *, mutants: int) -> str:
    """The component with what ``main``, the driver's C++, uses of it: what is computed for other ports alone is left out of the model.

    Inputs that ``main`` never names are 0. The program starts from the registers' initial values, which are those that a reset gives.
    A register is before the reset, which so falls a clock after ``rst``: the next value of every register depends on the reset, and
    were it an input of the model, all of that logic would be evaluated for a change of the inputs also, twice a clock. The register
    makes the broker's simulation 1.4 times as fast. A program with ``mutants``, so many, has an input with the number of the one that
    is alive, behind a register likewise, and an output that says which of them a run that watches them has reached.
    """
    named = tuple(re.findall(r"top->(\w+)", main))
    used = [port for port in source.ports if port["name"].replace("__", "___05F").startswith(named)]
    ports = [f"{port['direction']} wire [{port['width'] - 1}:0] {port['name']}" for port in used]
    idle = [port for port in source.ports if port not in used and port["direction"] == "input"]
    connections = [*(f".{port['name']}({port['name']})" for port in used), *(f".{port['name']}({port['width']}'d0)" for port in idle)]
    if mutants:
        ports += ["input wire [15:0] mutant", f"output wire [{mutants}:0] reached"]
    return f"""module {_WRAPPER}(input wire clk, input wire rst, {", ".join(ports)});
  reg reset = 0;
  always @(posedge clk) reset <= rst;
{_CHOICE if mutants else ""}
  {source.top} {source.top}(.clk(clk), .rst(reset), {", ".join(connections)});
endmodule
"""


def _pieces(folder: Path) -> str:
    """C++ that names the functions which are a clock of the Verilated model, in order."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("Vtop___024root__*.cpp")))
    found = _CLOCK.search(text)
    if found is None:
        return '#error "a clock of this model is not a row of functions"\n'
    names = re.findall(r"\w+(?=\(vlSelf\))", found[1])
    functions = [f"void {name}(Vtop___024root *);" for name in names]
    table = f"inline Piece *const PIECES[] = {{{', '.join(names)}}};"
    return "\n".join(["#pragma once", "class Vtop___024root;", "using Piece = void(Vtop___024root *);", *functions, table, ""])


def _model(source: Rtl, verilog: str, flags: tuple[str, ...], key: str) -> Path:
    """The folder with the model as libraries and headers; the long part of the build."""

    def make(folder: Path) -> None:
        print(f"x2cbbr: building {source.top} with Verilator (once, a minute or more)", file=sys.stderr, flush=True)
        (folder / f"{source.top}.v").write_text(verilog, encoding="utf-8")
        command = ["verilator", *flags, "--top-module", _WRAPPER, "--prefix", "Vtop", "--Mdir", "model", f"{source.top}.v"]
        _run(command, folder, what=source.top)
        (folder / "model" / "pieces.h").write_text(_pieces(folder / "model"), encoding="utf-8")
        for path in (folder / "model").iterdir():
            if path.suffix not in _KEPT or "__pch" in path.name:
                path.unlink()

    return cached(BUILD / "verilated" / f"{source.top}-{key}", make) / "model"


def program(
    *,
    top: str,
    main: str,
    config: BrokerConfig,
    trace: bool = False,
    coverage: bool = False,
    mutated: str | None = None,
    mutants: int = 0,
    without: Collection[str] = (),
) -> Path:
    """The program that ``main``, a C++ file of this folder, makes of the component ``top``, see :func:`sim.rtl.rtl`.

    ``main`` finds the model in ``model.h``, or in ``step.h`` if it runs several at a time, the ports' fields in ``layout.h`` and common
    parts of drivers in ``driver.h``. With ``trace`` it is compiled with ``X2CBBR_TRACE`` and the model can write a VCD file;
    ``X2CBBR_LINKS`` are the links of a broker. The model is built once for the same Verilog and flags, the program once for the same
    model, C++ and layout, also when several processes ask. ``mutated`` is Verilog with so many ``mutants`` in place of the component's
    own, see :mod:`sim.mutants.schemata`; ``X2CBBR_MUTANTS`` is then their number. With ``coverage`` the program counts the lines of the
    Verilog that it reaches and the bits that change, see :mod:`sim.coverage`; ``X2CBBR_COVERAGE`` is then defined and lines stay where
    they are. ``without`` are the :data:`TRICKS` that are left out; without any of them the program gives the same output, byte by byte.
    """
    source = rtl(top, config)
    header = cpp_header(source.ports)
    merged, stepped = (trick not in without for trick in TRICKS)
    model_flags = _MODEL_FLAGS + merged * _MERGED_MODEL + stepped * _STEPPED_MODEL + trace * _TRACE_MODEL
    if coverage:  # Verilator does not save a model with coverage
        model_flags = tuple(flag for flag in model_flags if flag != "--savable") + _COVERED_MODEL
    main_flags = (*_MAIN_FLAGS, f"-DVM_TRACE={int(trace)}", f"-DVM_TRACE_VCD={int(trace)}", *(["-DX2CBBR_TRACE"] if trace else []))
    main_flags += ("-DVM_COVERAGE=1", "-DX2CBBR_COVERAGE") if coverage else ("-DVM_COVERAGE=0",)
    main_flags += ("-DX2CBBR_FAULT",) if any(port["name"] == "fault" for port in source.ports) else ()
    links = sum(port["name"].startswith("notification__") and port["name"].endswith("__valid") for port in source.ports)
    main_flags += (f"-DX2CBBR_LINKS={links}",) if links else ()
    main_flags += (f"-DX2CBBR_MUTANTS={mutants}",) if mutants else ()
    main_flags += ("-DX2CBBR_STEPS",) if stepped and not mutants and not coverage else ()
    hardware = source.text if mutated is None else mutated
    hardware = merge_registers(hardware) if merged and not coverage else hardware
    verilog = hardware + _wrapper(source, (FOLDER / main).read_text(encoding="utf-8"), mutants=mutants)
    model_key = digest([verilog, *model_flags, importlib.metadata.version("verilator")])
    files = [(FOLDER / name).read_bytes() for name in (main, *_SHARED)]
    name = main.removesuffix("_main.cpp")

    def make(folder: Path) -> None:
        model = _model(source, verilog, model_flags, model_key)
        (folder / "layout.h").write_text(header, encoding="utf-8")
        root = verilator_root()
        places = [f"-I{place}" for place in (folder, FOLDER, model, f"{root}/include", f"{root}/include/vltstd")]
        libraries = [str(model / "libVtop.a"), str(model / "libverilated.a")]
        _run(["c++", *main_flags, *places, str(FOLDER / main), *libraries, "-o", "program"], folder, what=name)

    return cached(BUILD / "verilated" / f"{name}-{digest([model_key, header, *files, *main_flags])}", make) / "program"
