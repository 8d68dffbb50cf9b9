"""Test vectors, golden results and the regression of an engine against them, from a laptop to a Spark cluster."""
