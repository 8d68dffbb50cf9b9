"""Tests of the register file and of the fronts before it."""
