"""Tests of the languages for messages, each against an outside judge."""
