"""The hardware compiled by Verilator into programs that take vectors from a file and write results to another."""
