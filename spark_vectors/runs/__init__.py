"""What the targets of the Makefile run on Spark from start to end, engines, benches and reports included."""
