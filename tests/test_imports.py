"""The dependency rules of the layout, held on the imports that the files really contain."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {"hdl", "sim", "fpga", "spark_vectors", "cocotb_tests", "tests", "tools"}
UNITS = {"publication", "scbxp", "xpath", "crt", "match", "spu", "npu", "routing", "bus", "link"}
BLOCKS = {"stream", "cam"}
SHARED = ("hdl.contract", "hdl.config")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, *, module: str, package: bool = False) -> Iterator[str]:
    """Every module that a source imports, relative ones resolved; ``from a import b`` gives ``a.b`` too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")[: len(module.split(".")) - node.level + package]
                base = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def sources(*folders: str) -> Iterator[tuple[str, Path]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield module_name(path), path


def ours_and_others(*folders: str) -> Iterator[tuple[str, str]]:
    """Pairs (module, what it imports)."""
    for name, path in sources(*folders):
        for target in imports(path.read_text(), module=name, package=path.name == "__init__.py"):
            yield name, target


def top(name: str) -> str:
    return name.split(".")[0]


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def offences(pairs: Iterator[tuple[str, str]], allowed: object) -> list[str]:
    assert callable(allowed)
    return [f"{name} imports {target}" for name, target in pairs if not allowed(name, target)]


def standard(target: str) -> bool:
    return top(target) in sys.stdlib_module_names


def test_relative_imports_are_resolved() -> None:
    source = "from . import a\nfrom ..b import c\nimport d.e\n"
    assert list(imports(source, module="p.q.r")) == ["p.q.a", "p.b.c", "d.e"]
    assert list(imports("from .x import y", module="p.q", package=True)) == ["p.q.x.y"]


def test_contract_and_limits_need_the_standard_library_only() -> None:
    pairs = [(name, target) for name, target in ours_and_others("hdl") if within(name, *SHARED)]
    assert {"hdl.config", "hdl.contract", "hdl.contract.frames", "hdl.contract.registers"} <= {name for name, _ in pairs}
    assert not [pair for pair in pairs if not standard(pair[1]) and not within(pair[1], *SHARED)]


def test_hardware_knows_nothing_of_what_surrounds_it() -> None:
    outside = OURS - {"hdl"} | {"cocotb", "lxml", "pyspark"}
    assert not offences(ours_and_others("hdl"), lambda name, target: top(target) not in outside)


def test_units_meet_only_in_the_broker() -> None:
    def allowed(name: str, target: str) -> bool:
        unit, other = name.split(".")[1:2], target.split(".")[1:2]
        if top(target) != "hdl" or not unit or unit[0] not in UNITS | BLOCKS:
            return True
        return unit == other or not other or other[0] not in {*UNITS, "broker"}

    assert allowed("hdl.scbxp.lexer", "hdl.stream.fifo")
    assert not allowed("hdl.scbxp.lexer", "hdl.match.engine")
    assert not offences(ours_and_others("hdl"), allowed)


def test_shapes_are_made_of_contract_and_limits_alone() -> None:
    """Units and what is between them: a unit may import any shape, a shape imports no unit and no building block."""
    pairs = [(name, target) for name, target in ours_and_others("hdl") if within(name, "hdl.shapes")]
    assert {name for name, _ in pairs} >= {"hdl.shapes.publication", "hdl.shapes.program", "hdl.shapes.tables", "hdl.shapes.edge"}
    assert not offences(
        iter(pairs), lambda _, target: top(target) in {"amaranth", *sys.stdlib_module_names} or within(target, "hdl.shapes", *SHARED)
    )


def test_building_blocks_know_nothing_of_xml() -> None:
    def allowed(name: str, target: str) -> bool:
        return not within(name, *(f"hdl.{block}" for block in BLOCKS)) or top(target) != "hdl" or target.split(".")[1] in BLOCKS

    assert not offences(ours_and_others("hdl"), allowed)


def test_golden_model_stands_alone() -> None:
    def allowed(name: str, target: str) -> bool:
        return standard(target) or within(target, "sim.golden", *SHARED)

    pairs = list(ours_and_others("sim/golden"))
    assert not offences(iter(pairs), allowed)


def test_vector_jobs_reach_the_hardware_through_files() -> None:
    def allowed(name: str, target: str) -> bool:
        return top(target) not in {"amaranth", "cocotb", "fpga", "cocotb_tests"} and (top(target) != "hdl" or within(target, *SHARED))

    assert not offences(ours_and_others("spark_vectors"), allowed)


def test_nothing_imports_tests() -> None:
    folders = OURS - {"tests", "cocotb_tests"}
    assert not offences(ours_and_others(*folders), lambda name, target: top(target) not in {"tests", "cocotb_tests"})


@pytest.mark.parametrize("module", ["hdl.contract", "hdl.config", "sim.tools"])
def test_loading_brings_no_hardware_language(module: str) -> None:
    """What the files say and what the interpreter does agree: no package ``__init__`` pulls anything in behind our back."""
    program = f"import sys, {module}; print(*sorted({{'amaranth', 'lxml', 'cocotb', 'pyspark'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
