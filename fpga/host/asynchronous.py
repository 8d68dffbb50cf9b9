"""The driver for asyncio: the same calls, in a thread of their own, one at a time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, TypeVar

from fpga.host.broker import Broker, Notification, Outcome, Subscription
from fpga.host.transport import Transport

__all__ = ["AsyncBroker"]

_T = TypeVar("_T")
_POLL = 0.01


class AsyncBroker:
    """A :class:`fpga.host.broker.Broker` whose calls are awaited; :meth:`open` makes one."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, transport: Transport) -> "AsyncBroker":
        return cls(await asyncio.to_thread(Broker, transport))

    async def _call(self, function: Callable[..., _T], *given: Any, **named: Any) -> _T:
        async with self._turn:
            return await asyncio.to_thread(function, *given, **named)

    async def subscribe(self, xpath: str, **options: Any) -> Subscription:
        return await self._call(self._broker.subscribe, xpath, **options)

    async def unsubscribe(self, subscription: Subscription) -> None:
        await self._call(self._broker.unsubscribe, subscription)

    async def publish(self, document: bytes) -> Outcome:
        return await self._call(self._broker.publish, document)

    async def notifications(self) -> AsyncIterator[Notification]:
        """Every notification as it comes, without an end."""
        while True:
            for one in await self._call(lambda: list(self._broker.notifications(timeout=_POLL))):
                yield one
            await asyncio.sleep(0)

    async def configure_skeleton(self, names: Iterable[str]) -> int:
        return await self._call(self._broker.configure_skeleton, names)

    async def counters(self) -> dict[str, int | list[int]]:
        return await self._call(self._broker.counters)

    async def reset(self) -> None:
        await self._call(self._broker.reset)

    async def close(self) -> None:
        await self._call(self._broker.close)
