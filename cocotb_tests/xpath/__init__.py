"""Tests of the XPath processor."""
