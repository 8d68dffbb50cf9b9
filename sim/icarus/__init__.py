"""The hardware on Icarus Verilog, a second simulator that shares no code with Verilator."""
