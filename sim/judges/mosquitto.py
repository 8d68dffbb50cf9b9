"""Judge of MQTT filters: libmosquitto by ctypes, and mosquitto as a real broker on a socket of this machine."""

import contextlib
import ctypes
import ctypes.util
import socket
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["accepts", "broker", "matches"]

_SUCCESS = 0
_INVALID = 3


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(ctypes.util.find_library("mosquitto") or "libmosquitto.so.1")
    library.mosquitto_topic_matches_sub2.argtypes = [
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_bool),
    ]
    library.mosquitto_sub_topic_check2.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library


def accepts(subscription: str) -> bool:
    """Whether libmosquitto takes the text for a topic filter."""
    data = subscription.encode()
    return bool(_library().mosquitto_sub_topic_check2(data, len(data)) == _SUCCESS)


def matches(subscription: str, topic: str) -> bool:
    """Whether the filter matches; a topic that is no topic name is matched by nothing."""
    mine, theirs, result = subscription.encode(), topic.encode(), ctypes.c_bool()
    code = _library().mosquitto_topic_matches_sub2(mine, len(mine), theirs, len(theirs), ctypes.byref(result))
    if code not in (_SUCCESS, _INVALID):
        raise RuntimeError(f"libmosquitto answers {code} to {subscription!r} on {topic!r}")
    return code == _SUCCESS and result.value


@contextlib.contextmanager
def broker(folder: Path) -> Iterator[int]:
    """A mosquitto that listens on a port of this machine alone while the context lasts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    configuration = folder / "mosquitto.conf"
    limits = "max_inflight_messages 0\nmax_queued_messages 0\n"
    configuration.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n{limits}")
    with (folder / "mosquitto.log").open("w") as log:
        process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", str(configuration)], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 20
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"mosquitto does not listen: {(folder / 'mosquitto.log').read_text()}")
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(timeout=20)
