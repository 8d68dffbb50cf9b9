"""Tests of what a board holds, through its UART pins."""
