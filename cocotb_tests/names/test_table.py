"""The name table alone: look-ups of documents beside requests, against a plain dictionary."""

from collections import deque
from dataclasses import dataclass, field

import pytest

from cocotb_tests.simulated import Part, run
from hdl.cam.words import key_of
from hdl.config import BrokerConfig
from hdl.names import NameTable
from hdl.shapes.names import NameOp

CONFIG = BrokerConfig(names=8, name_bytes=16)
_PLACES = CONFIG.name_bytes // 4
_CLEARED = 540
"""Clocks after a reset until the CAM has been cleared."""
_UNPINNED = 40
"""Clocks after which an UNPIN has been done, when nothing else is asked."""


def pieces(name: bytes) -> list[tuple[int, int]]:
    """A name's words, each with its bytes."""
    parts = [name[at : at + 4] for at in range(0, len(name), 4)]
    return [(int.from_bytes(part, "little"), len(part)) for part in parts]


def requested(op: NameOp, name: bytes) -> list[dict[str, int]]:
    words = pieces(name)
    return [{"op": op, "data": data, "count": count, "last": int(at == len(words))} for at, (data, count) in enumerate(words, start=1)]


def looked_up(name: bytes) -> list[dict[str, int]]:
    """A name as a front end sends it: not more of it than a name may have."""
    words = pieces(name)
    return [
        {"data": data, "first": int(at == 0), "ends": int(at + 1 in (len(words), _PLACES)), "last": int(at + 1 == len(words))}
        for at, (data, _) in enumerate(words[:_PLACES])
    ]


@dataclass
class Sides:
    """The front end and registration, each with what it sends and what came back, by clocks."""

    part: Part
    words: deque = field(default_factory=deque)
    requests: deque = field(default_factory=deque)
    found: list[tuple[int, int]] = field(default_factory=list)
    """For each name of a document its answer and the clock in which it was taken."""
    sent: list[tuple[bytes, int]] = field(default_factory=list)
    """Names of documents, and the clock in which the first word was taken."""
    replies: list[tuple[int, int, int]] = field(default_factory=list)
    """``ok``, token ID and the clock in which it was first offered."""
    begun: list[int] = field(default_factory=list)
    """For each request that has been taken the clock of its first word."""
    open_request: bool = False

    def look_up(self, name: bytes) -> None:
        self.words.extend((word, name) for word in looked_up(name))

    def ask(self, op: NameOp, name: bytes) -> None:
        self.requests.extend(requested(op, name))

    def unpin(self, number: int) -> None:
        self.requests.append({"op": NameOp.UNPIN, "last": 1, "name": number})

    async def clock(self) -> None:
        part, dut = self.part, self.part.dut
        chance = part.random
        words, names = dut.lookup.words, dut.lookup.names
        if self.words and not part.get(words.valid) and chance.random() >= part.idle:
            part.set(words.payload, self.words[0][0])
            part.set(words.valid, 1)
        if self.requests and not part.get(dut.request.valid):
            part.set(dut.request.payload, self.requests[0])
            part.set(dut.request.valid, 1)
        part.set(names.ready, int(chance.random() >= part.stall))
        part.set(dut.response.ready, int(chance.random() >= part.stall))
        word_taken = part.get(words.valid) and part.get(words.ready)
        request_taken = part.get(dut.request.valid) and part.get(dut.request.ready)
        if part.get(names.valid) and part.get(names.ready):
            self.found.append((part.get(names.payload), part.now))
        if part.get(dut.response.valid) and part.get(dut.response.ready):
            reply = part.value(dut.response.payload)
            self.replies.append((reply["ok"], reply["name"], part.now))
        await part.clock()
        if word_taken:
            word, name = self.words.popleft()
            if word["first"]:
                self.sent.append((name, part.now))
            part.set(words.valid, 0)
        if request_taken:
            request = self.requests.popleft()
            if not self.open_request:
                self.begun.append(part.now)
            self.open_request = not request["last"]
            part.set(dut.request.valid, 0)

    async def until(self, condition, within: int = 2000) -> None:
        for _ in range(within):
            if condition():
                return
            await self.clock()
        raise AssertionError(f"not in {within} clocks")

    async def reply(self) -> tuple[int, int]:
        """The answer to the only request under way."""
        count = len(self.replies)
        await self.until(lambda: len(self.replies) > count)
        ok, number, _ = self.replies[-1]
        return ok, number


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.0), (0.4, 0.0), (0.0, 0.6), (0.3, 0.3)])
def test_look_ups_beside_changes(idle: float, stall: float) -> None:
    """Every look-up is answered in order, with what the name had at some time while it was under way; a name pinned before it was sent is
    found, one unpinned before is not. A full table refuses; what was loaded stays."""
    pool = [b"a", b"ab", b"abcd", b"abcde", b"abcdefgh", b"x" * 16, b"x" * 15, b"y" * 16, b"xyz", b"abcf", b"q", b"r", b"s1", b"s2"]
    strangers = [b"x" * 17, b"x" * 40, b"never", b"abcdefg"]

    async def bench(part: Part) -> None:
        sides, chance = Sides(part), part.random
        await part.reset()
        held: dict[bytes, int] = {}
        loaded: set[bytes] = set()
        history: list[tuple[bytes, int, int, int]] = []  # name, what it has from then on, and the clocks between which it changed
        refused = kept = 0
        for turn in range(110):
            for _ in range(chance.randrange(6)):
                sides.look_up(chance.choice(pool + strangers))
            op = chance.choice((NameOp.PIN, NameOp.PIN, NameOp.FIND, NameOp.LOAD if turn % 20 == 5 else NameOp.PIN, NameOp.UNPIN))
            if op is NameOp.UNPIN:
                if not held:
                    continue
                name = chance.choice(list(held))
                sides.unpin(held[name])
                await sides.until(lambda: not sides.requests)
                if name in loaded:
                    kept += 1
                    continue
                del held[name]
                start = sides.begun[-1]
                while part.now < start + _UNPINNED or part.get(part.dut.lookup.words.valid):
                    await sides.clock()
                    if part.now > start + 300:
                        break
                history.append((name, 0, start, part.now))
                continue
            name = chance.choice(pool + strangers) if chance.random() < 0.2 else chance.choice(pool)
            sides.ask(op, name)
            ok, number = await sides.reply()
            if op is NameOp.FIND:
                assert (number if ok else 0) == held.get(name, 0)
                continue
            fits = len(name) <= CONFIG.name_bytes and (name in held or len(held) < CONFIG.names)
            assert ok == fits, name
            refused += not fits
            if not fits:
                continue
            if op is NameOp.LOAD:
                loaded.add(name)
            if name in held:
                assert number == held[name]
                continue
            assert 1 <= number <= CONFIG.names
            assert number not in held.values()
            held[name] = number
            history.append((name, number, sides.begun[-1], part.now))
        await sides.until(lambda: not sides.words and len(sides.found) == len(sides.sent))
        assert refused > 2
        assert loaded
        hits = 0
        for (name, start), (answer, end) in zip(sides.sent, sides.found, strict=True):
            possible = {0}
            for changed, number, since, until in history:
                if changed != name or since > end:
                    continue
                possible = {number} if until < start else possible | {number}
            assert answer in possible, (name, start, end)
            hits += answer != 0
        assert 50 < hits < len(sides.sent) - 50

    run(NameTable(CONFIG), bench, seed=11, idle=idle, stall=stall)


def test_several_finds_and_a_word_a_clock() -> None:
    """Six FINDs are under way at once and answered in order; names of four words pass at a word a clock."""

    async def bench(part: Part) -> None:
        sides = Sides(part)
        await part.reset()
        for name in (b"alpha", b"beta", b"x" * 16):
            sides.ask(NameOp.PIN, name)
            await sides.reply()
        begun, replies = part.now, len(sides.replies)
        for name in (b"alpha", b"none", b"beta", b"x" * 16, b"x" * 12, b"alpha"):
            sides.ask(NameOp.FIND, name)
        await sides.until(lambda: len(sides.replies) == replies + 6)
        assert [ok * name for ok, name, _ in sides.replies[replies:]] == [1, 0, 2, 3, 0, 1]
        assert part.now - begun < 70
        begun = part.now
        for _ in range(20):
            sides.look_up(b"x" * 16)
        await sides.until(lambda: len(sides.found) == 20)
        assert [answer for answer, _ in sides.found] == [3] * 20
        # The driver of this bench sends a word every clock at most.
        assert part.now - begun < 20 * 4 + 45

    run(NameTable(CONFIG), bench)


def test_a_reset_empties_the_table() -> None:
    async def bench(part: Part) -> None:
        sides = Sides(part)
        await part.reset()
        sides.ask(NameOp.LOAD, b"alpha")
        assert await sides.reply() == (1, 1)
        sides.ask(NameOp.PIN, b"be")
        await sides.until(lambda: not sides.requests)
        await part.reset()
        fresh = Sides(part)
        for _ in range(_CLEARED):
            await fresh.clock()
        assert not fresh.replies
        fresh.ask(NameOp.FIND, b"alpha")
        assert (await fresh.reply())[0] == 0
        fresh.ask(NameOp.PIN, b"be")
        assert await fresh.reply() == (1, 1)
        fresh.unpin(1)
        fresh.ask(NameOp.PIN, b"alpha")
        assert await fresh.reply() == (1, 1)
        fresh.unpin(1)
        fresh.ask(NameOp.FIND, b"alpha")
        assert (await fresh.reply())[0] == 0, "what was loaded before the reset may be unpinned"

    run(NameTable(CONFIG), bench)


def twins() -> tuple[bytes, bytes]:
    """Two names of two words with one key: what differs in the first word, sent through the hash, is what differs in the second."""
    first = int.from_bytes(b"abcd", "little")
    for change in range(1, 1 << 16):
        moved = key_of([first, 0]) ^ key_of([first ^ change, 0])
        name = (first ^ change).to_bytes(4, "little") + (int.from_bytes(b"ijkl", "little") ^ moved).to_bytes(4, "little")
        if name.isalpha():
            return b"abcdijkl", name
    raise AssertionError("no name has the same key")


def test_names_with_one_key() -> None:
    """A name with the key of another is not taken for it and cannot be pinned beside it."""
    one, other = twins()

    async def bench(part: Part) -> None:
        sides = Sides(part)
        await part.reset()
        sides.ask(NameOp.PIN, one)
        assert await sides.reply() == (1, 1)
        for name in (other, one, other):
            sides.look_up(name)
        sides.ask(NameOp.PIN, other)
        assert (await sides.reply())[0] == 0
        sides.ask(NameOp.FIND, other)
        assert (await sides.reply())[0] == 0
        sides.unpin(1)
        sides.ask(NameOp.PIN, other)
        assert await sides.reply() == (1, 1)
        sides.look_up(one)
        sides.look_up(other)
        await sides.until(lambda: len(sides.found) == 5)
        assert [answer for answer, _ in sides.found] == [0, 1, 0, 0, 1]

    run(NameTable(CONFIG), bench)
