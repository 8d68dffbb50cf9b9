"""The synthesised netlist against the hardware description that it was made from."""
