"""Tests of the golden model against expat, libxml2 and literal examples."""
