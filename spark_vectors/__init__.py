"""All that opens a Spark session: vectors, golden results, regressions and campaigns, from a laptop to a cluster."""
