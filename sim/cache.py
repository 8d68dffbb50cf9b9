"""Things that take long to build and are kept: each in a folder named after everything that it was made from."""

import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["BUILD", "cached", "digest"]

BUILD = Path(__file__).resolve().parent.parent / "build"


def digest(parts: Iterable[str | bytes]) -> str:
    """A name for the content; the parts' borders count."""
    found = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        found.update(len(raw).to_bytes(8, "big") + raw)
    return found.hexdigest()[:16]


def cached(place: Path, make: Callable[[Path], None]) -> Path:
    """The folder ``place``, filled by ``make`` unless it is there already.

    It appears whole or not at all: ``make`` works on a folder beside it. Processes that want the same folder wait for each other, so that
    it is made once.
    """
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.is_dir():
            return place
        folder = Path(tempfile.mkdtemp(prefix="building-", dir=place.parent))
        try:
            make(folder)
            folder.rename(place)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return place
