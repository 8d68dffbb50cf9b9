"""Scenarios on networks of brokers: what is done, and who is notified of what."""
