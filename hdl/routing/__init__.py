"""Routing between brokers: what stands beside the broker and joins it to its neighbours [T 5.4]."""
