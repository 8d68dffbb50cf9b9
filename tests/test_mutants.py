"""Mutants: where they are planted, how they are chosen, and what is said of them; on a small module that is simulated."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from sim.mutants.classified import Classified
from sim.mutants.report import Findings
from sim.mutants.schemata import WATCH, Mutant, choose, identity, planted
from sim.mutants.sites import Site, live_sites
from sim.mutants.trials import Result

TEXT = """module unit(clk, rst, a, b, y, z);
  input clk;
  input rst;
  input [3:0] a;
  input [3:0] b;
  output [3:0] y;
  output z;
  wire [3:0] \\$1 ;
  reg [3:0] held = 4'h0;
  reg [3:0] \\held$next ;
  wire unseen;
  (* src = "hdl/unit/one.py:10" *)
  assign \\$1  = a + b;
  assign unseen = a == b;
  (* src = "hdl/unit/one.py:11" *)
  assign z = held < 4'h9;
  always @(posedge clk)
    held <= \\held$next ;
  always @* begin
    if (\\$auto$verilog_backend.cc:2334:dump_module$1 ) begin end
    \\held$next  = held;
    if (a[0]) begin
      \\held$next  = \\$1 ;
    end
    if (rst) begin
      \\held$next  = 4'h0;
    end
  end
  assign y = held;
endmodule
"""


def sites() -> dict[str, Site]:
    return {one.key: one for one in live_sites(TEXT, top="unit", outputs=["y", "z"])}


def expressions() -> set[str]:
    lines = TEXT.split("\n")
    return {lines[one.line][one.start : one.end] for one in sites().values()}


def test_sites_are_the_expressions_that_an_output_depends_on() -> None:
    assert expressions() == {"a + b", "held < 4'h9", "held", "a[0]", "\\$1 ", "rst"}


def test_every_kind_of_mutation() -> None:
    found = {TEXT.split("\n")[one.line][one.start : one.end]: one for one in sites().values()}
    assert {(one.kind, one.expression) for one in found["held < 4'h9"].mutations} == {
        ("invert", "~(held < 4'h9)"),
        ("stuck-0", "1'h0"),
        ("stuck-1", "~1'h0"),
        ("swap", "4'h9 < held"),
        ("operator", "held <= 4'h9"),
        ("constant", "held < 4'ha"),
        ("constant", "held < 4'h8"),
    }
    assert found["rst"].mutations[0].expression == "!(rst)"


def test_constants_that_nobody_wrote_are_no_sites() -> None:
    text = """module m(a, y);
  input a;
  output y;
  reg y;
  always @* begin
    y = 1'h0;
    if (a) begin
      y = 1'h1;
    end
  end
endmodule
"""
    lines = text.split("\n")
    assert [lines[one.line].strip() for one in live_sites(text, top="m", outputs=["y"])] == ["if (a) begin", "y = 1'h1;"]


def test_the_same_seed_chooses_the_same_mutants() -> None:
    chosen = choose(sites(), count=12, seed=3)
    assert chosen == choose(sites(), count=12, seed=3) != choose(sites(), count=12, seed=4)
    assert [one.number for one in chosen] == list(range(1, 13))
    assert len({identity(one) for one in chosen}) == 12
    with pytest.raises(ValueError, match="unit must be one of unit, not 'other'"):
        choose(sites(), count=1, seed=1, unit="other")


def test_named_mutants_stay_when_the_text_changes_elsewhere() -> None:
    before = choose(sites(), count=12, seed=3)
    text = TEXT.replace("  assign y = held;", '  (* src = "hdl/unit/one.py:12" *)\n  assign y = held ^ 4\'h2;')
    found = {one.key: one for one in live_sites(text, top="unit", outputs=["y", "z"])}
    named = [identity(one) for one in before]
    after = choose(found, count=14, seed=3, first=[*named, "gone"])
    assert [identity(one) for one in after[:12]] == named != [identity(one) for one in choose(found, count=12, seed=3)]
    assert len({identity(one) for one in after}) == 14
    assert [one.number for one in after] == list(range(1, 15))


def runs(folder: Path, text: str, mutants: Sequence[Mutant]) -> tuple[set[int], set[int]]:
    """The mutants that a bench of the unit can tell from it, and those that a watching run says it could have told."""
    text, numbers = planted(text, {one.key: one for one in live_sites(text, top="unit", outputs=["y", "z"])}, mutants)
    assert numbers == {one.number for one in mutants}
    bench = """
module bench;
  reg [15:0] chosen = 0; reg [20:0] reached = 0;
  reg clk = 0, rst = 1; reg [3:0] a = 0, b = 0; wire [3:0] y; wire z; integer k;
  unit unit(clk, rst, a, b, y, z);
  initial begin
    if (!$value$plusargs("mutant=%d", chosen)) chosen = 0;
    for (k = 0; k < 200; k = k + 1) begin
      #1 clk = 1; #1 clk = 0; rst = k % 50 < 2; a = k * 7; b = k * k / 3;
      #1 $display("%h %b", y, z);
    end
    $display("reached %b", reached);
  end
endmodule
"""
    source, program = folder / "bench.sv", folder / "bench"
    bare = text.replace("if (\\$auto$verilog_backend.cc:2334:dump_module$1 ) begin end", "").replace("mutants::", "bench.")
    source.write_text(re.sub(r" *\(\* .* \*\)\n", "", bare) + bench)
    # Icarus has no variables in packages.
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", program, source], check=True, capture_output=True)

    def run(number: int) -> list[str]:
        done = subprocess.run(["vvp", program, f"+mutant={number}"], check=True, capture_output=True, text=True)
        return [line for line in done.stdout.splitlines() if not line.startswith("VCD")]

    *plain, _ = run(0)
    reached = run(WATCH)[-1].removeprefix("reached ")
    differing = {one.number for one in mutants if run(one.number)[:-1] != plain}
    return differing, {one.number for one in mutants if reached[-1 - one.number] == "1"}


def test_a_planted_mutant_lives_when_it_is_chosen(tmp_path: Path) -> None:
    """A number brings one mutant to life, and a run that watches tells which could have differed."""
    differing, reached = runs(tmp_path, TEXT, choose(sites(), count=20, seed=1))
    assert len(differing) > 12
    assert reached >= differing


def test_what_an_expression_gives_depends_on_what_it_is_assigned_to(tmp_path: Path) -> None:
    """In one bit 0 - a and 0 + a are alike, in the four bits of the sum they are not."""
    text = TEXT.replace("\\$1  = a + b;", "\\$1  = 1'h0 - a[0];")
    mutants = choose({one.key: one for one in live_sites(text, top="unit", outputs=["y", "z"])}, count=20, seed=1)
    minus = {one.number for one in mutants if one.kind == "operator" and one.before.endswith("1'h0 - a[0];")}
    differing, reached = runs(tmp_path, text, mutants)
    assert minus
    assert minus <= differing <= reached


def test_scores_leave_out_what_is_classified(tmp_path: Path) -> None:
    mutants = choose(sites(), count=4, seed=1)
    results = {one.number: Result(one.number) for one in mutants}
    results[1] = Result(1, killed="some-0", kind="some", how="output", cases=1, clocks=100)
    results[2] = Result(2, killed="other-0", kind="other", how="clocks", cases=3, clocks=700)
    known = {identity(mutants[2]): Classified("proved", "combinational", mutants[2].source, "")}
    findings = Findings(mutants, results, known, frozenset({"some-0"}), seed=1)
    found = findings.as_json(commit="c")
    assert {name: found[name] for name in ("seed", "mutants", "killed", "distilled", "proved", "redundant", "unexplained")} == {
        "seed": 1,
        "mutants": 4,
        "killed": 2,
        "distilled": 1,
        "proved": 1,
        "redundant": 0,
        "unexplained": 1,
    }
    assert sum(unit["mutants"] for unit in found["units"].values()) == 4
    assert [one["number"] for one in found["survivors"]] == [3, 4]
    assert found["survivors"][0]["classified"] == {"how": "proved", "why": "combinational"}

    place = tmp_path / "mutants.json"
    for name in ("a", "b"):
        findings.record(place, commit=name)
    Findings(mutants, results, known, frozenset(), seed=2).record(place, commit="c")
    assert [(one["commit"], one["seed"], one["killed"], one["distilled"]) for one in json.loads(place.read_text())] == [
        ("b", 1, 2, 1),
        ("c", 2, 2, 0),
    ]
