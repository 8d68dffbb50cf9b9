"""Registration programs between the compilers and the CRT."""

from hdl.program.guard import ProgramGuard

__all__ = ["ProgramGuard"]
