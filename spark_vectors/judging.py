"""The task of the languages' regression: an engine matches a set of subscriptions and messages, and everybody else is asked too."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from hdl.config import PRESETS
from hdl.contract import Code
from sim.engines import open_message_engine
from sim.interface import FilterResult, Subscription
from sim.judges.languages import JUDGES
from sim.vectors.languages.corners import Asked, CornerSet, corner_set, line_of

__all__ = ["JUDGED", "judge_sets", "judged"]

JUDGED = pa.schema(
    [
        ("language", pa.string()),
        ("number", pa.int32()),
        ("subscriptions", pa.int64()),
        ("refused", pa.int64()),
        ("messages", pa.int64()),
        ("pairs", pa.int64()),
        ("matches", pa.int64()),
        ("judges", pa.list_(pa.string())),
        ("seconds", pa.float64()),
        ("differences", pa.list_(pa.string())),
    ]
)
"""One row a set. ``pairs`` are those of accepted subscriptions; ``seconds`` is the engine's processor time."""

_SHOWN = 20
"""Differences of a set that are written down."""


def judge_sets(batches: Iterable[pa.RecordBatch], **settings: Any) -> Iterator[pa.RecordBatch]:
    """From language and number to :data:`JUDGED`."""
    for batch in batches:
        columns = batch.to_pydict()
        rows = [judged(language, number, **settings) for language, number in zip(columns["language"], columns["number"], strict=True)]
        yield pa.RecordBatch.from_pylist(rows, schema=JUDGED)


def judged(language: str, number: int, *, seed: int, engine: str, preset: str, subscriptions: int, messages: int) -> dict[str, Any]:
    """One set: the engine's answers, and how they differ from those of the model and of the languages' judges."""
    drawn = corner_set(language, seed=seed, number=number, subscriptions=subscriptions, messages=messages)
    wanted = [Subscription(sid, one.text, language=one.language) for sid, one in enumerate(drawn.asked, start=1)]
    lines = [line_of(message) for message in drawn.messages]
    begun = time.process_time()
    found = open_message_engine(engine, PRESETS[preset]).match(wanted, lines)
    seconds = time.process_time() - begun
    differences = [
        f"verdict: {lines[place]!r}: {one.result}" for place, one in enumerate(found.documents) if one.result.code is not Code.OK
    ]
    if engine != "model":
        model = open_message_engine("model", PRESETS[preset]).match(wanted, lines)
        differences += _compared("model", _places(model, len(wanted)), _places(found, len(wanted)), range(len(wanted)), drawn)
        if model.refused != found.refused:
            differences.append(f"refused: {found.refused} where the model refuses {model.refused}")
    refused = {one.subscription.sid - 1 for one in found.refused}
    accepted = [place for place in range(len(wanted)) if place not in refused]
    names, apart = _judges(drawn, accepted, _places(found, len(wanted)))
    return {
        "language": language,
        "number": number,
        "subscriptions": len(wanted),
        "refused": len(refused),
        "messages": len(lines),
        "pairs": len(accepted) * len(lines),
        "matches": sum(len(one.matches) for one in found.documents),
        "judges": names,
        "seconds": seconds,
        "differences": (differences + apart)[:_SHOWN],
    }


def _places(found: FilterResult, count: int) -> list[set[int]]:
    """By subscription the places of the messages that match."""
    places: list[set[int]] = [set() for _ in range(count)]
    for place, one in enumerate(found.documents):
        for sid in one.matches:
            places[sid - 1].add(place)
    return places


def _judges(drawn: CornerSet, accepted: Sequence[int], found: list[set[int]]) -> tuple[list[str], list[str]]:
    """The names of the judges, and the differences; each language's judges are asked about its own subscriptions on all messages."""
    names, differences = [], []
    for language, judges in JUDGES.items():
        own = [place for place in accepted if drawn.asked[place].language == language]
        asked: list[Asked] = [drawn.asked[place] for place in own]
        for name, judge in judges.items() if own else ():
            names.append(name if len({one.language for one in drawn.asked}) == 1 else f"{language}: {name}")
            answers: list[set[int]] = [set()] * len(found)
            for place, answer in zip(own, judge(asked, drawn.messages), strict=True):
                answers[place] = answer
            differences += _compared(name, answers, found, own, drawn)
    return names, differences


def _compared(judge: str, expected: Sequence[set[int]], found: Sequence[set[int]], places: Iterable[int], drawn: CornerSet) -> list[str]:
    return [
        f"{judge}: {drawn.asked[place].language} {drawn.asked[place].text!r} on {line_of(drawn.messages[message])!r}: "
        f"{'no match' if message in found[place] else 'match'} expected"
        for place in places
        for message in sorted(expected[place] ^ found[place])
    ]
