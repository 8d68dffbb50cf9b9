"""The dependency rules of the layout, held on the imports that the files really contain."""

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {"figures", "hdl", "fpga", "sim", "spark_vectors", "formal", "tools", "tests", "cocotb_tests"}
UNITS = {"publication", "names", "scbxp", "xpath", "program", "crt", "match", "spu", "npu", "routing", "bus", "link"}
BLOCKS = {"stream", "cam"}
SHARED = ("hdl.contract", "hdl.config")
DOTTED = re.compile(rf"((?:{'|'.join(sorted(OURS))})(?:\.\w+)+)(?::\w+)?")
"""A string that names a module or, behind a colon, something in it."""


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


def named(source: str) -> Iterator[str]:
    """Every module of ours that stands in a source as a string: it is loaded by that name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (match := DOTTED.fullmatch(node.value)):
            yield match[1]


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


MODULES = dict(sources(*OURS))


def uses(name: str, source: str, *, package: bool = False) -> Iterator[tuple[str, str]]:
    """Pairs (module, module of ours that it needs), whether it imports it, in a function or not, or names it in a string."""
    for target in (*imports(source, module=name, package=package), *named(source)):
        while target and target not in MODULES:
            target = target.rpartition(".")[0]
        if target not in ("", name):
            yield name, target


USES = {pair for name, path in MODULES.items() for pair in uses(name, path.read_text(), package=path.name == "__init__.py")}


def circle(pairs: Iterable[tuple[str, str]], *, depth: int | None) -> list[str]:
    """Packages that need each other in a circle, none if there is no circle; names count up to ``depth`` parts."""
    graph: dict[str, set[str]] = {}
    for name, target in pairs:
        one, other = (".".join(whole.split(".")[:depth]) for whole in (name, target))
        if one != other:
            graph.setdefault(one, set()).add(other)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("depth", [1, 2, None], ids=["packages", "rooms", "modules"])
def test_there_is_no_circle(depth: int | None) -> None:
    assert circle(USES, depth=depth) == []


@pytest.mark.parametrize(
    ("name", "source", "depth"),
    [
        ("sim.bench.peers", "def late():\n    from spark_vectors.session import open_session\n", 1),
        ("sim.corners.judged", "from spark_vectors import store\n", 1),
        ("sim.bench.rows", 'PARTS = {"spark": "spark_vectors.session:open_session"}\n', 1),
        ("fpga.host.transport", "from sim.verilated.builder import program\n", 1),
        ("tests.noise", "import cocotb_tests.streams\n", 1),
        ("sim.verilated.builder", "from sim.engines import open_engine\n", 2),
        ("sim.golden.events", "from sim.golden.machine import Machine\n", None),
    ],
)
def test_a_circle_is_found(name: str, source: str, depth: int | None) -> None:
    assert name in MODULES
    added = set(uses(name, source))
    assert added
    assert {".".join(name.split(".")[:depth])} < set(circle(USES | added, depth=depth))


def test_the_page_tells_who_imports_whom() -> None:
    """Each package may import what its row in docs/architecture.md says, and those are rows above it."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Who may import whom")[2].partition("\n## ")[0]
    allowed: dict[str, set[str]] = {}
    for name, cell in re.findall(r"^\| `(\w+)/` \|.*\| ([^|]*) \|$", table, re.MULTILINE):
        told = set(re.findall(r"`(\w+)/`", cell))
        assert told <= allowed.keys(), f"{name} stands above what it imports"
        allowed[name] = told
    assert allowed.keys() == OURS
    assert {(top(name), top(target)) for name, target in USES} <= {(one, other) for one, told in allowed.items() for other in {one, *told}}


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


def test_generators_and_judges_need_the_golden_model_only() -> None:
    def allowed(name: str, target: str) -> bool:
        return standard(target) or top(target) == "lxml" or within(target, "sim.golden", "sim.vectors", *SHARED)

    assert not offences(ours_and_others("sim/vectors"), allowed)


def test_driver_needs_the_contract_and_pyserial_only() -> None:
    def allowed(name: str, target: str) -> bool:
        return standard(target) or top(target) == "serial" or within(target, "fpga.host", *SHARED)

    assert not offences(ours_and_others("fpga/host"), allowed)


def test_simulations_know_of_a_board_its_driver_only() -> None:
    assert not offences(ours_and_others("sim"), lambda name, target: top(target) != "fpga" or within(target, "fpga.host"))


def test_only_jobs_open_a_spark_session() -> None:
    assert not offences(ours_and_others("sim"), lambda name, target: not within(target, "pyspark.sql"))


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
