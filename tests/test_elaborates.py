"""No unit of the hardware is made by one long function, but for those that docs/architecture.md names with a reason."""

import ast
import re
from pathlib import Path

from tests.test_imports import sources

ROOT = Path(__file__).parent.parent
LONGEST = 250
_ROW = re.compile(r"^\| `(hdl/[\w/]+\.py)` \| (\d+) \| [^|]{20,} \|$", re.MULTILINE)


def lengths() -> dict[str, int]:
    """The longest ``elaborate`` of each file."""
    found: dict[str, int] = {}
    for _, path in sources("hdl"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == "elaborate":
                assert node.end_lineno is not None
                name = path.relative_to(ROOT).as_posix()
                found[name] = max(found.get(name, 0), node.end_lineno - node.lineno + 1)
    return found


def test_long_ones_have_a_reason() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {name: int(lines) for name, lines in _ROW.findall(page)}
    assert named == {name: lines for name, lines in lengths().items() if lines > LONGEST}
