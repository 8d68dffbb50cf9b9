"""The claims, one module per unit."""
