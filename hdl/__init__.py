"""The broker's gateware, written in Amaranth."""
