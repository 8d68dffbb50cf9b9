"""The matching engine: parsed words go past the CRT as they appear [T 5.3.3.6]."""

from hdl.match.engine import MatchingEngine

__all__ = ["MatchingEngine"]
