"""Bench of the P-RAM."""
