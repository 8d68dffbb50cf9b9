"""Bench of the whole parser."""
