"""Benches of the exact-match memories."""
