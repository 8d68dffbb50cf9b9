"""The broker's hardware, compiled by Verilator, as a transport: the line is that of the host link, byte by byte."""

import struct
import subprocess
from collections.abc import Callable

from fpga.host.transport import TransportError
from hdl.config import BrokerConfig
from sim.verilated.builder import program

__all__ = ["SimulationTransport"]

_CLOCKS_PER_SECOND = 1_000_000


class SimulationTransport:
    """Runs only while it is read. A second of the driver's patience is a million clocks; ``clock`` counts those that have passed.

    ``pace`` is the least distance of bytes to the board in clocks. ``noise``, given the bytes of one direction, returns what arrives of
    them.
    """

    patience = 0.02

    def __init__(self, config: BrokerConfig, *, pace: int = 1, noise: Callable[[bytes], bytes] | None = None) -> None:
        command = [str(program(top="x2cbbr_host", main="board_main.cpp", config=config)), str(pace)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._noise = noise or bytes
        self._sessions = 0
        self.clock = 0

    def session(self) -> int:
        self._sessions = (self._sessions + 1) % 256
        return self._sessions

    def _exchange(self, command: bytes) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(command)
            self._process.stdin.flush()
            head = self._process.stdout.read(12)
            length, self.clock = struct.unpack("<IQ", head)
            return self._process.stdout.read(length)
        except (OSError, struct.error) as error:
            raise TransportError("the simulation has ended") from error

    def write(self, data: bytes) -> None:
        data = self._noise(data)
        self._exchange(b"W" + struct.pack("<I", len(data)) + data)

    def read(self, timeout: float) -> bytes:
        return self._noise(self._exchange(b"R" + struct.pack("<I", int(timeout * _CLOCKS_PER_SECOND))))

    def reset_board(self) -> None:
        """Press the board's reset button."""
        self._exchange(b"Z" + struct.pack("<I", 0))

    def close(self) -> None:
        if self._process.poll() is None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
