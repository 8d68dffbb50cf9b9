"""What a bench group hands back: rows with the figure of the thesis or of a paper, ours and the ratio."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

__all__ = ["Group", "Maker", "Row", "described", "shown", "table", "write_json"]


@dataclass(frozen=True)
class Row:
    """One measured figure; ``thesis`` is the published one, None where there is none, ``more`` holds further columns."""

    name: str
    ours: float
    thesis: float | None = None
    more: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Ours over the thesis's."""
        return None if self.thesis is None else self.ours / self.thesis


@dataclass(frozen=True)
class Group:
    """Rows that stand in one table; ``unit`` is that of ``ours`` and ``thesis``, ``note`` says how they were measured.

    ``left_out`` names the rows that this machine could not measure, each with the reason. ``against`` is whose figure stands beside ours.
    """

    name: str
    title: str
    unit: str
    note: str
    rows: tuple[Row, ...]
    left_out: dict[str, str] = field(default_factory=dict)
    against: str = "thesis"


Maker = Callable[[int], Sequence[Group]]
"""Measures with the seed given."""


def shown(value: float | None) -> str:
    """A figure with as many digits as say something."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 1000 or float(value).is_integer() else f"{value:.3g}" if value < 0.1 else f"{value:.3f}"


def table(group: Group) -> Table:
    """The group for people; a thesis column only where there is a figure of it."""
    compared = any(row.thesis is not None for row in group.rows)
    more = list(dict.fromkeys(key for row in group.rows for key in row.more))
    caption = "\n".join([group.note, *(f"{name} is not measured: {reason}" for name, reason in group.left_out.items())])
    found = Table(title=f"{group.title} ({group.unit})", caption=caption, title_justify="left", caption_justify="left", header_style="bold")
    found.add_column("document")
    for name in ([group.against, "ours", "ratio"] if compared else ["ours"]) + more:
        found.add_column(name, justify="right")
    for row in group.rows:
        own = [shown(row.thesis), shown(row.ours), shown(row.ratio)] if compared else [shown(row.ours)]
        found.add_row(row.name, *own, *(shown(row.more.get(key)) for key in more))
    for name in group.left_out:
        found.add_row(name, *["", "not measured"] if compared else ["not measured"])
    return found


def described(group: Group) -> dict[str, Any]:
    """The group with the ratio beside each row."""
    return {**asdict(group), "rows": [{**asdict(row), "ratio": row.ratio} for row in group.rows]}


def write_json(path: Path, groups: Sequence[Group], **about: object) -> None:
    """All groups, with the ratio beside each row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**about, "groups": [described(group) for group in groups]}, indent=2) + "\n", encoding="utf-8")
