"""Errors as one sentence with a hint, and the exit statuses."""

from typing import NoReturn

import typer
from rich.console import Console
from rich.markup import escape

__all__ = ["ENGINE_FAILED", "USAGE", "fail", "stderr"]

ENGINE_FAILED = 1
"""Some file has no verdict because the engine broke down."""
USAGE = 2
"""The command line or a file it names cannot be used; nothing was done."""


def stderr() -> Console:
    """The console for everything that is not a result."""
    return Console(stderr=True, soft_wrap=True, highlight=False)


def fail(message: str, *, hint: str, status: int = USAGE) -> NoReturn:
    """End the command with the message and what to do about it."""
    stderr().print(f"[bold red]x2cbbr:[/] {escape(message)}; {escape(hint)}.")
    raise typer.Exit(status)
