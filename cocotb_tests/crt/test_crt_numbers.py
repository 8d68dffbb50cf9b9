"""The stored numbers and the bounds of tests, against sorted lists and plain comparisons."""

import bisect
import operator
from decimal import Decimal
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring

from cocotb_tests.decimals import key
from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.crt.bounds import BoundTable
from hdl.crt.numbers import NumberOp, NumberStore
from hdl.crt.ranks import RankOp, RankOrder
from hdl.shapes.tests import BoundKind

LIMITS = {"steps": 64, "slices": 4, "names": 16, "learned": 64, "subscriptions": 15, "values": 16, "subscription_steps": 8}
STALLS = pytest.mark.parametrize("stall", [0.0, 0.5])

TESTS = {
    # the kind of the bound, what is added to twice the rank, and what must hold between value and number
    "gt": (BoundKind.ABOVE, 2, operator.gt),
    "ge": (BoundKind.ABOVE, 1, operator.ge),
    "lt": (BoundKind.BELOW, 1, operator.lt),
    "le": (BoundKind.BELOW, 2, operator.le),
    "eq": (BoundKind.EQUAL, 1, operator.eq),
    "ne": (BoundKind.UNLIKE, 1, operator.ne),
}


def some(part: Part, spread: int) -> Decimal:
    """A number, of few enough that they come again."""
    return Decimal(part.random.randrange(-spread, spread)).scaleb(-part.random.randrange(3))


@pytest.mark.parametrize("numbers", [16, 40])
def test_ranks(numbers: int) -> None:
    """Identities come and go at any rank, up to the last free one and down to none; the others keep theirs in order."""

    async def bench(part: Part) -> None:
        dut = part.dut
        for address in range(dut.clear_depth):
            part.set(dut.clear, 1)
            part.set(dut.clear_address, address)
            await part.clock()
        part.set(dut.clear, 0)
        order: list[int] = []
        fills = True
        for _ in range(200):
            fills = not order or (fills and len(order) < numbers)
            if len(order) < numbers and part.random.random() < (0.8 if fills else 0.2):
                rank = part.random.randrange(len(order) + 1)
                new = await part.ask(dut.request, dut.answer, {"op": RankOp.INSERT, "rank": rank})
                assert new["identity"] not in order
                assert new["identity"] < dut.clear_depth * 16
                order.insert(rank, new["identity"])
            elif order:
                identity = part.random.choice(order)
                rank = (await part.ask(dut.request, dut.answer, {"op": RankOp.FIND, "identity": identity}))["rank"]
                assert order[rank] == identity
                gone = await part.ask(dut.request, dut.answer, {"op": RankOp.REMOVE, "rank": rank})
                assert gone == {"rank": rank, "identity": identity}
                del order[rank]
            assert part.get(dut.used) == len(order)
            for rank in part.random.sample(range(len(order)), min(4, len(order))):
                part.set(dut.rank, rank)
                assert part.get(dut.identity) == order[rank]
            assert not part.get(dut.moving)

    run(RankOrder(BrokerConfig(**LIMITS, numbers=numbers)), bench)


class _Compared(wiring.Component):
    """The store with the bounds that follow it."""

    def __init__(self, config):
        self.store, self.table = NumberStore(config), BoundTable(config)
        super().__init__(
            {
                **{name: self.store.signature.members[name] for name in ("port", "request", "reply", "clear", "clear_address")},
                **{name: self.table.signature.members[name] for name in ("slice", "answer", "holds", "change")},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.store, m.submodules.table = self.store, self.table
        wiring.connect(m, self.store.sweep, self.table.sweep)
        wiring.connect(m, wiring.flipped(self.request), self.store.request)
        wiring.connect(m, self.store.reply, wiring.flipped(self.reply))
        wiring.connect(m, self.store.port, wiring.flipped(self.port))
        wiring.connect(m, wiring.flipped(self.change), self.table.change)
        m.d.comb += [
            *(getattr(self.store, name).eq(getattr(self, name)) for name in ("clear", "clear_address")),
            *(getattr(self.table, name).eq(getattr(self, name)) for name in ("slice", "answer")),
            self.holds.eq(self.table.holds),
        ]
        return m


@pytest.mark.parametrize(("numbers", "spread"), [(1, 4), (16, 12), (37, 40)])
@STALLS
def test_points_and_bounds(numbers: int, spread: int, stall: float) -> None:
    """Numbers come and go, up to the limit and one beyond, while values are searched for; each value's point decides every test,
    whatever came and
    went since its bound was set. Values wait while the order changes, and it changes only when no point is in use."""

    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random

        async def turn() -> None:
            part.set(dut.clear, 1)
            for address in range(dut.store.clear_depth):
                part.set(dut.clear_address, address)
                await part.clock()
            part.set(dut.clear, 0)
            await part.clock(2)
            held: dict[Decimal, int] = {}  # uses
            identities: dict[Decimal, int] = {}
            tests: dict[int, tuple[str, Decimal]] = {}
            wanted: list[Any] = []  # values on their way
            asked: list[dict[str, Any]] = []
            replies: list[dict[str, int]] = []

            async def tick() -> None:
                """A clock, in which a value or a request may be taken and a point or a reply may come."""
                taken = part.get(dut.request.ready)
                if part.get(dut.reply.valid):
                    replies.append(part.value(dut.reply.payload))
                if part.get(dut.port.search.valid) and part.get(dut.port.search.ready):
                    wanted.append(asked.pop())
                point = part.value(dut.port.point.payload) if part.get(dut.port.point.valid) else None
                await part.clock()
                if taken:
                    part.set(dut.request.valid, 0)
                part.set(dut.port.search.valid, int(bool(asked)))
                if point is not None:
                    check(wanted[0], point)
                    points.append((wanted.pop(0), point, chance.randrange(6 if stall else 1)))
                part.set(dut.port.quiet, int(not points))

            async def clock() -> None:
                """A clock, in which a value may be offered and a point may be used."""
                await tick()
                if not asked and len(points) + len(wanted) < 6 and chance.random() < 0.3:
                    number = None if chance.random() < 0.1 else some(part, spread)
                    asked.append({"number": number, "excess": int(chance.random() < 0.1)})
                    part.set(dut.port.search.payload, {"key": key(number), "excess": asked[-1]["excess"]})
                    part.set(dut.port.search.valid, 1)
                if points and not points[0][2]:
                    await decide(*points[0][:2])
                    points.pop(0)
                elif points:
                    points[0] = (*points[0][:2], points[0][2] - 1)
                part.set(dut.port.quiet, int(not points))

            points: list[tuple[dict[str, Any], dict[str, int], int]] = []

            def check(value: dict[str, Any], point: dict[str, int]) -> None:
                """The point is the value's among the numbers that are stored."""
                number, order = value["number"], sorted(held)
                place = 0 if number is None else 2 * bisect.bisect_left(order, number) + (number in held)
                assert point == {"point": place, "nan": int(number is None), "excess": value["excess"]}, (number, order)

            async def decide(value: dict[str, Any], point: dict[str, int]) -> None:
                """Every test of a slice at once, as plain comparisons have it."""
                number = value["number"]
                for at in range(4):
                    if chance.random() < 0.5:
                        part.set(dut.slice, at)
                        part.set(dut.answer, point)
                        await tick()
                        await tick()
                        holds = part.get(dut.holds)
                        for step, (name, literal) in tests.items():
                            if step // 16 == at:
                                right = name == "ne" if number is None else TESTS[name][2](number, literal)
                                assert (holds >> step % 16 & 1) == right, (number, name, literal, sorted(held))

            async def ask(payload: dict[str, Any]) -> dict[str, int]:
                part.set(dut.request.payload, payload)
                part.set(dut.request.valid, 1)
                for _ in range(3000):
                    await clock()
                    if replies:
                        return replies.pop()
                raise AssertionError("no reply")

            async def enter(literal: Decimal) -> None:
                """A test on a number, if there is room for that."""
                reply = await ask({"op": NumberOp.ENTER, "key": key(literal)})
                assert reply["ok"] == (literal in held or len(held) < numbers)
                if not reply["ok"]:
                    return
                assert identities.get(literal, reply["identity"]) == reply["identity"]
                held[literal], identities[literal] = held.get(literal, 0) + 1, reply["identity"]
                rank = (await ask({"op": NumberOp.RANK, "identity": reply["identity"]}))["rank"]
                assert sorted(held)[rank] == literal
                step = chance.choice([one for one in range(64) if one not in tests])
                name = chance.choice(list(TESTS))
                kind, offset, _ = TESTS[name]
                part.set(dut.change.payload, {"step": step, "bound": {"kind": kind, "bound": 2 * rank + offset}})
                part.set(dut.change.valid, 1)
                assert part.get(dut.change.ready)
                await clock()
                part.set(dut.change.valid, 0)
                tests[step] = name, literal

            async def leave(step: int) -> None:
                """A test goes, and its number with the last one."""
                _, literal = tests.pop(step)
                await ask({"op": NumberOp.LEAVE, "identity": identities[literal]})
                held[literal] -= 1
                if not held[literal]:
                    del held[literal], identities[literal]

            for _ in range(30):
                if tests and (chance.random() < 0.45 or len(tests) == 64):
                    await leave(chance.choice(sorted(tests)))
                else:
                    await enter(some(part, spread))
                for _ in range(chance.randrange(8)):
                    await clock()
            while wanted or points or asked:
                await clock()

        await turn()
        await part.reset()
        await turn()

    run(_Compared(BrokerConfig(**LIMITS, numbers=numbers)), bench)
