"""A transport of the host driver over the UART pins of the simulated board."""

import warnings

from cocotb.task import resume
from cocotb.triggers import ClockCycles

from tests.noise import Noise

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cocotbext.uart import UartSink, UartSource

__all__ = ["UartTransport"]

_STEP = 32


class UartTransport:
    """To be used from a thread made by ``cocotb.task.bridge``; a bit takes ``divisor`` clocks of ``period`` ns."""

    patience = 0.01

    def __init__(self, dut, noise: Noise, *, divisor: int, period: int):
        self.dut, self.noise = dut, noise
        self.sessions = 0
        self._byte = 10 * divisor
        baud = 1_000_000_000 // (divisor * period)
        self.source = UartSource(dut.rx, baud=baud, bits=8)
        self.sink = UartSink(dut.tx, baud=baud, bits=8)
        for agent in (self.source, self.sink):
            agent.log.setLevel("WARNING")

    def session(self) -> int:
        self.sessions = (self.sessions + 1) % 256
        return self.sessions

    @resume
    async def write(self, data: bytes) -> None:
        self.source.write_nowait(self.noise(data))

    @resume
    async def read(self, timeout: float) -> bytes:
        """A second of patience is a million clocks; bytes on their way to the board are waited for."""
        left, seen, quiet = int(timeout * 1_000_000), 0, 0
        while left > 0 or not self.source.idle():
            await ClockCycles(self.dut.clk, _STEP)
            left -= _STEP
            quiet = quiet + _STEP if self.sink.count() == seen else 0
            seen = self.sink.count()
            if seen and quiet > 2 * self._byte:
                break
        return self.noise(bytes(self.sink.read_nowait()))

    def close(self) -> None:
        pass
