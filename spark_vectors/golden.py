"""The golden result of a document: the model's, checked against libxml2 and expat in the same breath."""

import hashlib
import re
import struct
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from hdl.config import BrokerConfig
from hdl.contract import INDEX_MAX, WORD_BYTES, Code, Refusal, Semantics
from sim.golden import xpath
from sim.golden.match import Indexed, NumberDigits, matched, select
from sim.golden.notify import span
from sim.golden.query import Query
from sim.golden.words import Word
from sim.golden.xml import Parsed, Parser
from spark_vectors import oracle

__all__ = ["NOTIFIED_BYTES", "Disagreement", "Golden", "Referee", "minimise", "refusal_of", "words_digest"]

NOTIFIED_BYTES = 4096
"""Up to this size of document the content of the notifications is part of the golden result."""

_TAG = re.compile(rb"<(/?)([^\s<>/!?]+)[^<>]*?(/?)>")
_WORD = struct.Struct("<BB4s")


def words_digest(words: "Sequence[Word]") -> bytes:
    """16 bytes that stand for the parsed words: BLAKE2b over type << 4 | l, the length and the padded bytes of each."""
    packed = b"".join(_WORD.pack(word.type << 4 | word.index, len(word.data), word.data) for word in words)
    return hashlib.blake2b(packed, digest_size=16).digest()


def _words(parsed: Parsed) -> tuple[int, bytes]:
    """How many words a document has, and their digest, without making each one."""
    packed: list[bytes] = []
    pack = _WORD.pack
    for kind, value, _, _ in parsed.events:
        if len(value) <= WORD_BYTES:
            packed.append(pack(kind << 4, len(value), value))
            continue
        for index, at in enumerate(range(0, len(value), WORD_BYTES)):
            piece = value[at : at + WORD_BYTES]
            packed.append(pack(kind << 4 | min(index, INDEX_MAX), len(piece), piece))
    return len(packed), hashlib.blake2b(b"".join(packed), digest_size=16).digest()


def refusal_of(text: str, config: BrokerConfig) -> Refusal:
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
        self._judge = oracle.Judge([(sid, text, semantics) for sid, (text, semantics) in self._texts.items()], config)

    def _parse(self, data: bytes) -> Parsed:
        parser = Parser(self._config)
        parser.feed(data)
        return parser.close()

    def _model(self, parsed: Parsed, sids: Set[int] | None) -> Golden:
        plain = Golden(parsed.code, None if parsed.well_formed else parsed.offset, 0, words_digest(()), (), (), b"")
        if parsed.document is None:
            return plain
        index = Indexed(parsed.document)
        chosen = {sid: entry for sid, entry in self._queries.items() if sids is None or sid in sids}
        try:
            hits = [sid for sid, hit in zip(chosen, matched(chosen.values(), index), strict=True) if hit]
        except NumberDigits:
            return Golden(Code.NUMBER_DIGITS, None, 0, words_digest(()), (), (), b"")
        nodes = [select(chosen[sid][0], index) for sid in hits]
        notified = b""
        if parsed.length <= NOTIFIED_BYTES:
            digest, source = hashlib.blake2b(digest_size=16), parsed.document.source
            for sid, found in zip(hits, nodes, strict=True):
                # containment selects no nodes
                exact = chosen[sid][1] is Semantics.EXACT
                body = b"".join(source[start:end] for start, end in (span(node, source) for node in found)) if exact else b""
                digest.update(struct.pack("<II", sid, len(body)) + body)
            notified = digest.digest()
        return Golden(Code.OK, None, *_words(parsed), tuple(hits), tuple(map(len, nodes)), notified)

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
                found = self._compare(smaller, parsed, self._model(parsed, frozenset()), frozenset())
                return found is not None

            return Disagreement(about, minimise(data, differs) if differs(data) else data, "")
        text, semantics = self._texts[sids[0]]
        alone = Referee([(sids[0], text, semantics)], self._config)

        def still(smaller: bytes) -> bool:
            parsed = alone._parse(smaller)
            return parsed.well_formed and alone._compare(smaller, parsed, alone._model(parsed, None), None) is not None

        return Disagreement(about, minimise(data, still) if still(data) else data, text)

    def evaluate(self, data: bytes, *, aim: Code | None = None, offset: int | None = None, sids: Set[int] | None = None) -> Golden:
        """The golden result for the whole set, or for the subscriptions ``sids`` of it.

        ``aim`` and ``offset`` are what the document was made to end in: a third, independent word on its verdict.
        """
        parsed = self._parse(data)
        model = self._model(parsed, sids)
        found = self._compare(data, parsed, model, sids)
        if found is not None:
            return _with(model, self._disagreement(found[0], data, found[1]))
        if aim is not None and (parsed.code is not aim or (offset is not None and parsed.offset != offset)):
            about = f"made to end in {aim.text} at {offset}, but by the model it is {parsed.code.text} at {parsed.offset}"
            return _with(model, Disagreement(about, data, ""))
        return model


def _with(model: Golden, disagreement: Disagreement) -> Golden:
    return Golden(model.code, model.offset, model.words, model.digest, model.matches, model.selected, model.notified, disagreement)
