"""The pin port: names that are there are looked up, others pinned, whatever comes in between."""

from collections import Counter

import pytest

from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.names import PinPort
from hdl.shapes.names import NameOp

CONFIG = BrokerConfig(names=16, name_bytes=16)


def words(name: bytes) -> list[dict[str, int]]:
    """A name's words, the last one marked."""
    parts = [name[at : at + 4] for at in range(0, len(name), 4)]
    return [{"data": int.from_bytes(part, "little"), "count": len(part), "last": part is parts[-1]} for part in parts]


@pytest.mark.parametrize(("idle", "stall"), [(0.0, 0.0), (0.3, 0.4)])
def test_names_are_pinned_and_looked_up(idle: float, stall: float) -> None:
    """Against a table of at most four names: answers in order, pins of those that were not there, nothing of a name beyond the limit."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random
        table: dict[bytes, int] = {}
        asked, answered = [], []  # what the table was asked, and its answers that are due
        given: list[bytes] = []
        due: list[tuple[int, int]] = []  # what the user must get
        finds = 0
        missed: Counter[bytes] = Counter()  # look-ups of names that were not there
        stored = bytearray()
        script = [chance.choice((b"a", b"bcdef", b"sixteen-bytes-xx", b"g" * 17, b"h" * 40, b"fresh%d" % n)) for n in range(120)]
        pieces = [(word, name) for name in script for word in words(name)]
        at = 0
        offered = False
        for _ in range(20000):
            if not offered and at < len(pieces) and chance.random() >= idle:
                word, name = pieces[at]
                part.set(dut.i.payload, {"op": NameOp.PIN, **word})
                part.set(dut.i.valid, 1)
                offered = True
            part.set(dut.o.ready, int(chance.random() >= stall))
            part.set(dut.o_response.ready, int(chance.random() >= stall))
            answers = bool(answered) and chance.random() < 0.5
            part.set(dut.i_response.valid, int(answers))
            if answers:
                part.set(dut.i_response.payload, answered[0])
                if part.get(dut.i_response.ready):
                    answered.pop(0)
            taken = offered and part.get(dut.i.ready)
            if part.get(dut.o.valid) and part.get(dut.o.ready):
                word = part.value(dut.o.payload)
                stored += word["data"].to_bytes(4, "little")[: word["count"]]
                if word["last"]:
                    name = bytes(stored)
                    stored.clear()
                    assert len(name) <= CONFIG.name_bytes
                    asked.append((word["op"], name))
                    if word["op"] == NameOp.PIN.value:
                        assert missed[name] > 0
                        missed[name] -= 1
                        if name not in table and len(table) < 4:
                            table[name] = len(table) + 1
                    else:
                        finds += 1
                        missed[name] += name not in table
                    answered.append({"ok": int(name in table), "name": table.get(name, 0)})
            if part.get(dut.o_response.valid) and part.get(dut.o_response.ready):
                answer = part.value(dut.o_response.payload)
                due.append((answer["ok"], answer["name"] if answer["ok"] else 0))
                given.append(script[len(given)])
                name = given[-1]
                assert due[-1] == ((1, table[name]) if name in table else (0, 0))
            await part.clock()
            if taken:
                at += 1
                offered = False
                part.set(dut.i.valid, 0)
            if len(due) == len(script):
                break
        assert len(due) == len(script)
        assert len(table) == 4
        # some of the latest names were known without a look-up
        assert finds < sum(len(name) <= CONFIG.name_bytes for name in script)

    run(PinPort(CONFIG), bench, seed=3, idle=idle, stall=stall)


def test_what_is_given_back_waits_for_the_names_before_it() -> None:
    async def bench(part: Part) -> None:
        dut = part.dut
        await part.give(dut.i, {"op": NameOp.PIN, **words(b"ab")[0]})
        part.set(dut.i.payload, {"op": NameOp.UNPIN, "last": 1, "name": 16})
        part.set(dut.i.valid, 1)
        assert (await part.take(dut.o))["op"] == NameOp.FIND.value
        await part.clock(5)
        assert not part.get(dut.o.valid)
        assert not part.get(dut.i.ready)
        await part.give(dut.i_response, {"ok": 1, "name": 7})
        assert (await part.take(dut.o_response))["name"] == 7
        word = await part.take(dut.o)
        assert (word["op"], word["name"], word["last"]) == (NameOp.UNPIN.value, 16, 1)
        part.set(dut.i.valid, 0)
        # The name is looked up again, once; then it is known until the next one is given back.
        for known in (False, True, True):
            await part.give(dut.i, {"op": NameOp.PIN, **words(b"ab")[0]})
            if not known:
                assert (await part.take(dut.o))["op"] == NameOp.FIND.value
                await part.give(dut.i_response, {"ok": 1, "name": 7})
            assert not part.get(dut.o.valid)
            assert (await part.take(dut.o_response))["name"] == 7

    run(PinPort(CONFIG), bench)
