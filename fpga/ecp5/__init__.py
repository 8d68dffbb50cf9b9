"""Passes over a netlist between yosys and nextpnr, and over a placement before it is routed: one a file, by name in ``passes``."""
