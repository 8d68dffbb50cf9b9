"""Bench of the X-RAM."""
