"""An engine's answers held against the judges' and against what the vectors were made for."""

from collections.abc import Sequence
from dataclasses import dataclass

from hdl.contract import Code, Refusal, Semantics, Verdict
from sim.engines.interface import Filtered, FilterResult, Subscription
from sim.judge import Judge, accepted_by

__all__ = ["Comparison", "Difference", "Document", "Vectors", "compare"]


@dataclass(frozen=True)
class Document:
    """A publication of a vector set; ``aim`` and ``offset`` are what it was made to end in, None where only a judge can tell."""

    name: str
    kind: str
    data: bytes
    aim: Code | None = None
    offset: int | None = None


@dataclass(frozen=True)
class Vectors:
    """Subscriptions, with the refusal that each was made for (NONE: to be accepted), and publications."""

    seed: int
    subscriptions: tuple[Subscription, ...]
    refusals: tuple[Refusal, ...]
    documents: tuple[Document, ...]


@dataclass(frozen=True)
class Difference:
    """One thing that an engine did otherwise; ``document`` and ``sid`` are None where they have no part in it."""

    kind: str
    document: str | None
    sid: int | None
    what: str
    semantics: Semantics = Semantics.EXACT


@dataclass(frozen=True)
class Comparison:
    """The differences, and how much was compared."""

    differences: tuple[Difference, ...]
    verdicts: int
    pairs: int
    matches: int


def _refusals(vectors: Vectors, result: FilterResult) -> list[Difference]:
    refused = {one.subscription.sid: one.code for one in result.refused}
    found = []
    for subscription, aim in zip(vectors.subscriptions, vectors.refusals, strict=True):
        code = refused.get(subscription.sid, Refusal.NONE)
        if code is not aim:
            found.append(Difference("refusal", None, subscription.sid, f"{code.text} instead of {aim.text} for {subscription.xpath!r}"))
    return found


def _verdict(document: Document, filtered: Filtered) -> list[Difference]:
    """The aim where there is one; then the judges, whose word counts where they agree with each other."""
    result = filtered.result
    if document.aim is not None and (result.code is not Code.NUMBER_DIGITS or document.aim is not Code.OK):
        expected = document.aim, result.offset if document.offset is None else document.offset
        if (result.code, result.offset) != expected:
            what = f"{result.code.text} at {result.offset} instead of {expected[0].text} at {expected[1]}"
            return [Difference("verdict", document.name, None, what)]
    if result.verdict in (Verdict.WELL_FORMED, Verdict.NOT_WELL_FORMED):
        accepting = accepted_by(document.data)
        well_formed = result.verdict is Verdict.WELL_FORMED
        if len(accepting) == (0 if well_formed else 2):
            what = f"{result.verdict.text} ({result.code.text} at {result.offset}), but libxml2 and expat both say otherwise"
            return [Difference("verdict", document.name, None, what)]
    if result.bytes != len(document.data):
        return [Difference("bytes", document.name, None, f"{result.bytes} bytes counted instead of {len(document.data)}")]
    return []


def _matches(document: Document, filtered: Filtered, expected: Sequence[int], vectors: Vectors) -> list[Difference]:
    known = {subscription.sid: subscription for subscription in vectors.subscriptions}
    found = []
    for sid in sorted(set(expected) ^ set(filtered.matches)):
        side = "matched, but libxml2 finds nothing" if sid in filtered.matches else "not matched, but libxml2 finds it"
        text = known[sid].xpath if sid in known else "unknown"
        semantics = known[sid].semantics if sid in known else Semantics.EXACT
        found.append(Difference("match", document.name, sid, f"{side}: {text}", semantics))
    if list(filtered.matches) != sorted(set(filtered.matches)):
        found.append(Difference("order", document.name, None, f"matches must rise, not {filtered.matches}"))
    return found


def compare(vectors: Vectors, result: FilterResult) -> Comparison:
    """Hold an engine's result against the aims of the vectors and the judges."""
    accepted = [one for one, aim in zip(vectors.subscriptions, vectors.refusals, strict=True) if aim is Refusal.NONE]
    judge = Judge((one.sid, one.xpath, one.semantics) for one in accepted)
    differences = _refusals(vectors, result)
    pairs = matches = 0
    for document, filtered in zip(vectors.documents, result.documents, strict=True):
        differences += _verdict(document, filtered)
        if filtered.result.code is not Code.OK:
            if filtered.matches:
                differences.append(Difference("match", document.name, filtered.matches[0], "a document without a good end matched"))
            continue
        expected = judge.matches(document.data)
        if expected is None:
            continue
        pairs += len(accepted)
        matches += len(expected)
        differences += _matches(document, filtered, expected, vectors)
    return Comparison(tuple(differences), len(vectors.documents), pairs, matches)
