"""Coroutines for the operation modes, against a table of edges and plain counts, clock by clock."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench, parameters

NOP, NPNS, NPOS, OPOS, OPNS = range(5)
PULSES = ("buffered", "registered", "refused", "cancelled", "processed", "cleared")
LEVELS = ("full", "route_end", "looked_up", "available")
MOST = parameters().get("subscriptions", 0)


class Model:
    """The thesis's table [T-Fig 5.18]; :meth:`clock` takes the inputs of a clock, :meth:`shows` says what is seen in it."""

    def __init__(self, gather=0, timeout=0, patience=0, publications=0):
        self.gather, self.limit, self.patience, self.most = gather, timeout, patience, publications
        self.mode, self.s, self.sa, self.p = NOP, 0, 0, 0
        self.timeout = self.clear_end = self.abandoned = 0
        self.quiet = self.matching = self.waited = self.now = 0
        self.history = [(NOP, 0)]

    def shows(self, inputs):
        available = inputs["available"]
        over = self.mode == OPNS and self.patience and self.waited == self.patience
        return {
            "mode": self.mode,
            "s": self.s,
            "smax": self.s if inputs["full"] else MOST,
            "sa": self.sa,
            "p": self.p,
            "pmax": min(available, self.most) if self.most else available,
            "timeout": self.timeout,
            "clear_end": self.clear_end,
            "clears": int(self.mode == OPNS and inputs["route_end"] and inputs["looked_up"] and not self.clear_end),
            "abandons": int(bool(over) and not inputs["route_end"]),
            "abandoned": self.abandoned % 32,
        }

    def _after(self, seen):
        gathered, waits, done = self.quiet >= self.gather, self.sa > 0, self.p == seen["pmax"]
        edges = {
            NOP: [(waits, NPNS)],
            NPNS: [(self.s > 0 and (self.s == seen["smax"] or (not waits and gathered)), NPOS)],
            NPOS: [(self.timeout and waits, OPNS), (done, OPOS)],
            OPOS: [(not done, NPOS), (waits, OPNS)],
            OPNS: [(self.clear_end, NPNS)],
        }
        return next((mode for condition, mode in edges[self.mode] if condition), self.mode)

    def clock(self, inputs):
        after = self._after(self.shows(inputs))
        before = self.mode
        if before == NPNS and not self.sa and not inputs["buffered"]:
            self.quiet = min(self.quiet + 1, max(self.gather, self.quiet))
        else:
            self.quiet = 0
        expires = self.limit and self.matching >= self.limit
        self.matching = 0 if before == NPNS else self.matching + (before in (NPOS, OPOS) and not self.timeout)
        self.timeout |= bool(expires)
        self.clear_end &= before != NPNS
        if before == OPNS and not inputs["route_end"] and not (self.patience and self.waited == self.patience):
            self.waited += 1
            self.abandoned += self.waited == self.patience
        self.s += inputs["registered"] - inputs["cancelled"]
        self.sa += inputs["buffered"] - inputs["registered"] - inputs["refused"]
        self.p += inputs["processed"]
        if inputs["cleared"]:
            self.s = self.p = self.timeout = self.waited = 0
            self.clear_end = True
        self.now += 1
        if after != before:
            self.history = [(after, self.now), *self.history][:16]
        self.mode = after


class Cycle:
    """Drives the unit and the model beside it."""

    def __init__(self, dut, bench, **settings):
        self.dut, self.bench, self.model = dut, bench, Model(**settings)
        for name, value in (("gather", 0), ("timeout", 0), ("patience", 0), ("publications", 0)):
            getattr(dut, f"settings__{name}").value = settings.get(name, value)
        self.levels = {"full": 0, "route_end": 1, "looked_up": 1, "available": 0}
        self.seen = self.model.shows(self.levels)
        for name in PULSES:
            getattr(dut, name).value = 0
        for name, value in self.levels.items():
            getattr(dut, name).value = value
        dut.place.value = 0

    async def clock(self, **events):
        """A clock with these events, and with levels changed from it on."""
        for name in LEVELS:
            if name in events:
                self.levels[name] = events.pop(name)
        inputs = {**dict.fromkeys(PULSES, 0), **events, **self.levels}
        place = self.bench.random.randrange(16)
        for name, value in inputs.items():
            getattr(self.dut, name).value = value
        self.dut.place.value = place
        await FallingEdge(self.dut.clk)
        self.seen = self.model.shows(inputs)
        found = {name: int(getattr(self.dut, name).value) for name in self.seen}
        assert found == self.seen, (self.model.now, inputs)
        past = self.model.history[place] if place < len(self.model.history) else (NOP, 0)
        assert (int(self.dut.past_mode.value), int(self.dut.past_clock.value)) == past, place
        self.model.clock(inputs)
        await RisingEdge(self.dut.clk)

    async def until(self, mode, within=200):
        for _ in range(within):
            if self.model.mode == mode:
                return
            await self.clock()
        raise AssertionError(f"mode {mode} was not reached")

    @property
    def modes(self):
        return [mode for mode, _ in reversed(self.model.history)]


async def _cycle(dut, **settings):
    bench = Bench(dut)
    cycle = Cycle(dut, bench, **settings)
    await bench.reset()
    return cycle


@cocotb.test()
@cocotb.parametrize(
    (
        ("gather", "timeout", "patience", "publications"),
        [(0, 0, 0, 0), (3, 0, 0, 0), (0, 9, 4, 0), (5, 20, 0, 3), (1, 1, 1, 1), (2, 6, 6, 2)],
    )
)
async def edges_and_counts(dut, gather, timeout, patience, publications):
    """Events at random, those that the mode allows: every output in every clock, and the history at a random place."""
    cycle = await _cycle(dut, gather=gather, timeout=timeout, patience=patience, publications=publications)
    chance = cycle.bench.random
    visited, clearing = set(), 0
    for _ in range(parameters()["clocks"]):
        now, events = cycle.model, {}
        visited.add(now.mode)
        if chance.random() < 0.1 and now.sa < 30:
            events["buffered"] = 1
        if now.mode == NPNS and now.sa and now.s < MOST and not cycle.levels["full"] and chance.random() < 0.5:
            events["registered" if chance.random() < 0.8 else "refused"] = 1
        elif now.sa > 1 and chance.random() < 0.02:
            events["refused"] = 1
        if now.s and now.mode != OPNS and chance.random() < 0.02 and "registered" not in events:
            events["cancelled"] = 1
        if now.mode == NPOS and now.p < cycle.seen["pmax"] and chance.random() < 0.3:
            events["processed"] = 1
        if chance.random() < 0.03:
            events["available"] = now.p + 1 + chance.randrange(4)
        if chance.random() < 0.05:
            events["full"] = chance.getrandbits(1) if now.mode == NPNS and now.s else 0
        if chance.random() < 0.2:
            events["route_end"] = int(chance.random() < 0.6)
        if chance.random() < 0.2:
            events["looked_up"] = int(chance.random() < 0.7)
        clearing = clearing + 1 if now.mode == OPNS and not now.clear_end and cycle.seen["clears"] else 0
        if clearing > 3:
            events |= {"cleared": 1, "available": chance.randrange(3), "full": 0}
        await cycle.clock(**events)
    assert visited == {NOP, NPNS, NPOS, OPOS, OPNS}
    assert len(cycle.model.history) == 16


async def _subscribe(cycle, count=1):
    for _ in range(count):
        await cycle.clock(buffered=1)


async def _register(cycle):
    await cycle.until(NPNS)
    while cycle.model.sa:
        await cycle.clock(registered=1)


async def _match(cycle, count=1):
    for _ in range(count):
        await cycle.clock()
        await cycle.clock(processed=1)


async def _clear(cycle, available=0):
    await cycle.until(OPNS)
    while not cycle.seen["clears"]:
        await cycle.clock()
    await cycle.clock(cleared=1, available=available)
    await cycle.until(NPNS)


@cocotb.test()
async def sequence_a(dut):
    """Dense publications and a timeout: nPnS, nPoS, oPnS [T 5.4.3.3.1]."""
    cycle = await _cycle(dut, timeout=10)
    await cycle.clock(available=100)
    await _subscribe(cycle)
    await _register(cycle)
    await cycle.until(NPOS)
    await _match(cycle, 3)
    await _subscribe(cycle)
    await _clear(cycle, 97)
    assert cycle.modes == [NOP, NPNS, NPOS, OPNS, NPNS]


@cocotb.test()
async def sequence_b(dut):
    """Dense subscriptions: oPoS is short."""
    cycle = await _cycle(dut)
    await cycle.clock(available=1)
    await _subscribe(cycle)
    await _register(cycle)
    await cycle.until(NPOS)
    await _subscribe(cycle)
    await _match(cycle)
    await _clear(cycle)
    assert cycle.modes == [NOP, NPNS, NPOS, OPOS, OPNS, NPNS]
    oldest = [clock for _, clock in reversed(cycle.model.history)]
    assert oldest[4] - oldest[3] == 1


@cocotb.test()
async def sequences_c_and_d(dut):
    """Both sparse: oPoS is long; a late publication leads back to nPoS and forth."""
    cycle = await _cycle(dut)
    await cycle.clock(available=1)
    await _subscribe(cycle)
    await _register(cycle)
    await cycle.until(NPOS)
    await _match(cycle)
    await cycle.until(OPOS)
    for _ in range(50):
        await cycle.clock()
    await cycle.clock(available=2)
    await cycle.until(NPOS)
    await _match(cycle)
    await cycle.until(OPOS)
    await _subscribe(cycle)
    await _clear(cycle)
    assert cycle.modes == [NOP, NPNS, NPOS, OPOS, NPOS, OPOS, OPNS, NPNS]


@cocotb.test()
async def boundaries(dut):
    """Pmax = 0 goes straight on; a timeout at P = Pmax wins if a subscription waits; a full table ends registration; S = 0 does not."""
    cycle = await _cycle(dut, gather=1000, timeout=5)
    await _subscribe(cycle)
    await cycle.until(NPNS)
    await cycle.clock(refused=1)
    for _ in range(30):
        await cycle.clock()
    assert cycle.model.mode == NPNS
    await _subscribe(cycle, 2)
    await cycle.clock(registered=1)
    await cycle.clock(full=1)
    await cycle.until(OPOS, within=3)
    assert cycle.modes == [NOP, NPNS, NPOS, OPOS]
    await _clear(cycle)
    await cycle.clock(full=0, available=1)
    await cycle.clock(registered=1)
    await cycle.clock(full=1)
    await cycle.until(NPOS, within=3)
    await _subscribe(cycle)
    while not cycle.model.timeout:
        assert cycle.model.mode == NPOS
        if cycle.model.matching == 5:
            await cycle.clock(processed=1)
        else:
            await cycle.clock()
    assert (cycle.model.mode, cycle.model.p) == (NPOS, 1)
    await cycle.clock()
    assert cycle.model.mode == OPNS
    # the 255th subscription of T is the configuration's last
    for _ in range(2):
        await cycle.bench.reset()
        cycle.model, cycle.levels = Model(gather=1000, timeout=5), {"full": 0, "route_end": 1, "looked_up": 1, "available": 0}
        await _subscribe(cycle, MOST + 1)
        for number in range(MOST):
            assert cycle.model.mode in (NOP, NPNS), number
            await cycle.clock(registered=1)
        await cycle.until(OPOS, within=3)
        assert cycle.model.sa == 1


@cocotb.test()
async def the_end_of_a_cycle_is_impatient_with_links_alone(dut):
    """SRoA is given up after its patience and counted; look-ups are waited for."""
    cycle = await _cycle(dut, patience=7)
    await _subscribe(cycle)
    await _register(cycle)
    await cycle.until(OPOS)
    await cycle.clock(route_end=0, looked_up=0)
    await _subscribe(cycle)
    await cycle.until(OPNS)
    for _ in range(40):
        await cycle.clock()
    assert (cycle.seen["clears"], cycle.seen["abandons"], cycle.seen["abandoned"]) == (0, 1, 1)
    await cycle.clock(route_end=1)
    await cycle.clock()
    assert cycle.seen["clears"] == 0
    await cycle.clock(looked_up=1)
    await _clear(cycle)
    assert cycle.seen["abandoned"] == 1
