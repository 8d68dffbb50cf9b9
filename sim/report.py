"""A report as one HTML file that needs nothing else: a headline, tables and plots."""

import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

__all__ = ["Report", "Table", "figure"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430; background: #fff }
h1 { font-size: 1.6rem; margin-bottom: .2rem } h2 { font-size: 1.15rem; margin-top: 2rem }
.verdict { display: inline-block; padding: .2rem .8rem; border-radius: .4rem; color: #fff; font-weight: 600 }
.passed { background: #1a7f4b } .failed { background: #b3261e }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } caption { text-align: left; font-weight: 600; padding: .4rem 0 }
td, th { padding: .25rem .7rem; border-bottom: 1px solid #d8dee6; text-align: left; vertical-align: top } th { background: #f2f5f8 }
td.number, th.number { text-align: right } code { font-size: .9em; overflow-wrap: anywhere }
figure { margin: 1rem 0 } svg { max-width: 100%; height: auto } figcaption { color: #55606e }
"""


@dataclass(frozen=True)
class Table:
    """Columns and rows; numbers are set to the right, strings that start with ``$ `` as commands."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass
class Report:
    """What is to be shown; parts appear in the order they were added."""

    title: str
    passed: bool
    headline: str
    parts: list[str] = field(default_factory=list)

    def add_table(self, table: Table) -> None:
        first = table.rows[0] if table.rows else [""] * len(table.columns)
        kinds = [' class="number"' if isinstance(value, int | float) else "" for value in first]
        head = "".join(f"<th{kind}>{html.escape(column)}</th>" for kind, column in zip(kinds, table.columns, strict=True))
        body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
        self.parts.append(f"<h2>{html.escape(table.title)}</h2>\n<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>")

    def add_figure(self, drawn: Figure, caption: str) -> None:
        picture = io.StringIO()
        drawn.savefig(picture, format="svg", bbox_inches="tight", metadata={"Date": None})
        svg = picture.getvalue()
        self.parts.append(f"<figure>{svg[svg.index('<svg') :]}<figcaption>{html.escape(caption)}</figcaption></figure>")

    def text(self) -> str:
        state, word = ("passed", "PASS") if self.passed else ("failed", "FAIL")
        title = html.escape(self.title)
        body = "\n".join(self.parts)
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>\n'
            f'<body><h1>{title}</h1>\n<p><span class="verdict {state}">{word}</span> {html.escape(self.headline)}</p>\n'
            f"{body}\n</body></html>\n"
        )

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(), encoding="utf-8")


def _cell(value: object) -> str:
    if isinstance(value, int | float):
        return f'<td class="number">{value:,.2f}</td>' if isinstance(value, float) else f'<td class="number">{value:,}</td>'
    text = str(value)
    return f"<td><code>{html.escape(text[2:])}</code></td>" if text.startswith("$ ") else f"<td>{html.escape(text)}</td>"


def figure(*, width: float = 9, height: float = 3.4) -> Figure:
    """An empty figure that needs no display."""
    return Figure(figsize=(width, height), layout="constrained")
