"""The command line: ``x2cbbr parse``, ``x2cbbr filter``, ``x2cbbr config``."""

from sim.cli.commands import app

__all__ = ["app", "main"]


def main() -> None:
    """The console script."""
    app(prog_name="x2cbbr")
