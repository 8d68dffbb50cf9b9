"""Messages and subscriptions to them, each a pure function of (seed, table, row): workloads of the papers, and corners of each language."""
