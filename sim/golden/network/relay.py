"""Notification re-routing [T-Fig 5.23], for publications too; it asks neither SMT nor CRT and runs in every mode."""

from dataclasses import replace

from sim.golden.network.codes import Counter
from sim.golden.network.frames import Message
from sim.golden.network.osid import OSid
from sim.golden.network.outlet import Outlet

__all__ = ["Relay"]


class Relay:
    """The re-routing of one broker."""

    def __init__(self, bid: int, outlet: Outlet, neighbours: frozenset[int]) -> None:
        self._bid = bid
        self._outlet = outlet
        self._neighbours = neighbours

    def take(self, message: Message, sender: int) -> Message | None:
        """Send a FORWARD or ROUTE on its way; the message with {SID, 0} when it ends here. What cannot be right is dropped and counted."""
        path = message.osid.path
        wrong = self._wrong(path, sender)
        if wrong is not None:
            self._outlet.count(wrong, message.publication)
            return None
        rest = OSid(message.osid.sid, path[:-2])
        if rest.local:
            return replace(message, osid=rest)
        self._outlet.send(rest.last, replace(message, osid=rest.push(self._bid)))
        return None

    def _wrong(self, path: tuple[int, ...], sender: int) -> Counter | None:
        if len(path) < 2:
            return Counter.SHORT_PATH
        if path[-2] != self._bid:
            return Counter.NOT_OWN
        if path[-1] != sender:
            return Counter.NOT_SENDER
        if len(path) > 2 and path[-3] not in self._neighbours:
            return Counter.NO_PORT
        return None
