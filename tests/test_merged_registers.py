"""The spelling of registers for Verilator: what is joined, and what is left as it is."""

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
