"""Measured figures that are kept, with the command and the commit that gave them; needs the standard library only."""
