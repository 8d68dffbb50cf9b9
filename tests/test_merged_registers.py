"""The spelling of registers for Verilator: what is joined, what is left as it is, and that both are the same hardware."""

import subprocess
import sys
from pathlib import Path

import pytest

from hdl.config import BrokerConfig
from sim.rtl import rtl
from sim.verilated.registers import merge_registers

_BEFORE = r"""module unit(clk, rst, go);
  input clk;
  wire clk;
  reg \$1 ;
  reg [1:0] \$2 ;
  reg [1:0] \$3 ;
  reg \$4 ;
  reg one = 1'h0;
  reg [1:0] \two$5  = 2'h0;
  reg [1:0] state = 2'h0;
  reg four = 1'h0;
  assign go = \$4 ;
  always @(posedge clk)
    one <= \$1 ;
  always @(posedge clk)
    \two$5  <= \$2 ;
  always @(posedge clk)
    state <= \$3 ;
  always @(posedge clk)
    four <= \$4 ;
  always @* begin
    if (\$auto$7 ) begin end
    \$1  = one;
    casez (state)
      2'h0:
          /* empty */;
      2'h1:
        begin
          \$1  = go;
        end
    endcase
    if (rst) begin
      \$1  = 1'h0;
    end
  end
  always @* begin
    if (\$auto$7 ) begin end
    \$2  = \two$5 ;
    casez (state)
      2'h1:
          /* empty */;
      2'h0:
          \$2 [1] = \two$5 [0];
    endcase
    if (rst) begin
      \$2  = 2'h0;
    end
  end
  always @* begin
    if (\$auto$7 ) begin end
    \$3  = 2'h2;
    (* full_case = 32'd1 *)
    if (go) begin
    end else if (one) begin
      \$3  = 2'h1;
    end else begin
      \$3 [0] = four;
    end
  end
  always @* begin
    if (\$auto$7 ) begin end
    \$4  = four;
  end
endmodule
"""

_AFTER = r"""module unit(clk, rst, go);
  input clk;
  wire clk;
  reg \$1 ;
  reg [1:0] \$2 ;
  reg [1:0] \$3 ;
  reg \$4 ;
  reg one = 1'h0;
  reg [1:0] \two$5  = 2'h0;
  reg [1:0] state = 2'h0;
  reg four = 1'h0;
  assign go = \$4 ;
  always @(posedge clk)
    four <= \$4 ;
  always @* begin
    if (\$auto$7 ) begin end
    \$4  = four;
  end
  always @(posedge clk) begin
    casez (state)
      2'h1: begin
        one  <= go;
      end
      2'h0: begin
        \two$5 [1] <= \two$5 [0];
      end
    endcase
    if (rst) begin
      one  <= 1'h0;
      \two$5  <= 2'h0;
    end
  end
  always @(posedge clk) begin
    state  <= 2'h2;
    if (go) begin
    end else begin
      if (one) begin
        state  <= 2'h1;
      end else begin
        state [0] <= four;
      end
    end
  end
endmodule
"""


def test_registers_that_keep_their_value_share_their_conditions() -> None:
    assert merge_registers(_BEFORE) == _AFTER


def test_a_block_of_another_form_stays_as_it_is() -> None:
    for line in ("default:", "2'b?1:", "2'h1:\n          /* empty */;\n      2'h1:"):
        text = _BEFORE.replace("2'h0:\n          /* empty */;", f"{line}\n          /* empty */;", 1)
        assert r"\$1  = one;" in merge_registers(text), line
    assert r"{ \$1  } = one;" in merge_registers(_BEFORE.replace(r"\$1  = one;", r"{ \$1  } = one;"))


@pytest.mark.parametrize("unit", ["hdl.match.judge:Judge", "hdl.publication.keeper:Keeper", "hdl.match.reader:ValueReader"])
def test_units_are_the_same_by_a_proof(tmp_path: Path, unit: str) -> None:
    source = rtl(unit, BrokerConfig.preset("small"))
    merged = merge_registers(source.text)
    assert merged.count("always @(posedge clk)") < source.text.count("always @(posedge clk)")
    lines = []
    for name, text in (("gold", source.text), ("gate", merged)):
        (tmp_path / f"{name}.v").write_text(text, encoding="utf-8")
        lines += [f"read_verilog {name}.v", f"hierarchy -top {source.top}", "proc", "flatten", "memory -nomap", "opt_clean"]
        lines += [f"rename {source.top} {name}", f"design -stash {name}"]
    lines += [f"design -copy-from {name} -as {name} {name}" for name in ("gold", "gate")]
    lines += ["equiv_make gold gate both", "hierarchy -top both", "setattr -unset init w:*", "equiv_simple -undef", "equiv_status -assert"]
    program = f"from pyosys import libyosys as ys\nd = ys.Design()\nfor line in {lines!r}:\n    ys.run_pass(line, d)\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-500:]
