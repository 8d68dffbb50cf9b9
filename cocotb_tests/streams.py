"""Bench of a component with streams: clock and reset, sources with idles, sinks with back pressure, and the rules of a stream."""

import json
import os
import random
from collections import deque
from collections.abc import Iterable
from typing import Any

import cocotb
from amaranth.hdl import Shape
from amaranth.lib import data
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

__all__ = ["Bench", "Sink", "Source", "StreamRules", "pack", "parameters", "unpack"]


def parameters() -> dict[str, Any]:
    """What the pytest runner handed over."""
    return json.loads(os.environ.get("BENCH_PARAMETERS", "{}"))


def _layout(shape) -> data.Layout | None:
    if isinstance(shape, data.Layout):
        return shape
    if isinstance(shape, type) and issubclass(shape, (data.Struct, data.Union)):
        return data.Layout.cast(shape)
    return None


def pack(shape, value: Any) -> int:
    """The bits of a payload: an integer, or for a layout a (nested) dict whose missing fields are 0."""
    layout = _layout(shape)
    if layout is None or isinstance(value, int):
        return int(getattr(value, "value", value)) & ((1 << Shape.cast(shape).width) - 1)
    bits = 0
    fields = dict(iter(layout))
    if extra := value.keys() - fields.keys():
        raise KeyError(f"fields must be among {sorted(fields)}, not {sorted(extra)}")
    for name, item in value.items():
        bits |= pack(fields[name].shape, item) << fields[name].offset
    return bits


def unpack(shape, bits: int) -> Any:
    """The inverse of :func:`pack`, every field as an integer or a dict."""
    layout = _layout(shape)
    if layout is None:
        return bits
    return {name: unpack(field.shape, bits >> field.offset & ((1 << Shape.cast(field.shape).width) - 1)) for name, field in layout}


class StreamRules:
    """Judge of one stream, clock by clock: an offered payload stays offered and unchanged until it is taken."""

    def __init__(self, name: str):
        self.name = name
        self.pending: int | None = None

    def see(self, valid: bool, ready: bool, payload: int) -> None:
        """One clock in which reset is low."""
        if self.pending is not None:
            assert valid, f"{self.name}: valid fell before the payload was taken"
            assert payload == self.pending, f"{self.name}: payload {self.pending:#x} became {payload:#x} before it was taken"
        self.pending = payload if valid and not ready else None

    def forget(self) -> None:
        """A reset: whatever was offered is void."""
        self.pending = None


class Source:
    """Drives a stream that enters the component. ``idle`` is the probability of a clock without an offer between two payloads;
    ``clocks`` are those in which payloads were taken since the last reset."""

    def __init__(self, bench: "Bench", name: str, shape, idle: float):
        self.bench, self.name, self.shape, self.idle = bench, name, shape, idle
        self.queue: deque[int] = deque()
        self.clocks: list[int] = []
        self.valid = getattr(bench.dut, f"{name}__valid")
        self.ready = getattr(bench.dut, f"{name}__ready")
        self.payload = getattr(bench.dut, f"{name}__payload")
        self.valid.value = 0
        self.payload.value = 0

    def send(self, items: Iterable[Any]) -> None:
        """Queue payloads, given as :func:`pack` takes them."""
        self.queue.extend(pack(self.shape, item) for item in items)

    async def drained(self) -> None:
        """Wait until everything queued has been taken."""
        while self.queue:
            await RisingEdge(self.bench.dut.clk)

    async def run(self) -> None:
        """The driver itself, started by the bench."""
        dut, chance = self.bench.dut, self.bench.random
        offered = False
        while True:
            if not offered and self.queue and chance.random() >= self.idle:
                self.valid.value = 1
                self.payload.value = self.queue[0]
                offered = True
            await FallingEdge(dut.clk)
            taken = offered and self.ready.value == 1
            if taken:
                self.clocks.append(self.bench.now)
            await RisingEdge(dut.clk)
            if taken:
                self.queue.popleft()
                offered = False
                self.valid.value = 0
                self.payload.value = chance.getrandbits(len(self.payload))

    def forget(self) -> None:
        """Drop the queue and the offer."""
        self.queue.clear()
        self.clocks.clear()
        self.valid.value = 0


class Sink:
    """Takes a stream that leaves the component and judges its rules. ``stall`` is the probability of a clock without ready;
    ``items`` came in the clocks ``clocks`` since the last reset."""

    def __init__(self, bench: "Bench", name: str, shape, stall: float):
        self.bench, self.name, self.shape, self.stall = bench, name, shape, stall
        self.items: list[Any] = []
        self.clocks: list[int] = []
        self.rules = StreamRules(name)
        self.valid = getattr(bench.dut, f"{name}__valid")
        self.ready = getattr(bench.dut, f"{name}__ready")
        self.payload = getattr(bench.dut, f"{name}__payload")
        self.ready.value = 0

    async def run(self) -> None:
        """The taker itself, started by the bench."""
        dut, chance = self.bench.dut, self.bench.random
        while True:
            ready = chance.random() >= self.stall
            self.ready.value = int(ready)
            await FallingEdge(dut.clk)
            valid = self.valid.value == 1
            payload = int(self.payload.value) if valid else 0
            self.rules.see(valid, ready, payload)
            if valid and ready:
                self.items.append(unpack(self.shape, payload))
                self.clocks.append(self.bench.now)
            await RisingEdge(dut.clk)

    async def receive(self, count: int, *, within: int) -> list[Any]:
        """Wait until ``count`` payloads have come since the last reset, for at most ``within`` clocks."""
        for _ in range(within):
            if len(self.items) >= count:
                return self.items
            await RisingEdge(self.bench.dut.clk)
        raise AssertionError(f"{self.name}: only {len(self.items)} of {count} payloads came in {within} clocks")

    def forget(self) -> None:
        """Drop what has come."""
        self.items.clear()
        self.clocks.clear()
        self.rules.forget()
        self.ready.value = 0


class Bench:
    """Clock, reset and the agents round a component. All chance comes from cocotb's seed.

    Agents drive just after the rising edge and sample at the falling one, where everything has settled, on either simulator.
    """

    def __init__(self, dut):
        self.dut = dut
        self.random = random.Random(cocotb.RANDOM_SEED)
        self.now = 0
        self.agents: list[Any] = []
        self._tasks: list[Any] = []
        dut.rst.value = 1
        Clock(dut.clk, 2, unit="ns").start(start_high=False)
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            self.now += 1

    def source(self, name: str, shape, *, idle: float = 0.0) -> Source:
        """A source for the stream port ``name``."""
        self.agents.append(Source(self, name, shape, idle))
        return self.agents[-1]

    def sink(self, name: str, shape, *, stall: float = 0.0) -> Sink:
        """A sink for the stream port ``name``."""
        self.agents.append(Sink(self, name, shape, stall))
        return self.agents[-1]

    async def reset(self, clocks: int = 2) -> None:
        """Stop and empty the agents, hold reset, then start the agents again."""
        for task in self._tasks:
            task.cancel()
        for agent in self.agents:
            agent.forget()
        self.dut.rst.value = 1
        await self.clocks(clocks)
        self.dut.rst.value = 0
        self._tasks = [cocotb.start_soon(agent.run()) for agent in self.agents]

    async def clocks(self, count: int) -> None:
        """Let clocks pass."""
        for _ in range(count):
            await RisingEdge(self.dut.clk)
