"""The golden model, the simulation runners, the engines, the generators of vectors and the command line; Spark is above it."""
