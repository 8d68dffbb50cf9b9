"""The counters of the broker."""
