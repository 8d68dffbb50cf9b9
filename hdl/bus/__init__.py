"""Fronts of the broker: its registers on three buses, streams with vendors' names, and the link to a host."""
