"""Corner streams: the broker's RTL against a plain table of subscriptions, the golden parser and libxml2."""

from functools import cache

import pytest

from hdl.config import PRESETS
from hdl.contract import Refusal
from sim.corners.judged import differences
from sim.corners.streams import Stream, streams
from sim.verilated.broker import Answered, Matched, Reset, run

CONFIG = PRESETS["default"]
KINDS = (
    "text-faults",
    "text-characters",
    "text-tokens",
    "text-limits",
    "headers",
    "tables",
    "compared",
    "paths",
    "contents",
    "names",
    "beside",
)


@cache
def made() -> tuple[Stream, ...]:
    return tuple(streams(CONFIG))


def test_streams_are_the_same_each_time_and_of_every_kind() -> None:
    assert tuple(streams(CONFIG)) == made()
    assert tuple(dict.fromkeys(stream.kind for stream in made())) == (*KINDS, "resets")
    assert all(any(isinstance(item, Reset) for item in stream.items) == (stream.kind == "resets") for stream in made())


def test_nothing_before_a_reset_counts() -> None:
    for number, stream in enumerate(one for one in made() if one.kind == "resets"):
        answers = run(stream.items, CONFIG, stalls=number if number % 2 else None)
        assert list(differences(stream, answers, CONFIG)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_broker_answers_as_it_must(kind: str) -> None:
    refusals: set[Refusal] = set()
    matched = 0
    for number, stream in enumerate(one for one in made() if one.kind == kind):
        answers = run(stream.items, CONFIG, options=("--beside",) * stream.beside, stalls=number if number % 2 else None)
        assert list(differences(stream, answers, CONFIG)) == []
        refusals |= {answer.refusal for answer in answers if isinstance(answer, Answered)}
        matched += sum(len(answer.references) for answer in answers if isinstance(answer, Matched))
    assert matched > 50
    if kind == "text-limits":
        assert refusals >= {
            Refusal.NONE,
            Refusal.NAME_LENGTH,
            Refusal.LITERAL_LENGTH,
            Refusal.NUMBER_DIGITS,
            Refusal.STEPS,
            Refusal.TEXT_LENGTH,
        }
    if kind == "tables":
        assert refusals >= {Refusal.NONE, Refusal.FULL_SUBSCRIPTIONS, Refusal.FULL_STEPS, Refusal.FULL_VALUES}
