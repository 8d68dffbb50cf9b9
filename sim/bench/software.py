"""The same documents through expat and libxml2 on this machine."""

import time
from collections.abc import Callable
from xml.parsers import expat

from lxml import etree

__all__ = ["PARSERS", "bytes_per_second"]

_ROUNDS = 5
_ROUND_SECONDS = 0.02


def _expat(document: bytes) -> None:
    """Namespaces are checked; no handler is called."""
    expat.ParserCreate("utf-8", " ").Parse(document, True)


def _libxml2(document: bytes) -> None:
    """The whole document becomes a tree."""
    etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


PARSERS: dict[str, Callable[[bytes], None]] = {"expat": _expat, "libxml2": _libxml2}


def bytes_per_second(parser: Callable[[bytes], None], document: bytes) -> float:
    """By processor time, so that other work on the machine counts little; the best of several rounds."""
    best = 0.0
    for _ in range(_ROUNDS):
        times, started = 0, time.process_time()
        while (spent := time.process_time() - started) < _ROUND_SECONDS or not times:
            parser(document)
            times += 1
        best = max(best, times * len(document) / spent) if spent else best
    return best
