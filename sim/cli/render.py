"""Results for people (rich tables) and for machines (one JSON object a line)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hdl.config import BrokerConfig
from hdl.contract import Code, Verdict, WordType
from sim.engines.compiled import refusal
from sim.interface import XPATH, ParseResult, Refused, Word

__all__ = [
    "Row",
    "console",
    "json_line",
    "parse_object",
    "refusal_object",
    "refusal_text",
    "results_table",
    "where",
    "words_object",
    "words_table",
]

_STYLES = {Verdict.WELL_FORMED: "green", Verdict.NOT_WELL_FORMED: "red", Verdict.UNSUPPORTED: "yellow", Verdict.OVER_LIMIT: "magenta"}
_SHOWN_MATCHES = 12


def console() -> Console:
    """Standard output; a pipe or a file is not folded to the width of a terminal."""
    terminal = Console(highlight=False)
    return terminal if terminal.is_terminal else Console(highlight=False, width=200)


def json_line(value: dict[str, Any]) -> None:
    """Print one object on a line of standard output at once."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def parse_object(path: Path, result: ParseResult, matches: Sequence[int] | None = None, *, line: int | None = None) -> dict[str, Any]:
    """The object of one file, or of one line of it; ``code`` and ``offset`` are null for what is well-formed."""
    well_formed = result.code is Code.OK
    found: dict[str, Any] = {
        "file": str(path),
        **({} if line is None else {"line": line}),
        "verdict": result.verdict.text,
        "code": None if well_formed else result.code.text,
        "offset": None if well_formed else result.offset,
        "bytes": result.bytes,
        "cycles": result.cycles,
    }
    if matches is not None:
        found["matches"] = list(matches)
    if result.words is not None:
        found["words"] = [words_object(word) for word in result.words]
    return found


def words_object(word: Word) -> list[Any]:
    """A word as [t, l, its bytes in hexadecimal]."""
    return [word.type.name.lower(), word.index, word.data.hex()]


def refusal_object(refused: Refused) -> dict[str, Any]:
    return {"sid": refused.subscription.sid, "refused": refused.code.text}


def _position(refused: Refused, config: BrokerConfig) -> int | None:
    """The character to point at, where the golden front end refuses the text for the same reason."""
    reason = refusal(refused.subscription, config)
    if reason is None or reason.code is not refused.code:
        return None
    text = refused.subscription.text.encode("utf-8", "surrogateescape")
    return len(text[: reason.position].decode("utf-8", "replace"))


def refusal_text(refused: Refused, config: BrokerConfig) -> str:
    """The refusal in a sentence, with the subscription and a caret under the offending character."""
    subscription = refused.subscription
    sentence = f"subscription {subscription.sid} is refused ({refused.code.text}): {refused.code.sentence}"
    shown = "".join(character if character.isprintable() else " " for character in subscription.text)
    position = _position(refused, config)
    front = "" if subscription.language == XPATH else f"{subscription.language}: "
    lines = [sentence, f"    {front}{shown}"]
    if position is not None:
        lines.append(f"    {' ' * cell_len(front + shown[:position])}^")
    return "\n".join(lines)


def where(content: bytes, offset: int | None, *, in_line: bool = False) -> str:
    """An offset as people look for it: line and column, counted from 1, or the column alone where the content is one line."""
    if offset is None:
        return ""
    before = content[:offset]
    line_start = before.rfind(b"\n") + 1
    column = len(before[line_start:].decode("utf-8", "replace")) + 1
    return f"{offset} (column {column})" if in_line else f"{offset} (line {before.count(10) + 1}, column {column})"


def _matches_text(matches: Sequence[int]) -> str:
    shown = ", ".join(str(sid) for sid in matches[:_SHOWN_MATCHES])
    return f"{len(matches)}: {shown}, ..." if len(matches) > _SHOWN_MATCHES else shown or "none"


@dataclass(frozen=True)
class Row:
    """One file in the table, or one line of it; ``matches`` is None where nothing was filtered."""

    path: Path
    result: ParseResult
    where: str
    matches: Sequence[int] | None = None
    line: int | None = None


def results_table(rows: Sequence[Row]) -> Table:
    """One row a file; columns that would be empty are left out."""
    filtered = any(row.matches is not None for row in rows)
    clocked = any(row.result.cycles is not None for row in rows)
    lined = any(row.line is not None for row in rows)
    failed = any(row.result.code is not Code.OK for row in rows)
    table = Table(header_style="bold")
    table.add_column("file", overflow="fold")
    if lined:
        table.add_column("line", justify="right")
    table.add_column("verdict", no_wrap=True)
    if failed:
        table.add_column("code", no_wrap=True)
        table.add_column("at byte")
    table.add_column("bytes", justify="right", no_wrap=True)
    if clocked:
        table.add_column("cycles", justify="right")
        table.add_column("bytes/clock", justify="right")
    if filtered:
        table.add_column("matches", overflow="fold")
    for row in rows:
        result = row.result
        cells = [escape(str(row.path)), *([str(row.line)] if lined else []), f"[{_STYLES[result.verdict]}]{result.verdict.text}[/]"]
        if failed:
            cells += ["", ""] if result.code is Code.OK else [result.code.text, row.where]
        cells.append(str(result.bytes))
        if clocked:
            cells += [str(result.cycles), f"{result.bytes / result.cycles:.2f}"] if result.cycles else ["", ""]
        if row.matches is not None:
            cells.append(_matches_text(row.matches))
        table.add_row(*cells)
    return table


def words_table(path: Path, words: Sequence[Word]) -> Table:
    """The typed words of one document."""
    table = Table(title=escape(str(path)), title_justify="left", header_style="bold")
    for name in ("t", "l", "bytes", "text"):
        table.add_column(name, justify="right" if name == "l" else "left")
    for word in words:
        text = word.data.decode("utf-8", "replace")
        visible = "".join(character if character.isprintable() else "·" for character in text)
        style = "cyan" if word.type is WordType.ELEMENT else ""
        table.add_row(word.type.name.lower(), str(word.index), word.data.hex(" "), escape(visible), style=style)
    return table
