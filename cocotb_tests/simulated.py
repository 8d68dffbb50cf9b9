"""Runs a component on Amaranth's simulator: its streams as calls, with idle clocks, stalls and resets."""

import random
from collections.abc import Callable
from typing import Any

from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.sim import Simulator

from cocotb_tests.streams import pack, unpack

__all__ = ["Part", "run"]


class Part:
    """The part and the clock: what a test needs to talk to it. ``idle`` and ``stall`` are the chances of a clock without an offer, and of
    one without a taker."""

    def __init__(self, ctx, dut, reset, *, seed: int, idle: float, stall: float):
        self.ctx, self.dut, self._reset = ctx, dut, reset
        self.random = random.Random(seed)
        self.idle, self.stall = idle, stall
        self.now = 0

    async def clock(self, count: int = 1) -> None:
        """Let clocks pass."""
        for _ in range(count):
            await self.ctx.tick()
            self.now += 1

    def get(self, signal) -> int:
        """A signal's value in this clock."""
        return int(self.ctx.get(signal.as_value() if hasattr(signal, "as_value") else signal))

    def set(self, signal, value: Any) -> None:
        """Drive an input; layouts take dicts."""
        target = signal.as_value() if hasattr(signal, "as_value") else signal
        shape = signal.shape() if hasattr(signal, "shape") else None
        self.ctx.set(target, pack(shape, value) if shape is not None else value)

    def value(self, signal) -> Any:
        """A signal's value as a dict of its fields."""
        return unpack(signal.shape(), self.get(signal))

    async def give(self, port, payload: Any, within: int = 3000) -> None:
        """Offer a payload until it is taken."""
        while self.random.random() < self.idle:
            await self.clock()
        self.set(port.payload, payload)
        self.ctx.set(port.valid, 1)
        for _ in range(within):
            taken = self.ctx.get(port.ready)
            await self.clock()
            if taken:
                break
        else:
            raise AssertionError(f"nothing was taken in {within} clocks")
        self.ctx.set(port.valid, 0)

    async def take(self, port, within: int = 3000) -> Any:
        """Wait for a payload and take it, which an answer that is always taken does not wait for."""
        for _ in range(within):
            ready = self.random.random() >= self.stall
            if not isinstance(port.ready, int) and port.signature.always_ready is False:
                self.ctx.set(port.ready, int(ready))
            else:
                ready = True
            valid, payload = (
                self.ctx.get(port.valid),
                self.value(port.payload) if hasattr(port.payload, "as_value") else self.get(port.payload),
            )
            await self.clock()
            if valid and ready:
                if port.signature.always_ready is False:
                    self.ctx.set(port.ready, 0)
                return payload
        raise AssertionError(f"nothing came in {within} clocks")

    async def ask(self, request, answer, payload: Any) -> Any:
        """A request and its answer."""
        await self.give(request, payload)
        return await self.take(answer)

    async def reset(self) -> None:
        """A reset of two clocks."""
        self.ctx.set(self._reset, 1)
        await self.clock(2)
        self.ctx.set(self._reset, 0)


def run(dut, test: Callable, *, seed: int = 1, idle: float = 0.0, stall: float = 0.0) -> None:
    """Run the coroutine ``test`` with a :class:`Part`."""
    reset = Signal()
    m = Module()
    m.submodules.dut = ResetInserter(reset)(dut)
    m.d.sync += Signal().eq(0)  # a part without a flip-flop has no clock
    simulator = Simulator(m)
    simulator.add_clock(1e-6)

    async def bench(ctx) -> None:
        await test(Part(ctx, dut, reset, seed=seed, idle=idle, stall=stall))

    simulator.add_testbench(bench)
    simulator.run()
