"""Mutants: the hardware's Verilog with small faults that can be switched on, and the vectors that must notice them."""
