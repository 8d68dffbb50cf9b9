"""``make coverage``: Verilator's file is read, points belong to units, and what was never reached is listed."""

import json
from pathlib import Path

import pytest

from sim import coverage
from sim.coverage import Point, points, read_counts, summary


class Lines:
    """A text of five lines in one module."""

    statements = (
        "module \\top.lexer (clk);",
        "reg [1:0] \\$5 = 0;",
        "if (go) begin",
        "if (\\$auto$verilog_backend.cc:1$1 ) begin end",
        "end",
    )

    def __len__(self) -> int:
        return len(self.statements)

    def statement(self, line: int) -> str:
        return self.statements[line - 1]

    def unit(self, line: int) -> str:
        return "scbxp"

    def module(self, line: int) -> str:
        return "lexer"

    def source(self, line: int) -> str:
        return "hdl/scbxp/lexer.py:7"


def key(**fields: object) -> str:
    return "".join(f"\x01{name}\x02{value}" for name, value in fields.items())


def written(path: Path) -> Path:
    rows = [
        (key(f="t.v", l=2, t="toggle", o="__0245[0]:0->1"), 3),
        (key(f="t.v", l=2, t="toggle", o="__0245[1]:0->1"), 0),
        (key(f="t.v", l=2, t="line", o="block"), 1),  # the initial value
        (key(f="t.v", l=3, t="branch", o="if", S="3-4"), 0),
        (key(f="t.v", l=3, t="branch", o="else"), 9),
        (key(f="t.v", l=4, t="branch", o="if"), 0),  # of Yosys
        (key(f="t.v", l=6, t="toggle", o="reset:0->1"), 1),  # of the driver
    ]
    path.write_text("# SystemC::Coverage-3\n" + "".join(f"C '{name}' {count}\n" for name, count in rows))
    return path


def test_points_of_a_file(tmp_path: Path) -> None:
    counts = read_counts(written(tmp_path / "coverage.dat"))
    assert len(counts) == 7
    found = list(points(Lines(), counts))  # type: ignore[arg-type]
    assert {(one.kind, one.what, one.count) for one in found} == {
        ("toggle", "$5[0]:0->1", 3),
        ("toggle", "$5[1]:0->1", 0),
        ("line", "if (go) begin (if, line 3)", 0),
        ("line", "if (go) begin (else, line 3)", 9),
    }
    assert {(one.unit, one.module, one.source) for one in found} == {("scbxp", "lexer", "hdl/scbxp/lexer.py:7")}


def test_summary_counts_what_was_reached() -> None:
    found = [Point("line", "crt", "", "", "a", 1), Point("line", "crt", "", "", "b", 0), Point("toggle", "cam", "", "", "c", 2)]
    assert summary(found) == {"cam": {"line": [0, 0], "toggle": [1, 1]}, "crt": {"line": [1, 2], "toggle": [0, 0]}}


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_parser_is_covered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every tenth vector of the parser reaches most of its lines; the list names lines of the hardware description."""
    path = tmp_path / "coverage.json"
    assert coverage.main(["--bench", "parser", "--every", "10", "--output", str(path)]) == 0
    found = json.loads(path.read_text())
    reached, total = found["units"]["parser"]["scbxp"]["line"]
    assert total > 1000
    assert reached > 0.9 * total
    never = found["never"]["parser"]
    assert {one["kind"] for one in never} == {"line", "toggle"}
    assert any(one["source"].startswith("hdl/scbxp/") for one in never)
    assert "scbxp" in capsys.readouterr().out
