"""The tests outside simulation benches."""
