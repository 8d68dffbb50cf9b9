"""Benches of routing."""
