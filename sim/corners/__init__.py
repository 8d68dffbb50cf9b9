"""Vectors that go systematically to the edges of the hardware's rules; every one is a pure function of the configuration."""
