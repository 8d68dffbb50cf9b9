"""Every unit of the hardware has a bench in `make test`, read off the sources.

A unit is a component of hdl/ that does not contain the broker. It has a bench when a test that is not long simulates it, or something
smaller than the broker that it is part of. The broker must have one of its own. What contains the broker connects it to a bus
(hdl/system.py) and is left to longer runs.
"""

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.test_imports import sources

ROOT = Path(__file__).parent.parent
BROKER = "hdl.broker:Broker"
SIMULATE = {"cocotb_tests.runner:simulate", "cocotb_tests.simulated:run"}
"""What runs a unit on a simulator: Verilator or Icarus, or Amaranth's own."""


@dataclass(frozen=True)
class Module:
    """What a module defines at its top level, and what it imports, by the name that it has there."""

    defined: dict[str, ast.stmt]
    imported: dict[str, tuple[str, str]]


@functools.cache
def modules() -> dict[str, Module]:
    return {name: read(path) for name, path in sources("hdl", "tests", "cocotb_tests")}


def read(path: Path) -> Module:
    module = Module({}, {})
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            module.imported.update({alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names})
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            module.defined[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            module.defined.update({target.id: node for target in targets if isinstance(target, ast.Name)})
    return module


def resolved(module: str, name: str) -> str | None:
    """``module:name`` where the name is defined, None when that is neither here nor in the benches."""
    while module in modules() and name not in modules()[module].defined:
        if name not in modules()[module].imported:
            return None
        module, name = modules()[module].imported[name]
    return f"{module}:{name}" if module in modules() else None


@functools.cache
def mentioned(definition: str) -> frozenset[str]:
    """The definitions whose names stand in this one."""
    module, _, name = definition.partition(":")
    names = {node.id for node in ast.walk(modules()[module].defined[name]) if isinstance(node, ast.Name)}
    return frozenset(found for found in (resolved(module, name) for name in names) if found is not None)


def closure(start: str) -> set[str]:
    """The definition with all that it mentions, directly or not."""
    reached, waiting = {start}, [start]
    while waiting:
        new = mentioned(waiting.pop()) - reached
        reached |= new
        waiting += new
    return reached


@functools.cache
def is_component(definition: str) -> bool:
    module, _, name = definition.partition(":")
    node = modules()[module].defined[name]
    if not isinstance(node, ast.ClassDef):
        return False
    bases = [resolved(module, base.id) for base in node.bases if isinstance(base, ast.Name)]
    return any(ast.unparse(base) == "wiring.Component" for base in node.bases) or any(base and is_component(base) for base in bases)


def components() -> set[str]:
    found = {f"{name}:{defined}" for name, module in modules().items() if name.startswith("hdl.") for defined in module.defined}
    return {definition for definition in found if is_component(definition)}


def is_long(module: str, test: ast.FunctionDef) -> bool:
    mark = modules()[module].defined.get("pytestmark")
    marks = [*test.decorator_list, *([mark.value] if isinstance(mark, ast.Assign) else [])]
    return any(ast.unparse(one) == "pytest.mark.long" for one in marks)


def quick_benches() -> Iterator[str]:
    """The tests that simulate something and are not long."""
    for name, module in modules().items():
        for defined, node in module.defined.items():
            if defined.startswith("test_") and isinstance(node, ast.FunctionDef) and not is_long(name, node):
                definition = f"{name}:{defined}"
                if SIMULATE & closure(definition):
                    yield definition


def simulated(bench: str) -> set[str]:
    """The components of hdl/ that a test builds itself, or by way of definitions of the benches."""
    found, reached, waiting = set(), {bench}, [bench]
    while waiting:
        for new in mentioned(waiting.pop()) - reached:
            reached.add(new)
            if not new.startswith("hdl."):
                waiting.append(new)
            elif is_component(new):
                found.add(new)
    return found


def exercised(benches: Iterable[str]) -> set[str]:
    """The components that the tests simulate, or that are parts of what they simulate below the broker."""
    under_test = set().union(*map(simulated, benches))
    parts = (closure(component) for component in under_test)
    return (under_test & {BROKER}).union(*(part for part in parts if BROKER not in part)) & components()


def due() -> set[str]:
    return {component for component in components() if component == BROKER or BROKER not in closure(component)}


def test_every_unit_has_a_bench_that_is_not_long() -> None:
    assert sorted(due() - exercised(quick_benches())) == []


def test_units_are_found() -> None:
    folders = {path.parent.name for path in (ROOT / "hdl").glob("*/*.py") if "wiring.Component" in path.read_text(encoding="utf-8")}
    assert {component.split(".")[1] for component in due() if component.count(".") == 2} == folders
    assert {BROKER, "hdl.crt.table:ContentRoutingTable", "hdl.link.uart:UartReceiver", "hdl.tally:Tally"} <= due()
    assert "hdl.system:AvalonBroker" in components() - due()


def test_a_unit_without_a_quick_bench_is_noticed() -> None:
    """The broker's benches do not count for its parts, nor do long ones."""
    quick = set(quick_benches())
    assert any(BROKER in simulated(bench) for bench in quick)
    assert "cocotb_tests.board.test_board:test_board" not in quick
    assert "cocotb_tests.crt.test_crt:test_churn" not in quick
    for folder in ("crt", "match", "spu"):
        units = {component for component in due() if component.startswith(f"hdl.{folder}.")}
        others = [bench for bench in quick if BROKER in simulated(bench) or not units & exercised([bench])]
        assert units - exercised(others) == units != set()
