"""The golden model, the simulation runners, the reports and the command line."""
