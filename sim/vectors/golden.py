"""The golden result of a document: the model's, checked against libxml2 and expat in the same breath."""

import hashlib
import re
import struct
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from hdl.config import BrokerConfig
from hdl.contract import INDEX_MAX, WORD_BYTES, Code, Refusal, Semantics, WordType
from sim.golden import xpath
from sim.golden.match import NumberDigits
from sim.golden.query import Query
from sim.golden.together import Together
from sim.golden.words import Word
from sim.golden.xml import Parsed, parse
from sim.vectors import oracle

__all__ = ["NOTIFIED_BYTES", "Disagreement", "Golden", "Referee", "minimise", "refusal_of", "words_digest"]

NOTIFIED_BYTES = 4096
"""Up to this size of document the content of the notifications is part of the golden result."""

_TAG = re.compile(rb"<(/?)([^\s<>/!?]+)[^<>]*?(/?)>")
_WORD = struct.Struct("<BB4s")
_NOTIFIED = struct.Struct("<II")


def words_digest(words: "Sequence[Word]") -> bytes:
    """16 bytes that stand for the parsed words: BLAKE2b over type << 4 | l, the length and the padded bytes of each."""
    packed = b"".join(_WORD.pack(word.type << 4 | word.index, len(word.data), word.data) for word in words)
    return hashlib.blake2b(packed, digest_size=16).digest()


_NO_WORDS = words_digest(())


class _Heads(dict[int, bytes]):
    """By a token's length: its words with type, location and length, and zeros for their bytes."""

    def __init__(self, kind: WordType) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, size: int) -> bytes:
        lengths = [min(WORD_BYTES, size - at) for at in range(0, size, WORD_BYTES)] or [0]
        packed = b"".join(_WORD.pack(self._kind << 4 | min(index, INDEX_MAX), length, b"") for index, length in enumerate(lengths))
        if size <= _KEPT:
            self[size] = packed
        return packed


_KEPT = 4096
_HEADS = [_Heads(kind) for kind in sorted(WordType)]
_PADDING = (b"", b"\0\0\0", b"\0\0", b"\0")


def _words(parsed: Parsed) -> tuple[int, bytes]:
    """How many words a document has, and their digest, without making each one."""
    heads, padding = _HEADS, _PADDING
    packed = bytearray(b"".join([heads[kind][len(value)] for kind, value, _, _ in parsed.events]))
    values = b"".join([value + padding[len(value) & 3] if value else b"\0\0\0\0" for _, value, _, _ in parsed.events])
    for at in range(WORD_BYTES):
        packed[2 + at :: _WORD.size] = values[at::WORD_BYTES]
    return len(packed) // _WORD.size, hashlib.blake2b(packed, digest_size=16).digest()


def refusal_of(text: str | bytes, config: BrokerConfig) -> Refusal:
    """The model's answer to a subscription on its own."""
    try:
        xpath.compile(text, config)
    except xpath.Refused as refused:
        return refused.code
    return Refusal.NONE


@dataclass(frozen=True)
class Disagreement:
    """Two judges part: what about, and the smallest document and subscription found on which they still do."""

    about: str
    document: bytes
    subscription: str


@dataclass(frozen=True)
class Golden:
    """What must come out for a document: ``offset`` None where no byte decides, ``selected`` nodes for each of ``matches``.

    ``notified`` is a digest of all notifications' selected content, empty for documents over ``NOTIFIED_BYTES``.
    """

    code: Code
    offset: int | None
    words: int
    digest: bytes
    matches: tuple[int, ...]
    selected: tuple[int, ...]
    notified: bytes
    disagreement: Disagreement | None = None


def _without_an_element(data: bytes) -> Iterator[bytes]:
    """The document without each of its elements, and with each one's tags taken away."""
    opened: list[tuple[bytes, int, int]] = []
    for tag in _TAG.finditer(data):
        if tag[3]:
            yield data[: tag.start()] + data[tag.end() :]
        elif not tag[1]:
            opened.append((tag[2], tag.start(), tag.end()))
        elif opened and opened[-1][0] == tag[2]:
            _, start, inner = opened.pop()
            yield data[:start] + data[tag.end() :]
            yield data[:start] + data[inner : tag.start()] + data[tag.end() :]


def minimise(data: bytes, holds: Callable[[bytes], bool], *, budget: int = 600) -> bytes:
    """A smaller document for which ``holds`` is still true, found by leaving out elements and then ever smaller pieces."""
    smaller_yet: bytes | None = data
    while smaller_yet is not None and budget > 0:
        data, tried = smaller_yet, list(_without_an_element(smaller_yet))
        tried.sort(key=len)
        budget -= len(tried)
        smaller_yet = next((shorter for shorter in tried if shorter and holds(shorter)), None)
    size = max(1, len(data) // 2)
    while budget > 0:
        at, smaller = 0, False
        while at < len(data) and budget > 0:
            shorter = data[:at] + data[at + size :]
            budget -= 1
            if shorter and holds(shorter):
                data, smaller = shorter, True
            else:
                at += size
        if size == 1 and not smaller:
            break
        size = max(1, size // 2) if not smaller else size
    return data


class Referee:
    """A set of subscriptions compiled once for the model and once for libxml2, which must agree on every document."""

    def __init__(self, subscriptions: Sequence[tuple[int, str, Semantics]], config: BrokerConfig) -> None:
        self._config = config
        self._queries: dict[int, tuple[Query, Semantics]] = {}
        self._texts: dict[int, tuple[str, Semantics]] = {}
        for sid, text, semantics in subscriptions:
            if refusal_of(text, config) is Refusal.NONE:
                self._queries[sid] = (xpath.compile(text, config), semantics)
                self._texts[sid] = (text, semantics)
        self._together = Together(self._queries)
        self._judge = oracle.Judge([(sid, text, semantics) for sid, (text, semantics) in self._texts.items()], config)

    def _parse(self, data: bytes) -> Parsed:
        return parse(data, self._config, tree=False)

    def _model(self, data: bytes, parsed: Parsed, sids: Set[int] | None) -> Golden:
        if not parsed.well_formed:
            return Golden(parsed.code, parsed.offset, 0, _NO_WORDS, (), (), b"")
        together = self._together if sids is None else Together({sid: self._queries[sid] for sid in sids & self._queries.keys()})
        index = together.index(parsed.events, data)
        try:
            found = together.found(index)
        except NumberDigits:
            return Golden(Code.NUMBER_DIGITS, None, 0, _NO_WORDS, (), (), b"")
        notified = b""
        if parsed.length <= NOTIFIED_BYTES:
            bodies = [entry.content(index) for entry in found]
            parts = [_NOTIFIED.pack(entry.sid, len(body)) + body for entry, body in zip(found, bodies, strict=True)]
            notified = hashlib.blake2b(b"".join(parts), digest_size=16).digest()
        matches, selected = tuple([entry.sid for entry in found]), tuple([len(entry.elements) for entry in found])
        return Golden(Code.OK, None, *_words(parsed), matches, selected, notified)

    def _compare(self, data: bytes, parsed: Parsed, model: Golden, sids: Set[int] | None) -> tuple[str, tuple[int, ...]] | None:
        root = oracle.parse(data)
        judged_data = data
        if (root is not None) is not parsed.well_formed:
            rewritten = oracle.explained(data, parsed.code, lambda other: self._parse(other).code)
            if rewritten is None:
                word = "accepts" if root is not None else "rejects"
                return f"libxml2 {word} what the model calls {parsed.code.text} at {parsed.offset}", ()
            judged_data, root = rewritten, oracle.parse(rewritten)
        if not parsed.well_formed or root is None:
            return None
        tokens = oracle.expat_tokens(data)
        if tokens is not None and tokens != [(event.type, event.value) for event in parsed.events]:
            return "expat reports other tokens than the model", ()
        judged = self._judge.judge(judged_data, root, sids=sids)
        if judged.over_limit is not (model.code is Code.NUMBER_DIGITS):
            return f"a long number is {'over the limit' if judged.over_limit else 'no matter'} by libxml2's values only", ()
        if judged.matches != model.matches:
            apart = tuple(sorted(set(judged.matches) ^ set(model.matches)))
            word = "matches" if apart[0] in judged.matches else "does not match"
            return f"subscription {apart[0]} {word} by libxml2 and does otherwise by the model", apart
        if judged.selected != model.selected:
            apart = tuple(sid for sid, one, two in zip(model.matches, judged.selected, model.selected, strict=True) if one != two)
            return f"subscription {apart[0]} selects another number of nodes by libxml2 than by the model", apart
        return None

    def _disagreement(self, about: str, data: bytes, sids: tuple[int, ...]) -> Disagreement:
        if not sids:

            def differs(smaller: bytes) -> bool:
                parsed = self._parse(smaller)
                found = self._compare(smaller, parsed, self._model(smaller, parsed, frozenset()), frozenset())
                return found is not None

            return Disagreement(about, minimise(data, differs) if differs(data) else data, "")
        text, semantics = self._texts[sids[0]]
        alone = Referee([(sids[0], text, semantics)], self._config)

        def still(smaller: bytes) -> bool:
            parsed = alone._parse(smaller)
            return parsed.well_formed and alone._compare(smaller, parsed, alone._model(smaller, parsed, None), None) is not None

        return Disagreement(about, minimise(data, still) if still(data) else data, text)

    def evaluate(self, data: bytes, *, aim: Code | None = None, offset: int | None = None, sids: Set[int] | None = None) -> Golden:
        """The golden result for the whole set, or for the subscriptions ``sids`` of it.

        ``aim`` and ``offset`` are what the document was made to end in: a third, independent word on its verdict.
        """
        parsed = self._parse(data)
        model = self._model(data, parsed, sids)
        found = self._compare(data, parsed, model, sids)
        if found is not None:
            return _with(model, self._disagreement(found[0], data, found[1]))
        if aim is not None and (parsed.code is not aim or (offset is not None and parsed.offset != offset)):
            about = f"made to end in {aim.text} at {offset}, but by the model it is {parsed.code.text} at {parsed.offset}"
            return _with(model, Disagreement(about, data, ""))
        return model


def _with(model: Golden, disagreement: Disagreement) -> Golden:
    return Golden(model.code, model.offset, model.words, model.digest, model.matches, model.selected, model.notified, disagreement)
