"""Fronts of the broker on chip: its registers on three buses, and streams with vendors' names."""
