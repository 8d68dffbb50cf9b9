// One document through the parser at full speed, with a reader on the second port of the P-RAM; everything at the ports is dumped.
`timescale 1ns / 1ps
module bench;
  parameter WORDS = 1;
  reg clk = 0;
  reg rst = 1;
  reg started = 0;
  // Inputs that never change are registers all the same: Icarus takes long over constants that it can spread.
  reg zero = 0;
  reg one = 1;
  reg [35:0] document [0:WORDS - 1];
  integer loaded = 0;
  integer reading = 0;

  wire i__ready, o__valid, verdict__valid, pram_read_valid;
  wire [31:0] pram_newest;
  wire i__valid = started && loaded < WORDS;
  wire [35:0] i__payload = document[loaded < WORDS ? loaded : 0];
  wire [31:0] pram_read_position = reading;

  top dut (
    .clk(clk), .rst(rst),
    .i__valid(i__valid), .i__payload(i__payload), .i__ready(i__ready),
    .o__valid(o__valid), .o__ready(one),
    .verdict__valid(verdict__valid), .verdict__ready(one),
    .request__valid(zero), .request__payload({64{zero}}), .response__ready(one),
    .pram_documents__ready(one), .pram_read_position(pram_read_position),
    .pram_read_valid(pram_read_valid), .pram_newest(pram_newest)
  );

  always #1 clk = !clk;
  always @(posedge clk) begin
    if (i__valid && i__ready) loaded <= loaded + 1;
    if (!rst && reading < pram_newest) reading <= reading + 1;
  end
  initial begin
    $readmemh("document.hex", document);
    $dumpfile("dump.vcd");
    $dumpvars(1, bench);
    #6 rst = 0;
    // The tables are cleared first.
    #1400 started = 1;
    wait (verdict__valid);
    #20 $finish;
  end
  initial #20000 $finish;
endmodule
