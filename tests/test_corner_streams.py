"""Corner streams: the broker's RTL against a plain table of subscriptions, the golden parser and libxml2."""

from functools import cache

import pytest

from hdl.cam.hashing import HASHES, row_of
from hdl.cam.words import KEY_WIDTH, key_of
from hdl.config import PRESETS
from hdl.contract import Code, Content, Refusal
from sim.corners.judged import differences
from sim.corners.names import TWINS
from sim.corners.numbered import ALIKE
from sim.corners.streams import Stream, streams
from sim.verilated.broker import Answered, Frame, Matched, Publication, Reset, run

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
    "text-numbers",
    "blocks",
    "reused",
    "held",
    "pending",
    "cut-out",
    "verdicts",
    "late",
    "cleared",
    "nodes",
    "registered",
    "given-back",
    "collisions",
    "crowded",
    "changed",
    "sharing",
    "clashes",
    "drained",
    "waiting",
    "numbered",
    "stages",
    "refilled",
)


@cache
def made() -> tuple[Stream, ...]:
    return tuple(streams(CONFIG))


def test_streams_are_the_same_each_time_and_of_every_kind() -> None:
    assert tuple(streams(CONFIG)) == made()
    assert tuple(dict.fromkeys(stream.kind for stream in made())) == (*KINDS[:11], "resets", *KINDS[11:])
    assert all(any(isinstance(item, Reset) for item in stream.items) == (stream.kind == "resets") for stream in made())


def test_the_twins_have_the_same_hash() -> None:
    keys = {key_of([int.from_bytes(name[at : at + 4], "little") for at in range(0, len(name), 4)]) for name in TWINS}
    assert len(set(TWINS)) == 2
    assert len(keys) == 1


def test_the_names_with_no_place_have_the_same_rows() -> None:
    keys = [key_of([int.from_bytes(name[at : at + 4], "little") for at in range(0, len(name), 4)]) for name in ALIKE]
    assert len(set(keys)) == len(ALIKE)
    for which in range(HASHES):
        assert len({row_of(key, key_width=KEY_WIDTH, row_width=9, which=which) for key in keys}) == 1


def test_nothing_before_a_reset_counts() -> None:
    for number, stream in enumerate(one for one in made() if one.kind == "resets"):
        answers = run(stream.items, CONFIG, stalls=number if number % 2 else None)
        assert list(differences(stream, answers, CONFIG)) == []


def test_a_late_subscription_counts_for_one_row_of_publications() -> None:
    items = tuple(next(stream for stream in made() if stream.kind == "late").items)
    publication = Publication(b"<r><a/></r>")
    late = next(item for item in items if isinstance(item, Frame) and item.data.endswith(b"//a"))
    stream = Stream("late", (publication, publication, publication, late), beside=True)
    accepted = Answered(Refusal.NONE, 101, 0, 0, tsid=1, link=1)

    def found(*notified: bool) -> list[str]:
        answers = [Matched(Code.OK, 0, 11, 0, 0, 0, 0, (101,) * one, (Content.HEADER,) * one, (b"",) * one) for one in notified]
        return list(differences(stream, [*answers, accepted], CONFIG))

    for row in ((False, False, False), (False, True, True), (False, True, False), (True, True, True)):
        assert found(*row) == []
    assert "not one row" in found(True, False, True)[0]
    twice = Matched(Code.OK, 0, 11, 0, 0, 0, 0, (101, 101), (Content.HEADER,) * 2, (b"",) * 2)
    assert "too many" in next(differences(Stream("late", (publication, late), beside=True), [twice, accepted], CONFIG))


@pytest.mark.parametrize("kind", KINDS)
def test_the_broker_answers_as_it_must(kind: str) -> None:
    refusals: set[Refusal] = set()
    matched = 0
    for number, stream in enumerate(one for one in made() if one.kind == kind):
        answers = run(stream.items, CONFIG, options=("--beside",) * stream.beside, stalls=number if number % 2 else None)
        assert list(differences(stream, answers, CONFIG)) == []
        refusals |= {answer.refusal for answer in answers if isinstance(answer, Answered)}
        matched += sum(len(answer.references) for answer in answers if isinstance(answer, Matched))
    assert matched > 40
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
