"""The files that the commands read: publications and subscriptions."""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from hdl.contract import Semantics
from sim.cli.errors import fail
from sim.golden.languages import LANGUAGES
from sim.interface import XPATH, Subscription

__all__ = [
    "BATCH_BYTES",
    "BATCH_FILES",
    "Batch",
    "batches",
    "check_files",
    "message_batches",
    "read_subscriptions",
    "read_text",
    "subscriptions_from",
]

BATCH_BYTES = 32 << 20
BATCH_FILES = 4096
"""An engine is handed this much at once at most, so that results appear as they come and memory stays bounded."""

SID_MAX = 2**32 - 1

_LANGUAGE = re.compile(r"\s*([A-Za-z][\w-]*):(?:[ \t]|$)")
"""What names a language in front of a subscription; in an XPath something always follows the colon of a name at once."""


@dataclass(frozen=True)
class Batch:
    """Some publications: the files that they are from, their lines in these where a line is one, and their contents."""

    paths: list[Path] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    contents: list[bytes] = field(default_factory=list)


def _unreadable(path: Path, error: OSError, *, what: str) -> NoReturn:
    match error:
        case FileNotFoundError():
            fail(f"the {what} {str(path)!r} does not exist", hint="check the path")
        case IsADirectoryError():
            fail(f"the {what} {str(path)!r} is a directory", hint="name the files in it, for example with a pattern of the shell")
        case PermissionError():
            fail(f"the {what} {str(path)!r} may not be read", hint="check its permissions")
        case _:
            fail(f"the {what} {str(path)!r} cannot be read ({error.strerror})", hint="check the path")


def _read(path: Path, *, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        _unreadable(path, error, what=what)


def check_files(paths: Sequence[Path]) -> None:
    """End the command unless every file can be read, before any of them is worked on; pipes are left unopened."""
    for path in paths:
        try:
            if not path.exists() or path.is_dir() or path.is_file():
                with path.open("rb"):
                    pass
        except OSError as error:
            _unreadable(path, error, what="file")


def batches(paths: Sequence[Path]) -> Iterator[Batch]:
    """The files' contents in order, in pieces of bounded size."""
    return _batches((path, None, _read(path, what="file")) for path in paths)


def message_batches(paths: Sequence[Path]) -> Iterator[Batch]:
    """The same with a publication a line; blank lines are passed over, and counted."""
    return _batches((path, number, line) for path in paths for number, line in _lines(path))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    content = _read(path, what="file").removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield number, line.removesuffix(b"\r")


def _batches(publications: Iterable[tuple[Path, int | None, bytes]]) -> Iterator[Batch]:
    """At least one, an empty one where there are no publications."""
    batch, size = Batch(), 0
    for path, line, content in publications:
        if batch.paths and (size + len(content) > BATCH_BYTES or len(batch.paths) == BATCH_FILES):
            yield batch
            batch, size = Batch(), 0
        batch.paths.append(path)
        batch.lines.append(line)
        batch.contents.append(content)
        size += len(content)
    yield batch


def _sid(text: str, place: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= SID_MAX:
        fail(
            f"{place}: the SID before the tab must be a number from 1 to {SID_MAX}, not {text!r}",
            hint="a line is 'XPath' or 'SID<TAB>XPath'",
        )
    return number


def subscriptions_from(content: str, *, name: str, semantics: Semantics) -> list[Subscription]:
    """The subscriptions of a file's text.

    A line is a subscription, or a SID, a tab and a subscription; a line that is blank or whose first visible character is ``#`` is
    passed over. A subscription is an XPath, or a language, a colon, one blank and a text in that language. One without a SID gets
    its place among the subscriptions, counted from 1.
    """
    found: list[Subscription] = []
    lines: dict[int, int] = {}
    for number, line in enumerate(content.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{name} line {number}"
        head, tab, rest = ("", "", line) if _LANGUAGE.match(line) else line.partition("\t")
        sid, text = (_sid(head.strip(), place), rest) if tab else (len(found) + 1, line)
        if sid in lines:
            fail(f"{place}: SID {sid} is taken by line {lines[sid]}", hint="give every subscription a SID of its own, or none of them")
        lines[sid] = number
        language, text = _language(text, place)
        found.append(Subscription(sid, text, semantics, language))
    return found


def _language(text: str, place: str) -> tuple[str, str]:
    """The language in front of a subscription and the text behind it."""
    named = _LANGUAGE.match(text)
    if not named:
        return XPATH, text
    if named[1] not in (XPATH, *LANGUAGES):
        fail(f"{place}: there is no language {named[1]!r}", hint=f"choose one of {', '.join((XPATH, *LANGUAGES))}")
    return named[1], text[named.end() :]


def read_text(path: Path, *, what: str) -> str:
    """The text of a file; ends the command when it cannot be read or is not UTF-8."""
    content = _read(path, what=f"{what} file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail(f"the {what} file {str(path)!r} is not UTF-8 (byte {error.start})", hint="save it as UTF-8")


def read_subscriptions(path: Path, semantics: Semantics) -> list[Subscription]:
    """The subscriptions of a file; ends the command when there are none."""
    found = subscriptions_from(read_text(path, what="subscriptions"), name=str(path), semantics=semantics)
    if not found:
        fail(f"the subscriptions file {str(path)!r} has no subscription", hint="write one XPath, or 'language: text', a line")
    return found
