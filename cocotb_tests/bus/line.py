"""A transport of the host driver whose line is a pair of byte streams of the simulated component."""

from collections import deque

import cocotb
from cocotb.task import resume
from cocotb.triggers import FallingEdge, RisingEdge

from tests.noise import Noise

__all__ = ["LineTransport"]

_CLOCKS_PER_SECOND = 100_000
_QUIET = 40


class LineTransport:
    """To be used from a thread made by ``cocotb.task.bridge``. A byte goes in every ``pace`` clocks at most."""

    patience = 0.01

    def __init__(self, dut, noise: Noise, *, pace: int = 2):
        self.dut, self.noise, self.pace = dut, noise, pace
        self.sessions = 0
        self._inward: deque[int] = deque()
        self._outward = bytearray()
        dut.rx__valid.value = 0
        dut.tx__ready.value = 1
        cocotb.start_soon(self._drive())
        cocotb.start_soon(self._listen())

    async def _drive(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            dut.rx__valid.value = 0
            if self._inward:
                dut.rx__valid.value, dut.rx__payload.value = 1, self._inward.popleft()
                for _ in range(self.pace - 1):
                    await RisingEdge(dut.clk)
                    dut.rx__valid.value = 0

    async def _listen(self):
        dut = self.dut
        while True:
            await FallingEdge(dut.clk)
            if dut.tx__valid.value == 1 and dut.rst.value == 0:
                self._outward.append(int(dut.tx__payload.value))

    def session(self) -> int:
        self.sessions = (self.sessions + 1) % 256
        return self.sessions

    @resume
    async def write(self, data: bytes) -> None:
        self._inward.extend(self.noise(data))

    @resume
    async def read(self, timeout: float) -> bytes:
        left, quiet, seen = int(timeout * _CLOCKS_PER_SECOND), 0, 0
        while left > 0 or self._inward:
            await RisingEdge(self.dut.clk)
            left -= 1
            quiet = quiet + 1 if len(self._outward) == seen else 0
            seen = len(self._outward)
            if seen and quiet > _QUIET and not self._inward:
                break
        data = bytes(self._outward)
        self._outward.clear()
        return self.noise(data)

    def close(self) -> None:
        pass
