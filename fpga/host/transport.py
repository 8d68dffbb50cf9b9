"""What carries bytes between the driver and a broker, and the recording of it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, TextIO

__all__ = ["Recorder", "SerialTransport", "TraceError", "TraceTransport", "Transport", "TransportError"]


class TransportError(Exception):
    """The bytes cannot be carried; the message is one sentence."""


class TraceError(TransportError):
    """A trace is being replayed and the driver does something else than when it was recorded."""


class Transport(Protocol):
    """A line of bytes to a board. Bytes may be lost or damaged on it; the link above sees to that."""

    patience: float
    """Seconds without a byte after which something is taken to be lost."""

    def session(self) -> int:
        """A number from 0 to 255 for the next session, other than the last one's."""
        ...

    def write(self, data: bytes) -> None: ...

    def read(self, timeout: float) -> bytes:
        """What has come; waits for the first byte at most ``timeout`` seconds, and returns nothing then."""
        ...

    def close(self) -> None: ...


class SerialTransport:
    """A serial port, such as the one behind a board's USB connector."""

    patience = 0.05

    def __init__(self, port: str, *, baud: int = 3_000_000) -> None:
        import serial

        try:
            self._port = serial.serial_for_url(port, baudrate=baud, timeout=0)
        except (OSError, ValueError) as error:
            raise TransportError(f"the port {port!r} cannot be opened ({error})") from error

    def session(self) -> int:
        return os.urandom(1)[0]

    def write(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except OSError as error:
            raise TransportError(f"the port cannot be written ({error})") from error

    def read(self, timeout: float) -> bytes:
        try:
            self._port.timeout = timeout
            first: bytes = self._port.read(1)
            waiting: int = self._port.in_waiting
            return first + (self._port.read(waiting) if first and waiting else b"")
        except OSError as error:
            raise TransportError(f"the port cannot be read ({error})") from error

    def close(self) -> None:
        self._port.close()


class Recorder:
    """A transport whose traffic goes to a file, to be replayed by :class:`TraceTransport`."""

    def __init__(self, inner: Transport, path: Path) -> None:
        self._inner = inner
        self.patience = inner.patience
        self._file: TextIO = path.open("w", encoding="utf-8")
        self._note(patience=inner.patience)

    def _note(self, **what: Any) -> None:
        self._file.write(json.dumps(what) + "\n")

    def session(self) -> int:
        number = self._inner.session()
        self._note(session=number)
        return number

    def write(self, data: bytes) -> None:
        self._note(write=data.hex())
        self._inner.write(data)

    def read(self, timeout: float) -> bytes:
        data = self._inner.read(timeout)
        self._note(read=data.hex())
        return data

    def close(self) -> None:
        self._inner.close()
        self._file.close()


class TraceTransport:
    """Replays what a :class:`Recorder` wrote: the driver must do what it did then, and gets what it got then."""

    def __init__(self, path: Path) -> None:
        self._lines = self._read(path)
        self.patience = float(self._next("patience"))

    @staticmethod
    def _read(path: Path) -> Iterator[dict[str, Any]]:
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)

    def _next(self, what: str) -> Any:
        entry = next(self._lines, None)
        if entry is None:
            raise TraceError(f"the trace ends where the driver wants to {what}")
        if what not in entry:
            raise TraceError(f"the trace has {next(iter(entry))!r} where the driver wants to {what}")
        return entry[what]

    def session(self) -> int:
        return int(self._next("session"))

    def write(self, data: bytes) -> None:
        expected = bytes.fromhex(self._next("write"))
        if data != expected:
            raise TraceError(f"the driver writes {data.hex()} where the trace has {expected.hex()}")

    def read(self, timeout: float) -> bytes:
        return bytes.fromhex(self._next("read"))

    def close(self) -> None:
        """Nothing is left to do; what the trace still holds is not looked at."""
