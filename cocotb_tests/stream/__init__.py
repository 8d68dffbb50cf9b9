"""Benches of the stream building blocks."""
