"""``python -m sim.cli`` is ``x2cbbr``."""

from sim.cli import main

main()
