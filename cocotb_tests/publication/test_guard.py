"""The guard behind the front ends alone: beats that keep the rules pass, others end their publication, against a plain reader of beats."""

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.contract import WordType
from hdl.publication import BeatGuard

CONFIG = BrokerConfig(depth=3, names=16)
Beat = dict[str, Any]
_NOTHING = {"valid": 0, "data": 0, "count": 0, "last": 0}
_NO_MARK = _NOTHING | {"type": 0, "close": 0, "name": 0}
DONE = {"text": _NOTHING, "mark": _NO_MARK, "done": 1, "good": 0}


def mark(kind: WordType, *, last: int = 1, close: int = 0, name: int = 0, text: Beat | None = None) -> Beat:
    given = {"valid": 1, "data": 0x61626364, "count": 4, "last": last, "type": int(kind), "close": close, "name": name}
    return {"text": text or _NOTHING, "mark": given, "done": 0, "good": 0}


def text(*, last: int = 1) -> Beat:
    return {"text": {"valid": 1, "data": 7, "count": 4, "last": last}, "mark": _NO_MARK, "done": 0, "good": 0}


def tree(chance: random.Random, depth: int) -> list[Beat]:
    """An element of up to so many levels."""
    attributes = chance.choice((0, 0, 1, 2))
    beats = [mark(WordType.ELEMENT, last=0)] * chance.choice((0, 0, 1))
    beats.append(mark(WordType.ELEMENT, close=int(not attributes), name=chance.randrange(17)))
    for left in range(attributes, 0, -1):
        beats += [mark(WordType.ATTRIBUTE, last=0)] * chance.choice((0, 1))
        beats.append(mark(WordType.ATTRIBUTE, name=chance.randrange(17)))
        beats += [mark(WordType.VALUE, last=0)] * chance.choice((0, 2))
        beats.append(mark(WordType.VALUE, close=int(left == 1)))
    for _ in range(chance.choice((0, 1, 2)) if depth > 1 else 0):
        beats += [text(last=0), text()][chance.choice((0, 1, 2)) :]
        beats += tree(chance, depth - 1)
    if chance.random() < 0.5:
        return [*beats, mark(WordType.END, text=text()["text"])]
    return [*beats, mark(WordType.END)]


@dataclass
class Reader:
    """Follows the beats of a publication by the rules, as they are written down."""

    open: int = 0
    tag: str = ""
    """Empty outside of start tags, else what has come last in one."""
    token: int | None = None
    text: bool = False
    seen: list[Beat] = field(default_factory=list)

    def keeps(self, beat: Beat) -> bool:
        """Whether the beat keeps the rules, and what follows from it."""
        word, given = beat["text"], beat["mark"]
        if beat["done"]:
            whole = not (self.open or self.tag or self.token is not None or self.text)
            return not word["valid"] and not given["valid"] and (whole or not beat["good"])
        if word["valid"]:
            if self.token is not None or self.tag or not self.open or (given["valid"] and not word["last"]):
                return False
            self.text = not word["last"]
        if not given["valid"]:
            return True
        if self.text:
            return False
        kind, last = WordType(given["type"]), given["last"]
        if self.token is None:
            allowed = {
                WordType.ELEMENT: not self.tag and self.open < CONFIG.depth,
                WordType.ATTRIBUTE: self.tag in ("element", "value"),
                WordType.VALUE: self.tag == "attribute",
                WordType.END: not self.tag and self.open > 0 and last,
                WordType.TEXT: False,
            }[kind]
        else:
            allowed = kind == self.token
        if not allowed or (kind is WordType.ATTRIBUTE and last and given["close"]):
            return False
        self.token = None if last else kind
        if last and kind is WordType.END:
            self.open -= 1
        elif last and given["close"]:
            self.open, self.tag = self.open + 1, ""
        elif last:
            self.tag = kind.name.lower()
        return True


def judged(publication: list[Beat]) -> tuple[list[Beat], bool]:
    """What must come of a publication, and whether it is ended before its time."""
    reader, found = Reader(), []
    for beat in publication:
        if not reader.keeps(beat):
            return [*found, DONE], True
        found.append(beat)
    return found, False


def spoilt(chance: random.Random, publication: list[Beat]) -> list[Beat]:
    """The publication with a beat left out, doubled, exchanged for another one, or changed in a flag."""
    beats, at = list(publication), chance.randrange(len(publication) - 1)
    how = chance.randrange(5)
    if how == 0:
        del beats[at]
    elif how == 1:
        beats.insert(at, beats[at])
    elif how == 2:
        other = chance.randrange(len(beats) - 1)
        beats[at], beats[other] = beats[other], beats[at]
    elif how == 3:
        name = chance.choice(("last", "close", "type"))
        beats[at] = beats[at] | {"mark": beats[at]["mark"] | {name: chance.randrange(2 if name != "type" else 5)}}
    else:
        beats = [*beats[:at], beats[-1]]
    return beats


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.0), (0.4, 0.5)])
def test_publications(idle: float, stall: float) -> None:
    """Publications that keep the rules up to the greatest depth pass unchanged in the same clock; of others comes what was before, and one
    end that does not count. The next publication is unharmed."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random
        due: list[Beat] = []
        given: list[Beat] = []
        ended = whole = 0
        for number in range(260):
            publication = [*tree(chance, chance.choice((1, 2, 3, 3, 4))), DONE | {"good": 1}]
            if number % 2:
                publication = spoilt(chance, publication)
            found, broken = judged(publication)
            ended += broken
            whole += not broken
            due += found
            given += publication
        assert ended > 60
        assert whole > 60
        came: list[Beat] = []
        at, offered, breaks = 0, False, 0
        for _ in range(40000):
            if not offered and at < len(given) and chance.random() >= idle:
                part.set(dut.i.payload, given[at])
                part.set(dut.i.valid, 1)
                offered = True
            part.set(dut.o.ready, int(chance.random() >= stall))
            taken = offered and part.get(dut.i.ready)
            if part.get(dut.o.valid) and part.get(dut.o.ready):
                came.append(part.value(dut.o.payload))
                breaks += part.get(dut.broken)
            await part.clock()
            if taken:
                at += 1
                offered = False
                part.set(dut.i.valid, 0)
            if at == len(given):
                break
        assert came == due
        assert breaks == ended

    run(BeatGuard(CONFIG), bench, seed=5, idle=idle, stall=stall)


def test_a_reset_within_a_publication() -> None:
    async def bench(part: Part) -> None:
        dut = part.dut
        part.set(dut.o.ready, 1)
        for beat in (mark(WordType.ELEMENT, close=1), mark(WordType.ELEMENT), mark(WordType.ATTRIBUTE, last=0)):
            await part.give(dut.i, beat)
        await part.reset()
        for beat in (mark(WordType.ELEMENT, close=1), text(last=0)):
            await part.give(dut.i, beat)
        await part.reset()
        for beat in (mark(WordType.ELEMENT, close=1), mark(WordType.END), DONE | {"good": 1}):
            part.set(dut.i.payload, beat)
            part.set(dut.i.valid, 1)
            await part.clock(0)
            assert part.value(dut.o.payload) == beat
            assert not part.get(dut.broken)
            await part.clock()
        part.set(dut.i.payload, mark(WordType.END))
        assert part.get(dut.broken)
        await part.reset()
        assert part.get(dut.broken), "the level is 0 after a reset"

    run(BeatGuard(CONFIG), bench)
