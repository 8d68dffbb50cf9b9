"""The golden model: what the hardware must do, in plain Python that owes nothing to the hardware."""
