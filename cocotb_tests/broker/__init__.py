"""Tests of the whole broker."""
