"""Coroutines for the VRT, against a list of entries."""

import cocotb
from amaranth.hdl import Shape

from cocotb_tests.streams import Bench, parameters
from hdl.shapes.routing import RouteHit, RouteWord
from hdl.shapes.widths import RefusalCode

UNKNOWN_ROUTE, FULL_ROUTES = 74, 75
ALL, NAME, VALUE = 0, 1, 2

Key = tuple[bytes, bytes | None]
"""A name, b"" for ``*``, and the value that is compared with."""


def key_words(key: Key, **what: int) -> list[dict[str, int]]:
    """The words of a criterion; ``what`` stands on every word but for ``refusal`` and ``final``, which stand on the last one."""
    ends = {name: what.pop(name) for name in ("refusal", "final") if name in what}
    name, value = key
    found = []
    for part, text in ((NAME if name else ALL, name), *([] if value is None else [(VALUE, value)])):
        for at in range(0, max(len(text), 1), 4):
            piece = text[at : at + 4]
            found.append({"part": part, "data": int.from_bytes(piece, "little"), "count": len(piece), "last": 0, **what})
    found[-1] |= {"last": 1} | ends
    return found


class Model:
    """Entries in the order of writing: X, BID, flag."""

    def __init__(self, routes: int):
        self.routes = routes
        self.entries: list[tuple[Key, int, int]] = []

    def change(self, key: Key, bid: int, *, remove: int, solicit: int) -> int:
        places = [place for place, entry in enumerate(self.entries) if entry[:2] == (key, bid)]
        if remove:
            if not places:
                return UNKNOWN_ROUTE
            del self.entries[places[0]]
        elif places:
            self.entries[places[0]] = key, bid, solicit
        elif len(self.entries) == self.routes:
            return FULL_ROUTES
        else:
            self.entries.append((key, bid, solicit))
        return 0

    def query(self, keys: list[Key]) -> list[dict[str, int]]:
        end = {"bid": 0, "solicit": 0, "all": 0, "end": 1, "refusal": 0}
        hits = [
            {"bid": bid, "solicit": solicit, "all": int(not key[0]), "end": 0, "refusal": 0}
            for key in keys
            for x, bid, solicit in self.entries
            if x == key
        ]
        return [*hits, end]


def some_keys(chance, count):
    """Names that begin alike, values empty and long, and ``*``."""
    names = [b"a", b"ab", b"abc", b"abcd", b"abcde", b"abcdabcd", b"abcdabce", "größe".encode(), b"x" * 16]
    values = [None, None, b"", b"1", b"a", b"abcd", b"abcdabcd", b"y" * 16]
    keys = {(chance.choice(names), chance.choice(values)) for _ in range(count)}
    return [*sorted(keys, key=str), (b"", None)]


async def _bench(dut, idle=0.0, stall=0.0):
    bench = Bench(dut)
    sources = bench.source("i_change", RouteWord, idle=idle), bench.source("i_query", RouteWord, idle=idle)
    sinks = bench.sink("o_answer", Shape.cast(RefusalCode), stall=stall), bench.sink("o_hit", RouteHit, stall=stall)
    await bench.reset()
    return bench, *sources, *sinks


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def entries_and_lookups(dut, idle, stall):
    """Entries written, altered, removed and too many; look-ups of several criteria in between."""
    bench, changes, queries, answers, hits = await _bench(dut, idle, stall)
    chance, model = bench.random, Model(parameters()["routes"])
    keys = some_keys(chance, 14)
    codes, found = [], []
    seen = set()
    for _ in range(parameters()["rounds"]):
        for _ in range(chance.randrange(5)):
            key, bid = chance.choice(keys), chance.choice((1, 2, 3, 255))
            what = {"remove": int(chance.random() < 0.3), "solicit": chance.getrandbits(1)}
            if chance.random() < 0.1:
                changes.send(key_words(key, bid=bid, **what, refusal=72))
                codes.append(72)
            else:
                changes.send(key_words(key, bid=bid, **what))
                codes.append(model.change(key, bid, **what))
        await changes.drained()
        await answers.receive(len(codes), within=4000)
        asked = [chance.choice(keys) for _ in range(chance.randrange(1, 5))]
        for place, key in enumerate(asked):
            queries.send(key_words(key, final=int(place == len(asked) - 1)))
        found += model.query(asked)
        await hits.receive(len(found), within=8000)
        seen |= set(codes)
        assert int(dut.entries.value) == len(model.entries)
    await bench.clocks(20)
    assert answers.items == codes
    assert hits.items == found
    assert seen == {0, 72, UNKNOWN_ROUTE, FULL_ROUTES}


@cocotb.test()
async def a_change_waits_for_the_end_of_a_lookup(dut):
    """What comes in the middle of a look-up is seen by the next one only."""
    bench, changes, queries, answers, hits = await _bench(dut)
    changes.send(key_words((b"a", None), bid=1))
    await answers.receive(1, within=100)
    queries.send(key_words((b"a", None), final=0))
    await hits.receive(1, within=100)
    changes.send(key_words((b"b", None), bid=2))
    await bench.clocks(100)
    assert len(answers.items) == 1
    queries.send(key_words((b"b", None), final=1))
    await hits.receive(2, within=100)
    assert [hit["end"] for hit in hits.items] == [0, 1]
    await answers.receive(2, within=100)
    queries.send(key_words((b"b", None), final=1))
    await hits.receive(4, within=100)
    assert [(hit["bid"], hit["end"]) for hit in hits.items[2:]] == [(2, 0), (0, 1)]


@cocotb.test()
async def a_refused_text_ends_its_lookup(dut):
    """The refusal comes back with the end, and the next look-up is unaffected."""
    _, changes, queries, answers, hits = await _bench(dut)
    changes.send(key_words((b"", None), bid=9))
    await answers.receive(1, within=100)
    queries.send(key_words((b"", None), final=1, refusal=5))
    queries.send(key_words((b"", None), final=1))
    await hits.receive(3, within=100)
    assert [(hit["bid"], hit["end"], hit["refusal"], hit["all"]) for hit in hits.items] == [(0, 1, 5, 0), (9, 0, 0, 1), (0, 1, 0, 0)]


@cocotb.test()
async def clocks_of_a_lookup(dut):
    """A criterion takes a clock for each of its words and for each entry, and a few; a reset empties the table."""
    bench, changes, queries, answers, hits = await _bench(dut)
    entries = parameters()["routes"]
    for number in range(entries):
        changes.send(key_words((b"n%d" % number, None), bid=1))
    await answers.receive(entries, within=entries * (entries + 20))
    for words, key in ((1, b"z"), (3, b"z" * 12)):
        queries.send(key_words((key, None), final=1))
        await queries.drained()
        before = len(hits.items)
        await hits.receive(before + 1, within=200)
        assert hits.clocks[-1] - queries.clocks[-words] == words + entries + 3
    await bench.reset()
    queries.send(key_words((b"n0", None), final=1))
    await hits.receive(1, within=200)
    assert hits.items[0]["end"] == 1
    assert int(dut.entries.value) == 0
