"""Set-up and upkeep of a checkout; standard library only."""
